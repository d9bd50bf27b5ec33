"""Hashes of integers and of rows of clusters, which do not depend on the machine or the order.

All arithmetic is on unsigned 64-bit integers that wrap around, so sums of hashes are exact and
do not depend on the order of the terms.
"""

from __future__ import annotations

import numpy as np

from consensa._array import Array

__all__ = ["cluster_keys", "hash_rows", "mix", "ranks", "salted"]

_STEP = np.uint64(0x9E3779B97F4A7C15)


def mix(values: Array, salt: int = 0) -> Array:
    """Hash integers to 64 bits (the finalizer of splitmix64)."""
    x = values.astype(np.uint64) + salted(salt)
    x ^= x >> np.uint64(30)
    x *= np.uint64(0xBF58476D1CE4E5B9)
    x ^= x >> np.uint64(27)
    x *= np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


def salted(salt: int) -> Array:
    """The term that `mix` adds first."""
    return _STEP * np.array([salt + 1], np.uint64)


def cluster_keys(n_clusters: int, seed: int) -> Array:
    """A random number for each cluster: its term in the hash of a row."""
    return mix(mix(np.arange(n_clusters), seed))


def hash_rows(ids: Array, keys: Array) -> Array:
    """Hash of each row from the keys of its clusters; a missing label adds nothing."""
    return mix(np.append(keys, np.uint64(0))[ids].sum(axis=1, dtype=np.uint64))


def ranks(*keys: Array) -> Array:
    """Rank of each element by the first key, then by the next; equal elements have equal ranks."""
    order = np.lexsort(keys[::-1])
    new = np.zeros(len(order), bool)
    for key in keys:
        ordered = key[order]
        new[1:] |= ordered[1:] != ordered[:-1]
    rank = np.empty(len(order), np.int64)
    rank[order] = np.cumsum(new)
    return rank
