r"""Text columns that depend on no other column.

Clusters are what the columns of a table have in common. A text column that is independent of all
others has nothing in common with them, and yet its values separate all samples sharply: it would
decide the clusters alone. Independence is tested by :math:`\chi^2` on the table of each pair of
columns; columns of numbers are divided at their quintiles, and rare values of a text are one.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.stats import chi2

from consensa._array import Array

__all__ = ["independent_texts"]

_LEAST_ROWS = 50  # with fewer, no test tells
_LEVEL = 0.01  # of all tests of a column together
_RARE = 5  # samples of a value
_QUANTILES = (0.2, 0.4, 0.6, 0.8)


def independent_texts(texts: Mapping[str, Array], numbers: Mapping[str, Array]) -> set[str]:
    """Names of the text columns that are independent of every other column.

    `texts` are numbers of the values of each text column, `numbers` are columns of numbers. None
    is named if there are fewer than 50 rows, or if nothing else would be left.
    """
    n_rows = len(next(iter(texts.values()), ()))
    if n_rows < _LEAST_ROWS:
        return set()
    parts = {name: _without_rare(codes) for name, codes in texts.items()}
    parts |= {
        name: np.searchsorted(np.quantile(own, _QUANTILES), own) for name, own in numbers.items()
    }
    alone = {
        name
        for name in texts
        if all(
            _p_value(parts[name], other) >= _LEVEL / (len(parts) - 1)
            for another, other in parts.items()
            if another != name
        )
    }
    return alone if len(alone) < len(parts) else set()


def _without_rare(codes: Array) -> Array:
    """Codes from 0, one for all values of few samples."""
    rare = np.bincount(codes) < _RARE
    return np.unique(np.where(rare[codes], -1, codes), return_inverse=True)[1]


def _p_value(one: Array, other: Array) -> float:
    width = int(other.max()) + 1
    table = np.bincount(one * width + other, minlength=(int(one.max()) + 1) * width)
    table = table.reshape(-1, width)
    table = table[:, table.sum(axis=0) > 0]
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum()
    freedom = (table.shape[0] - 1) * (table.shape[1] - 1)
    if freedom == 0:
        return 1.0
    return float(chi2.sf(((table - expected) ** 2 / expected).sum(), freedom))
