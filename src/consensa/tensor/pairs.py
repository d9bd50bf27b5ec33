r"""Singular value thresholding of many tall matrices of two columns, without their SVDs.

At one frequency the two slices give a matrix :math:`G = [g_1, g_2]` of n rows and 2 columns.
With the eigenvalues :math:`s_\pm^2` of the Gram matrix :math:`G^H G` and its spectral
projectors :math:`\Pi_\pm`, thresholding by :math:`\tau` is

.. math:: G \, \bigl(\varphi(s_+) \Pi_+ + \varphi(s_-) \Pi_-\bigr),
          \qquad \varphi(s) = \max(1 - \tau / s, 0),

a product with a 2 × 2 Hermitian matrix: three sums over the rows and one small multiplication.
"""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["Gram", "Shrinkage", "Shrunk", "gram", "kept", "shrinkage"]


class Shrunk(NamedTuple):
    """The thresholded pair of matrices and what is known about it for free."""

    links: Any
    affinity: Any
    norm: float  # tensor nuclear norm of the pair
    n_survivors: int  # singular values above the threshold


class Gram(NamedTuple):
    """Entries of the 2 × 2 Gram matrices, one each per frequency, in double precision."""

    first: Any  # ‖g₁‖²
    second: Any  # ‖g₂‖²
    cross_real: Any  # real part of ⟨g₁, g₂⟩
    cross_imag: Any  # imaginary part


class Shrinkage(NamedTuple):
    """The 2 × 2 Hermitian multipliers, and the singular values that are left."""

    first: Any
    second: Any
    cross_real: Any
    cross_imag: Any
    singular_values: Any  # (2, n_freq), shrunk


def gram(xp: Any, first: Any, second: Any) -> Gram:
    """Gram matrices of the pairs of rows ``(first[f], second[f])``, real or complex.

    The sums run in double precision whatever the dtype: the small singular value is a
    difference of nearly equal numbers.
    """
    wide = xp.complex128 if xp.isdtype(first.dtype, "complex floating") else xp.float64
    first, second = xp.astype(first, wide, copy=False), xp.astype(second, wide, copy=False)
    cross = xp.vecdot(first, second)
    is_complex = wide == xp.complex128
    return Gram(
        _real(xp, xp.vecdot(first, first)),
        _real(xp, xp.vecdot(second, second)),
        _real(xp, cross),
        xp.imag(cross) if is_complex else xp.zeros_like(cross),
    )


def _real(xp: Any, values: Any) -> Any:
    return xp.real(values) if xp.isdtype(values.dtype, "complex floating") else values


def shrinkage(xp: Any, gram: Gram, threshold: float) -> Shrinkage:
    """Multipliers that threshold the singular values of each pair."""
    mean = (gram.first + gram.second) / 2
    half = (gram.first - gram.second) / 2
    radius = xp.sqrt(half**2 + gram.cross_real**2 + gram.cross_imag**2)
    zero = xp.zeros_like(mean)
    large = xp.sqrt(mean + radius)
    small = xp.sqrt(xp.where(mean > radius, mean - radius, zero))
    keep_large, keep_small = kept(xp, large, threshold), kept(xp, small, threshold)

    # φ₊Π₊ + φ₋Π₋ = (φ₊ + φ₋)/2 · I + (φ₊ − φ₋)/2 · (Gram − mean · I)/radius
    center = (keep_large + keep_small) / 2
    tilt = xp.where(radius > 0, (keep_large - keep_small) / 2, zero)
    tilt = tilt / xp.where(radius > 0, radius, xp.ones_like(radius))
    return Shrinkage(
        first=center + tilt * half,
        second=center - tilt * half,
        cross_real=tilt * gram.cross_real,
        cross_imag=tilt * gram.cross_imag,
        singular_values=xp.stack([large * keep_large, small * keep_small]),
    )


def kept(xp: Any, values: Any, threshold: float) -> Any:
    """φ(s) = max(1 − τ/s, 0): what is left of a singular value."""
    above = values > threshold
    divisor = xp.where(above, values, xp.ones_like(values))
    return xp.where(above, 1 - threshold / divisor, xp.zeros_like(values))
