"""Distribution of the entries of a consensus matrix, the area below it and its growth."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from consensa._array import Array
from consensa._params import Integer, check_params
from consensa.exceptions import InvalidInputError
from consensa.selection._ambiguous_pairs import upper_triangle

__all__ = ["cdf_area", "consensus_cdf", "delta_area"]


def consensus_cdf(affinity: Any, *, n_points: int = 101) -> tuple[Array, Array]:
    r"""Cumulative distribution of the entries of a consensus matrix.

    .. math:: F(x) = \frac{|\{i < j : A_{ij} \le x\}|}{n (n - 1) / 2}.

    If it is flat in the middle, there are few ambiguous pairs [1]_.

    Parameters
    ----------
    affinity : array of shape (n, n)
        Consensus matrix in [0, 1]; the upper triangle is read.
    n_points : int, default=101
        Number of values of x, evenly spaced from 0 to 1.

    Returns
    -------
    grid : ndarray of shape (n_points,)
        Values of x.
    cdf : ndarray of shape (n_points,)
        F at these values.

    See Also
    --------
    cdf_area : The area below it.

    References
    ----------
    .. [1] S. Monti, P. Tamayo, J. Mesirov and T. Golub, "Consensus clustering", Machine
       Learning 52, 2003. :doi:`10.1023/A:1023949509487`

    Examples
    --------
    >>> from consensa.selection import consensus_cdf
    >>> grid, cdf = consensus_cdf([[1, 1, 0.5], [1, 1, 0], [0.5, 0, 1]], n_points=3)
    >>> cdf
    array([0.33333333, 0.66666667, 1.        ])
    """
    check_params("consensus_cdf", {"n_points": (Integer(2),)}, {"n_points": n_points})
    pairs = np.sort(upper_triangle(affinity))
    grid = np.linspace(0, 1, n_points)
    # Proportions such as 3 / 10 are not exactly on the grid.
    below = np.searchsorted(pairs, grid + 1e-9, side="right")
    return grid, below / max(pairs.size, 1)


def cdf_area(affinity: Any) -> float:
    r"""Area below the cumulative distribution of the entries of a consensus matrix.

    .. math:: \int_0^1 F(x)\,dx = 1 - \overline{A},

    where the mean is over all pairs of samples.

    Parameters
    ----------
    affinity : array of shape (n, n)
        Consensus matrix in [0, 1]; the upper triangle is read.

    Returns
    -------
    float
        In [0, 1].

    See Also
    --------
    delta_area : Its growth with the number of clusters.

    Examples
    --------
    >>> from consensa.selection import cdf_area
    >>> cdf_area([[1, 1, 0.5], [1, 1, 0], [0.5, 0, 1]])
    0.5
    """
    pairs = upper_triangle(affinity)
    return float(1 - pairs.mean()) if pairs.size else 0.0


def delta_area(areas: Sequence[float] | Array) -> Array:
    r"""Relative growth of the area from one number of clusters to the next.

    .. math:: \Delta_1 = a_1, \qquad \Delta_k = \frac{a_k - a_{k-1}}{a_{k-1}}.

    Once it stays near 0, more clusters add no reproducible structure [1]_.

    Parameters
    ----------
    areas : sequence of float
        Areas for increasing numbers of clusters.

    Returns
    -------
    ndarray of the same length
        The first area, then the relative growth from each area to the next.

    See Also
    --------
    cdf_area : One area.

    References
    ----------
    .. [1] S. Monti, P. Tamayo, J. Mesirov and T. Golub, "Consensus clustering", Machine
       Learning 52, 2003. :doi:`10.1023/A:1023949509487`

    Examples
    --------
    >>> from consensa.selection import delta_area
    >>> delta_area([0.4, 0.6, 0.6])
    array([0.4, 0.5, 0. ])
    """
    values = np.asarray(areas, dtype=float)
    if values.ndim != 1 or values.size == 0:
        message = f"areas must be a list of at least one area. Got shape {values.shape}."
        raise InvalidInputError(message)
    before = np.maximum(values[:-1], np.finfo(float).tiny)
    return np.concatenate([values[:1], np.diff(values) / before])
