"""The model of a step: the number of its innermost operations times the time of one."""

from __future__ import annotations

import math
from typing import NamedTuple

from consensa.consensus.base import BaseConsensus
from consensa.consensus.needs import bytes_of
from consensa.distributed.features import rows_of_task
from consensa.distributed.planning.costs import Costs
from consensa.ensemble.overlap_sum import TABLE_UP_TO
from consensa.ensemble.overlaps import BYTES_OF_A_LABEL, MOST_PAIRS

__all__ = ["Cluster", "Step", "Work"]

_ROWS_OF_A_TASK = 2**20  # on Dask
_ROWS_OF_A_BLOCK = 2**16  # on one machine
_ROWS_AT_ONCE = 2**14  # of these, rows in one step of a thread
_FEW = 100_000  # samples of a measured run


class Cluster(NamedTuple):
    """The machines of a plan.

    Attributes
    ----------
    workers : int
        Number of machines.
    cores : int
        Number of cores of each machine.
    memory : float or None
        Bytes of memory of each machine.
    network : float or None
        Bytes that each machine reads or sends per second; None is one machine with a local
        disk.
    """

    workers: int = 1
    cores: int = 2
    memory: float | None = None
    network: float | None = None


class Step(NamedTuple):
    """A step of a plan.

    Attributes
    ----------
    name : str
        Description.
    passes : int
        Number of passes over all labels, or over all features.
    seconds : float
        Time.
    memory : float
        Bytes that it needs, in this process or in each worker, in addition to permanent data.
    sums_pairs : bool
        Whether workers sum a table of all pairs of clusters, which is returned.
    of_features : bool
        Whether the passes are over features.
    """

    name: str
    passes: int
    seconds: float
    memory: float = 0.0
    sums_pairs: bool = False
    of_features: bool = False


class Work(NamedTuple):
    """The size of the problem, the machines, and the costs of the operations."""

    n: int  # samples
    m: int  # partitions
    k: int  # clusters of each partition
    K: int  # clusters of the consensus
    label_bytes: int
    cluster: Cluster
    model: BaseConsensus
    costs: Costs
    d: int = 0  # features; 0 if labels are given
    value_bytes: int = 4

    @property
    def c(self) -> int:
        """Clusters of all partitions together."""
        return self.m * self.k

    @property
    def local(self) -> bool:
        """Whether there is one machine."""
        return self.cluster.network is None

    @property
    def stored(self) -> float:
        """Bytes of the features, or of the label matrix."""
        each = self.d * self.value_bytes if self.d else self.m * self.label_bytes
        return float(self.n) * each

    @property
    def pairs(self) -> int:
        """Pairs of clusters that can share a sample."""
        return self.m**2 * min(self.k**2, self.n)

    @property
    def table(self) -> float:
        """Bytes of the overlaps: a table of all pairs of clusters, or sparse if they are many.

        On one machine, even more of them are not stored.
        """
        if self.c <= TABLE_UP_TO:
            return 8.0 * self.c**2
        return 0.0 if self.local and self.pairs > MOST_PAIRS else 12.0 * self.pairs

    @property
    def declared(self) -> float:
        """Bytes of the arrays that the method declares, which are checked before it runs."""
        sizes = {
            "n": self.n,
            "s": self.n_seen or self.n,
            "m": self.m,
            "c": self.c,
            "p": self.pairs,
            "K": self.K,
        }
        return bytes_of(self.model.info.arrays, sizes)

    @property
    def n_seen(self) -> int:
        """Number of representatives of the method; 0 if it has none."""
        size = self.model.info.sample_size
        seen = 0 if size is None else size(self.n, self.K)
        return min(seen, self._distinct_rows) if self.d else seen

    @property
    def _distinct_rows(self) -> int:
        """Different rows of labels that landmarks give samples, as on simulated data."""
        return math.ceil(min(self.n, 0.05 * self.n**0.4 * _FEW**0.6))

    @property
    def sample(self) -> float:
        """Bytes of these: clusters, hash, count and number of each."""
        return self.n_seen * (4.0 * self.m + 24)

    @property
    def n_tasks(self) -> int:
        """Tasks of a pass on a cluster."""
        return -(-self.n // self._rows_of_a_task)

    @property
    def _rows_of_a_task(self) -> int:
        return rows_of_task(self.n) if self.d else _ROWS_OF_A_TASK

    def over_rows(
        self, name: str, per_sample: float, *, first: bool = False, sums_pairs: bool = False
    ) -> Step:
        """A pass over all labels with this time per sample, in addition to reading it."""
        cores = self.cluster.workers * self.cluster.cores
        learn = self.costs.scan if first else self.costs.look if self.d else self.costs.number
        # One machine registers the labels with one thread.
        alone = first and self.local
        work = self.n * (per_sample + self.m * learn) / (1 if alone else cores)
        memory = self.cluster.cores * (self._block() + 3 * self.table * sums_pairs)
        if sums_pairs and not self.table:  # counted from all labels instead
            memory += float(self.n) * self.m * BYTES_OF_A_LABEL
        reading = 0.0 if self.d else self._reading()  # labels are looked up in memory
        return Step(name, 1, work + reading + self._tasks(), memory, sums_pairs)

    def over_features(self, name: str, per_sample: float, memory: float) -> Step:
        """A pass over all features with this time per sample, in addition to reading it."""
        work = self.n * per_sample / (self.cluster.workers * self.cluster.cores)
        tasks = 0.0 if self.local else 1.2 * self.n_tasks * self.costs.task
        return Step(name, 1, work + self._reading() + tasks, memory, of_features=True)

    def tree_of(self, size: float) -> float:
        """Seconds in which results of this size are merged along a tree on a cluster."""
        if self.cluster.network is None:
            return 0.0
        return math.log(max(self.n_tasks, 2), 8) * 8 * size / self.cluster.network

    def draw_sample(self) -> Step:
        """The pass that draws representatives: all rows, or those with the smallest hashes."""
        if self.n <= self.n_seen:
            return self.over_rows("sample of rows", 0)
        step = self.over_rows("sample of rows", self.m * self.costs.hash)
        # Each thread has its own sample, rows to be merged, and both together.
        memory = step.memory + self.cluster.cores * 3 * self.sample
        # As the sample fills, fewer new rows are kept: s / i of the i-th ones.
        merges = 1 + math.log(self.n / self.n_seen)
        merging = merges * self.n_seen * self.m * self.costs.order / 2
        return step._replace(memory=memory, seconds=step.seconds + merging)

    def here(self, name: str, seconds: float, memory: float = 0.0) -> Step:
        """A step of the client."""
        return Step(name, 0, seconds, memory)

    def _block(self) -> float:
        """Bytes of the rows of a thread: labels, codes, cluster ids, copies."""
        rows = min(self.n, _ROWS_OF_A_BLOCK if self.local or self.d else _ROWS_OF_A_TASK)
        of_label = 12.0 if self.d else self.label_bytes + 16.0  # looked up: codes and cluster ids
        return rows * (self.m * of_label + 8) + _ROWS_AT_ONCE * 24.0 * self.K

    def _reading(self) -> float:
        if self.cluster.network is None:
            return self.stored * self.costs.read
        return self.stored / (self.cluster.workers * self.cluster.network)

    def _tasks(self) -> float:
        if self.cluster.network is None:
            return 0.0
        table = 8.0 * min(self.c, TABLE_UP_TO) ** 2
        return 1.2 * self.n_tasks * self.costs.task + self.tree_of(table)
