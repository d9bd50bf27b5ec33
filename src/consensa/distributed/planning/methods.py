"""The steps of each method that works by blocks of rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from consensa.distributed.planning.features import feature_steps
from consensa.distributed.planning.work import Step, Work
from consensa.partition.membership_embedding import DENSE_UP_TO

__all__ = ["STEPS", "steps_of"]

_WALK = 20  # PTGP's maximum number of neighbors of a microcluster, and of steps of a walk


def steps_of(work: Work) -> list[Step]:
    """The steps, in order."""
    read = work.over_rows("read and number the labels", 0, first=True)
    return [
        work.here("start", work.costs.fixed),
        *(feature_steps(work) if work.d else [read]),
        *STEPS[type(work.model).__name__](work),
        *_confidence(work),
    ]


def _lwgp(work: Work) -> list[Step]:
    pairs = work.m * (work.m + 1) / 2 * work.costs.pair + work.m * work.costs.weigh
    weighted = work.over_rows("weighted overlap", pairs, sums_pairs=True)
    return [_overlap(work), weighted, *_embedding(work)]


def _hbgf(work: Work) -> list[Step]:
    return [_overlap(work), *_embedding(work)]


def _sec(work: Work) -> list[Step]:
    nearest = work.m * (work.K + 1) * work.costs.entry + work.K**2 * work.costs.distance
    return _search(work, "weighted k-means in the sample", nearest)


def _starts(work: Work) -> list[Step]:
    # As many iterations as SEC: a third to four times its time in measured runs.
    return _search(work, "starts in the sample", work.m * work.K * work.costs.entry)


def _ecpcsmc(work: Work) -> list[Step]:
    return _vote(work, work.costs.walk * work.c**3)


def _mcla(work: Work) -> list[Step]:
    return _vote(work, work.costs.edge * work.c**2)


def _tea(work: Work) -> list[Step]:
    g = _representatives(work)
    square = 8.0 * g**2
    return [
        _overlap(work),
        work.draw_sample(),
        work.here("order of the sample", work.n_seen * work.m * work.costs.order, 2 * work.sample),
        work.here(
            "affinity of the representatives",
            g**2 / 2 * work.m * work.costs.affinity,
            square + 2 * work.sample,
        ),
        work.here("tree of the representatives", g**2 * work.costs.merge, square),
        _labels(work, work.m * work.K * work.costs.entry),
    ]


def _ptgp(work: Work) -> list[Step]:
    q = work.n_seen  # all rows are distinct
    steps = min(_WALK, max(int(q**0.5 / 2), 1))
    cut = work.costs.cube * work.c**2 * min(work.c, DENSE_UP_TO)
    kmeans = _option(work, "n_init") * q * work.K**2 * work.costs.start
    return [
        _overlap(work),
        work.draw_sample(),
        work.here(
            "walks between the microclusters",
            q**2 * (work.m + steps**2) * work.costs.trajectory,
            8.0 * (4 * q**2),
        ),
        work.here("cut of their graph", cut + kmeans, 8.0 * (2 * q**2 + 4 * q * work.c)),
        _labels(work, work.m * work.K * work.costs.entry),
    ]


STEPS: dict[str, Callable[[Work], list[Step]]] = {
    "LWGP": _lwgp,
    "HBGF": _hbgf,
    "SEC": _sec,
    "ECPCSMC": _ecpcsmc,
    "MCLA": _mcla,
    "TEA": _tea,
    "PTGP": _ptgp,
    "KCC": _starts,
    "CDKM": _starts,
    "CDEC": _starts,
    "EMConsensus": _starts,
}


def _option(work: Work, name: str) -> int:
    """A parameter of the method."""
    return int(getattr(work.model, name))


def _overlap(work: Work) -> Step:
    pairs = work.m * (work.m + 1) / 2 * work.costs.pair
    return work.over_rows("overlap of the clusters", pairs, sums_pairs=True)


def _embedding(work: Work) -> list[Step]:
    """Leading eigenvectors of the overlap, k-means on representatives, the nearest center."""
    # All eigenvectors of a small matrix; a few of a larger one, by products with it.
    eigenvectors = work.costs.cube * work.c**2 * min(work.c, DENSE_UP_TO)
    kmeans = _option(work, "n_init") * work.n_seen * work.K**2 * work.costs.start
    nearest = work.m * work.K * work.costs.entry + work.K**2 * work.costs.distance
    return [
        work.here("eigenvectors", eigenvectors, 6 * work.table + work.declared),
        work.draw_sample(),
        work.here("k-means in the sample", kmeans, 4 * work.sample),
        _labels(work, nearest),
    ]


def _search(work: Work, name: str, label: float) -> list[Step]:
    """Several starts in the sample, and a label in `label` seconds for each sample."""
    starts: Any = _option(work, "n_init")
    seconds = starts * work.n_seen * work.m * work.K * work.costs.search
    return [
        _overlap(work),
        work.draw_sample(),
        work.here(name, seconds, 4 * work.sample + work.declared),
        _labels(work, label),
    ]


def _vote(work: Work, grouping: float) -> list[Step]:
    """Steps of a vote of meta-clusters, which are computed in `grouping` seconds."""
    votes = work.m * work.K * work.costs.entry + work.K**2 * work.costs.distance
    return [
        _overlap(work),
        work.here("meta-clusters", grouping, work.declared),
        _labels(work, votes),
    ]


def _representatives(work: Work) -> int:
    """Number of microclusters that TEA agglomerates if all rows of the sample are distinct."""
    limit = max(_option(work, "max_groups"), 2 * work.K)
    groups = min(work.n_seen, work.k ** min(work.m, 64))  # maximum number of distinct rows
    return groups if groups <= limit else limit // 2


def _labels(work: Work, per_sample: float) -> Step:
    # On a cluster the same pass counts labels against the consensus.
    return work.over_rows("labels", per_sample + (0 if work.local else work.m * work.costs.meet))


def _confidence(work: Work) -> list[Step]:
    """On one machine; on Dask it is lazy."""
    if not work.local:
        return []
    per_label = work.costs.meet + work.costs.confidence + work.costs.number
    return [work.over_rows("confidence", work.m * per_label)._replace(passes=2)]
