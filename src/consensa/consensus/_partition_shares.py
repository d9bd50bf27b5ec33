"""Shares of the partitions in a sum of misfits, each divided by its share."""

from __future__ import annotations

import numpy as np

from consensa._array import Array

__all__ = ["shares_of_misfits"]

_LEAST_SHARE = 1e-12  # of a partition that fits exactly, so that its weight is finite


def shares_of_misfits(misfits: Array) -> Array:
    """The p ≥ 0 with Σ p = 1 and least Σ misfit / p, which is p ∝ √misfit."""
    roots = np.sqrt(np.maximum(misfits, 0))
    if not roots.any():
        return np.full(len(roots), 1 / len(roots))
    shares = np.maximum(roots / roots.sum(), _LEAST_SHARE)
    return shares / shares.sum()
