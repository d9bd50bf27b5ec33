"""Samples that fit no cluster: far from all other samples, or alone in most base partitions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from consensa._array import Array
from consensa._machine.plain_objects import storable
from consensa.ensemble import Ensemble
from consensa.ensemble.missing import is_labeled
from consensa.features import Features
from consensa.features.space import Space
from consensa.generation.sample_points import SamplePoints, distances_to_nearest, find_points

__all__ = [
    "MOST_PARTITIONS",
    "AloneIn",
    "OutlierRule",
    "alone_in_most",
    "learn_outlier_rule",
    "neighbor_distances",
]

_NEIGHBOR = 5  # whose distance is compared
_ENOUGH = 20  # points of a cluster that has a limit of its own
_FENCES = 3.0  # interquartile ranges above the third quartile: Tukey's "far out"
MOST_PARTITIONS = 0.5  # proportion, above which a sample that they leave alone is an outlier
_LEAST_FACTOR = 2.0  # of the median distance


@storable
class OutlierRule:
    r"""A sample is an outlier if its fifth nearest neighbor is too far away.

    Distances are those of the default generator. Too far is more than the third quartile plus
    three interquartile ranges of the logarithms of these distances in its cluster, and more than
    twice their median. Clusters of fewer than 20 distinct samples have the limit of all samples.

    Attributes
    ----------
    space : Space
        Converts features to points.
    points : ndarray of shape (n_points, n_components)
        Distinct samples of the fit.
    limits : ndarray of shape (n_clusters,)
        Largest distance of a sample of each cluster that is no outlier.
    """

    space: Space
    points: Array
    limits: Array

    def mark_new(self, features: Any, labels: Array) -> Array:
        """Whether each new sample is an outlier; `labels` are the clusters predicted for them."""
        rows = self.space.apply(features)
        distance = distances_to_nearest(rows, self.points, _NEIGHBOR)[:, -1]
        return distance > np.where(labels >= 0, self.limits[labels], np.inf)


def learn_outlier_rule(
    features: Features, labels: Array, *, rng: np.random.RandomState
) -> tuple[OutlierRule, Array]:
    """The rule, and whether each sample of the fit is an outlier."""
    found = find_points(features, n_jobs=-1, rng=rng)
    n_clusters = int(labels.max()) + 1
    of_point = np.zeros(found.n_points, np.int64)
    of_point[found.point_of_sample[::-1]] = labels[::-1]
    distance = _distance_of_points(found)
    overall = _limit(distance)
    own = [distance[of_point == cluster] for cluster in range(n_clusters)]
    limits = np.array([_limit(part) if len(part) >= _ENOUGH else overall for part in own])
    assert isinstance(found.space, Space)  # of features, and not given distances
    rule = OutlierRule(found.space, found.points, limits)
    return rule, (distance > limits[of_point])[found.point_of_sample]


def neighbor_distances(features: Features, *, rng: np.random.RandomState) -> tuple[Array, Array]:
    """Distance of each distinct sample to its fifth nearest, and the distinct sample of each."""
    found = find_points(features, n_jobs=-1, rng=rng)
    return _distance_of_points(found), found.point_of_sample


def _distance_of_points(found: SamplePoints) -> Array:
    """Distance of each point to its fifth nearest sample; equal samples are neighbors."""
    if found.distances.shape[1] == 0:
        return np.zeros(found.n_points)
    place = min(_NEIGHBOR, found.distances.shape[1]) - 1
    return np.where(found.sizes > _NEIGHBOR, 0.0, found.distances[:, place])


def _limit(distance: Array) -> float:
    known = distance[distance > 0]
    if len(known) == 0:
        return np.inf
    first, median, third = np.quantile(np.log(known), [0.25, 0.5, 0.75])
    return float(np.exp(max(third + _FENCES * (third - first), median + np.log(_LEAST_FACTOR))))


def alone_in_most(ensemble: Ensemble, labels: Any) -> Array:
    """Whether most base partitions that label a sample leave it alone, and the consensus not."""
    shares = np.asarray(ensemble.rows.score(AloneIn(ensemble.cluster_sizes), labels))
    codes = np.asarray(labels)
    return (shares > MOST_PARTITIONS) & (np.bincount(codes)[codes] > 1)


@dataclass(frozen=True)
class AloneIn:
    """Proportion of the partitions in which samples are alone."""

    sizes: Array

    def __call__(self, ids: Array, labels: Array) -> Array:
        """The proportion of each sample, from its cluster ids."""
        known = is_labeled(ids)
        alone = known & (np.append(self.sizes, 0)[ids] == 1)
        return alone.sum(axis=1) / np.maximum(known.sum(axis=1), 1)
