"""A function ``f(labels, n_clusters) -> labels`` as an estimator, so that it can be audited."""

from __future__ import annotations

import inspect
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from consensa._array import Array, is_array, to_numpy
from consensa.ensemble import Ensemble
from consensa.exceptions import InvalidInputError

__all__ = ["FunctionClusterer"]


class FunctionClusterer(BaseEstimator):
    """Calls a function on the rows; its random numbers begin at `random_state`.

    An `Ensemble` becomes a matrix of integers from 0, with -1 for missing labels, that the
    function may change. The seed goes to the function if it has a parameter `random_state`, and to
    the global generators of NumPy and Python for the time of the call.
    """

    def __init__(
        self, function: Callable[..., Any], n_clusters: int, random_state: int | None = None
    ) -> None:
        self.function = function
        self.n_clusters = n_clusters
        self.random_state = random_state

    def fit_predict(self, rows: Any, y: Any = None) -> Array:
        """The labels that the function returns."""
        del y
        given = rows.codes.copy() if isinstance(rows, Ensemble) else rows
        if isinstance(given, list):
            given = np.array(given)
        options = {"random_state": self.random_state} if _takes_seed(self.function) else {}
        with _global_seed(self.random_state):
            answer = self.function(given, self.n_clusters, **options)
        labels = to_numpy(answer) if is_array(answer) else np.asarray(answer)
        n_samples = len(given) if isinstance(given, np.ndarray) else given.shape[0]
        if labels.size != n_samples or max(labels.shape, default=0) != n_samples:
            name = getattr(self.function, "__name__", "the function")
            message = (
                f"{name} must return one label for each of the {n_samples} rows. "
                f"Got an array of shape {labels.shape}."
            )
            raise InvalidInputError(message)
        return labels.ravel()


def _takes_seed(function: Callable[..., Any]) -> bool:
    try:
        return "random_state" in inspect.signature(function).parameters
    except (TypeError, ValueError):  # a function of a C library has no signature
        return False


@contextmanager
def _global_seed(seed: int | None) -> Iterator[None]:
    """Inside, the global generators of NumPy and Python begin at the seed."""
    # Functions of others draw from the global generators; their state comes back afterwards.
    numpy_state, python_state = np.random.get_state(), random.getstate()  # noqa: NPY002
    np.random.seed(seed)  # noqa: NPY002, TID251
    random.seed(seed)
    try:
        yield
    finally:
        np.random.set_state(numpy_state)  # noqa: NPY002
        random.setstate(python_state)
