"""Spectral partition: k-means on the leading eigenvectors of the normalised affinity."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator

from consensa._array import is_on_gpu, to_numpy
from consensa._random import random_source
from consensa.partition._eigenvectors import leading_eigenvectors
from consensa.partition._kmeans import kmeans_labels
from consensa.partition._krylov import leading_normalised_eigenvectors

__all__ = ["cut_by_spectrum", "spectral_embedding"]

_ON_DEVICE_FROM = 600  # samples; below, the host is quicker
_Array = np.ndarray[Any, Any]


def spectral_embedding(affinity: Any, n_clusters: int, *, random_state: Any = None) -> _Array:
    r"""Rows of the leading eigenvectors of the normalised affinity, at unit length.

    With :math:`W` the symmetrised affinity and :math:`D` its row sums, the eigenvectors of
    the K largest eigenvalues of :math:`D^{-1/2} W D^{-1/2}`, each row divided by its norm.
    A sample without any affinity gets a row of zeros.

    Parameters
    ----------
    affinity : array or LinearOperator of shape (n, n)
        Affinity, not negative; it is symmetrised. An operator of SciPy is symmetric, and is
        only ever multiplied by vectors.
    n_clusters : int
        Number of eigenvectors K.
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
    Two further n × n arrays. Time :math:`O(n^2 K)` an iteration of Lanczos. An affinity on a CUDA
    device stays there, without further arrays; only the embedding comes to the host.

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
    vectors, connected = _leading_vectors(affinity, n_clusters, random_source(random_state))
    embedding = vectors.astype(np.float64, copy=False)
    embedding[~connected] = 0  # eigenvectors of eigenvalue 0 are arbitrary there
    norms = np.linalg.norm(embedding, axis=1, keepdims=True)
    return np.divide(embedding, norms, out=np.zeros_like(embedding), where=norms > 1e-12)


def _leading_vectors(
    affinity: Any, count: int, rng: np.random.RandomState
) -> tuple[_Array, _Array]:
    """Eigenvectors of the normalised affinity, and which samples have any affinity."""
    if is_on_gpu(affinity) and affinity.shape[0] > max(_ON_DEVICE_FROM, 4 * count):
        vectors, connected = leading_normalised_eigenvectors(affinity, count, rng)
        return to_numpy(vectors), to_numpy(connected)
    if isinstance(affinity, LinearOperator):
        normalised, on_host = _normalised_operator(affinity)
    else:
        normalised, on_host = _normalised(to_numpy(affinity))
    return leading_eigenvectors(normalised, count, random_state=rng), on_host


def _normalised_operator(affinity: LinearOperator) -> tuple[LinearOperator, _Array]:
    """The same as an operator, for a symmetric one."""
    degree = affinity @ np.ones(affinity.shape[0])
    scale = _inverse_root(degree)

    def multiply(vector: _Array) -> _Array:
        return scale * (affinity @ (scale * vector.ravel()))

    return LinearOperator(affinity.shape, matvec=multiply, dtype=affinity.dtype), degree > 0


def _inverse_root(degree: _Array) -> _Array:
    scale = np.zeros_like(degree)
    np.divide(1, np.sqrt(degree, where=degree > 0, out=scale), out=scale, where=degree > 0)
    return scale


def _normalised(affinity: _Array) -> tuple[_Array, _Array]:
    """Symmetrise, then divide row and column i by the root of the degree of i, if it has any."""
    affinity = affinity.astype(np.result_type(affinity, np.float32), copy=False)
    weights = affinity + affinity.T
    weights *= 0.5
    degree = weights.sum(axis=1, dtype=np.float64)
    scale = _inverse_root(degree)
    weights *= scale.astype(weights.dtype)[:, None]
    weights *= scale.astype(weights.dtype)[None, :]
    return weights, degree > 0


def cut_by_spectrum(
    affinity: Any, n_clusters: int, *, n_init: int = 20, random_state: Any = None
) -> _Array:
    """Labels by k-means on the spectral embedding.

    Parameters
    ----------
    affinity : array of shape (n, n)
        Affinity, not negative; it is symmetrised.
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
