"""Threads: one inside a step whose sums must come in one order, all for blocks of rows."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cache
from typing import Any, TypeVar

import joblib
from threadpoolctl import ThreadpoolController

__all__ = ["n_threads", "one_thread", "over_row_blocks", "share_among_threads"]

Part = TypeVar("Part")
Result = TypeVar("Result")


def n_threads() -> int:
    """Cores that this process may use, or fewer if OMP_NUM_THREADS says so."""
    cores = int(joblib.cpu_count())
    asked = os.environ.get("OMP_NUM_THREADS", "")
    return min(cores, int(asked)) if asked.isdigit() and int(asked) > 0 else cores


def share_among_threads(
    work: Callable[[Sequence[Part]], Result], parts: Sequence[Part]
) -> list[Result]:
    """Deal `parts` out to the threads, and run `work` once in each on all of its parts.

    For sums that each thread keeps for itself and that are added in the end.
    """
    hands = min(n_threads(), len(parts))
    if hands <= 1:
        return [work(parts)]
    with ThreadPoolExecutor(hands) as pool:
        return list(pool.map(work, [parts[hand::hands] for hand in range(hands)]))


def over_row_blocks(work: Callable[[int, int], Result], n_rows: int, height: int) -> list[Result]:
    """Call `work(start, stop)` on every block of rows, in threads; results in their order.

    The blocks do not depend on the number of threads, nor then does a sum over the results.
    """
    blocks = [(start, min(start + height, n_rows)) for start in range(0, n_rows, height)]
    hands = min(n_threads(), len(blocks))
    if hands <= 1:
        return [work(*block) for block in blocks]
    with ThreadPoolExecutor(hands) as pool:
        return list(pool.map(lambda block: work(*block), blocks))


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
