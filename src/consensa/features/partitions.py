"""Features that look like partitions."""

from __future__ import annotations

import warnings
from typing import Any

import narwhals as nw

from consensa.exceptions import LabelColumnsWarning

__all__ = ["like_partitions", "warn_of_partitions"]


def like_partitions(X: Any) -> bool:
    """Whether every column of a frame holds a few integers or names, and one more than two.

    Parameters
    ----------
    X : frame
        Of any library that narwhals reads.

    Returns
    -------
    bool
        False also for anything that is not a frame.

    Examples
    --------
    >>> import pandas as pd
    >>> from consensa.features.partitions import like_partitions
    >>> like_partitions(pd.DataFrame({"a": [0, 0, 1, 1, 2, 2], "b": [1, 1, 2, 2, 1, 1]}))
    True
    >>> like_partitions(pd.DataFrame({"a": [0.5, 0.1, 1.0], "b": [1, 2, 3]}))
    False
    """
    try:
        frame = nw.from_native(X, eager_only=True, pass_through=True)
    except ValueError:  # duplicate column names
        return False
    if not isinstance(frame, nw.DataFrame):
        return False
    most = 0
    for name in frame.columns:
        try:
            entries = frame.get_column(name).drop_nulls().unique().to_list()
            groups = {entry for entry in entries if entry == entry}  # without NaN
        except TypeError:  # lists and the like
            return False
        if 2 * len(groups) > len(frame) or not _are_groups(groups):
            return False
        most = max(most, len(groups))
    return frame.shape[1] > 1 and most > 2


def _are_groups(groups: set[Any]) -> bool:
    """Whether these are text, or consecutive integers from 0 or 1; -1 is missing."""
    if any(isinstance(group, str) for group in groups):
        return True
    numbers = groups - {-1}
    return numbers in (set(range(len(numbers))), set(range(1, len(numbers) + 1)))


def warn_of_partitions(X: Any, *, stacklevel: int) -> None:
    """Warn, before the work begins, if `X` is a frame of labels that is read as features."""
    if like_partitions(X):
        message = (
            "Every column of X holds a few distinct integers or names, like a partition, and X is "
            "read as features. If its columns are partitions, use consensa.combine, or "
            'generator="precomputed".'
        )
        warnings.warn(LabelColumnsWarning(message), stacklevel=stacklevel)
