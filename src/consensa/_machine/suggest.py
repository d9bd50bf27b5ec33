"""Suggest the nearest known name for an unknown one."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence

__all__ = ["listed", "suggestion"]

_MOST_LISTED = 30
_NEAR = 0.6  # likeness; at one half, 'ward' would be LWEA


def suggestion(name: str, known: Iterable[str]) -> str:
    """Suggest the nearest known name; an empty string if none is near."""
    by_lower = {other.lower(): other for other in known}
    near = difflib.get_close_matches(name.lower(), by_lower, n=5, cutoff=_NEAR)
    if not near:
        return ""
    # Letters that changed places are the commonest slip: 'eca' is EAC rather than SEC.
    nearest = max(near, key=lambda other: _likeness(sorted(name.lower()), sorted(other)))
    return f" Did you mean {by_lower[nearest]!r}?"


def _likeness(one: Sequence[str], other: Sequence[str]) -> float:
    return difflib.SequenceMatcher(None, one, other).ratio()


def listed(names: Iterable[str]) -> str:
    """Join names by commas; only the first few of many."""
    every = [repr(name) for name in names]
    more = len(every) - _MOST_LISTED
    return ", ".join(every[:_MOST_LISTED]) + (f" and {more} more" if more > 0 else "")
