"""What a reader should know before relying on a result."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Remark"]


class Remark(NamedTuple):
    """A remark on a result: its title, and what it means and what to do."""

    title: str
    text: str

    def __str__(self) -> str:
        return self.text
