"""One thread inside a step, so that its sums come in one order whatever the machine."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any

from threadpoolctl import ThreadpoolController

__all__ = ["one_thread"]


def one_thread() -> AbstractContextManager[Any]:
    """Hold BLAS and OpenMP to one thread while inside.

    Finding these libraries takes as long as a small run of k-means, so it is done once. That is
    after scikit-learn has loaded those that it uses.
    """
    return _controller().limit(limits=1)


@cache
def _controller() -> ThreadpoolController:
    import sklearn.cluster  # noqa: F401

    return ThreadpoolController()
