"""A function ``f(labels, n_clusters) -> labels`` as an estimator, so that it can be audited."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Sized
from typing import Any

import narwhals as nw
import numpy as np
from sklearn.base import BaseEstimator

from consensa._array import Array, from_rows, is_array
from consensa.ensemble import Ensemble
from consensa.ensemble.labels import as_frame, read_labels
from consensa.exceptions import InvalidInputError
from consensa.metrics._global_seed import global_seed

__all__ = ["FunctionClusterer", "rows_for_function"]


class FunctionClusterer(BaseEstimator):
    """Calls a function on a copy of the rows, and numbers the clusters that it returns from 0.

    The seed goes to the function if it has a parameter `random_state`, and to the global
    generators of NumPy and Python for the time of the call.
    """

    def __init__(
        self, function: Callable[..., Any], n_clusters: int, random_state: int | None = None
    ) -> None:
        self.function = function
        self.n_clusters = n_clusters
        self.random_state = random_state

    def __sklearn_clone__(self) -> FunctionClusterer:
        """Another one with the same function, which may hold what cannot be copied."""
        return FunctionClusterer(self.function, self.n_clusters, self.random_state)

    def fit_predict(self, rows: Any, y: Any = None) -> Array:
        """The clusters that the function returns, as integers."""
        del y
        options = {"random_state": self.random_state} if _takes_seed(self.function) else {}
        with global_seed(self.random_state):
            answer = self.function(copy.deepcopy(rows), self.n_clusters, **options)
        return _read_answer(answer, rows, getattr(self.function, "__name__", "The function"))


def rows_for_function(rows: Any) -> Any:
    """What a function is called with: an array, a frame or a sparse matrix.

    An `Ensemble` becomes its matrix of integers from 0, with -1 for missing labels. They stay the
    same in every order of the rows, so that nothing but the order changes.
    """
    if isinstance(rows, Ensemble):
        return rows.codes
    if isinstance(rows, (list, tuple)):
        rows = _as_matrix(rows)
    as_frame(rows, "rows")  # raises an error for columns of one name
    shape = getattr(rows, "shape", None)
    if not shape or not shape[0]:
        came = f"an array of shape {shape}" if shape is not None else type(rows).__name__
        message = f"rows must be an array or a frame of at least one row. Got {came}."
        raise InvalidInputError(message)
    return rows


def _as_matrix(rows: list[Any] | tuple[Any, ...]) -> Array:
    """A list of rows as an array; if not all entries are numbers, they stay as they are."""
    matrix = from_rows(rows, "rows")
    return matrix if matrix.dtype.kind in "biuf" else np.array(rows, dtype=object)


def _read_answer(answer: Any, rows: Any, name: str) -> Array:
    """Clusters of the rows from whatever a function returned, numbered from 0."""
    n_samples = rows.shape[0]
    if isinstance(answer, np.matrix):  # which always has two axes
        answer = np.asarray(answer)
    series = _as_series(answer)
    if series is not None:
        answer = _in_order_of(rows, series).to_native()
    elif is_array(answer) and answer.ndim == 2 and 1 in answer.shape:
        answer = answer.reshape(-1)
    elif isinstance(answer, (list, tuple)) and all(_is_single(entry) for entry in answer):
        answer = [entry[0] for entry in answer]
    if (came := _wrong_size(answer, n_samples)) is not None:
        message = f"{name} must return one label for each of the {n_samples} rows. Got {came}."
        raise InvalidInputError(message)
    return read_labels(answer, name)


def _as_series(answer: Any) -> nw.Series[Any] | None:
    """A series of any library, or the column of a frame that has one; None for anything else."""
    if tuple(getattr(answer, "shape", None) or ())[1:] == (1,):
        frame = as_frame(answer)
        return None if frame is None else frame.get_column(frame.columns[0])
    series = nw.from_native(answer, series_only=True, pass_through=True)
    return series if isinstance(series, nw.Series) else None


def _is_single(entry: Any) -> bool:
    return isinstance(entry, (list, tuple)) and len(entry) == 1


def _wrong_size(answer: Any, n_samples: int) -> str | None:
    """What came, if it has not one entry for each sample."""
    if not isinstance(answer, Sized) or isinstance(answer, (str, bytes, dict, set, frozenset)):
        return f"an object of type {type(answer).__name__}"
    shape = getattr(answer, "shape", None)
    if shape is not None:
        return None if tuple(shape) == (n_samples,) else f"an array of shape {tuple(shape)}"
    return None if len(answer) == n_samples else f"a {type(answer).__name__} of {len(answer)}"


def _in_order_of(rows: Any, answer: nw.Series[Any]) -> nw.Series[Any]:
    """The answer in the order of the rows, if it is a pandas series whose index names them.

    A new index, which counts from 0, names nothing.
    """
    index: Any = nw.maybe_get_index(answer)
    if index is None or (getattr(index, "start", None), getattr(index, "step", None)) == (0, 1):
        return answer
    frame = as_frame(rows, "rows")
    own: Any = None if frame is None else nw.maybe_get_index(frame)
    names = range(rows.shape[0]) if own is None else own.tolist()
    place = {name: i for i, name in enumerate(index.tolist())}
    if len(place) != len(answer) or place.keys() != set(names):
        return answer
    return answer[[place[name] for name in names]]


def _takes_seed(function: Callable[..., Any]) -> bool:
    try:
        return "random_state" in inspect.signature(function).parameters
    except (TypeError, ValueError):  # a function of a C library has no signature
        return False
