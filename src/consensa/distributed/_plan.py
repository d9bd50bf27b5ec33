"""What a consensus will cost on a cluster that is described, before anybody pays for it.

The time of a step is the number of its innermost operations times what one of them takes on one
core; ``make bench-scale`` measures those times and writes them to ``costs.json``.
"""

from __future__ import annotations

import json
import math
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from consensa._params import Declaration, Integer, NoneType, OneOf, Real, check_params
from consensa.ensemble.overlap_sum import TABLE_UP_TO
from consensa.exceptions import InvalidInputError
from consensa.partition.kmeans import points_for_starts
from consensa.partition.membership_embedding import DENSE_UP_TO

__all__ = ["METHODS", "Cluster", "Costs", "Plan", "Step", "load_costs", "plan"]

METHODS = ("LWGP", "HBGF", "SEC", "ECPCSMC", "MCLA")
_ROWS_OF_A_TASK = 2**20
_STARTS = 20  # of k-means


class Costs(NamedTuple):
    """Seconds that one operation takes on one core.

    Attributes
    ----------
    scan : float
        Reading a label for the first time: checking it, and learning its name.
    number : float
        Turning a label into a cluster number, in every further pass.
    pair : float
        Counting a pair of clusters that share a sample.
    weigh : float
        Adding the weight of one label of a sample.
    entry : float
        Adding one entry of a table row for a label.
    distance : float
        One dimension of one distance of a sample to a center.
    meet : float
        Counting a label against the consensus.
    confidence : float
        Confidence from one label.
    cube : float
        Eigenvectors, for each c³ of c clusters.
    walk : float
        Walks between c clusters and their cut, for each c³.
    edge : float
        METIS, for each of the c² links between c clusters.
    start : float
        k-means in the sample: each point, dimension, cluster and start.
    search : float
        Weighted k-means in the sample: each label, cluster and start.
    read : float
        Each byte of a file on the disk of this machine.
    task : float
        Each task of a cluster.
    fixed : float
        What every run takes, whatever its size: imports, compiled code, small steps.
    """

    scan: float
    number: float
    pair: float
    weigh: float
    entry: float
    distance: float
    meet: float
    confidence: float
    cube: float
    walk: float
    edge: float
    start: float
    search: float
    read: float
    task: float
    fixed: float


class Cluster(NamedTuple):
    """Machines that a plan is for.

    Attributes
    ----------
    workers : int
        Number of them.
    cores : int
        Cores of each.
    memory : float or None
        Bytes of each.
    network : float or None
        Bytes that each of them reads or sends in a second; None is one machine with a disk of
        its own.
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
        What is done.
    passes : int
        How often all labels are read for it.
    seconds : float
        How long it takes.
    sums_pairs : bool
        Whether workers add up a table of all pairs of clusters, which comes back.
    """

    name: str
    passes: int
    seconds: float
    sums_pairs: bool = False


class Plan(NamedTuple):
    """What a consensus will cost.

    Attributes
    ----------
    method : str
        The method.
    n_base_clusters : int
        Clusters of all partitions together.
    steps : tuple of Step
        What is done, in order.
    bytes_stored : float
        Size of the label matrix.
    bytes_moved : float
        What is read over the network, and sent between workers and to the client.
    bytes_to_client : float
        The part of it that comes to the process that asks.
    worker_memory : float
        Bytes that a worker needs at once.
    client_memory : float
        Bytes that the process that asks needs.
    fits : bool
        Whether the memory of the workers is enough, as far as it is known.
    """

    method: str
    n_base_clusters: int
    steps: tuple[Step, ...]
    bytes_stored: float
    bytes_moved: float
    bytes_to_client: float
    worker_memory: float
    client_memory: float
    fits: bool

    @property
    def passes(self) -> int:
        """How often all labels are read."""
        return sum(step.passes for step in self.steps)

    @property
    def seconds(self) -> float:
        """How long it takes, all steps together."""
        return sum(step.seconds for step in self.steps)


_DECLARED: Declaration = {
    "n_samples": (Integer(2),),
    "n_partitions": (Integer(1),),
    "partition_clusters": (Integer(1),),
    "n_clusters": (Integer(1),),
    "method": (OneOf(METHODS),),
    "workers": (Integer(1),),
    "cores": (Integer(1),),
    "memory": (Real(above=0), NoneType()),
    "network": (Real(above=0), NoneType()),
    "label_bytes": (Integer(1),),
}


