"""The usual t-SVD: the Fourier domain along the two slices.

For the toolbox and the tests only. With it the exact solution of the refinement is the
co-association matrix itself, whatever the penalty: both slices equal to A reach the lower
bound tr(A) = n of the norm with no error at all.
"""

from __future__ import annotations

from typing import Any

from consensa._array import namespace
from consensa.tensor._tsvd import shrink_slices
from consensa.tensor.pairs import Shrunk

__all__ = ["SliceDomain"]


class SliceDomain:
    """Threshold the n × n sum and difference of the two slices."""

    def __init__(self, coassociation: Any) -> None:
        del coassociation

    def shrink(self, links: Any, affinity: Any, threshold: float) -> Shrunk:
        """Shrink the singular values of both slices together."""
        xp = namespace(links, affinity)
        tensor, norm, survivors = shrink_slices(xp.stack([links, affinity], axis=2), threshold)
        return Shrunk(tensor[:, :, 0], tensor[:, :, 1], norm, survivors)
