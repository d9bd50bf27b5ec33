"""read_matrix: the door for features. Arrays of other libraries stay on their device."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_array, validate_data

from consensa._array import is_array, is_numpy, namespace
from consensa.exceptions import InvalidInputError
from consensa.features.frames import Encoding, check_columns, column_names, has_words, is_number

__all__ = ["read_matrix"]


def read_matrix(
    X: Any, *, estimator: Any = None, new: bool = False, accept_sparse: bool = False
) -> Any:
    """Features as a finite 2-D floating array of at least two samples.

    What is not an array of another library becomes NumPy and goes through scikit-learn's
    checks; an `estimator` then gets ``n_features_in_`` and ``feature_names_in_``. Of `new`
    samples for a fitted one, which must have the same features, there may be one. Words in
    the columns of a frame become indicators. Sparse features, if accepted, come back as CSR.
    """
    least = 1 if new else 2
    if (encoding := _encoding(X, estimator, new)) is not None:
        return _read(encoding.features(X), None, ensure_min_samples=least)
    check_columns(X)
    if is_array(X) and not is_numpy(namespace(X)):
        X = _check_foreign(X, least)
        if new and estimator is not None:
            _check_n_features(X, estimator)
        elif estimator is not None:
            estimator.n_features_in_ = int(X.shape[1])
        return X
    options: dict[str, Any] = {"accept_sparse": "csr"} if accept_sparse else {}
    return _read(X, estimator, reset=not new, ensure_min_samples=least, **options)


def _read(X: Any, estimator: Any, *, reset: bool = True, **options: Any) -> Any:
    """scikit-learn's checks, its errors turned into ours."""
    if isinstance(X, np.ndarray) and X.dtype.kind in "mM":
        message = f"X must hold numbers. Got {X.dtype}: turn it into days since a first one."
        raise InvalidInputError(message)
    options["dtype"] = ["float64", "float32"]
    try:
        if estimator is None:
            return check_array(X, input_name="X", **options)
        return validate_data(estimator, X, reset=reset, **options)
    except InvalidInputError:
        raise
    except ValueError as error:
        raise InvalidInputError(_first_bad_entry(X) or str(error)) from error


def _first_bad_entry(X: Any) -> str | None:
    """Where `X` has something else than a finite number, and what to do; None if nowhere."""
    try:
        table = np.asarray(X)
    except ValueError:  # rows of different lengths
        return None
    if table.ndim != 2 or table.dtype.kind not in "fOUS":
        return None
    each = np.isfinite if table.dtype.kind == "f" else np.vectorize(_is_finite, otypes=[bool])
    good = each(table)
    if good.all():
        return None
    row, column = (int(place[0]) for place in np.nonzero(~good))
    entry, names = table[row, column], column_names(X)
    remedy = "Fill them, or leave their rows or columns out."
    if isinstance(entry, str) and names is None:
        remedy = "Columns of words are taken from a frame, such as pandas.DataFrame(X)."
    return (
        f"X must hold finite numbers. Column {column if names is None else repr(names[column])} "
        f"has {_shown(entry)} in row {row} (counted from 0), the first of {int((~good).sum())} "
        f"such entries. {remedy}"
    )


def _is_finite(entry: Any) -> bool:
    return is_number(entry) and bool(np.isfinite(float(entry)))


def _shown(entry: Any) -> str:
    if is_number(entry):
        return "NaN" if np.isnan(float(entry)) else "infinity"
    return repr(str(entry) if isinstance(entry, str) else entry)


def _encoding(X: Any, estimator: Any, new: bool) -> Encoding | None:
    """How a frame with columns of words becomes features; a fitted `estimator` remembers."""
    if new and estimator is not None:
        return getattr(estimator, "_frame_encoding", None)
    encoding = Encoding.of(X) if has_words(X) else None
    if estimator is not None:
        estimator._frame_encoding = encoding
        if encoding is not None:
            estimator.n_features_in_ = len(encoding.names)
            estimator.feature_names_in_ = np.asarray(encoding.names, dtype=object)
    return encoding


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
