"""The features of a fit, by which `predict` reads new samples in the same way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scipy import sparse
from sklearn.base import BaseEstimator

from consensa._array import Array, to_numpy
from consensa.features.frames import Encoding
from consensa.features.matrix import read_matrix

__all__ = ["SeenFeatures", "read_new"]


@dataclass(frozen=True, eq=False)
class SeenFeatures:
    """What is known of the columns of the `X` that an estimator was fitted on.

    Attributes
    ----------
    owner : str
        Name of the estimator, for messages.
    count : int
        Number of columns.
    names : ndarray of str or None
        Their names, where `X` was a frame.
    encoding : Encoding or None
        How text columns became numbers, where there were any.
    """

    owner: str
    count: int
    names: Array | None = None
    encoding: Encoding | None = None

    @classmethod
    def of(cls, estimator: Any) -> SeenFeatures:
        """What `read_matrix` left on a fitted estimator."""
        return cls(
            type(estimator).__name__,
            estimator.n_features_in_,
            getattr(estimator, "feature_names_in_", None),
            getattr(estimator, "_frame_encoding", None),
        )

    def as_estimator(self) -> Any:
        """An estimator of the same name with these columns: scikit-learn's checks want one."""
        estimator: Any = type(self.owner, (BaseEstimator,), {})()
        estimator.n_features_in_ = self.count
        estimator._frame_encoding = self.encoding
        if self.names is not None:
            estimator.feature_names_in_ = self.names
        return estimator


def read_new(X: Any, seen: SeenFeatures | None) -> Any:
    """New samples as a NumPy array or a CSR matrix; they must have the features that were seen."""
    fitted = None if seen is None else seen.as_estimator()
    features = read_matrix(X, estimator=fitted, new=True, accept_sparse=True)
    return features if sparse.issparse(features) else to_numpy(features)
