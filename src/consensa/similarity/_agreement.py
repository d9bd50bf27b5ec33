"""Count the partitions that put two samples into the same cluster, for blocks of rows.

Without weights these are integer sums in floating point: sums of ones
are exact up to 2**24 partitions, so agreement can be tested for equality. With weights, both
sums add the partitions in the same order, one after the other: a pair that is always together
gets two equal sums, and the order of a pair does not matter.

Large problems without weights are counted by compiled loops, to the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from consensa._array import Array
from consensa._machine.compile import compiling_pays
from consensa._machine.threads import over_row_blocks
from consensa.ensemble import Ensemble
from consensa.similarity._agreement_kernels import write_links, write_shares

__all__ = ["AgreementBlock", "agreement_blocks", "agreement_share", "full_agreement"]

_BLOCK_BYTES = 2**25
_ROWS = 128  # of a task of the compiled loops


class AgreementBlock(NamedTuple):
    """A block of rows of the two n × n matrices that all pairwise measures come from."""

    rows: slice
    together: Array  # (block, n): weight of the partitions that put the pair together
    shared: Array | float  # (block, n), or one number: weight of those that label both


def agreement_share(
    ensemble: Ensemble,
    dtype: Any,
    weights: Array | None = None,
    *,
    cluster_weights: Array | None = None,
) -> Array:
    """Together over shared: (n, n), 0 where no partition labels both, 1 on the diagonal."""
    n = ensemble.n_samples
    share = np.empty((n, n), dtype)
    if weights is None and cluster_weights is None and _compiling_pays(ensemble):
        _run_compiled(write_shares, ensemble, share)
        return share
    blocks = agreement_blocks(ensemble, dtype, weights, cluster_weights=cluster_weights)
    for rows, together, shared in blocks:
        np.divide(together, shared, out=share[rows], where=np.asarray(shared) > 0)
        if ensemble.has_missing:
            share[rows][shared == 0] = 0
    np.fill_diagonal(share, 1)
    return share


def full_agreement(ensemble: Ensemble, least: int) -> Array:
    """Whether all of at least `least` partitions that label both put the pair together: (n, n)."""
    n = ensemble.n_samples
    links = np.empty((n, n), bool)
    if _compiling_pays(ensemble):
        _run_compiled(write_links, ensemble, least, links)
        return links
    for rows, together, shared in agreement_blocks(ensemble, np.float32):
        links[rows] = (together == shared) & (np.asarray(shared) >= least)
    np.fill_diagonal(links, True)
    return links


def _compiling_pays(ensemble: Ensemble) -> bool:
    return compiling_pays(ensemble.n_samples**2 * ensemble.n_partitions)


def _run_compiled(kernel: Callable[..., None], ensemble: Ensemble, *arguments: Any) -> None:
    """Run `kernel` on all rows, in threads, with codes and counts in as few bytes as hold them."""
    narrow = np.min_scalar_type(-int(ensemble.cluster_counts.max()))  # signed, for −1
    codes = np.ascontiguousarray(ensemble.codes.T, dtype=narrow)
    count = np.min_scalar_type(ensemble.n_partitions)

    def work(start: int, stop: int) -> None:
        counts = np.empty((2, ensemble.n_samples), count)
        kernel(codes, ensemble.has_missing, start, stop, counts, *arguments)

    over_row_blocks(work, ensemble.n_samples, _ROWS)


def agreement_blocks(
    ensemble: Ensemble,
    dtype: Any,
    weights: Array | None = None,
    *,
    cluster_weights: Array | None = None,
) -> Iterator[AgreementBlock]:
    """Iterate over blocks of rows; each partition has weight 1, or its given weight.

    With `cluster_weights`, the weight of a pair in a cluster is multiplied by that of the
    cluster; the weight of the partitions that label both does not change.
    """
    unit = np.ones(ensemble.n_partitions) if weights is None else weights
    unit = unit.astype(dtype)
    membership = ensemble.membership(dtype)
    of_cluster = np.repeat(unit, ensemble.cluster_counts)
    if cluster_weights is not None:
        of_cluster = of_cluster * cluster_weights.astype(dtype)
    weighted = (membership * of_cluster).T.tocsr()  # (c, n)
    labeled: Any = ensemble.labeled.astype(dtype) if ensemble.has_missing else None
    if labeled is not None and weights is not None:
        labeled = sparse.csr_array(labeled)  # a dense product adds in another order
    shared: Array | float = float(np.cumsum(unit)[-1])

    n = ensemble.n_samples
    block = max(1, _BLOCK_BYTES // (n * np.dtype(dtype).itemsize))
    for start in range(0, n, block):
        rows = slice(start, min(start + block, n))
        together = (membership[rows] @ weighted).toarray()
        if labeled is not None:
            both = (labeled[rows] * unit) @ labeled.T
            shared = both if weights is None else both.toarray()
        yield AgreementBlock(rows, together, shared)
