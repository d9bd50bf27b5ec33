"""X as it was measured, to describe clusters: nothing is scaled, and values may be missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np
from scipy import sparse

from consensa._array import Array, is_array, to_numpy, unmasked
from consensa.exceptions import InvalidInputError
from consensa.features._columns import is_number
from consensa.features._features import Features

__all__ = ["MOST_VALUES", "Measured", "read_measured"]

MOST_VALUES = 50  # of a text column that become columns, the most frequent first


@dataclass(frozen=True, eq=False)
class Measured:
    """The columns of X as numbers; a text column becomes one indicator for each of its values.

    Attributes
    ----------
    matrix : ndarray or CSR array of shape (n_samples, n_columns)
        NaN is a missing value.
    features : list of str
        Feature that each column belongs to.
    values : list of str or None
        Value of a text column that a column indicates; None for a column of numbers.
    is_share : ndarray of shape (n_columns,)
        Whether a column contains zeros and ones only, so that its mean is a proportion.
    """

    matrix: Any
    features: list[str]
    values: list[str | None]
    is_share: Array

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.matrix.shape[0])


def read_measured(X: Any) -> Measured:
    """Read an array, a sparse matrix, a frame, `Features` or an AnnData object."""
    names = None
    if isinstance(X, Features):
        X, names = X.points, X.column_names if X.encoding is None else None
    elif hasattr(X, "obs_names") and hasattr(X, "var_names"):  # AnnData
        X, names = X.X, tuple(map(str, X.var_names))
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return _of_frame(frame)
    matrix = sparse.csr_array(X, dtype=np.float64) if sparse.issparse(X) else _dense(X)
    known = list(map(str, range(matrix.shape[1]))) if names is None else list(names)
    return Measured(matrix, known, [None] * len(known), _are_shares(matrix))


def _dense(X: Any) -> Array:
    given = to_numpy(X) if is_array(X) else np.asarray(unmasked(X, np.nan))
    try:
        matrix = given.astype(np.float64)
    except (TypeError, ValueError) as error:
        message = f"X must contain numbers; pass text columns in a frame. {error}."
        raise InvalidInputError(message) from error
    if matrix.ndim != 2:
        message = f"X must have a row for each sample. Got shape {matrix.shape}."
        raise InvalidInputError(message)
    return np.where(np.isfinite(matrix), matrix, np.nan)


def _of_frame(frame: nw.DataFrame[Any]) -> Measured:
    blocks: list[Array] = []
    features: list[str] = []
    values: list[str | None] = []
    for name in frame.columns:
        entries = frame.get_column(name).to_list()
        known = {entry for entry in entries if not _is_missing(entry)}
        numeric = all(is_number(entry) for entry in known)
        block, kept = _numbers(entries) if numeric else _indicators(entries)
        blocks.append(block)
        features += [str(name)] * len(kept)
        values += kept
    matrix = np.concatenate(blocks, axis=1)
    return Measured(matrix, features, values, _are_shares(matrix))


def _is_missing(entry: Any) -> bool:
    return entry is None or entry != entry


def _numbers(entries: list[Any]) -> tuple[Array, list[str | None]]:
    numbers = np.array([np.nan if _is_missing(entry) else float(entry) for entry in entries])
    return np.where(np.isfinite(numbers), numbers, np.nan)[:, None], [None]


def _indicators(entries: list[Any]) -> tuple[Array, list[str | None]]:
    """An indicator for each of the most frequent values; missing where the value is."""
    texts = np.array(["" if _is_missing(entry) else str(entry) for entry in entries])
    known = np.array([not _is_missing(entry) for entry in entries])
    found, counts = np.unique(texts[known], return_counts=True)
    kept = found[np.sort(np.argsort(-counts, kind="stable")[:MOST_VALUES])]
    block = np.where(known[:, None], texts[:, None] == kept, np.nan)
    return block, kept.tolist()


def _are_shares(matrix: Any) -> Array:
    """Whether each column contains zeros and ones only, and maybe missing values."""
    if sparse.issparse(matrix):
        others = sparse.csr_array(matrix)
        others.data = ((others.data != 0) & (others.data != 1)).astype(float)
        return np.asarray(others.sum(axis=0)).ravel() == 0
    return ((matrix == 0) | (matrix == 1) | np.isnan(matrix)).all(axis=0)
