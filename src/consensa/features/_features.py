"""X, read once: the only conversion from user input to the features that generators use."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import narwhals as nw
from scipy import sparse

from consensa._array import Array, namespace, to_library, to_numpy
from consensa.features._columns import text_columns
from consensa.features._drawn_frame import drawn_frame
from consensa.features._encoding import Encoding
from consensa.features._matrix import check_matrix, refuse_anndata

__all__ = ["Features", "read_features", "read_new_features"]

_PART = 2**13  # rows


@dataclass(frozen=True, eq=False)
class Features:
    """The features of samples, as `read_features` read them.

    Generators, `cluster`, `select_n_clusters` and the `fit` of every estimator accept it in
    place of X.

    Parameters
    ----------
    array : array of shape (n_samples, n_features)
        Finite numbers: a NumPy array, a CSR matrix, or an array of another library.
    sample_names : index or None, default=None
        Names of the samples, such as the index of a frame.
    column_names : tuple of str or None, default=None
        Names of the columns of X, if they are strings.
    is_scaled : bool, default=False
        Whether the columns are scaled already, so that generators do not scale them.
    encoding : object or None, default=None
        Encoding of the text columns; None if there are none.

    See Also
    --------
    read_features : Read X.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.features import Features
    >>> Features(np.zeros((5, 2))).n_samples
    5
    """

    array: Any
    sample_names: Any = None
    column_names: tuple[str, ...] | None = None
    is_scaled: bool = False
    encoding: Encoding | None = None

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return int(self.array.shape[0])

    @property
    def n_columns(self) -> int:
        """Number of columns of X, before text columns are encoded."""
        return int(self.array.shape[1]) if self.encoding is None else len(self.encoding.names)

    @cached_property
    def points(self) -> Any:
        """The array as a NumPy array or a CSR matrix."""
        return self.array if sparse.issparse(self.array) else to_numpy(self.array)

    @property
    def parts(self) -> list[tuple[int, int]]:
        """First and last row of the blocks in which passes over the rows read them."""
        n = self.n_samples
        return [(start, min(start + _PART, n)) for start in range(0, n, _PART)]

    def stream(self, part: tuple[int, int]) -> Iterator[tuple[int, Any]]:
        """Read a part of the rows, in blocks.

        Parameters
        ----------
        part : (int, int)
            First row, and the end; one of `parts`.

        Yields
        ------
        (int, array)
            Number of the first row of a block, and its rows.

        See Also
        --------
        consensa.open_features : Features on disk, which are read in this way only.

        Examples
        --------
        >>> from consensa.features import read_features
        >>> features = read_features([[0.0], [1.0], [2.0]])
        >>> [(start, len(rows)) for start, rows in features.stream((0, 3))]
        [(0, 3)]
        """
        yield part[0], self.points[part[0] : part[1]]

    @property
    def none(self) -> Any:
        """No rows, of the type of all."""
        return self.points[:0]

    def take(self, rows: Array) -> Features:
        """Select samples, in the given order.

        Parameters
        ----------
        rows : array of int
            Row numbers of the samples.

        Returns
        -------
        Features
            Features of these samples.

        See Also
        --------
        read_features : Read X.

        Examples
        --------
        >>> from consensa.features import read_features
        >>> read_features([[0.0], [1.0], [2.0]]).take([2, 0]).array
        array([[2.],
               [0.]])
        """
        if sparse.issparse(self.array):
            array = self.array[rows]
        else:
            xp = namespace(self.array)
            array = xp.take(self.array, to_library(rows, like=self.array), axis=0)
        names = None if self.sample_names is None else self.sample_names[rows]
        return replace(self, array=array, sample_names=names)


def read_features(X: Any, *, accept_sparse: bool = True) -> Features:
    """Read and check the features X.

    Text columns of a frame are one-hot encoded, and the other columns of such a frame are
    scaled, so that all columns have about the same weight. In a frame of more than 10,000 rows,
    this is learned from as many rows, drawn by a hash of their values; text that is in none of
    them differs from all other text.

    Parameters
    ----------
    X : array-like, frame, sparse matrix or Features, of shape (n_samples, n_features)
        Finite features of at least two samples. `Features` are returned unchanged.
    accept_sparse : bool, default=True
        Whether to accept sparse matrices.

    Returns
    -------
    Features
        The array, in the array library of `X`, and the names of samples and columns.

    Raises
    ------
    InvalidInputError
        If X contains anything but finite numbers and text; the message names the entry.

    See Also
    --------
    Features : The returned object.

    Examples
    --------
    >>> import pandas as pd
    >>> from consensa.features import read_features
    >>> frame = pd.DataFrame({"height": [1.0, 3.0], "color": ["red", "blue"]}, index=["a", "b"])
    >>> features = read_features(frame)
    >>> features.array
    array([[0.5       , 0.        , 0.70710678],
           [1.5       , 0.70710678, 0.        ]])
    >>> list(features.sample_names), features.is_scaled
    (['a', 'b'], True)
    """
    if isinstance(X, Features):
        if sparse.issparse(X.array) and not accept_sparse:
            check_matrix(X.array, accept_sparse=False)  # raises the error
        return X
    if hasattr(X, "load") and hasattr(X, "stream"):  # features on disk, from a module above
        loaded: Features = X.load()
        return loaded
    refuse_anndata(X)
    frame = _frame(X)
    if frame is None:
        return Features(check_matrix(X, accept_sparse=accept_sparse))
    names = tuple(frame.columns)
    X = _without_wide_integers(frame, X)
    samples = nw.maybe_get_index(frame)
    text = text_columns(frame)
    if not text:
        return Features(check_matrix(X, names=names), samples, _strings(names))
    encoding = Encoding.of(drawn_frame(frame), text).numbered(frame)
    array = check_matrix(encoding.features(frame))
    return Features(
        array, samples, _strings(names), is_scaled=encoding.is_scaled, encoding=encoding
    )


def read_new_features(X: Any, encoding: Encoding | None) -> Features:
    """Read new samples, one or more, with the `encoding` of the samples of the fit."""
    if isinstance(X, Features):
        return X
    frame = _frame(X)
    if encoding is not None:
        array = check_matrix(encoding.features(frame), least=1)
        return Features(array, is_scaled=encoding.is_scaled, encoding=encoding)
    if frame is None:
        return Features(check_matrix(X, least=1))
    names = tuple(frame.columns)
    X = _without_wide_integers(frame, X)
    text_columns(frame)  # raises an error for other columns
    return Features(check_matrix(X, least=1, names=names), column_names=_strings(names))


def _strings(names: tuple[Any, ...]) -> tuple[str, ...] | None:
    """The names if all of them are strings, else None."""
    return names if all(isinstance(name, str) for name in names) else None


def _without_wide_integers(frame: nw.DataFrame[Any], X: Any) -> Any:
    """`X`, or its `frame` with floats for integers of 128 bits, which NumPy does not have."""
    wide = [name for name, kind in frame.schema.items() if "Int128" in str(kind)]
    return frame.with_columns(nw.col(*wide).cast(nw.Float64)).to_native() if wide else X


def _frame(X: Any) -> nw.DataFrame[Any] | None:
    try:
        frame = nw.from_native(X, eager_only=True, pass_through=True)
    except ValueError:  # duplicate column names: read as an array
        return None
    return frame if isinstance(frame, nw.DataFrame) else None