def plan(
    n_samples: int,
    n_partitions: int,
    partition_clusters: int,
    *,
    n_clusters: int = 10,
    method: str = "LWGP",
    cluster: Cluster | None = None,
    label_bytes: int = 4,
    costs: Costs | None = None,
) -> Plan:
    """Memory, passes over the data, bytes moved and time of a consensus, foretold.

    Parameters
    ----------
    n_samples : int
        Number of samples.
    n_partitions : int
        Number of partitions.
    partition_clusters : int
        Clusters of each partition.
    n_clusters : int, default=10
        Clusters of the consensus.
    method : {"LWGP", "HBGF", "SEC", "ECPCSMC", "MCLA"}, default="LWGP"
        The method.
    cluster : Cluster or None, default=None
        The machines; None is one with two cores.
    label_bytes : int, default=4
        Bytes of a label where they are stored.
    costs : Costs or None, default=None
        Measured times; None is those that came with the package.

    Returns
    -------
    Plan
        The steps, and what they need.

    See Also
    --------
    consensa.distributed.LWGP : What is planned.

    Notes
    -----
    Labels without gaps are assumed, and workers that do not wait for each other. The times were
    measured on one machine; ``make bench-scale`` measures yours.

    Examples
    --------
    >>> from consensa.distributed import Cluster, plan
    >>> machines = Cluster(workers=20, cores=16, memory=64e9, network=1.25e9)
    >>> large = plan(10**9, 50, 100, cluster=machines)
    >>> large.n_base_clusters, large.passes, large.fits
    (5000, 5, True)
    """
    cluster = Cluster() if cluster is None else cluster
    given = {
        "n_samples": n_samples,
        "n_partitions": n_partitions,
        "partition_clusters": partition_clusters,
        "n_clusters": n_clusters,
        "method": method,
        "label_bytes": label_bytes,
        **cluster._asdict(),
    }
    check_params("plan", _DECLARED, given)
    if partition_clusters > n_samples:
        message = (
            f"A partition of {n_samples} samples has at most as many clusters. "
            f"Got {partition_clusters}."
        )
        raise InvalidInputError(message)
    work = _Work(
        n_samples, n_partitions, partition_clusters, n_clusters, label_bytes, cluster,
        load_costs() if costs is None else costs,
    )  # fmt: skip
    steps = _STEPS[method](work)
    return work.plan(method, steps)


@cache
def load_costs() -> Costs:
    """The times that came with the package."""
    text = files("consensa.distributed").joinpath("costs.json").read_text()
    return Costs(**json.loads(text))


