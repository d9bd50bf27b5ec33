"""Base partitions by mixtures of Gaussian distributions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby
from typing import Any

import numpy as np
from joblib import delayed

from consensa._array import Array
from consensa._machine.threads import one_thread
from consensa.generation._cluster_counts import ClusterCounts
from consensa.generation._device_mixture import mixture_on_device
from consensa.generation._mixture import FittedMixture, mixture_from
from consensa.generation._neighborhood import Neighborhood
from consensa.generation.base import LARGEST_SEED
from consensa.generation.neighborhood_generator import NeighborhoodGenerator
from consensa.partition.kmeans import quick_kmeans

__all__ = ["GaussianMixtures", "fit_mixtures"]

_STARTS = 10  # runs of k-means for each partition
_DIGITS = 9  # of the likelihood
_POINTS = 10_000  # in all mixtures of a partition: there are fewer of more than 1000 points


class GaussianMixtures(NeighborhoodGenerator):
    r"""Partitions by mixtures of Gaussian distributions on the leading principal components.

    The likelihood of the mixture

    .. math:: p(x) = \sum_{c=1}^{k} \pi_c\, \mathcal{N}(x;\, \mu_c, \Sigma_c)

    is maximized from ten random starts of k-means for each partition. Those with the greatest
    likelihood are kept, as many as there are partitions of the same number of clusters.
    Each sample belongs to its most probable component.

    Parameters
    ----------
    %(n_partitions)s
    n_components : int, default=20
        Maximum number of principal components.
    %(neighborhood)s

    See Also
    --------
    DiverseKinds : The default generator, of which these partitions are a part.
    sklearn.mixture.GaussianMixture : The mixtures.

    Notes
    -----
    Covariances are full. Of n > 1000 distinct samples only 10,000 / n mixtures are fitted for each
    partition, at least one, each from the best of several runs of k-means.
    Equal samples are never separated. The result is order-free.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import GaussianMixtures
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> GaussianMixtures(1, n_clusters=2).generate(X, random_state=0).labels.T
    array([[0, 0, 0, 1, 1, 1]], dtype=int32)
    """

    n_components: int = 20

    def _batches(
        self, found: Neighborhood, counts: ClusterCounts, rng: np.random.RandomState
    ) -> Iterator[Any]:
        points = _leading(found.points, self.n_components)
        numbers = counts.usual(self.n_partitions, rng)
        seeds = [int(rng.randint(LARGEST_SEED)) for _ in numbers]
        for k, group in groupby(zip(numbers, seeds, strict=True), key=lambda pair: pair[0]):
            own = [seed for _, seed in group]
            yield delayed(fit_mixtures)(points, found.sizes, k, own, found.device)


def _leading(points: Array, count: int) -> Array:
    """Coordinates along the leading principal components of centered points."""
    if points.shape[1] <= 1:
        return points
    with one_thread():
        directions = np.linalg.svd(points.T @ points)[0][:, :count]
        return np.asarray(points @ directions)


def fit_mixtures(
    points: Array, sizes: Array, k: int, seeds: Sequence[int], device: Any = None
) -> list[Array]:
    """Labels of points, which occur `sizes` times, in as many mixtures as there are seeds.

    Several starts of each seed are tried, and those with the greatest likelihood are kept: the
    maxima that a single start finds differ more than those.
    """
    n_points = len(points)
    if k >= n_points:
        return [np.arange(n_points)] * len(seeds)
    scaled = points / (points.std() or 1.0)
    repeated = np.repeat(scaled, _repeats(sizes), axis=0)
    fit = mixture_from if device is None else partial(mixture_on_device, device=device)
    n_starts = min(_STARTS, max(1, _POINTS // n_points))
    tried: list[FittedMixture] = []
    with one_thread():
        for seed in seeds:
            rng = np.random.RandomState(seed)
            for _ in range(n_starts):
                start = quick_kmeans(repeated, k, n_init=_STARTS // n_starts, rng=rng)
                tried.append(fit(start, repeated, scaled))
    # Starts that differ in the names of the clusters end alike, up to rounding: the first counts.
    best = sorted(tried, key=lambda one: -round(one.likelihood, _DIGITS))
    return [one.labels for one in best[: len(seeds)]]


def _repeats(sizes: Array) -> Array:
    """How often each point is repeated: in proportion to `sizes`, at most twice as many points."""
    n_points, n_samples = len(sizes), int(sizes.sum())
    if n_samples <= 2 * n_points:
        return sizes
    return np.maximum(1, np.round(sizes * (n_points / n_samples))).astype(np.int64)
