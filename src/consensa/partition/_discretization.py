"""Normalized cut: round the leading eigenvectors of a graph to labels by a rotation."""

from __future__ import annotations

import warnings
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import svd

from consensa._array import Array, to_numpy
from consensa._random import random_source
from consensa.exceptions import ConvergenceWarning
from consensa.partition.eigenpairs import eigenpairs

__all__ = [
    "Rounding",
    "cut_by_discretization",
    "normalized_cut_vectors",
    "round_by_rotation",
    "round_from_random_row",
]

_LINKS_ABOVE = 1e-6  # smaller weights are dropped, as in the authors' program
_OFFSET = 0.5  # weight added to each node's link with itself: steadies nodes of low degree
_TIE = 1e-12  # inner products this close are equal up to rounding


class Rounding(NamedTuple):
    """Labels rounded from eigenvectors, and how the rounding ended.

    Attributes
    ----------
    labels : ndarray of shape (n,)
        Cluster of each row, the column of the rotated vectors that is largest.
    objective : float
        What was minimized: the squared distance between the rotated rows and the labels.
    n_iter : int
        Number of rounds.
    converged : bool
        Whether the labels stopped changing.
    """

    labels: Array
    objective: float
    n_iter: int
    converged: bool


def normalized_cut_vectors(affinity: Any, n_clusters: int) -> Array:
    r"""Leading eigenvectors of the relaxed normalized cut.

    With :math:`W` the affinity and :math:`D` its degrees, the eigenvectors of the K largest
    eigenvalues of

    .. math:: (D + I)^{-1/2} \left(W + \tfrac12 I\right) (D + I)^{-1/2},

    multiplied by :math:`(D + I)^{-1/2}`, each column scaled to norm :math:`\sqrt n`.

    Parameters
    ----------
    affinity : array of shape (n, n)
        Symmetric, not negative. Weights up to 1e-6 are dropped.
    n_clusters : int
        Number of eigenvectors K, at most n.

    Returns
    -------
    ndarray of shape (n, n_clusters)
        The vectors; the largest eigenvalue first.

    See Also
    --------
    round_by_rotation : Labels from these vectors.

    Notes
    -----
    Time :math:`O(n^3)`: a full decomposition, because an iteration could miss equal eigenvalues.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.partition import normalized_cut_vectors
    >>> vectors = normalized_cut_vectors(np.kron(np.eye(2), np.ones((2, 2))), 2)
    >>> np.round(vectors @ vectors.T, 3) + 0.0
    array([[2., 2., 0., 0.],
           [2., 2., 0., 0.],
           [0., 0., 2., 2.],
           [0., 0., 2., 2.]])
    """
    host = to_numpy(affinity)
    weights = np.where(host > _LINKS_ABOVE, host, 0).astype(np.float64, copy=False)
    n = len(weights)
    scale = 1 / np.sqrt(weights.sum(axis=1) + 2 * _OFFSET)
    np.einsum("ii->i", weights)[...] += _OFFSET
    weights *= scale[:, None]
    weights *= scale[None, :]
    _, vectors = eigenpairs(weights, n - n_clusters, n - 1, overwrite=True)
    vectors = vectors[:, ::-1] * scale[:, None]
    return vectors * (np.sqrt(n) / np.linalg.norm(vectors, axis=0))


def round_by_rotation(vectors: Array, start: int, *, max_iter: int = 21) -> Rounding:
    r"""Round vectors to labels by the rotation that brings them nearest to labels.

    With :math:`X` the rows of the vectors scaled to unit length, indicators :math:`Y` (a single 1
    per row) and a rotation :math:`R` are computed alternately that minimize

    .. math:: \| X R - Y \|_F^2

    up to a constant: labels from the largest entry of each row of :math:`X R`, the rotation
    from the singular vectors of :math:`Y^\top X` [1]_.

    Parameters
    ----------
    vectors : ndarray of shape (n, n_clusters)
        Leading eigenvectors.
    start : int
        Row that is the first axis of the first rotation. The other axes are rows as
        perpendicular as possible to those before.
    max_iter : int, default=21
        Maximum number of rounds, as in the authors' program.

    Returns
    -------
    Rounding
        Labels, objective, number of rounds, and whether they converged.

    See Also
    --------
    normalized_cut_vectors : Such vectors.
    cut_by_discretization : Both steps, from a random start.

    References
    ----------
    .. [1] S. X. Yu and J. Shi, "Multiclass spectral clustering", ICCV 2003.
       :doi:`10.1109/ICCV.2003.1238361`

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.partition import round_by_rotation
    >>> rounding = round_by_rotation(np.array([[1, 0.1], [1, 0.0], [0.1, -1]]), start=0)
    >>> rounding.labels, rounding.converged
    (array([0, 0, 1]), True)
    """
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = np.divide(vectors, norms, out=np.zeros_like(vectors), where=norms > 0)
    rotation = _first_rotation(rows, start)
    previous, converged, n_iter = 0.0, False, 0
    while not converged and n_iter < max_iter:
        n_iter += 1
        labels = np.argmax(rows @ rotation, axis=1)
        rotation, fit = _nearest_rotation(rows, labels)
        objective = 2 * (len(rows) - fit)
        converged = bool(abs(objective - previous) < np.finfo(np.float64).eps)
        previous = objective
    return Rounding(labels, objective, n_iter, converged)


