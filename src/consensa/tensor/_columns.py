r"""Singular value thresholding of many tall matrices of few columns, without their SVDs.

At one frequency the m slices give a matrix :math:`G` of n rows and m columns. With the
eigenvectors :math:`V` of the m × m Gram matrix :math:`G^H G` and its eigenvalues :math:`s^2`,
thresholding by :math:`\tau` is :math:`G V \varphi(s) V^H` with
:math:`\varphi(s) = \max(1 - \tau/s, 0)`. `pairs.py` is the same for m = 2,
where the eigenvectors have a formula.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from consensa._array import namespace
from consensa.tensor.pairs import kept

__all__ = ["ColumnShrinkage", "column_shrinkage"]


class ColumnShrinkage(NamedTuple):
    """The Hermitian multipliers, and the singular values that are left."""

    multipliers: Any  # (n_freq, m, m)
    singular_values: Any  # (n_freq, m), shrunk


def column_shrinkage(gram: Any, threshold: float) -> ColumnShrinkage:
    """Multipliers that threshold the singular values at each frequency: (n_freq, m, m)."""
    xp = namespace(gram)
    squares, vectors = xp.linalg.eigh(gram)
    values = xp.sqrt(xp.where(squares > 0, squares, xp.zeros_like(squares)))
    share = kept(xp, values, threshold)
    scaled = vectors * xp.astype(share, vectors.dtype)[:, None, :]
    return ColumnShrinkage(scaled @ xp.conj(xp.matrix_transpose(vectors)), values * share)
