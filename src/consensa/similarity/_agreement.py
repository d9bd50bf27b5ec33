"""Count, for blocks of samples against all samples, the partitions in which they meet.

Everything here is integer arithmetic in floating-point clothes: sums of ones stay exact
up to 2**24 partitions, so agreement can be tested for equality.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from consensa._ensemble import Ensemble

__all__ = ["AgreementBlock", "agreement_blocks"]

_BLOCK_BYTES = 2**25
_Array = np.ndarray[Any, Any]


class AgreementBlock(NamedTuple):
    """A block of rows of the two n × n matrices that all pairwise measures come from."""

    rows: slice
    together: _Array  # (block, n): weight of the partitions that put the pair together
    shared: _Array | float  # (block, n), or one number: weight of those that label both


def agreement_blocks(
    ensemble: Ensemble, dtype: Any, weights: _Array | None = None
) -> Iterator[AgreementBlock]:
    """Walk over the rows in blocks; each partition counts 1, or its weight."""
    unit = np.ones(ensemble.n_partitions) if weights is None else weights
    membership = ensemble.membership(dtype)
    weight_of_cluster = np.repeat(unit, ensemble.cluster_counts).astype(dtype)
    weighted = (membership * weight_of_cluster).T.tocsr()  # (c, n)
    labelled = ensemble.labelled.astype(dtype) if ensemble.has_missing else None

    n = ensemble.n_samples
    block = max(1, _BLOCK_BYTES // (n * np.dtype(dtype).itemsize))
    for start in range(0, n, block):
        rows = slice(start, min(start + block, n))
        together = (membership[rows] @ weighted).toarray()
        shared: _Array | float = float(unit.sum())
        if labelled is not None:
            shared = (labelled[rows] * unit.astype(dtype)) @ labelled.T
        yield AgreementBlock(rows, together, shared)
