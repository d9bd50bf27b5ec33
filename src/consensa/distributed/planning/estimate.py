"""The estimate: the sum over the steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from consensa.distributed.planning.features import kept_of_points, points_of
from consensa.distributed.planning.sentences import sentences
from consensa.distributed.planning.work import Cluster, Step, Work

__all__ = ["Plan", "estimate"]

_BYTES_OF_A_SAMPLE = 40.0  # its label, found and numbered, its confidence, and what sorts them


class Plan(NamedTuple):
    """The estimated cost of a consensus.

    Attributes
    ----------
    method : str
        The method.
    n_samples : int
        Number of samples.
    n_partitions : int
        Number of partitions.
    n_base_clusters : int
        Number of clusters of all partitions together.
    cluster : Cluster
        The machines.
    steps : tuple of Step
        The steps, in order.
    bytes_stored : float
        Size of the label matrix.
    bytes_moved : float
        Bytes read over the network, and sent between workers and to the client.
    bytes_to_client : float
        Bytes sent to the client.
    worker_memory : float
        Maximum number of bytes of a worker; on one machine, of the process.
    client_memory : float
        Maximum number of bytes of the client.
    n_features : int
        Number of features; 0 if labels are given.
    largest : float or None
        Number of samples, in two digits, for which one of the machines has enough memory; None
        if its memory is not known.
    """

    method: str
    n_samples: int
    n_partitions: int
    n_base_clusters: int
    cluster: Cluster
    steps: tuple[Step, ...]
    bytes_stored: float
    bytes_moved: float
    bytes_to_client: float
    worker_memory: float
    client_memory: float
    n_features: int = 0
    largest: float | None = None

    def __str__(self) -> str:
        return "\n".join(sentences(self))

    @property
    def passes(self) -> int:
        """Number of times that all labels, and features, are read."""
        return sum(step.passes for step in self.steps)

    @property
    def feature_passes(self) -> int:
        """Number of times that all features are read."""
        return sum(step.passes for step in self.steps if step.of_features)

    @property
    def seconds(self) -> float:
        """Total time of all steps."""
        return sum(step.seconds for step in self.steps)

    @property
    def fits(self) -> bool:
        """Whether the memory of the machines suffices, if it is known."""
        return self.cluster.memory is None or self.worker_memory <= self.cluster.memory


def estimate(work: Work, steps: Sequence[Step]) -> Plan:
    """Sum over the steps."""
    sums = sum(step.sums_pairs for step in steps) * work.table
    to_client = sums + work.sample + 8.0 * (work.c + 1) * work.K
    passes = sum(step.passes for step in steps if step.of_features or not work.d)
    between = sums * work.n_tasks * 8 / 7
    if work.d:  # what is drawn, and the points, which each worker gets
        rows = 8.0 * points_of(work) * work.d
        between += rows * work.n_tasks * 8 / 7 + 2 * rows * work.cluster.workers
        to_client += rows
    worker, client = _memory(work, steps)
    return Plan(
        method=type(work.model).__name__,
        n_samples=work.n,
        n_partitions=work.m,
        n_base_clusters=work.c,
        cluster=work.cluster,
        steps=tuple(steps),
        bytes_stored=work.stored,
        bytes_moved=0.0 if work.local else passes * work.stored + between + to_client,
        bytes_to_client=to_client,
        worker_memory=worker,
        client_memory=client,
        n_features=work.d,
    )


def _memory(work: Work, steps: Sequence[Step]) -> tuple[float, float]:
    """Bytes of a worker and of the client, which are the same process on one machine."""
    passes = max(step.memory for step in steps if step.passes)
    here = max(step.memory for step in steps if not step.passes)
    kept = work.costs.process + 2 * work.table * any(step.sums_pairs for step in steps)
    kept += kept_of_points(work)
    if work.local:
        # Threads do not release the memory of their blocks before the other steps.
        whole = kept + _BYTES_OF_A_SAMPLE * work.n + passes + here
        return whole, whole
    return work.costs.process + passes, kept + here
