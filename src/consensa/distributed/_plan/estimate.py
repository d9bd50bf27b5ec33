"""The estimate: what the steps need together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from consensa.distributed._plan.sentences import sentences
from consensa.distributed._plan.work import Cluster, Step, Work

__all__ = ["Plan", "estimate"]

_BYTES_OF_A_SAMPLE = 40.0  # its label, found and numbered, its confidence, and what sorts them


class Plan(NamedTuple):
    """What a consensus will cost.

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
        What is done, in order.
    bytes_stored : float
        Size of the label matrix.
    bytes_moved : float
        What is read over the network, and sent between workers and to the client.
    bytes_to_client : float
        The part of it that comes to the process that asks.
    worker_memory : float
        Bytes that a worker needs at once; on one machine, the process.
    client_memory : float
        Bytes that the process that asks needs.
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

    def __str__(self) -> str:
        return "\n".join(sentences(self))

    @property
    def passes(self) -> int:
        """Number of times that all labels are read."""
        return sum(step.passes for step in self.steps)

    @property
    def seconds(self) -> float:
        """How long it takes, all steps together."""
        return sum(step.seconds for step in self.steps)

    @property
    def fits(self) -> bool:
        """Whether the memory of the machines is enough, as far as it is known."""
        return self.cluster.memory is None or self.worker_memory <= self.cluster.memory


def estimate(work: Work, steps: Sequence[Step]) -> Plan:
    """Add up what the steps need."""
    sums = sum(step.sums_pairs for step in steps) * work.table
    to_client = sums + work.sample + 8.0 * (work.c + 1) * work.K
    passes = sum(step.passes for step in steps)
    between = sums * work.n_tasks * 8 / 7
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
    )


def _memory(work: Work, steps: Sequence[Step]) -> tuple[float, float]:
    """Bytes of a worker and of the process that asks, which are one on one machine."""
    passes = max(step.memory for step in steps if step.passes)
    here = max(step.memory for step in steps if not step.passes)
    kept = work.costs.process + 2 * work.table * any(step.sums_pairs for step in steps)
    if work.local:
        # Threads do not give back what their blocks took before the other steps begin.
        whole = kept + _BYTES_OF_A_SAMPLE * work.n + passes + here
        return whole, whole
    return work.costs.process + passes, kept + here
