"""A cell, the smallest piece of a study, and the record of what became of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["STATES", "Cell", "Record", "canonical"]

STATES = ("done", "failed", "too large")


def canonical(value: Any) -> str:
    """The one way in which a value is written as JSON: sorted, without spaces, no NaN."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


@dataclass(frozen=True)
class Cell:
    """What is computed: everything that the result depends on, and nothing else.

    Attributes
    ----------
    experiment : str
        Which part of the study, such as ``"tables"``.
    dataset : str
        Name of the set.
    order : str
        Order of the rows: ``"stored"`` or ``"shuffled"``.
    draw : int
        Number of the draw from the pool.
    method : str
        Method, in lower case.
    settings : mapping
        What else the result depends on: seed, number of members, fingerprint of the data,
        parameters. Not where it is computed (device, threads, folder).
    """

    experiment: str
    dataset: str
    order: str
    draw: int
    method: str
    settings: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def key(self) -> str:
        """The cell as canonical JSON: its name in the store."""
        return canonical(vars(self) | {"settings": dict(self.settings)})

    @classmethod
    def from_key(cls, key: str) -> Cell:
        """The cell that has this name."""
        return cls(**json.loads(key))

    def __str__(self) -> str:
        return f"{self.dataset}, {self.order}, draw {self.draw}, {self.method}"


@dataclass(frozen=True)
class Record:
    """What became of a cell.

    Attributes
    ----------
    cell : Cell
        Which one.
    state : str
        ``"done"``, ``"failed"`` or ``"too large"``.
    payload : dict
        The result, as JSON knows it; empty unless done.
    reason : str
        Why it is not done; empty if it is.
    notes : tuple of str
        Warnings that were given while it was computed.
    seconds : float
        How long it took.
    versions : dict
        Libraries and machine that computed it.
    """

    cell: Cell
    state: str
    payload: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""
    notes: tuple[str, ...] = ()
    seconds: float = 0.0
    versions: Mapping[str, str] = field(default_factory=dict)
