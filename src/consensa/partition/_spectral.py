"""Spectral partition: k-means on the leading eigenvectors of the normalized affinity."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator

from consensa._array import Array, is_on_gpu, to_numpy
from consensa._defaults import KMEANS_STARTS
from consensa._random import random_source
from consensa.partition._eigenvectors import leading_eigenvectors
from consensa.partition._krylov import leading_normalized_eigenvectors
from consensa.partition.kmeans import kmeans_labels

__all__ = ["cut_by_spectrum", "spectral_embedding"]

_ON_DEVICE_FROM = 600  # samples; below, the host is quicker


def spectral_embedding(
    affinity: Any,
    n_clusters: int,
    *,
    sizes: Array | None = None,
    component: Array | None = None,
    random_state: Any = None,
) -> Array:
    r"""Rows of the leading eigenvectors of the normalized affinity, scaled to unit length.

    With :math:`W` the symmetrized affinity and :math:`D` its row sums, the eigenvectors of
    the K largest eigenvalues of :math:`D^{-1/2} W D^{-1/2}`, each row divided by its norm.
    A sample without any affinity gets a row of zeros.

    Parameters
    ----------
    affinity : array or LinearOperator of shape (n, n)
        Non-negative affinity; it is symmetrized. A SciPy operator must be symmetric; it is
        only multiplied by vectors.
    n_clusters : int
        Number of eigenvectors K.
    sizes : ndarray of shape (n,) or None, default=None
        Number of samples that each row stands for, if it is more than one. The affinity is then
        that of the samples on vectors that are constant on each group of them, at unit length.
    component : ndarray of shape (n,) or None, default=None
        Connected component of each sample in the graph of an operator; None is one component.
        Those of an array are found.
    random_state : int, RandomState instance or None, default=None
        Seed of the starting vector of the Lanczos iteration, used when n is large.

    Returns
    -------
    ndarray of shape (n, n_clusters)
        Embedding; the largest eigenvalue first.

    See Also
    --------
    cut_by_spectrum : The labels.

    Notes
    -----
    Two further n × n arrays. Time :math:`O(n^2 K)` per Lanczos iteration. An affinity on a CUDA
    device stays there, without further arrays; only the embedding is copied to the host.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.partition import spectral_embedding
    >>> two = spectral_embedding(np.kron(np.eye(2), np.ones((2, 2))), 2)
    >>> np.round(two @ two.T, 3)
    array([[1., 1., 0., 0.],
           [1., 1., 0., 0.],
           [0., 0., 1., 1.],
           [0., 0., 1., 1.]])
    """
    rng = random_source(random_state)
    vectors, connected = _leading_vectors(affinity, n_clusters, rng, sizes, component)
    embedding = vectors.astype(np.float64, copy=False)
    embedding[~connected] = 0  # eigenvectors of eigenvalue 0 are arbitrary there
    norms = np.linalg.norm(embedding, axis=1, keepdims=True)
    return np.divide(embedding, norms, out=np.zeros_like(embedding), where=norms > 1e-12)


def _leading_vectors(
    affinity: Any,
    count: int,
    rng: np.random.RandomState,
    sizes: Array | None,
    component: Array | None,
) -> tuple[Array, Array]:
    """Eigenvectors of the normalized affinity, and which samples have any affinity."""
    if (
        sizes is None
        and is_on_gpu(affinity)
        and affinity.shape[0] > max(_ON_DEVICE_FROM, 4 * count)
    ):
        vectors, connected = leading_normalized_eigenvectors(affinity, count, rng)
        return to_numpy(vectors), to_numpy(connected)
    root = np.ones(affinity.shape[0]) if sizes is None else np.sqrt(sizes)
    if isinstance(affinity, LinearOperator):
        normalized, degree = _normalized_operator(affinity, root)
    else:
        normalized, degree = _normalized(to_numpy(affinity), None if sizes is None else root)
    vectors = leading_eigenvectors(
        normalized, count, root=root * np.sqrt(degree), component=component, random_state=rng
    )
    return vectors, degree > 0


def _normalized_operator(affinity: LinearOperator, root: Array) -> tuple[LinearOperator, Array]:
    """The same as an operator, for a symmetric one."""
    degree = (affinity @ root) / root
    scale = _inverse_root(degree)

    def multiply(vector: Array) -> Array:
        return scale * (affinity @ (scale * vector.ravel()))

    return LinearOperator(affinity.shape, matvec=multiply, dtype=affinity.dtype), degree


def _inverse_root(degree: Array) -> Array:
    scale = np.zeros_like(degree)
    np.divide(1, np.sqrt(degree, where=degree > 0, out=scale), out=scale, where=degree > 0)
    return scale


def _normalized(affinity: Array, root: Array | None) -> tuple[Array, Array]:
    """Symmetrize, then divide row and column i by the root of the degree of i, if it has any.

    The normalized affinity, and the degrees.
    """
    affinity = affinity.astype(np.result_type(affinity, np.float32), copy=False)
    weights = affinity + affinity.T
    weights *= 0.5
    degree = weights.sum(axis=1, dtype=np.float64) if root is None else weights @ root / root
    scale = _inverse_root(degree)
    weights *= scale.astype(weights.dtype)[:, None]
    weights *= scale.astype(weights.dtype)[None, :]
    return weights, degree


def cut_by_spectrum(
    affinity: Any, n_clusters: int, *, n_init: int = KMEANS_STARTS, random_state: Any = None
) -> Array:
    """Labels by k-means on the spectral embedding.

    Parameters
    ----------
    affinity : array of shape (n, n)
        Non-negative affinity; it is symmetrized.
    n_clusters : int
        Number of clusters.
    n_init : int, default=20
        Number of starts of k-means.
    random_state : int, RandomState instance or None, default=None
        Seed of k-means and of the Lanczos iteration.

    Returns
    -------
    ndarray of shape (n,)
        Cluster of each sample, numbered in order of first appearance.

    See Also
    --------
    spectral_embedding : The points that are clustered.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.partition import cut_by_spectrum
    >>> cut_by_spectrum(np.kron(np.eye(2), np.ones((2, 2))), 2, random_state=0)
    array([0, 0, 1, 1])
    """
    rng = random_source(random_state)
    # k-means starts alike however the vectors were found: on which device, in which precision.
    starts = np.random.RandomState(rng.randint(2**31))
    embedding = spectral_embedding(affinity, n_clusters, random_state=rng)
    return kmeans_labels(embedding, n_clusters, n_init=n_init, random_state=starts)
