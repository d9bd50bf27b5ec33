"""Estimate the cost of a consensus on given machines before it is computed.

`costs` has the time of each operation, `work` the model of a step, `methods` the steps of each
method, `estimate` their sum, `sentences` its text.
"""

from __future__ import annotations

from typing import Any

from consensa._defaults import DEFAULT_N_PARTITIONS
from consensa._params import Declaration, Integer, NoneType, Real, check_params
from consensa.consensus.base import BaseConsensus
from consensa.consensus.catalogue import methods_that, read_method
from consensa.consensus.method import check_fits
from consensa.distributed.planning.costs import Costs, load_costs
from consensa.distributed.planning.estimate import Plan, estimate
from consensa.distributed.planning.methods import steps_of
from consensa.distributed.planning.work import Cluster, Step, Work
from consensa.exceptions import InvalidInputError, InvalidParameterError

__all__ = ["DEFAULT_CLUSTERS", "Cluster", "Costs", "Plan", "Step", "plan"]

DEFAULT_CLUSTERS = 10
_MOST_SAMPLES = 1e15
_NEAR = 1.001

_DECLARED: Declaration = {
    "n_samples": (Integer(2),),
    "n_partitions": (Integer(1),),
    "partition_clusters": (Integer(1), NoneType()),
    "n_clusters": (Integer(1),),
    "workers": (Integer(1),),
    "cores": (Integer(1),),
    "memory": (Real(above=0), NoneType()),
    "network": (Real(above=0), NoneType()),
    "label_bytes": (Integer(1),),
    "n_features": (Integer(1), NoneType()),
    "value_bytes": (Integer(1),),
}


def plan(
    n_samples: int,
    n_partitions: int = DEFAULT_N_PARTITIONS,
    partition_clusters: int | None = None,
    *,
    n_clusters: int = DEFAULT_CLUSTERS,
    method: Any = None,
    cluster: Cluster | None = None,
    label_bytes: int = 4,
    n_features: int | None = None,
    value_bytes: int = 4,
    costs: Costs | None = None,
) -> Plan:
    """Estimate memory, passes over the data, transfers and time of a consensus.

    Parameters
    ----------
    n_samples : int
        Number of samples.
    n_partitions : int, default=48
        Number of base partitions.
    partition_clusters : int or None, default=None
        Number of clusters of each partition. None is ``2 * n_clusters``, the mean of numbers
        drawn from k to 3 k, where k is `n_clusters`.
    n_clusters : int, default=10
        Number of clusters of the consensus.
    method : estimator, class, str or None, default=None
        The method, one that works by blocks of rows; None is the default method, TEA.
    cluster : Cluster or None, default=None
        The machines; None is one with two cores.
    label_bytes : int, default=4
        Number of bytes of a stored label.
    n_features : int or None, default=None
        Number of features, from which the default generator makes the partitions; None if labels
        are given.
    value_bytes : int, default=4
        Number of bytes of a stored feature.
    costs : Costs or None, default=None
        Measured times; None is those of the package.

    Returns
    -------
    Plan
        The steps and their requirements; ``print`` it.

    See Also
    --------
    consensa.distributed.TEA : The default method on Dask.

    Notes
    -----
    The estimate assumes that no labels are missing, that nearly all rows are distinct, and that
    workers do not wait for each other. If many rows are equal, TEA agglomerates up to twice as
    many microclusters, in four times the memory. The times were measured on one machine;
    ``make bench-scale`` measures them on yours.

    Examples
    --------
    >>> from consensa.distributed import Cluster, plan
    >>> plan(10**6).method
    'TEA'
    >>> machines = Cluster(workers=20, cores=16, memory=64e9, network=1.25e9)
    >>> large = plan(10**9, 50, 100, cluster=machines)
    >>> large.n_base_clusters, large.passes, large.fits
    (5000, 4, True)
    """
    cluster = Cluster() if cluster is None else cluster
    given = {
        "n_samples": n_samples,
        "n_partitions": n_partitions,
        "partition_clusters": partition_clusters,
        "n_clusters": n_clusters,
        "label_bytes": label_bytes,
        "n_features": n_features,
        "value_bytes": value_bytes,
        **cluster._asdict(),
    }
    check_params("plan", _DECLARED, given)
    check_fits("plan", n_clusters, n_samples)
    if partition_clusters is None:
        partition_clusters = min(2 * n_clusters, n_samples)
    if partition_clusters > n_samples:
        message = (
            f"A partition of {n_samples} samples has at most as many clusters. "
            f"Got {partition_clusters}."
        )
        raise InvalidInputError(message)
    work = Work(
        n_samples, n_partitions, partition_clusters, n_clusters, label_bytes, cluster,
        _planned(method, on_dask=cluster.network is not None),
        load_costs() if costs is None else costs, n_features or 0, value_bytes,
    )  # fmt: skip
    return estimate(work, steps_of(work))._replace(largest=_largest(work))


def _largest(work: Work) -> float | None:
    """Number of samples for which the memory of one of the machines suffices, in two digits."""
    memory = work.cluster.memory
    if memory is None:
        return None
    alone = work._replace(cluster=work.cluster._replace(workers=1, network=None))

    def fits(n: float) -> bool:
        one = alone._replace(n=int(n), k=min(work.k, int(n)))
        return estimate(one, steps_of(one)).worker_memory <= memory

    low, high = 2.0, _MOST_SAMPLES
    while high / low > _NEAR:
        middle = (low * high) ** 0.5
        low, high = (middle, high) if fits(middle) else (low, middle)
    return float(f"{low:.2g}") if fits(low) else 0.0


def _planned(method: Any, *, on_dask: bool) -> BaseConsensus:
    """The method, if it works by blocks of rows; on several machines, if it runs on Dask."""
    model = read_method(method, owner="plan")
    able = "dask" if on_dask else "by_rows"
    if getattr(model.info, able):
        return model
    works = "run on Dask" if on_dask else "work by blocks of rows"
    message = (
        f"The 'method' parameter of plan must be one of the methods that {works}: "
        f"{', '.join(methods_that(able))}. Got {type(model).__name__}."
    )
    raise InvalidParameterError(message)
