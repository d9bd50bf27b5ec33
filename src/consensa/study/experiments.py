"""The experiments to run: tables, figures, or both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from consensa._optional import require
from consensa.datasets import Dataset
from consensa.plotting.axes import require_matplotlib
from consensa.study._field_audit import FieldAudit
from consensa.study.cells import Cell
from consensa.study.figures import FIGURES, Plan
from consensa.study.protocol import Protocol

__all__ = ["Experiments", "FieldAudit"]


@dataclass(frozen=True)
class Experiments:
    """The experiments of a study.

    Attributes
    ----------
    tables : Protocol or None
        Protocol of the tables.
    figures : mapping of str to Plan
        Parameters of each figure, by its name.
    audit : FieldAudit or None
        What is audited.
    page : str or None
        Command that the page of tables and figures shows; None writes no page.
    """

    tables: Protocol | None = None
    figures: Mapping[str, Plan] = field(default_factory=dict)
    audit: FieldAudit | None = None
    page: str | None = None

    @property
    def sets(self) -> list[str]:
        """Names of the sets, without duplicates."""
        protocols = [plan.protocol for plan in self.figures.values()]
        protocols += [] if self.audit is None else [self.audit.protocol]
        protocols = protocols if self.tables is None else [self.tables, *protocols]
        return list(dict.fromkeys(name for protocol in protocols for name in protocol.sets))

    def cells(self, datasets: Mapping[str, Dataset]) -> list[Cell]:
        """All cells; those that several experiments share are repeated."""
        wanted = [] if self.tables is None else self.tables.cells(datasets)
        wanted += [] if self.audit is None else self.audit.cells(datasets)
        for name, plan in self.figures.items():
            wanted += FIGURES[name].cells(plan, datasets)
        return wanted

    def require_libraries(self) -> None:
        """Raise an error, before anything is computed, if a library for the output is missing."""
        if self.page is not None:
            require("jinja2", extra="cli", purpose="The page of the study")
        if self.figures:
            require_matplotlib("A figure of the study")
