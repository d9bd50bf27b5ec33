"""How much the order of the rows tells about a co-association matrix."""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa._array import Array, as_array, namespace, to_numpy

__all__ = [
    "LITTLE",
    "ORDER_MATTERS_ABOVE",
    "is_slight",
    "order_information",
    "order_spectrum",
    "spectrum_information",
    "spectrum_threshold",
]

ORDER_MATTERS_ABOVE = 0.05  # about 0 on shuffled rows, 0.1 to 0.6 on the files of the paper
LITTLE = 0.05  # largest mean loss of a score by the order that is called slight
_ROUNDING = 1e-12
_BLOCK_BYTES = 2**25
_TIMES_EVEN = 5  # a frequency stands out above this many times the even share


def is_slight(loss: float) -> bool:
    """Whether this mean loss of a score by the order of the rows is called slight."""
    return loss <= LITTLE + _ROUNDING


def order_information(coassociation: Any) -> float:
    r"""Measure how much the co-association matrix depends on the row number.

    .. math:: \sum_{f \ne 0} \max\!\left(p_f - \frac{5}{n-1},\, 0\right),

    where :math:`p_f` is the share of the energy of the column-centered matrix that its
    Fourier transform along the samples has at frequency :math:`f`. Rows in random order
    spread the energy evenly over the :math:`n - 1` frequencies and give about 0; rows
    sorted by class have most of it at low frequencies. A value of 0 does not exclude that the
    order matters: with fewer than about a hundred rows, or classes of a few rows, sorted rows too
    have no frequency with more than five times the even share.

    Parameters
    ----------
    coassociation : array of shape (n_samples, n_samples)
        Co-association matrix, with the rows in the order to be examined.

    Returns
    -------
    float
        In [0, 1).

    See Also
    --------
    order_sensitivity : How much the labels change when the rows are shuffled.

    Examples
    --------
    Two clusters, sorted, and the same in another order of the rows:

    >>> import numpy as np
    >>> from consensa.metrics import order_information
    >>> matrix = np.kron(np.eye(2), np.ones((50, 50)))
    >>> shuffled = np.random.default_rng(0).permutation(100)
    >>> round(order_information(matrix), 2)
    0.71
    >>> round(order_information(matrix[np.ix_(shuffled, shuffled)]), 2)
    0.03
    """
    matrix = as_array(coassociation)
    return spectrum_information(order_spectrum(matrix), int(matrix.shape[0]))


def order_spectrum(coassociation: Any) -> Array:
    r"""Energy of the co-association matrix at each frequency along its rows.

    .. math:: s_f = p_f + p_{n-f}, \quad f = 1, \dots, \lfloor n / 2 \rfloor,

    where :math:`p_f` is the share of the energy of the column-centered matrix that its
    Fourier transform along the samples has at frequency :math:`f`; the middle frequency of
    an even :math:`n` has no mirror and counts once. For rows in random order all frequencies
    have about the same energy; for rows sorted by class most of it is at low frequencies.

    Parameters
    ----------
    coassociation : array of shape (n_samples, n_samples)
        Co-association matrix, with the rows in the order to be examined.

    Returns
    -------
    ndarray of shape (n_samples // 2,)
        Proportions, which sum to 1; all 0 for a constant matrix.

    See Also
    --------
    order_information : The energy above that of a random order, as one number.

    Examples
    --------
    For alternating classes all energy is at one frequency:

    >>> import numpy as np
    >>> from consensa.metrics import order_spectrum
    >>> turns = np.arange(6) % 2
    >>> order_spectrum(turns[:, None] == turns).round(3)
    array([0., 0., 1.])
    """
    matrix = as_array(coassociation)
    xp = namespace(matrix)
    if not xp.isdtype(matrix.dtype, "real floating"):
        matrix = xp.astype(matrix, xp.float64)
    n = int(matrix.shape[0])
    block = max(1, _BLOCK_BYTES // (16 * n))
    energy = 0.0
    for start in range(0, n, block):
        columns = matrix[:, start : min(start + block, n)]
        spectrum = xp.fft.rfft(columns - xp.mean(columns, axis=0, keepdims=True), axis=0)
        energy = energy + xp.sum(xp.abs(spectrum) ** 2, axis=1)
    # f = 1 … n // 2, for f = 0 was centered
    per_frequency = to_numpy(energy).astype(np.float64)[1:] * _mirrors(n)
    total = float(per_frequency.sum())
    if total <= n * n * np.finfo(np.float32).eps ** 2:  # a constant matrix has nothing to order
        return np.zeros_like(per_frequency)
    return per_frequency / total


def spectrum_threshold(n_samples: int) -> Array:
    """Proportion above which a frequency of `order_spectrum` counts as order information."""
    return _TIMES_EVEN / max(n_samples - 1, 1) * _mirrors(n_samples)


def spectrum_information(spectrum: Array, n_samples: int) -> float:
    """Order information of a matrix from its spectrum."""
    return float(np.maximum(spectrum - spectrum_threshold(n_samples), 0).sum())


def _mirrors(n_samples: int) -> Array:
    """How often the transform of a real column takes each value: at f and n − f, or once."""
    times = np.full(n_samples // 2, 2.0)
    if n_samples % 2 == 0:
        times[-1:] = 1.0
    return times
