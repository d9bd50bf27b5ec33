"""Proportion of ambiguous pairs (PAC)."""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa._array import Array, to_numpy
from consensa._machine.memory import require_square
from consensa._params import Declaration, Real, check_params
from consensa.exceptions import InvalidParameterError

__all__ = ["ambiguous_pairs", "upper_triangle"]


def ambiguous_pairs(affinity: Any, *, lower: float = 0.1, upper: float = 0.9) -> float:
    r"""Proportion of ambiguous pairs (PAC).

    .. math:: \mathrm{PAC} = \frac{|\{i < j : l < A_{ij} < u\}|}{n (n - 1) / 2},

    the proportion of pairs of samples that only some of the resampled partitions put into the
    same cluster: 0 if every pair is always together or never [1]_.

    Parameters
    ----------
    affinity : array of shape (n, n)
        Consensus matrix in [0, 1]; the upper triangle is read.
    lower : float, default=0.1
        Pairs up to this value are apart.
    upper : float, default=0.9
        Pairs from this value are together.

    Returns
    -------
    float
        In [0, 1]; smaller is better.

    See Also
    --------
    consensus_cdf : The whole distribution.

    Notes
    -----
    With more clusters, more pairs are apart, so that it decreases with their number even in
    noise: compare it with reference data.

    References
    ----------
    .. [1] Y. Senbabaoglu, G. Michailidis and J. Z. Li, "Critical limitations of consensus
       clustering in class discovery", Scientific Reports 4, 2014. :doi:`10.1038/srep06207`

    Examples
    --------
    >>> from consensa.selection import ambiguous_pairs
    >>> ambiguous_pairs([[1, 1, 0.5], [1, 1, 0], [0.5, 0, 1]])
    0.3333333333333333
    """
    declared: Declaration = dict.fromkeys(("lower", "upper"), (Real(least=0, most=1),))
    check_params("ambiguous_pairs", declared, {"lower": lower, "upper": upper})
    if lower > upper:
        message = (
            f"The 'lower' parameter of ambiguous_pairs must be at most 'upper', {upper}. "
            f"Got {lower}."
        )
        raise InvalidParameterError(message)
    pairs = upper_triangle(affinity)
    if pairs.size == 0:
        return 0.0
    return float(np.mean((pairs > lower) & (pairs < upper)))


def upper_triangle(affinity: Any) -> Array:
    """Entries above the diagonal, row by row."""
    matrix = to_numpy(np.asarray(affinity) if isinstance(affinity, list) else affinity)
    n = matrix.shape[0]
    require_square(n, np.float64, arrays=1, step="The distribution of the affinity")
    return np.asarray(matrix[~np.tri(n, dtype=bool)], dtype=float)
