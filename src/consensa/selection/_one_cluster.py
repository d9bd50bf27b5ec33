"""One cluster or more: the data compared with reference data without clusters."""

from __future__ import annotations

from collections.abc import Mapping
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
from consensa.selection._density_separation import separation_of_clusters
from consensa.selection._references import references_of
from consensa.selection._subsets import drawn_rows

__all__ = [
    "LEVEL",
    "OneClusterTest",
    "compare_with_references",
    "is_plain",
    "one_cluster_test",
    "p_value_of",
]

LEVEL = 0.05  # above this p-value the result is one cluster
_LAST_LEVEL = 0.04  # if it is not plain after the first look: two looks take two chances
_FIRST_LOOK = 39  # references of each kind
_PLAINLY_NOT = 6  # references of a kind that deviate as much as the data
_NUMBERS = (2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 18, 22)
_GRAPH_NEIGHBORS = 8
_FUNCTIONS = 16
_STEPS = 10  # of the random walk
_TEST_SAMPLES = 500
LEAST_POINTS = 10  # distinct samples that can be compared


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
        Statistic of the data: the mean of its four parts.
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


def one_cluster_test(
    X: Any, *, n_references: int = 199, random_state: Any = None
) -> OneClusterTest:
    """Compare features with reference data without clusters.

    Three kinds of references keep the distribution of each column and the rank correlations, that
    of each principal axis, or the local dimension in a long thin box; each with one mode. They are
    drawn until the result is plain. The statistic is computed on at most 500 samples, drawn by a
    hash of their values: the density separation of two partitions into 2 to 22 clusters, and the
    agreement of three.

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
    kinds = references_of(rows, landscape, scaling, rng)
    drawn: dict[str, list[Array]] = {name: [] for name in kinds}
    with track("references", n_references * len(kinds)) as advance:
        for _ in range(n_references):
            for name, kind in kinds.items():
                reference = kind.draw(rng)
                of_reference = Landscape.of(reference, _n_neighbors(len(points)))
                drawn[name].append(_statistic(of_reference, numbers))
                advance()
            if is_plain(observed, drawn):
                break
    p_values = {name: p_value_of(observed, np.array(own)) for name, own in drawn.items()}
    hardest = max(p_values, key=lambda name: p_values[name])
    return OneClusterTest(
        p_values[hardest],
        p_values,
        len(drawn[hardest]),
        numbers,
        observed.mean(axis=0),
        np.array(drawn[hardest]).mean(axis=1),
        len(points),
    )


def is_plain(observed: Array, drawn: Mapping[str, list[Array]]) -> bool:
    """Whether more references would not change the result."""
    number = min(len(own) for own in drawn.values())
    if number % 10 != _FIRST_LOOK % 10:
        return False
    p_values = [p_value_of(observed, np.array(own)) for own in drawn.values()]
    deviating = max(round(p * (number + 1)) - 1 for p in p_values)
    return deviating >= _PLAINLY_NOT or (number == _FIRST_LOOK and deviating == 0)


def p_value_of(observed: Array, references: Array) -> float:
    r"""Proportion of data sets, the observed one included, that deviate as much as it does.

    The deviation is :math:`\max_k \sum_s (t_{sk} - \bar t_{sk}) / \sigma_{sk}` over the parts s of
    the statistic, with the mean and the standard deviation over all data sets. Without clusters,
    each of them is equally likely to deviate most.
    """
    every = np.concatenate([observed[None], references])
    deviation = np.maximum(every.std(axis=0), 1e-6)
    standard = (every - every.mean(axis=0)) / deviation
    outstanding = standard.reshape(len(every), -1, every.shape[-1]).sum(axis=1).max(axis=1)
    return float(np.mean(outstanding >= outstanding[0]))


def _n_neighbors(n_points: int) -> int:
    return max(2, min(n_points - 1, 30, max(8, n_points // 25)))


def _statistic(landscape: Landscape, numbers: Array) -> Array:
    """Four parts for each number of clusters: (4, n_numbers).

    The points are cut by the tree of Genie, by Ward's method on the functions of the random walk,
    and by Ward's method on the points. The parts are the density separation of the first two cuts,
    their agreement, and their mean agreement with the third.
    """
    by_tree = landscape.tree_cuts(numbers.tolist())
    by_walk = _ward(_walk_coordinates(landscape), numbers)
    by_place = _ward(landscape.points, numbers)
    parts = np.empty((4, len(numbers)))
    for place, (tree, walk, points) in enumerate(zip(by_tree, by_walk, by_place, strict=True)):
        parts[0, place] = _mean_separation(landscape, tree)
        parts[1, place] = _mean_separation(landscape, walk)
        parts[2, place] = rand_of_codes(tree, walk)
        parts[3, place] = (rand_of_codes(tree, points) + rand_of_codes(walk, points)) / 2
    return parts


def _mean_separation(landscape: Landscape, codes: Array) -> float:
    """Separation of the clusters, weighted by their sizes."""
    separation = separation_of_clusters(landscape, codes, landscape.neighbors.shape[1])
    return float(np.average(separation, weights=np.bincount(codes)))


def _walk_coordinates(landscape: Landscape) -> Array:
    count = min(_FUNCTIONS, landscape.n_points - 1)
    values, functions = landscape.spectrum(_GRAPH_NEIGHBORS, count)
    scaled = functions[:, 1:] / np.sqrt(np.square(functions[:, 1:]).mean(axis=0))
    return np.asarray(scaled * np.maximum(values[1:], 0) ** _STEPS)


def _ward(points: Array, numbers: Array) -> list[Any]:
    tree = Dendrogram(linkage(points, "ward"), np.arange(len(points)))
    return [tree.cut(int(k)) for k in numbers]
