"""Agreement computed on the device of the labels, without a copy to the host.

Blocks of rows are compared with all samples, one partition after the other, in the array library
of the labels. Counts are integers, hence exact; weights are added in the order of the partitions,
as in `_agreement.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from consensa._array import device, namespace, to_library
from consensa.ensemble import Ensemble
from consensa.ensemble.missing import is_labeled

__all__ = ["links_on_device", "share_on_device"]

_BLOCK_BYTES = 2**25  # of a block of counts, so that it stays in the cache of the device


class _Block(NamedTuple):
    rows: slice
    together: Any  # (block, n): weight of the partitions that put the pair together
    shared: Any  # (block, n), or one number: weight of those that label both


def share_on_device(
    ensemble: Ensemble, dtype: str, weights: np.ndarray[Any, Any] | None = None
) -> Any:
    """Together over shared: (n, n), 0 where no partition labels both, 1 on the diagonal."""
    labels = ensemble.labels
    xp = namespace(labels)
    n, wide = ensemble.n_samples, getattr(xp, dtype)
    share = xp.empty((n, n), dtype=wide, device=device(labels))
    for rows, together, shared in _blocks(ensemble, wide, weights):
        # A divisor that is an array: torch would multiply by the rounded inverse of a number.
        divisor = xp.astype(shared, wide)
        if ensemble.has_missing:
            divisor = xp.where(divisor > 0, divisor, xp.ones_like(divisor))
        share[rows, :] = xp.astype(together, wide) / divisor
    _fill_diagonal(share, 1)
    return share


def links_on_device(ensemble: Ensemble, min_shared: int) -> Any:
    """Coherent links: pairs that all of at least `min_shared` partitions put together."""
    labels = ensemble.labels
    xp = namespace(labels)
    n = ensemble.n_samples
    links = xp.empty((n, n), dtype=xp.bool, device=device(labels))
    for rows, together, shared in _blocks(ensemble, xp.float32, None):
        links[rows, :] = (together == shared) & (shared >= min_shared)
    _fill_diagonal(links, True)
    return links


def _blocks(
    ensemble: Ensemble, wide: Any, weights: np.ndarray[Any, Any] | None
) -> Iterator[_Block]:
    labels = ensemble.labels
    xp = namespace(labels)
    n, m = ensemble.n_samples, ensemble.n_partitions
    kind = xp.uint8 if weights is None and m <= np.iinfo(np.uint8).max else wide
    unit = np.ones(m) if weights is None else weights
    unit = xp.astype(to_library(unit, like=labels), kind)
    columns = [xp.asarray(labels[:, j], copy=True) for j in range(m)]  # contiguous
    all_shared = unit[:1]
    for j in range(1, m):
        all_shared = all_shared + unit[j : j + 1]

    def weight(pairs: Any, j: int) -> Any:
        ones = xp.astype(pairs, kind)
        return ones if weights is None else ones * unit[j]

    block = max(1, _BLOCK_BYTES // n)
    for start in range(0, n, block):
        rows = slice(start, min(start + block, n))
        shape = (rows.stop - rows.start, n)
        together = xp.zeros(shape, dtype=kind, device=device(labels))
        shared = together if ensemble.has_missing else all_shared
        for j, column in enumerate(columns):
            mine = column[rows, None]
            same = mine == column[None, :]
            if ensemble.has_missing:
                both = is_labeled(mine) & is_labeled(column[None, :])
                shared = shared + weight(both, j)
                same = same & both
            together = together + weight(same, j)
        yield _Block(rows, together, shared)


def _fill_diagonal(matrix: Any, value: Any) -> None:
    """Write into a square matrix in C order, seen as one row."""
    namespace(matrix).reshape(matrix, (-1,), copy=False)[:: matrix.shape[0] + 1] = value
