"""read_matrix: the door for features. Arrays of other libraries stay on their device."""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_array, validate_data

from consensa._array import is_array, is_numpy, namespace
from consensa.exceptions import InvalidInputError

__all__ = ["read_matrix"]


def read_matrix(X: Any, *, estimator: Any = None, new: bool = False) -> Any:
    """Features as a finite 2-D floating array of at least two samples.

    What is not an array of another library becomes NumPy and goes through scikit-learn's
    checks; an `estimator` then gets ``n_features_in_`` and ``feature_names_in_``. Of `new`
    samples for a fitted one, which must have the same features, there may be one.
    """
    least = 1 if new else 2
    if is_array(X) and not is_numpy(namespace(X)):
        X = _check_foreign(X, least)
        if new and estimator is not None:
            _check_n_features(X, estimator)
        elif estimator is not None:
            estimator.n_features_in_ = int(X.shape[1])
        return X
    options: dict[str, Any] = {"dtype": ["float64", "float32"], "ensure_min_samples": least}
    try:
        if estimator is None:
            return check_array(X, input_name="X", **options)
        return validate_data(estimator, X, reset=not new, **options)
    except InvalidInputError:
        raise
    except ValueError as error:
        raise InvalidInputError(str(error)) from error


def _check_n_features(X: Any, estimator: Any) -> None:
    if X.shape[1] != estimator.n_features_in_:
        message = (
            f"X has {X.shape[1]} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input."
        )
        raise InvalidInputError(message)


def _check_foreign(X: Any, least: int) -> Any:
    xp = namespace(X)
    if X.ndim != 2 or X.shape[0] < least or X.shape[1] < 1:
        message = (
            f"X must be a matrix of at least {least} samples (rows) and 1 feature (column). "
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
