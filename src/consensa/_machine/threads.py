"""Threads: all cores for blocks of rows, one where the order of summation must be fixed."""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from typing import Any, TypeVar

import joblib
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import ThreadpoolController

__all__ = [
    "n_threads",
    "one_thread",
    "one_thread_in_each",
    "over_row_blocks",
    "results_of_threads",
    "share_among_threads",
]

Part = TypeVar("Part")
Result = TypeVar("Result")


def n_threads() -> int:
    """Number of cores of this process, limited by OMP_NUM_THREADS."""
    cores = int(joblib.cpu_count())
    asked = os.environ.get("OMP_NUM_THREADS", "")
    return min(cores, int(asked)) if asked.isdigit() and int(asked) > 0 else cores


def share_among_threads(
    work: Callable[[Sequence[Part]], Result], parts: Sequence[Part]
) -> list[Result]:
    """Distribute `parts` over the threads, and run `work` once per thread on its parts.

    For sums that each thread accumulates separately and that are added at the end.
    """
    hands = min(n_threads(), len(parts))
    if hands <= 1:
        return [work(parts)]
    with ThreadPoolExecutor(hands) as pool:
        return list(pool.map(work, [parts[hand::hands] for hand in range(hands)]))


def over_row_blocks(work: Callable[[int, int], Result], n_rows: int, height: int) -> list[Result]:
    """Call `work(start, stop)` for every block of rows, in threads; results in row order.

    The blocks do not depend on the number of threads, so a sum over the results does not either.
    """
    blocks = [(start, min(start + height, n_rows)) for start in range(0, n_rows, height)]
    hands = min(n_threads(), len(blocks))
    if hands <= 1:
        return [work(*block) for block in blocks]
    with ThreadPoolExecutor(hands) as pool:
        return list(pool.map(lambda block: work(*block), blocks))


def results_of_threads(calls: Iterable[Any], n_jobs: int | None) -> Iterator[Any]:
    """Results of joblib's delayed `calls`, in their order, from `n_jobs` threads.

    The limit of BLAS and the filters of warnings belong to the process. They are set here, around
    all threads: a thread that sets them for itself would end them for the others when it is done.
    """
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        jobs = joblib.Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
        yield from jobs(calls)


def one_thread() -> AbstractContextManager[Any]:
    """Limit BLAS and OpenMP to one thread inside the context.

    Those that are loaded inside the context are not limited before the next one.
    """
    return _controller().limit(limits=1)


@contextmanager
def one_thread_in_each() -> Iterator[None]:
    """The same in threads that others started, which do not know of each other.

    The limit belongs to the process: the first thread sets it, and the last one ends it.
    """
    with _inside.lock:
        _inside.count += 1
        if _inside.count == 1:
            _inside.limit = one_thread()
            _inside.limit.__enter__()
    try:
        yield
    finally:
        with _inside.lock:
            _inside.count -= 1
            if _inside.count == 0:
                _inside.limit.__exit__(None, None, None)


class _Inside:
    """The threads that are inside `one_thread_in_each`."""

    lock = threading.Lock()
    count = 0
    limit: Any = None


_inside = _Inside()


class _Found:
    """The libraries, and the number of modules that were loaded when they were found."""

    controller: ThreadpoolController | None = None
    n_modules = 0


_found = _Found()


def _controller() -> ThreadpoolController:
    """The libraries that scikit-learn has loaded, and those that came with modules since.

    Finding them takes as long as a small run of k-means, so it is done again only if modules were
    loaded; and only in the main thread, because older threadpoolctl may wait forever for a thread
    that computes meanwhile.
    """
    import sklearn.cluster  # noqa: F401

    n_modules = len(sys.modules)
    is_main = threading.current_thread() is threading.main_thread()
    controller = _found.controller
    if controller is None or (is_main and n_modules != _found.n_modules):
        controller = ThreadpoolController()
        _found.controller, _found.n_modules = controller, n_modules
    return controller
