"""The columns of the X of a fit, so that `predict` reads new samples in the same way."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import validate_data

from consensa._array import Array
from consensa._machine.plain_objects import storable
from consensa.exceptions import InvalidInputError
from consensa.features._encoding import Encoding
from consensa.features._features import Features, read_new_features

__all__ = ["SeenFeatures", "read_new"]


@storable
class SeenFeatures:
    """Columns of the `X` on which an estimator was fitted.

    Attributes
    ----------
    owner : str
        Name of the estimator, for messages.
    count : int
        Number of columns.
    names : ndarray of str or None
        Their names, if `X` was a frame.
    encoding : Encoding or None
        Encoding of the text columns, if there are any.
    """

    owner: str
    count: int
    names: Array | None = None
    encoding: Encoding | None = None

    @classmethod
    def of(cls, features: Features, owner: str) -> SeenFeatures:
        """The columns of these features."""
        names = features.column_names
        kept = None if names is None else np.asarray(names, dtype=object)
        return cls(owner, features.n_columns, kept, features.encoding)

    def check(self, X: Any, features: Features) -> None:
        """Raise an error if new samples `X`, read as `features`, have other columns."""
        # scikit-learn's checks need an estimator, and reject names of which only some are
        # strings, which are accepted here.
        estimator: Any = type(self.owner, (BaseEstimator,), {})()
        estimator.n_features_in_ = self.count
        if self.names is not None:
            estimator.feature_names_in_ = self.names
        named = features.column_names is not None or self.names is not None
        columns = X if named and not isinstance(X, Features) else features.array
        try:
            validate_data(estimator, columns, reset=False, skip_check_array=True)
        except ValueError as error:
            raise InvalidInputError(str(error)) from error


def read_new(X: Any, seen: SeenFeatures | None) -> Any:
    """New samples as a NumPy array or a CSR matrix; their columns must be those of the fit."""
    features = read_new_features(X, None if seen is None else seen.encoding)
    if seen is not None and seen.encoding is None:  # an encoding checks the names itself
        seen.check(X, features)
    return features.points
