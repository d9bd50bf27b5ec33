"""Figures of the critical differences between the methods, one per source."""

from __future__ import annotations

from pathlib import Path

from consensa.exceptions import MissingExtraError
from consensa.plotting import CriticalDifferenceDisplay
from consensa.plotting.axes import new_figure, save_figure
from consensa.study._summary import Summary
from consensa.study._tables import SOURCES
from consensa.study._words import HEADS

__all__ = ["draw_differences", "picture_of"]


def picture_of(out: Path, source: str) -> Path:
    """Path of the figure of a source, without suffix."""
    return out / f"critical-difference-{source}"


def draw_differences(summary: Summary, out: Path) -> list[Path]:
    """Write the critical differences of NMI; remove outdated figures."""
    written = _draw(summary, out)
    stems = [picture_of(out, source) for source in SOURCES]
    for old in {stem.with_suffix(kind) for stem in stems for kind in (".png", ".svg")}:
        if old not in written:
            old.unlink(missing_ok=True)
    return written


def _draw(summary: Summary, out: Path) -> list[Path]:
    """One figure per source; none without matplotlib."""
    written = []
    for source, (names, compared) in summary.comparisons.items():
        mean_ranks = dict(zip(names, map(float, compared.mean_ranks), strict=True))
        title = (
            f"Mean rank by NMI over {summary.n_sets} sets, {HEADS[source]} "
            f"(Friedman p = {compared.p_value:.1g})"
        )
        display = CriticalDifferenceDisplay(mean_ranks, compared.critical_difference, title=title)
        try:
            axes = new_figure((9.0, 2.2 + 0.15 * len(names))).subplots()
        except MissingExtraError:
            return []
        display.plot(axes)
        written += save_figure(display.figure_, picture_of(out, source))
    return written
