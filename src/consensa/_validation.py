"""read_matrix: the door for features. Arrays of other libraries stay on their device."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_array, validate_data

from consensa._array import is_array, is_numpy, namespace
from consensa.exceptions import InvalidInputError

__all__ = ["read_matrix"]


def read_matrix(X: Any, *, estimator: Any = None) -> Any:
    """Features as a finite 2-D floating array of at least two samples.

    What is not an array of another library becomes NumPy and goes through scikit-learn's
    checks; an `estimator` then gets ``n_features_in_`` and ``feature_names_in_``.
    """
    if is_array(X) and not is_numpy(namespace(X)):
        X = _check_foreign(X)
        if estimator is not None:
            estimator.n_features_in_ = int(X.shape[1])
        return X
    options = {"dtype": ["float64", "float32"], "ensure_min_samples": 2}
    try:
        if estimator is None:
            return check_array(X, input_name="X", **options)
        return validate_data(estimator, X, **options)
    except InvalidInputError:
        raise
    except ValueError as error:
        raise InvalidInputError(str(error)) from error


def _check_foreign(X: Any) -> Any:
    xp = namespace(X)
    if X.ndim != 2 or X.shape[0] < 2 or X.shape[1] < 1:
        message = (
            "X must be a matrix of at least 2 samples (rows) and 1 feature (column). "
            f"Got an array of shape {tuple(X.shape)}."
        )
        raise InvalidInputError(message)
    if xp.isdtype(X.dtype, "complex floating"):
        message = "Complex data not supported: X must hold real numbers."
        raise InvalidInputError(message)
    if not xp.isdtype(X.dtype, "real floating"):
        X = xp.astype(X, xp.float64)
    if not bool(xp.all(xp.isfinite(X))):
        message = "X must be finite. It contains NaN or infinity."
        raise InvalidInputError(message)
    return X
