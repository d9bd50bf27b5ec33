"""Eigengap: difference between the k-th eigenvalue of an affinity and the next."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from consensa._array import to_numpy
from consensa._machine.memory import require_square
from consensa.exceptions import InvalidParameterError
from consensa.partition.eigenpairs import eigenvalues

__all__ = ["eigengap"]


def eigengap(affinity: Any, n_clusters: int | Iterable[int]) -> Any:
    r"""Gap after the k-th eigenvalue of the normalized affinity.

    .. math:: g_k = \lambda_k - \lambda_{k+1},

    where :math:`\lambda_1 \ge \lambda_2 \ge \dots` are the eigenvalues of
    :math:`D^{-1/2} A D^{-1/2}` and :math:`D` the row sums of :math:`A`. An affinity of k
    clusters without affinity between them has k eigenvalues 1 [1]_.

    Parameters
    ----------
    affinity : array of shape (n, n)
        Symmetric and nonnegative.
    n_clusters : int or iterable of int
        One or more numbers of clusters, each from 1 to n − 1.

    Returns
    -------
    float or ndarray
        The gap, or one for each number of clusters; in [0, 1], or up to 2 if the affinity has
        negative eigenvalues.

    See Also
    --------
    select_n_clusters : Uses it with other criteria.

    References
    ----------
    .. [1] U. von Luxburg, "A tutorial on spectral clustering", Statistics and Computing 17,
       2007. :doi:`10.1007/s11222-007-9033-z`

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.selection import eigengap
    >>> eigengap(np.kron(np.eye(2), np.ones((3, 3))), [1, 2, 3]).round(6) + 0.0
    array([0., 1., 0.])
    """
    matrix = to_numpy(np.asarray(affinity) if isinstance(affinity, list) else affinity)
    n = matrix.shape[0]
    given = n_clusters if isinstance(n_clusters, Iterable) else (n_clusters,)
    wanted = np.array(list(given), dtype=int)
    if wanted.size == 0 or wanted.min() < 1 or wanted.max() >= n:
        message = (
            f"The 'n_clusters' parameter of eigengap must be from 1 to n − 1 = {n - 1}. "
            f"Got {n_clusters!r}."
        )
        raise InvalidParameterError(message)
    require_square(n, np.float64, arrays=2, step="The eigenvalues")
    scale = 1 / np.sqrt(np.maximum(matrix.sum(axis=1), np.finfo(float).tiny))
    highest = int(wanted.max())
    normalized = matrix * scale[:, None] * scale
    values = eigenvalues(normalized, n - highest - 1, n - 1)[::-1]
    gaps = values[wanted - 1] - values[wanted]
    return gaps if isinstance(n_clusters, Iterable) else float(gaps[0])
