"""One cluster or more: the data compared with reference data without clusters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from scipy.cluster.hierarchy import linkage

from consensa._array import Array
from consensa._machine.progress import track
from consensa._params import Declaration, Integer, RandomState, check_params
from consensa._random import random_source
from consensa.exceptions import InvalidInputError
from consensa.features import read_features
from consensa.generation.landscape import Landscape, points_of
from consensa.metrics.rand import rand_of_codes
from consensa.partition import Dendrogram
from consensa.selection._bottleneck import bottleneck
from consensa.selection._density_separation import separation_of_clusters
from consensa.selection._references import (
    References,
    Ring,
    Shells,
    Tube,
    references_of,
    spread_of_radii,
)
from consensa.selection._subsets import drawn_rows
from consensa.selection._valley_depth import valley_depth

__all__ = [
    "LEVEL",
    "OneClusterTest",
    "Statistic",
    "compare_with_references",
    "is_plain",
    "one_cluster_test",
    "p_value_of",
]

LEVEL = 0.05  # above this p-value the result is one cluster
_LAST_LEVEL = 0.04  # if it is not plain after the first look: two looks take two chances
_DOUBTFUL = 0.1  # up to this p-value one cluster is not a clear answer
_FIRST_LOOK = 39  # references of each kind
_PLAINLY_NOT = 6  # references of a kind that deviate as much as the data
_NUMBERS = (2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 18, 22)
_GRAPH_NEIGHBORS = 8
_FUNCTIONS = 16
_STEPS = 10  # of the random walk
_PIECES = (8, 10, 12)  # into which the points are cut to look for valleys
_LEAST_IN_PIECE = 12  # points on average
_TEST_SAMPLES = 1000
_BEFORE_FURTHER = 19  # references of the first kinds
_MORE = 0.9  # share of them that have less of what a further kind imitates than the data
LEAST_POINTS = 10  # distinct samples that can be compared


class _Further(NamedTuple):
    """Kinds of references that are used if the data have more of something than the first."""

    measured: Callable[[Landscape], float]
    kinds: Mapping[str, Callable[[Landscape, np.random.RandomState], References]]


_FURTHER = (
    _Further(Landscape.steps_across, {"tube": Tube, "ring": Ring}),
    _Further(spread_of_radii, {"shells": lambda landscape, _: Shells(landscape)}),
)

Statistic = tuple[Array, ...]  # several; each has a value for its parts and levels


class OneClusterTest(NamedTuple):
    """Result of the comparison with reference data.

    Attributes
    ----------
    p_value : float
        The largest of `p_values`.
    p_values : mapping of str to float
        For each kind of reference data.
    n_references : int
        Number of data sets of each kind.
    numbers : ndarray of shape (n_numbers,)
        Numbers of clusters at which the statistic was computed.
    observed : ndarray of shape (n_numbers,)
        First statistic of the data: the mean of its four parts.
    references : ndarray of shape (n_references, n_numbers)
        The same of the kind with the largest p-value.
    n_samples : int
        Number of samples that were used.
    """

    p_value: float
    p_values: Mapping[str, float]
    n_references: int
    numbers: Array
    observed: Array
    references: Array
    n_samples: int

    @property
    def is_one(self) -> bool:
        """Whether the data do not stand out from some kind of references."""
        early = self.n_references <= _FIRST_LOOK
        return self.p_value > (LEVEL if early else _LAST_LEVEL)

    @property
    def is_doubtful(self) -> bool:
        """Whether it is called one cluster, although few references deviate as much."""
        return self.is_one and self.p_value <= _DOUBTFUL


def one_cluster_test(
    X: Any, *, n_references: int = 199, random_state: Any = None
) -> OneClusterTest:
    """Compare features with reference data without clusters.

    Two kinds of references keep the distribution of each column and the rank correlations, or that
    of each principal axis; each with one mode. If the data are longer and thinner than these, two
    further kinds imitate curved sheets and rings by a long thin box with the local dimension of
    the data. If their distances from the center differ more, another kind keeps these distances.
    They are drawn until the result is plain. Six statistics are computed on at most 1000 samples,
    drawn by a hash of their values: the density separation and the agreement of partitions into 2
    to 22 clusters, the depth of the valleys between small parts, cut in two ways, and between
    halves, how slowly a random walk over nearest neighbors forgets where it began, and how sparse
    the densest way between two parts is.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features.
    n_references : int, default=199
        Maximum number of reference data sets of each kind.
    random_state : int, RandomState instance or None, default=None
        Seed.

    Returns
    -------
    OneClusterTest
        The p-value of each kind, and the statistic of the data and the references;
        ``is_one`` if the data do not stand out from each kind.

    See Also
    --------
    select_n_clusters : Uses it before it recommends a number.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.selection import one_cluster_test
    >>> X = np.random.RandomState(0).uniform(size=(60, 2))
    >>> one_cluster_test(X, random_state=0).is_one
    True
    """
    declared: Declaration = {"n_references": (Integer(39),), "random_state": (RandomState(),)}
    given = {"n_references": n_references, "random_state": random_state}
    check_params("one_cluster_test", declared, given)
    rows = read_features(X, accept_sparse=False).points
    if len(np.unique(rows, axis=0)) < LEAST_POINTS:
        message = f"one_cluster_test needs at least {LEAST_POINTS} distinct samples."
        raise InvalidInputError(message)
    return compare_with_references(rows, "auto", n_references, random_source(random_state))


def compare_with_references(
    rows: Array, scaling: str, n_references: int, rng: np.random.RandomState
) -> OneClusterTest:
    """Compare rows with up to `n_references` reference data sets of each kind."""
    rows = rows[drawn_rows(rows, _TEST_SAMPLES)]
    points = points_of(rows, scaling)
    landscape = Landscape.of(points, _n_neighbors(len(points)))
    numbers = np.array([k for k in _NUMBERS if k <= max(2, len(points) // 5)])
    observed = _statistic(landscape, numbers)
    kinds = references_of(rows, points, scaling)
    drawn: dict[str, list[Statistic]] = {name: [] for name in kinds}
    measured: dict[str, list[list[float]]] = {name: [] for name in kinds}
    with track("references", n_references * len(kinds)) as advance:
        for number in range(1, n_references + 1):
            for name, kind in kinds.items():
                while len(drawn[name]) < number:
                    reference = Landscape.of(kind.draw(rng), landscape.neighbors.shape[1])
                    drawn[name].append(_statistic(reference, numbers))
                    if number <= _BEFORE_FURTHER:
                        measured[name].append(_measured(reference))
                    advance()
            if number == _BEFORE_FURTHER:
                further = _further_kinds(landscape, list(measured.values()), rng)
                kinds, drawn = kinds | further, drawn | {name: [] for name in further}
            if all(len(own) == number for own in drawn.values()) and is_plain(observed, drawn):
                break
    p_values = {name: p_value_of(observed, own) for name, own in drawn.items()}
    hardest = max(p_values, key=lambda name: p_values[name])
    return OneClusterTest(
        p_values[hardest],
        p_values,
        len(drawn[hardest]),
        numbers,
        observed[0].mean(axis=0),
        np.array([own[0] for own in drawn[hardest]]).mean(axis=1),
        len(points),
    )


def _measured(landscape: Landscape) -> list[float]:
    return [further.measured(landscape) for further in _FURTHER]


def _further_kinds(
    landscape: Landscape, measured: list[list[list[float]]], rng: np.random.RandomState
) -> dict[str, References]:
    """Kinds that imitate what the data have more of than nearly all references of each kind."""
    shares = np.mean(_measured(landscape) > np.array(measured), axis=1).min(axis=0)
    return {
        name: make(landscape, rng)
        for share, further in zip(shares, _FURTHER, strict=True)
        if share >= _MORE
        for name, make in further.kinds.items()
    }


def is_plain(observed: Statistic, drawn: Mapping[str, list[Statistic]]) -> bool:
    """Whether more references would not change the result."""
    number = min(len(own) for own in drawn.values())
    if number % 10 != _FIRST_LOOK % 10:
        return False
    p_values = [p_value_of(observed, own) for own in drawn.values()]
    deviating = max(round(p * (number + 1)) - 1 for p in p_values)
    return deviating >= _PLAINLY_NOT or (number == _FIRST_LOOK and deviating == 0)


def p_value_of(observed: Statistic, references: list[Statistic]) -> float:
    r"""Proportion of data sets, the observed one included, that deviate as much as it does.

    The deviation by one statistic is :math:`\max_k \sum_s (t_{sk} - \bar t_{sk}) / \sigma_{sk}`
    over its parts s and levels k, with the mean and the standard deviation over all data sets. It
    is standardized in the same way, and the largest one counts. Without clusters, each data set is
    equally likely to deviate most.
    """
    outstanding = []
    for own, *others in zip(observed, *references, strict=True):
        standard = _standardized(np.array([own, *others]))
        by_level = standard.reshape(len(standard), -1, standard.shape[-1]).sum(axis=1)
        outstanding.append(_standardized(by_level.max(axis=1)))
    largest = np.max(outstanding, axis=0)
    return float(np.mean(largest >= largest[0]))


def _standardized(values: Array) -> Array:
    """Less the mean and divided by the standard deviation of all data sets."""
    return np.asarray((values - values.mean(axis=0)) / np.maximum(values.std(axis=0), 1e-6))


def _n_neighbors(n_points: int) -> int:
    return max(2, min(n_points - 1, 30, max(8, n_points // 25)))


def _statistic(landscape: Landscape, numbers: Array) -> Statistic:
    """Six statistics: of cuts into several numbers of clusters, valleys, a walk and a tree.

    The points are cut by the tree of Genie, by Ward's method on the functions of the random walk,
    and by Ward's method on the points. The first statistic has four parts for each number: the
    density separation of the first two cuts, their agreement, and their mean agreement with the
    third. The next are the depths of the deepest valleys between 8, 10 and 12 clusters of the
    second way to cut, of the third, and of the valleys between the halves by both ways: with
    fewer parts, a shallow valley is told from chance. Then how slowly the random walk mixes: it
    stays long in a cluster, also in one that overlaps with others. The last is the bottleneck of
    the spanning tree.
    """
    n = landscape.n_points
    values, functions = landscape.spectrum(_GRAPH_NEIGHBORS, min(_FUNCTIONS, n - 1))
    by_tree = landscape.tree_cuts(numbers.tolist())
    by_walk, by_place = _ward(_walk_coordinates(values, functions)), _ward(landscape.points)
    parts = np.empty((4, len(numbers)))
    for place, (k, tree) in enumerate(zip(numbers.tolist(), by_tree, strict=True)):
        walk, points = by_walk.cut(k), by_place.cut(k)
        parts[0, place] = _mean_separation(landscape, tree)
        parts[1, place] = _mean_separation(landscape, walk)
        parts[2, place] = rand_of_codes(tree, walk)
        parts[3, place] = (rand_of_codes(tree, points) + rand_of_codes(walk, points)) / 2
    pieces = [max(2, min(k, n // _LEAST_IN_PIECE)) for k in _PIECES]
    cuts = ([(by_walk, k) for k in pieces], [(by_place, k) for k in pieces],
            [(by_walk, 2), (by_place, 2)])  # fmt: skip
    depths = [
        np.sum([valley_depth(landscape.points, tree.cut(k)) for tree, k in own], keepdims=True)
        for own in cuts
    ]
    slowness = -np.log(np.maximum(1 - values[1:2], np.finfo(float).eps))
    return parts, *depths, slowness, np.array([bottleneck(landscape)])


def _mean_separation(landscape: Landscape, codes: Array) -> float:
    """Separation of the clusters, weighted by their sizes."""
    separation = separation_of_clusters(landscape, codes, landscape.neighbors.shape[1])
    return float(np.average(separation, weights=np.bincount(codes)))


def _walk_coordinates(values: Array, functions: Array) -> Array:
    scaled = functions[:, 1:] / np.sqrt(np.square(functions[:, 1:]).mean(axis=0))
    return np.asarray(scaled * np.maximum(values[1:], 0) ** _STEPS)


def _ward(points: Array) -> Dendrogram:
    return Dendrogram(linkage(points, "ward"), np.arange(len(points)))
