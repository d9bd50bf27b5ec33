"""Compiled counting of the partitions that put two samples together. All run without the GIL."""

from __future__ import annotations

from typing import Any

from numpy import uintp

from consensa._machine.compile import compiled

__all__ = ["write_links", "write_shares"]

# Codes are (n_partitions, n_samples), −1 where a label is missing, in few bytes: as many of them
# as fit are compared at a time. Indices are unsigned, because a signed one might count from the
# end, and the loops would not become vector instructions.


@compiled(error_model="numpy")
def write_shares(
    codes: Any, has_missing: bool, start: int, stop: int, counts: Any, out: Any
) -> None:
    """Together over shared, 0 where no partition labels both, for rows [start, stop)."""
    together, shared, kind = counts[0], counts[1], out.dtype.type
    shared[:] = codes.shape[0]
    for i in range(start, stop):
        _count(codes, has_missing, i, together, shared)
        for j in range(uintp(codes.shape[1])):
            share = kind(together[j]) / kind(shared[j])
            out[uintp(i), j] = share if shared[j] > 0 else kind(0)
        out[i, i] = 1


@compiled()
def write_links(
    codes: Any, has_missing: bool, start: int, stop: int, counts: Any, least: int, out: Any
) -> None:
    """Together in all of the shared partitions, and these at least `least`, for rows."""
    together, shared = counts[0], counts[1]
    shared[:] = codes.shape[0]
    for i in range(start, stop):
        _count(codes, has_missing, i, together, shared)
        for j in range(uintp(codes.shape[1])):
            out[uintp(i), j] = (together[j] == shared[j]) & (shared[j] >= least)
        out[i, i] = True


@compiled()
def _count(codes: Any, has_missing: bool, i: int, together: Any, shared: Any) -> None:
    """Partitions that put sample `i` and each other together, and that label both."""
    together[:] = 0
    if has_missing:
        shared[:] = 0
    for partition in range(uintp(codes.shape[0])):
        code = codes[partition, uintp(i)]
        if code < 0:
            continue
        for j in range(uintp(codes.shape[1])):
            together[j] += codes[partition, j] == code
        if has_missing:
            for j in range(uintp(codes.shape[1])):
                shared[j] += codes[partition, j] >= 0