class _Work(NamedTuple):
    n: int
    m: int
    k: int
    K: int
    label_bytes: int
    cluster: Cluster
    costs: Costs

    @property
    def c(self) -> int:
        return self.m * self.k

    @property
    def stored(self) -> float:
        return float(self.n) * self.m * self.label_bytes

    def over_rows(
        self, name: str, per_sample: float, *, first: bool = False, sums_pairs: bool = False
    ) -> Step:
        """A pass over all labels that takes so long for a sample, besides reading it."""
        cores = self.cluster.workers * self.cluster.cores
        learn = self.costs.scan if first else self.costs.number
        # One machine learns the names of the labels with one thread.
        alone = first and self.cluster.network is None
        work = self.n * (per_sample + self.m * learn) / (1 if alone else cores)
        return Step(name, 1, work + self._reading() + self._tasks(), sums_pairs)

    def here(self, name: str, seconds: float) -> Step:
        """A step of the process that asks."""
        return Step(name, 0, seconds)

    def _reading(self) -> float:
        if self.cluster.network is None:
            return self.stored * self.costs.read
        return self.stored / (self.cluster.workers * self.cluster.network)

    def _tasks(self) -> float:
        if self.cluster.network is None:
            return 0.0
        table = 8.0 * min(self.c, TABLE_UP_TO) ** 2
        levels = math.log(max(self.n_tasks, 2), 8)
        return 1.2 * self.n_tasks * self.costs.task + levels * 8 * table / self.cluster.network

    @property
    def n_tasks(self) -> int:
        return -(-self.n // _ROWS_OF_A_TASK)

    def plan(self, method: str, steps: list[Step]) -> Plan:
        """Add up what the steps need."""
        table = 8.0 * self.c**2
        rows = min(self.n, _ROWS_OF_A_TASK)
        block = rows * (self.m * (self.label_bytes + 8) + 8) + 2**14 * 24.0 * self.K
        worker = self.cluster.cores * (block + 3 * table)
        sample = points_for_starts(self.n, self.K) * self.m * 4.0
        sums = sum(step.sums_pairs for step in steps) * table
        to_client = sums + sample + 8.0 * (self.c + 1) * self.K
        client = 8 * table + 4 * sample + (16.0 * self.n if self.cluster.network is None else 0)
        local = self.cluster.network is None
        between = 0.0 if local else sums * self.n_tasks * 8 / 7
        passes = sum(step.passes for step in steps)
        moved = 0.0 if local else passes * self.stored + between + to_client
        if local:
            worker = client + self.cluster.cores * (block + 2 * table)
        fits = self.cluster.memory is None or worker <= self.cluster.memory
        return Plan(
            method, self.c, tuple(steps), self.stored, moved, to_client, worker, client, fits
        )


def _decomposition(work: _Work) -> float:
    """All eigenvectors of a small matrix; a few of a larger one, by products with it."""
    return work.costs.cube * work.c**2 * min(work.c, DENSE_UP_TO)


def _kmeans(work: _Work) -> float:
    points = points_for_starts(work.n, work.K)
    return _STARTS * points * work.K**2 * work.costs.start


def _embedding(work: _Work) -> float:
    return work.m * work.K * work.costs.entry + work.K**2 * work.costs.distance


def _begin(work: _Work) -> list[Step]:
    pairs = work.m * (work.m + 1) / 2 * work.costs.pair
    return [
        work.here("start", work.costs.fixed),
        work.over_rows("read and number the labels", 0, first=True),
        work.over_rows("overlap of the clusters", pairs, sums_pairs=True),
    ]


def _end(work: _Work, per_sample: float) -> list[Step]:
    certain = work.m * (work.costs.meet + work.costs.confidence)
    local = work.cluster.network is None
    labels = work.over_rows("labels", per_sample + (0 if local else work.m * work.costs.meet))
    if not local:
        return [labels]
    sure = work.over_rows("confidence", certain + work.m * work.costs.number)
    return [labels, sure._replace(passes=2)]


def _lwgp(work: _Work) -> list[Step]:
    pairs = work.m * (work.m + 1) / 2 * work.costs.pair + work.m * work.costs.weigh
    return [
        *_begin(work),
        work.over_rows("weighted overlap", pairs, sums_pairs=True),
        work.here("eigenvectors", _decomposition(work)),
        work.over_rows("sample of rows", 0),
        work.here("k-means in the sample", _kmeans(work)),
        *_end(work, _embedding(work)),
    ]


def _hbgf(work: _Work) -> list[Step]:
    return [
        *_begin(work),
        work.here("eigenvectors", _decomposition(work)),
        work.over_rows("sample of rows", 0),
        work.here("k-means in the sample", _kmeans(work)),
        *_end(work, _embedding(work)),
    ]


def _sec(work: _Work) -> list[Step]:
    points = points_for_starts(work.n, work.K)
    search = _STARTS * points * work.m * work.K * work.costs.search
    return [
        *_begin(work),
        work.over_rows("sample of rows", 0),
        work.here("weighted k-means in the sample", search),
        *_end(work, work.m * (work.K + 1) * work.costs.entry + work.K**2 * work.costs.distance),
    ]


def _vote(work: _Work, grouping: float) -> list[Step]:
    """Steps of a vote of clusters that are grouped in so many seconds."""
    return [
        *_begin(work),
        work.here("groups of clusters", grouping),
        *_end(work, work.m * work.K * work.costs.entry + work.K**2 * work.costs.distance),
    ]


_STEPS: dict[str, Any] = {
    "LWGP": _lwgp,
    "HBGF": _hbgf,
    "SEC": _sec,
    "ECPCSMC": lambda work: _vote(work, work.costs.walk * work.c**3),
    "MCLA": lambda work: _vote(work, work.costs.edge * work.c**2),
}
