"""What is known of the samples beside the result."""

from __future__ import annotations

from typing import Any, NamedTuple

from consensa._array import Array
from consensa.description import SampleMap

__all__ = ["Known"]


class Known(NamedTuple):
    """What is known of the samples beside the result.

    Attributes
    ----------
    names : ndarray of shape (n_samples,)
        Their names.
    names_title : str
        Title of the names in a file of labels.
    features : frame, array or None
        Their features.
    truth : array-like of shape (n_samples,) or None
        Their known classes.
    map : SampleMap or None
        Their places in two dimensions, if there are features.
    """

    names: Array
    names_title: str
    features: Any = None
    truth: Any = None
    map: SampleMap | None = None
