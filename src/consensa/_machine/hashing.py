"""Hashes of integers, of rows of clusters and of features, the same on every machine.

All arithmetic is on unsigned 64-bit integers that wrap around, so sums of hashes are exact and
do not depend on the order of the terms.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

import numpy as np
from scipy import sparse

from consensa._array import Array

__all__ = [
    "cluster_keys",
    "hash_columns",
    "hash_features",
    "hash_rows",
    "hash_texts",
    "mix",
    "ranks",
    "salted",
]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_BLOCK = 2**13  # rows whose hashes fit in the cache


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


def hash_features(rows: Any, number: int = 0) -> Array:
    """Hash of each row of a matrix of numbers, dense or sparse; another `number` gives others.

    Rows of equal values have equal hashes, whatever their type: -0 is 0, and integers and float32
    are compared as float64. Rows of a sparse matrix are hashed by the entries that are not zero.
    """
    if sparse.issparse(rows):
        return _hash_sparse(rows, number)
    hashes = np.empty(len(rows), np.uint64)
    for start in range(0, len(rows), _BLOCK):
        values = np.ascontiguousarray(rows[start : start + _BLOCK], dtype=np.float64) + 0.0
        hashes[start : start + _BLOCK] = hash_columns(values.view(np.uint64).T, number)
    return hashes


def hash_columns(columns: Any, number: int = 0) -> Array:
    """Hash of each row from columns of unsigned integers of 64 bits, one or more."""
    hashed = np.zeros(len(columns[0]), np.uint64)
    for place, column in enumerate(columns):
        hashed = mix(hashed ^ mix(column, place), number)
    return hashed


def hash_texts(texts: Iterable[Any]) -> Array:
    """Hash of each text, or of an object by its text."""
    known: dict[Any, int] = {}
    found = []
    for text in texts:
        if (value := known.get(text)) is None:
            digest = blake2b(str(text).encode("utf-8", "surrogatepass"), digest_size=8).digest()
            value = known[text] = int.from_bytes(digest, "little")
        found.append(value)
    return np.array(found, np.uint64)


def _hash_sparse(rows: Any, number: int) -> Array:
    tidy = sparse.csr_array(rows, copy=True)
    tidy.sum_duplicates()
    tidy.eliminate_zeros()
    entries = mix(mix(tidy.data.astype(np.float64).view(np.uint64), number) ^ mix(tidy.indices))
    sums = np.append(np.uint64(0), np.cumsum(entries, dtype=np.uint64))  # wraps around, exactly
    return mix(sums[tidy.indptr[1:]] - sums[tidy.indptr[:-1]], number)


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
