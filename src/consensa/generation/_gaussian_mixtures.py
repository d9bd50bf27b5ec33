"""Base partitions by mixtures of Gaussian distributions."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from joblib import delayed
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture

from consensa._array import Array
from consensa._machine.threads import one_thread
from consensa.generation._cluster_counts import ClusterCounts
from consensa.generation._device_mixture import mixture_on_device
from consensa.generation._neighborhood import Neighborhood
from consensa.generation.base import LARGEST_SEED
from consensa.generation.neighborhood_generator import NeighborhoodGenerator

__all__ = ["GaussianMixtures", "fit_mixture"]

_REGULARIZATION = 1e-3  # of the covariances, relative to the variance of the points
_TOLERANCE = 1e-2
_MAX_ITER = 60


class GaussianMixtures(NeighborhoodGenerator):
    r"""Partitions by mixtures of Gaussian distributions on the leading principal components.

    The likelihood of the mixture

    .. math:: p(x) = \sum_{c=1}^{k} \pi_c\, \mathcal{N}(x;\, \mu_c, \Sigma_c)

    is maximized from random starts, and each sample belongs to its most probable component.

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
    Covariances are full. Equal samples are never separated. The result is order-free.

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
        for k in counts.usual(self.n_partitions, rng):
            seed = int(rng.randint(LARGEST_SEED))
            yield delayed(_partitions)(points, found.sizes, k, seed, found.device)


def _leading(points: Array, count: int) -> Array:
    """Coordinates along the leading principal components of centered points."""
    if points.shape[1] <= 1:
        return points
    with one_thread():
        directions = np.linalg.svd(points.T @ points)[0][:, :count]
        return np.asarray(points @ directions)


def _partitions(points: Array, sizes: Array, k: int, seed: int, device: Any) -> list[Array]:
    return [fit_mixture(points, sizes, k, seed, device)]


def fit_mixture(points: Array, sizes: Array, k: int, seed: int, device: Any = None) -> Array:
    """Most probable component of each point, which occurs `sizes` times."""
    n_points = len(points)
    if k >= n_points:
        return np.arange(n_points)
    scaled = points / (points.std() or 1.0)
    repeated = np.repeat(scaled, _repeats(sizes), axis=0)
    mixture = GaussianMixture(
        k, reg_covar=_REGULARIZATION, tol=_TOLERANCE, max_iter=_MAX_ITER, random_state=seed
    )
    if device is not None:
        return mixture_on_device(mixture, repeated, scaled, device)
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        mixture.fit(repeated)
        return np.asarray(mixture.predict(scaled))


def _repeats(sizes: Array) -> Array:
    """How often each point is repeated: in proportion to `sizes`, at most twice as many points."""
    n_points, n_samples = len(sizes), int(sizes.sum())
    if n_samples <= 2 * n_points:
        return sizes
    return np.maximum(1, np.round(sizes * (n_points / n_samples))).astype(np.int64)
