"""Run on the user's Dask cluster, or on a local one that is started and closed here."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from consensa._machine.memory import human_bytes
from consensa._machine.progress import track
from consensa._optional import require
from consensa.exceptions import ConsensaError, NotEnoughMemoryError

__all__ = [
    "Compute",
    "Computes",
    "dask_array",
    "delay",
    "nbytes_of_table",
    "part_of",
    "persist",
    "reduce_as_tree",
    "require_on_workers",
    "share",
]

_FAN_IN = 8  # number of parts that one step of a tree of sums adds
_DASK = {"extra": "dask", "purpose": "consensa.distributed"}


def dask_array() -> Any:
    """The module ``dask.array``."""
    return require("dask.array", **_DASK)


class Compute(NamedTuple):
    """One computation on the Dask cluster.

    Attributes
    ----------
    step : str
        Name of the step.
    received : int
        Number of bytes returned to this process.
    """

    step: str
    received: int


class Computes:
    """Computes on the cluster, and logs each computation with the number of bytes returned."""

    def __init__(self) -> None:
        self.log: list[Compute] = []

    def __call__(self, step: str, *values: Any) -> Any:
        """Compute delayed values together; return the results in order, or the only result."""
        dask = require("dask", **_DASK)
        sizeof = require("dask.sizeof", **_DASK).sizeof
        with track(step), _faults_as_messages(step):
            results = dask.compute(*values)
        self.log.append(Compute(step, int(sum(sizeof(result) for result in results))))
        return results if len(values) > 1 else results[0]

    def one_by_one(self, step: str, started: Sequence[Any]) -> Iterator[Any]:
        """Results of tasks that were started, in order, each as soon as it is there."""
        dask = require("dask", **_DASK)
        sizeof = require("dask.sizeof", **_DASK).sizeof
        received = 0
        with track(step, len(started)) as advance, _faults_as_messages(step):
            for task in started:
                (result,) = dask.compute(task)
                received += sizeof(result)
                yield result
                advance()
        self.log.append(Compute(step, received))


def delay(function: Callable[..., Any], *arguments: Any) -> Any:
    """A task: the function with small arguments or other tasks."""
    dask = require("dask", **_DASK)
    return dask.delayed(function, pure=False, traverse=False)(*arguments)


def share(value: Any) -> Any:
    """A task whose result is the value, sent to each worker once."""
    return delay(_itself, value)


def _itself(value: Any) -> Any:
    return value


def part_of(task: Any, place: int) -> Any:
    """A task that returns one of the results of another."""
    return delay(operator.getitem, task, place)


def persist(tasks: Sequence[Any]) -> list[Any]:
    """Start the tasks; their results stay on the cluster."""
    return list(require("dask", **_DASK).persist(*tasks))


def reduce_as_tree(merge: Callable[[Sequence[Any]], Any], parts: Sequence[Any]) -> Any:
    """Merge delayed parts along a tree, a few at a time, to limit the memory of a worker."""
    level = list(parts)
    while len(level) > 1:
        level = [
            delay(merge, level[start : start + _FAN_IN]) for start in range(0, len(level), _FAN_IN)
        ]
    return level[0]


def require_on_workers(needed: int, step: str) -> None:
    """Raise an error if the arrays of a step do not fit in the memory of a worker."""
    distributed = require("distributed", **_DASK)
    try:
        workers = distributed.Client.current().scheduler_info(n_workers=-1)["workers"].values()
    except (ValueError, TypeError):
        return
    limits = [w["memory_limit"] / max(w["nthreads"], 1) for w in workers if w["memory_limit"]]
    if not limits or needed <= min(limits):
        return
    message = (
        f"{step} needs about {human_bytes(needed)} for each thread of a worker. The smallest "
        f"worker has {human_bytes(min(limits))} for each. Give workers more memory "
        f"(memory_limit) or fewer threads (threads_per_worker), or combine fewer clusters."
    )
    raise NotEnoughMemoryError(message)


@contextmanager
def _faults_as_messages(step: str) -> Iterator[None]:
    distributed = require("distributed", **_DASK)
    try:
        yield
    except ConsensaError:
        raise
    except (distributed.scheduler.KilledWorker, MemoryError) as error:
        message = (
            f"Workers of the cluster stopped or ran out of memory in the step '{step}'. Give them "
            f"more memory (memory_limit) or fewer threads (threads_per_worker), split the rows "
            f"into smaller chunks (x.rechunk), or let workers spill to disk "
            f"(distributed.worker.memory.spill). {str(error).partition(chr(10))[0]}"
        )
        raise NotEnoughMemoryError(message) from error


def nbytes_of_table(n_clusters: int) -> int:
    """Bytes of a table of all pairs of clusters."""
    return n_clusters**2 * np.dtype(np.int64).itemsize
