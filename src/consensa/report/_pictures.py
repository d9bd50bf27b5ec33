"""Displays → pictures inside the page."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import NamedTuple

from consensa.exceptions import MissingExtraError
from consensa.plotting import AffinityDisplay, ConvergenceDisplay
from consensa.plotting._axes import figure_bytes, new_figure
from consensa.report._subject import Subject
from consensa.selection import SelectionResult

__all__ = ["Picture", "data_uri", "pictures_of"]

_MOST_AFFINITY = 10_000  # samples of an n × n matrix that is drawn


class Picture(NamedTuple):
    """A picture as a data URI, and its words."""

    source: str
    title: str
    about: str
    alt: str


def data_uri(data: bytes, kind: str) -> str:
    """Bytes of an image as the address of an image, so that no file is needed."""
    return f"data:image/{kind};base64,{base64.b64encode(data).decode()}"


def pictures_of(subject: Subject, selection: SelectionResult | None) -> list[Picture]:
    """The pictures that this subject has; none where matplotlib is not installed."""
    try:
        return [picture for draw in _DRAWERS if (picture := draw(subject)) is not None]
    except MissingExtraError:
        return []


def _affinity(subject: Subject) -> Picture | None:
    if subject.affinity is None or len(subject.labels) > _MOST_AFFINITY:
        return None
    figure = new_figure((6.4, 5.6))
    AffinityDisplay(subject.affinity, subject.labels, max_cells=600).plot(figure.subplots())
    n_clusters = int(subject.labels.max()) + 1
    return Picture(
        data_uri(figure_bytes(figure, "png"), "png"),
        "The matrix that was cut",
        f"The affinity that {subject.method or 'the method'} made of the base partitions and cut "
        f"into clusters. Bright squares are clusters; bright bands beside them are clusters that "
        f"it takes for alike.",
        f"Affinity matrix of {len(subject.labels):,} samples ordered by their {n_clusters} "
        f"clusters.",
    )


def _convergence(subject: Subject) -> Picture | None:
    trace = subject.trace
    if trace is None or trace.n_iter == 0:
        return None
    figure = new_figure((6.4, 4.2))
    ConvergenceDisplay(trace).plot(figure.subplots())
    ended = "converged" if trace.converged else "did not converge"
    return Picture(
        data_uri(figure_bytes(figure, "svg"), "svg+xml"),
        "The solver",
        "Gaps between the copies of the solver's variables. Straight falling lines are how it "
        "should look.",
        f"Gaps of the solver over {trace.n_iter} iterations; it {ended}.",
    )


_DRAWERS: tuple[Callable[[Subject], Picture | None], ...] = (_affinity, _convergence)