def _nearest_rotation(rows: Array, labels: Array) -> tuple[Array, float]:
    """Rotation that brings the rows nearest to their labels, and the inner product reached."""
    k = rows.shape[1]
    sums = np.eye(k)[labels].T @ rows  # (k, k): of the rows of each label
    present = np.bincount(labels, minlength=k) > 0
    left, values, right = svd(sums[present])
    rotation = np.empty((k, k))
    rotation[:, present] = right[: len(left)].T @ left.T
    rotation[:, ~present] = _axes_of_far_rows(rows, right[len(left) :])
    return rotation, float(values.sum())


def _axes_of_far_rows(rows: Array, basis: Array) -> Array:
    """Orthonormal axes of the space of `basis`, one after the other along the farthest row.

    A label that no row has may point anywhere in this space. The authors' program takes what
    its library returns, with any sign; this choice is the same whatever the library.
    """
    axes = []
    for _ in range(len(basis)):
        inside = rows @ basis.T
        length = np.linalg.norm(inside, axis=1)
        far = np.argmax(length >= length.max() - _TIE)
        axis = inside[far] / length[far] if length[far] > _TIE else np.eye(len(basis))[0]
        axes.append(axis @ basis)
        basis = svd(axis[None, :])[2][1:] @ basis  # what is perpendicular to it
    return np.stack(axes, axis=1) if axes else np.empty((rows.shape[1], 0))


def _first_rotation(rows: Array, start: int) -> Array:
    """Columns are rows: the start, then always the one least along those already taken."""
    axes = [rows[start]]
    along = np.zeros(len(rows))
    for _ in range(1, rows.shape[1]):
        along += np.abs(rows @ axes[-1])
        axes.append(rows[np.argmax(along <= along.min() + _TIE)])  # the first of the smallest
    return np.stack(axes, axis=1)


def cut_by_discretization(affinity: Any, n_clusters: int, *, random_state: Any = None) -> Rounding:
    """Normalized cut of a graph, its eigenvectors rounded from a random row.

    Parameters
    ----------
    affinity : array of shape (n, n)
        Symmetric, not negative.
    n_clusters : int
        Number of clusters, at most n.
    random_state : int, RandomState instance or None, default=None
        Seed of the row that the rounding starts from.

    Returns
    -------
    Rounding
        Labels, objective, number of rounds, and whether they converged; it warns if not.

    See Also
    --------
    normalized_cut_vectors : First step, with its formula.
    round_by_rotation : Second step, with its formula.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.partition import cut_by_discretization
    >>> cut_by_discretization(np.kron(np.eye(2), np.ones((2, 2))), 2, random_state=0).labels
    array([0, 0, 1, 1])
    """
    vectors = normalized_cut_vectors(affinity, n_clusters)
    return round_from_random_row(vectors, random_state=random_state)


def round_from_random_row(vectors: Array, *, random_state: Any = None) -> Rounding:
    """Round vectors to labels by a rotation whose first axis is a random row.

    Parameters
    ----------
    vectors : ndarray of shape (n, n_clusters)
        Leading eigenvectors.
    random_state : int, RandomState instance or None, default=None
        Seed of the row that the rounding starts from.

    Returns
    -------
    Rounding
        Labels, objective, number of rounds, and whether they converged; it warns if not.

    See Also
    --------
    round_by_rotation : The same from a given row, with its formula.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.partition import round_from_random_row
    >>> rows = np.array([[1, 0.1], [1, 0.0], [0.1, -1]])
    >>> labels = round_from_random_row(rows, random_state=0).labels
    >>> (labels == labels[0]).tolist()
    [True, True, False]
    """
    start = int(random_source(random_state).randint(len(vectors)))
    rounding = round_by_rotation(vectors, start)
    if not rounding.converged:
        message = (
            f"The discretization of the normalized cut did not converge in {rounding.n_iter} "
            f"rounds; the last labels are used. Try another random_state."
        )
        warnings.warn(message, ConvergenceWarning, stacklevel=3)
    return rounding
