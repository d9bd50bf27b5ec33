"""A cell, the smallest unit of a study, and its record."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["STATES", "Cell", "Record", "canonical"]

STATES = ("done", "failed", "too large")


def canonical(value: Any) -> str:
    """Canonical JSON: sorted, without spaces, no NaN."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


@dataclass(frozen=True)
class Cell:
    """Identifies a computation by everything that its result depends on.

    Attributes
    ----------
    experiment : str
        Part of the study, such as ``"tables"``.
    dataset : str
        Name of the set.
    order : str
        Order of the rows: ``"stored"`` or ``"shuffled"``.
    draw : int
        Number of the draw from the pool.
    method : str
        Method, in lower case.
    settings : mapping
        Everything else that the result depends on: seed, number of members, fingerprint of the
        data, parameters; but not device, threads or folder.
    """

    experiment: str
    dataset: str
    order: str
    draw: int
    method: str
    settings: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def key(self) -> str:
        """The cell as canonical JSON: its key in the store."""
        return canonical(vars(self) | {"settings": dict(self.settings)})

    @classmethod
    def from_key(cls, key: str) -> Cell:
        """The cell with this key."""
        return cls(**json.loads(key))

    def __str__(self) -> str:
        return f"{self.dataset}, {self.order}, draw {self.draw}, {self.method}"


@dataclass(frozen=True)
class Record:
    """The outcome of a cell.

    Attributes
    ----------
    cell : Cell
        The cell.
    state : str
        ``"done"``, ``"failed"`` or ``"too large"``.
    payload : dict
        The result, as JSON; empty unless done.
    reason : str
        Why it is not done; empty if it is.
    notes : tuple of str
        Warnings during the computation.
    seconds : float
        Time of the computation.
    versions : dict
        Versions of the libraries, and the machine.
    """

    cell: Cell
    state: str
    payload: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    versions: Mapping[str, str] = field(default_factory=dict)
