"""Types of scikit-learn's base classes, for mypy: scikit-learn ships none.

Without them, the base of an estimator is unknown, and so is every parameter of its `__init__`.
"""

from typing import Any, Self, TypeVar

import numpy as np

Estimator = TypeVar("Estimator")

class BaseEstimator:
    def get_params(self, deep: bool = True) -> dict[str, Any]: ...
    def set_params(self, **params: Any) -> Self: ...
    def __sklearn_tags__(self) -> Any: ...

class ClusterMixin:
    def fit_predict(self, X: Any, y: Any = None, **kwargs: Any) -> np.ndarray[Any, Any]: ...
    def __sklearn_tags__(self) -> Any: ...

def clone(estimator: Estimator, *, safe: bool = True) -> Estimator: ...
