"""The algebra of third-order tensors in which matrices multiply by circular convolution.

A real tensor of shape (n₁, n₂, n₃) is a matrix of tubes of length n₃. The discrete Fourier
transform along the tubes turns the t-product into n₃ ordinary matrix products, one for each
frequency, and everything else follows. Real tensors have conjugate spectra, so that
n₃ // 2 + 1 frequencies are sufficient.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from consensa._array import as_array, namespace
from consensa.exceptions import InvalidInputError
from consensa.tensor.half_spectrum import multiplicity

__all__ = [
    "TSVD",
    "prox_tensor_nuclear_norm",
    "t_product",
    "t_transpose",
    "tensor_nuclear_norm",
    "tsvd",
]


class TSVD(NamedTuple):
    """Factors of a t-SVD: the tensor is ``u * s * transpose(v)``.

    Attributes
    ----------
    u : array of shape (n1, r, n3)
        Left factor; ``transpose(u) * u`` is the identity tensor. r = min(n1, n2).
    s : array of shape (r, r, n3)
        Each frontal slice is diagonal.
    v : array of shape (n2, r, n3)
        Right factor; ``transpose(v) * v`` is the identity tensor.
    """

    u: Any
    s: Any
    v: Any


def t_product(a: Any, b: Any) -> Any:
    r"""Product of two tensors by circular convolution of their tubes.

    .. math:: (A * B)_{ij:} = \sum_k A_{ik:} \circledast B_{kj:},

    which is the product of the block-circulant matrix of :math:`A` with the unfolded
    :math:`B`.

    Parameters
    ----------
    a : array of shape (n1, n2, n3)
        Left factor, real.
    b : array of shape (n2, n4, n3)
        Right factor, real.

    Returns
    -------
    array of shape (n1, n4, n3)
        The product.

    See Also
    --------
    t_transpose : The transpose that belongs to this product.

    References
    ----------
    .. [1] M. E. Kilmer and C. D. Martin, "Factorization strategies for third-order tensors",
       Linear Algebra and its Applications 435(3), 2011. :doi:`10.1016/j.laa.2010.09.020`

    Examples
    --------
    Tubes multiply by circular convolution:

    >>> import numpy as np
    >>> from consensa.tensor import t_product
    >>> shift = np.array([[[0.0, 1.0, 0.0]]])
    >>> t_product(shift, np.array([[[1.0, 2.0, 3.0]]]))
    array([[[3., 1., 2.]]])
    """
    a, b = _read(a, "a"), _read(b, "b")
    if a.shape[1] != b.shape[0] or a.shape[2] != b.shape[2]:
        message = (
            "a and b must have shapes (n1, n2, n3) and (n2, n4, n3). "
            f"Got {tuple(a.shape)} and {tuple(b.shape)}."
        )
        raise InvalidInputError(message)
    xp = namespace(a, b)
    return _from_slices(xp, _to_slices(xp, a) @ _to_slices(xp, b), a.shape[2])


def t_transpose(a: Any) -> Any:
    """Transpose every frontal slice and reverse the order of all but the first.

    Parameters
    ----------
    a : array of shape (n1, n2, n3)
        A real tensor.

    Returns
    -------
    array of shape (n2, n1, n3)
        The tensor whose product rule is ``transpose(a * b) = transpose(b) * transpose(a)``.

    See Also
    --------
    t_product : The product.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.tensor import t_transpose
    >>> t_transpose(np.array([[[1.0, 2.0, 3.0]]]))
    array([[[1., 3., 2.]]])
    """
    a = _read(a, "a")
    xp = namespace(a)
    turned = xp.permute_dims(a, (1, 0, 2))
    return xp.concat([turned[:, :, :1], xp.flip(turned[:, :, 1:], axis=2)], axis=2)


def tsvd(a: Any) -> TSVD:
    r"""Singular value decomposition for the t-product.

    .. math:: A = U * S * V^\mathsf{T},

    with orthogonal :math:`U`, :math:`V` and every frontal slice of :math:`S` diagonal: the
    singular value decomposition of each slice of the Fourier transform along the tubes.

    Parameters
    ----------
    a : array of shape (n1, n2, n3)
        A real tensor.

    Returns
    -------
    TSVD
        Named tuple (u, s, v) with r = min(n1, n2) columns.

    See Also
    --------
    tensor_nuclear_norm : The norm that comes from it.

    References
    ----------
    .. [1] Z. Zhang, G. Ely, S. Aeron, N. Hao and M. Kilmer, "Novel methods for multilinear
       data completion and de-noising based on tensor-SVD", CVPR 2014.
       :doi:`10.1109/CVPR.2014.485`

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.tensor import t_product, t_transpose, tsvd
    >>> a = np.arange(12.0).reshape(2, 3, 2)
    >>> u, s, v = tsvd(a)
    >>> bool(np.allclose(t_product(t_product(u, s), t_transpose(v)), a))
    True
    """
    a = _read(a, "a")
    xp = namespace(a)
    left, values, right = _slice_svd(xp, _to_slices(xp, a), a.shape[2])
    diagonal = values[..., None] * xp.eye(values.shape[-1], dtype=values.dtype)
    depth = a.shape[2]
    return TSVD(
        _from_slices(xp, left, depth),
        _from_slices(xp, xp.astype(diagonal, left.dtype), depth),
        _from_slices(xp, xp.conj(xp.matrix_transpose(right)), depth),
    )


def tensor_nuclear_norm(a: Any) -> float:
    r"""Mean nuclear norm of the slices in the Fourier domain.

    .. math:: \|A\|_* = \frac{1}{n_3} \sum_{f=0}^{n_3 - 1} \|\hat A_f\|_*,

    where :math:`\hat A_f` is slice :math:`f` of the unnormalized Fourier transform along
    the tubes. It is the dual of the tensor spectral norm.

    Parameters
    ----------
    a : array of shape (n1, n2, n3)
        A real tensor.

    Returns
    -------
    float
        The norm.

    See Also
    --------
    prox_tensor_nuclear_norm : Its proximal operator.

    Notes
    -----
    The LTA paper's equation 2 sums the absolute values of all diagonal entries of S from
    the t-SVD. That is another number, not smaller than this one, and not the function whose
    proximal operator the paper's algorithm applies; this one is.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.tensor import tensor_nuclear_norm
    >>> round(tensor_nuclear_norm(np.ones((2, 2, 5))), 6)
    2.0
    """
    a = _read(a, "a")
    xp = namespace(a)
    values = xp.linalg.svdvals(_to_slices(xp, a))  # (f, r)
    return float(xp.sum(_multiplicity(values, a.shape[2]) * values)) / a.shape[2]


def prox_tensor_nuclear_norm(a: Any, threshold: float) -> Any:
    r"""Proximal operator of the tensor nuclear norm.

    .. math:: \arg\min_X \; \tau \|X\|_* + \tfrac12 \|X - A\|_F^2 .

    Every singular value of every slice of the unnormalized Fourier transform along the
    tubes is shrunk by :math:`\tau`, and to zero if it is smaller.

    Parameters
    ----------
    a : array of shape (n1, n2, n3)
        A real tensor.
    threshold : float
        The threshold :math:`\tau`, at least 0.

    Returns
    -------
    array of shape (n1, n2, n3)
        The minimizer.

    See Also
    --------
    tensor_nuclear_norm : The norm.

    Examples
    --------
    >>> import numpy as np
    >>> from consensa.tensor import prox_tensor_nuclear_norm
    >>> prox_tensor_nuclear_norm(np.array([[[3.0, 0.0]]]), 1.0)
    array([[[2., 0.]]])
    """
    a = _read(a, "a")
    if not threshold >= 0:
        message = f"threshold must be a number ≥ 0. Got {threshold!r}."
        raise InvalidInputError(message)
    return shrink_slices(a, threshold)[0]


def shrink_slices(a: Any, threshold: float) -> tuple[Any, float, int]:
    """Prox of the nuclear norm, the norm of the result and its number of singular values."""
    xp = namespace(a)
    depth = a.shape[2]
    left, values, right = _slice_svd(xp, _to_slices(xp, a), depth)
    shrunk = xp.where(values > threshold, values - threshold, xp.zeros_like(values))
    twice = _multiplicity(values, depth)
    rebuilt = (left * xp.astype(shrunk, left.dtype)[:, None, :]) @ right
    norm = float(xp.sum(twice * shrunk)) / depth
    survivors = int(xp.sum(twice * xp.astype(values > threshold, values.dtype)))
    return _from_slices(xp, rebuilt, depth), norm, survivors


def _read(a: Any, name: str) -> Any:
    a = as_array(a)
    xp = namespace(a)
    if a.ndim != 3 or 0 in a.shape:
        message = f"{name} must be a tensor of three axes, none empty. Got shape {tuple(a.shape)}."
        raise InvalidInputError(message)
    if xp.isdtype(a.dtype, "complex floating"):
        message = f"{name} must be real. Got dtype {a.dtype}."
        raise InvalidInputError(message)
    return a if xp.isdtype(a.dtype, "real floating") else xp.astype(a, xp.float64)


def _to_slices(xp: Any, a: Any) -> Any:
    """Half the spectrum along the tubes, frequency first: (n₃ // 2 + 1, n₁, n₂)."""
    return xp.permute_dims(xp.fft.rfft(a, axis=2), (2, 0, 1))


def _from_slices(xp: Any, slices: Any, depth: int) -> Any:
    return xp.fft.irfft(xp.permute_dims(slices, (1, 2, 0)), n=depth, axis=2)


def _multiplicity(values: Any, depth: int) -> Any:
    return multiplicity(depth, like=values, dtype=values.dtype)[:, None]  # (f, 1)


def _real_frequencies(depth: int) -> list[int]:
    """Frequencies at which the transform of a real tube is real."""
    return [0, depth // 2] if depth % 2 == 0 else [0]


def _slice_svd(xp: Any, slices: Any, depth: int) -> tuple[Any, Any, Any]:
    """Thin SVD of each slice; real factors where the slice is real, to transform back real."""
    parts = []
    real = _real_frequencies(depth)
    for f in range(slices.shape[0]):
        matrix = xp.real(slices[f, ...]) if f in real else slices[f, ...]
        u, s, vh = xp.linalg.svd(matrix, full_matrices=False)
        parts.append((xp.astype(u, slices.dtype), s, xp.astype(vh, slices.dtype)))
    left, values, right = (xp.stack(list(factors)) for factors in zip(*parts, strict=True))
    return left, values, right
