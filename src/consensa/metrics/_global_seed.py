"""A seed for what draws from the global random generators, for a while."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone

from consensa._array import Array

__all__ = ["GloballySeeded", "global_seed"]


@contextmanager
def global_seed(seed: int | None) -> Iterator[None]:
    """Inside, the global generators of NumPy and Python begin at the seed."""
    # Code of others draws from the global generators; their state comes back afterwards.
    numpy_state, python_state = np.random.get_state(), random.getstate()  # noqa: NPY002
    np.random.seed(seed)  # noqa: NPY002, TID251
    random.seed(seed)
    try:
        yield
    finally:
        np.random.set_state(numpy_state)  # noqa: NPY002
        random.setstate(python_state)


class GloballySeeded(BaseEstimator):
    """Fits an estimator without `random_state` with a seed of the global generators."""

    def __init__(self, estimator: Any, random_state: int | None = None) -> None:
        self.estimator = estimator
        self.random_state = random_state

    def fit_predict(self, rows: Any, y: Any = None) -> Array:
        """The labels of a clone of the estimator."""
        del y
        with global_seed(self.random_state):
            return np.asarray(clone(self.estimator).fit_predict(rows))
