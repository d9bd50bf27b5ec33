"""Check a matrix of numbers, of any array library."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_array

from consensa._array import is_array, is_numpy, namespace, unmasked
from consensa.exceptions import InvalidInputError
from consensa.features._columns import is_number

__all__ = ["check_matrix", "refuse_anndata"]

# NumPy makes arrays of what has one of these.
_PROTOCOLS = ("__array__", "__array_interface__", "__array_struct__")


def check_matrix(X: Any, *, least: int = 2, accept_sparse: bool = True, names: Any = None) -> Any:
    """`X` as a finite 2-D floating array of at least `least` samples.

    Arrays of other libraries stay on their device. Everything else is converted to NumPy and
    checked by scikit-learn; sparse matrices, if accepted, are converted to CSR. The `names` of
    the columns are used in messages.
    """
    if is_array(X) and not is_numpy(namespace(X)):
        return _check_foreign(X, least)
    if isinstance(X, (str, os.PathLike)):
        message = (
            f"X must be a matrix. Got the text {os.fspath(X)!r}. Read a file with "
            f"consensa.tables.read_frame."
        )
        raise InvalidInputError(message)
    X = unmasked(X, np.nan)
    if isinstance(X, (list, tuple)):
        X = [unmasked(row, np.nan) for row in X]
    if sparse.issparse(X):
        _check_indices(X)
    else:
        _check_is_array(X)
    if isinstance(X, np.ndarray) and X.dtype.kind in "mM":
        message = (
            f"X must contain numbers. Got {X.dtype}. Convert it, for example to days since the "
            f"first date."
        )
        raise InvalidInputError(message)
    options: dict[str, Any] = {"accept_sparse": "csr"} if accept_sparse else {}
    options |= {"dtype": ["float64", "float32"], "ensure_min_samples": least, "input_name": "X"}
    try:
        with np.errstate(over="ignore", invalid="ignore"):  # in the sum of huge values
            return check_array(X, **options)
    except InvalidInputError:
        raise
    except (ValueError, OverflowError) as error:
        message = _one_dimension(X) or _first_bad_entry(X, names) or str(error)
        raise InvalidInputError(message) from error


def _check_is_array(X: Any) -> None:
    """Raise an error for an object of which NumPy makes no array.

    Before scikit-learn sees it: older versions ask a lazy frame of polars for its types, and
    polars warns.
    """
    has_rows = hasattr(X, "__len__") and not isinstance(X, Mapping)
    if has_rows or any(hasattr(X, name) for name in _PROTOCOLS):
        return
    message = (
        f"X must be a matrix with a row for each sample, or a frame. Got an object of type "
        f"{type(X).__name__}."
    )
    raise InvalidInputError(message)


def _check_indices(X: Any) -> None:
    """Raise an error for a sparse matrix whose indices lead outside of it.

    SciPy does not check what was changed after its construction, and would read other memory.
    """
    try:
        if X.format in ("csr", "csc", "bsr"):
            X.check_format(full_check=True)
        elif X.format == "coo":
            sparse.coo_array((X.data, X.coords), shape=X.shape)
        elif X.format == "dia":
            sparse.dia_array((X.data, X.offsets), shape=X.shape)
        else:
            X.tocsr().check_format(full_check=True)
    except (ValueError, TypeError, IndexError) as error:
        message = f"X must be a valid sparse matrix: {error}. Create it again from its entries."
        raise InvalidInputError(message) from error


def _one_dimension(X: Any) -> str | None:
    """Message on numbers in one dimension; None for anything else."""
    try:
        shape = np.shape(X)
    except ValueError:  # rows of different lengths
        return None
    if len(shape) != 1:
        return None
    return (
        f"Expected 2D array, got 1D array of {shape[0]} entries. Reshape your data with "
        f"X.reshape(-1, 1) if it is one feature, or X.reshape(1, -1) if it is one sample."
    )


def _first_bad_entry(X: Any, names: Any) -> str | None:
    """Message on the first entry of `X` that is not a finite number; None if there is none."""
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
    entry = table[row, column]
    remedy = "Fill them, or drop their rows or columns."
    if isinstance(entry, str) and names is None:
        remedy = "Pass text columns in a frame, such as pandas.DataFrame(X)."
    return (
        f"X must contain finite numbers. Column "
        f"{column if names is None else repr(names[column])} has {_shown(entry)} in row {row} "
        f"(counted from 0), the first of {int((~good).sum())} such entries. {remedy}"
    )


def _is_finite(entry: Any) -> bool:
    return is_number(entry) and bool(np.isfinite(float(entry)))


def _shown(entry: Any) -> str:
    if is_number(entry):
        return "NaN" if np.isnan(float(entry)) else "infinity"
    return repr(str(entry) if isinstance(entry, str) else entry)


def _check_foreign(X: Any, least: int) -> Any:
    xp = namespace(X)
    if X.ndim != 2 or X.shape[0] < least or X.shape[1] < 1:
        message = (
            f"X must be a matrix of at least {least} samples (rows) and 1 feature (column). "
            f"Got an array of shape {tuple(X.shape)}."
        )
        raise InvalidInputError(message)
    if xp.isdtype(X.dtype, "complex floating"):
        message = "Complex data not supported: X must contain real numbers."
        raise InvalidInputError(message)
    if not xp.isdtype(X.dtype, "real floating"):
        X = xp.astype(X, xp.float64)
    if not bool(xp.all(xp.isfinite(X))):
        message = "X must be finite. It contains NaN or infinity."
        raise InvalidInputError(message)
    return X


def refuse_anndata(X: Any) -> None:
    """Raise an error for an AnnData object, which holds several matrices."""
    if not all(hasattr(X, part) for part in ("obs", "var", "obsm", "X")):
        return
    reduced = [f"adata.obsm[{name!r}]" for name in X.obsm if "pca" in str(name).lower()]
    message = (
        f"X must be a matrix. Got an AnnData object of {X.n_obs} cells and {X.n_vars} genes. Use "
        f"consensa.anndata.consensus, or pass one of its matrices: "
        f"{', '.join([*reduced, 'adata.X'])}; or, to combine labels of its cells, "
        f"adata.obs[[...]] to consensa.combine."
    )
    raise InvalidInputError(message)
