"""The compiled loop of the linkage with sizes."""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa._machine.compile import compiled

__all__ = ["merge_by_chains"]

TIE = 1 + 1e-10  # similarities closer than this are equal, however their sums were rounded


@compiled()
def merge_by_chains(S: Any, sizes: Any, exponent: float) -> Any:
    """Merges (slot, slot, similarity) by nearest-neighbor chains, in no particular order.

    The merged group lives on in the second slot.
    """
    n = len(S)
    merges = np.empty((n - 1, 3))
    chain = np.empty(n, np.int64)
    alive = np.arange(n)  # slots in use, in ascending order
    n_alive, length = n, 0
    smallest = sizes.min()
    for step in range(n - 1):
        if length == 0:
            chain[0] = alive[0]
            length = 1
        while True:
            x = chain[length - 1]
            own = 0.5 / sizes[x]
            best, y = -1.0, -1
            if length > 1:
                y = chain[length - 2]
                best = S[x, y] * (own + 0.5 / sizes[y]) ** exponent
            bound = (own + 0.5 / smallest) ** exponent
            for t in range(n_alive):
                i = alive[t]
                # The power is dear, and most are too far away whatever their size.
                if i != x and S[x, i] * bound > best * TIE:
                    similarity = S[x, i] * (own + 0.5 / sizes[i]) ** exponent
                    if similarity > best * TIE:
                        best, y = similarity, i
            if length > 1 and y == chain[length - 2]:
                break
            chain[length] = y
            length += 1
        length -= 2
        merges[step, 0], merges[step, 1], merges[step, 2] = x, y, best
        size = sizes[x] + sizes[y]
        share = sizes[x] / size
        sizes[y] = size
        kept = 0
        for t in range(n_alive):
            i = alive[t]
            if i != x:
                alive[kept] = i
                kept += 1
                if i != y:
                    S[y, i] = S[i, y] = share * S[x, i] + (1 - share) * S[y, i]
        n_alive = kept
    return merges
