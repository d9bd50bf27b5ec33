"""Displays → pictures inside the page."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from consensa._array import Array
from consensa._result import ConsensusResult
from consensa._result.wording import counted
from consensa.exceptions import MissingExtraError
from consensa.plotting import (
    AffinityDisplay,
    ConsensusCDFDisplay,
    ConvergenceDisplay,
    DeltaAreaDisplay,
    DendrogramDisplay,
    NullReferenceDisplay,
    PartitionAgreementDisplay,
    SelectionDisplay,
    TrackingDisplay,
)
from consensa.plotting.axes import figure_bytes, new_figure
from consensa.report.template import data_uri
from consensa.selection import SelectionResult

__all__ = ["Picture", "drawn", "picture", "pictures_of", "pictures_of_selection"]

_MOST_AFFINITY = 10_000  # samples of an n × n matrix that is drawn
_MOST_LEAVES = 40


class Picture(NamedTuple):
    """A picture as a data URI, and its words."""

    source: str
    title: str
    about: str
    alt: str
    wide: bool = False


def pictures_of(result: ConsensusResult, names: Array) -> list[Picture]:
    """The figures of a result; none if matplotlib is not installed."""
    drawers: list[Callable[[], Picture | None]] = [
        lambda: _tree(result, names),
        lambda: _partitions(result),
        lambda: _affinity(result),
        lambda: _convergence(result),
    ]
    return drawn(drawers)


def pictures_of_selection(found: SelectionResult) -> list[Picture]:
    """The pictures of the choice of a number of clusters."""
    return drawn([lambda: _curves(found), lambda: _noise(found), lambda: _cdf(found),
                   lambda: _growth(found), lambda: _tracks(found)])  # fmt: skip


def drawn(drawers: list[Callable[[], Picture | None]]) -> list[Picture]:
    """The pictures that there are; none if matplotlib is not installed."""
    try:
        return [made for draw in drawers if (made := draw()) is not None]
    except MissingExtraError:
        return []


def picture(
    size: tuple[float, float], draw: Callable[[Any], object], kind: str = "svg", **words: Any
) -> Picture:
    """A display, drawn by `draw` on axes of this size, and its words."""
    figure = new_figure(size)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # letters that matplotlib's font lacks
        draw(figure.subplots())
        data = figure_bytes(figure, kind)
    types = {"svg": "svg+xml", "png": "png"}
    return Picture(data_uri(data, types[kind]), **words)


# ---- the result ------------------------------------------------------------------------------


def _tree(result: ConsensusResult, names: Array) -> Picture | None:
    labels, n_clusters = result.labels, result.n_clusters
    if n_clusters < 2 or n_clusters > _MOST_LEAVES:
        return None

    def draw(ax: Any) -> None:
        if result.linkage_matrix is None:
            named = replace(result.ensemble, sample_names=list(map(str, names)))
            DendrogramDisplay.from_ensemble(named, labels, ax=ax)
        else:
            merges, leaves = result.linkage_matrix, result.leaf_of_sample
            DendrogramDisplay(merges, labels, leaf_of_sample=leaves, names=names).plot(ax)

    return picture(
        (9.6, 4.2),
        draw,
        title="Tree of the clusters",
        about="The lower two branches merge, the larger is the co-association of their samples. "
        "A long stem above a branch is a well separated cluster.",
        alt=f"Tree of {n_clusters} clusters of {len(labels):,} samples.",
        wide=True,
    )


def _partitions(result: ConsensusResult) -> Picture | None:
    ensemble = result.ensemble
    if ensemble.n_partitions < 2:
        return None
    return picture(
        (6.4, 5.6),
        lambda ax: PartitionAgreementDisplay.from_ensemble(ensemble, result.labels, ax=ax),
        "png",
        title="Agreement of the base partitions",
        about="Agreement of each pair of base partitions (adjusted Rand index), sorted by their "
        "agreement with the consensus. Dark rows are partitions that agree with few others.",
        alt=f"Agreement between the consensus and {ensemble.n_partitions:,} base partitions, "
        f"as a matrix.",
    )


def _affinity(result: ConsensusResult) -> Picture | None:
    if result.affinity is None or len(result.labels) > _MOST_AFFINITY:
        return None
    name = "the method" if result.info is None else result.info.name
    display = AffinityDisplay(result.affinity, result.labels, max_cells=600)
    return picture(
        (6.4, 5.6),
        display.plot,
        "png",
        title="Affinity matrix",
        about=f"The affinity that {name} computed from the base partitions and clustered. Bright "
        f"squares are clusters; bright areas outside them are similar clusters.",
        alt=f"Affinity matrix of {len(result.labels):,} samples, ordered by their "
        f"{counted(result.n_clusters, 'cluster')}.",
    )


def _convergence(result: ConsensusResult) -> Picture | None:
    trace = result.trace
    if trace is None or trace.n_iter == 0:
        return None
    ended = "converged" if trace.converged else "did not converge"
    return picture(
        (6.4, 5.0),
        ConvergenceDisplay(trace).plot,
        title="Convergence of the solver",
        about="Gaps between the copies of the solver's variables. They should decrease along "
        "straight lines.",
        alt=f"Gaps of the solver over {trace.n_iter} iterations; it {ended}.",
    )


# ---- the number of clusters ------------------------------------------------------------------


def _range(found: SelectionResult) -> str:
    numbers = found.scores["n_clusters"]
    return f"for {numbers.min()} to {numbers.max()} clusters"


def _of_selection(display: Any, found: SelectionResult, **words: str) -> Picture:
    return picture((6.4, 4.2), lambda ax: display.from_selection(found, ax=ax), **words)


def _curves(found: SelectionResult) -> Picture:
    return _of_selection(
        SelectionDisplay,
        found,
        title="Criteria",
        about="The evidence for each number of clusters, and some of the criteria.",
        alt=f"Criteria {_range(found)}; {found.n_clusters} is recommended.",
    )


def _noise(found: SelectionResult) -> Picture | None:
    if found.observed is None:
        return None
    return _of_selection(
        NullReferenceDisplay,
        found,
        title="Comparison with reference data",
        about="The line shows the data; the band shows reference data without clusters.",
        alt=f"Data and reference data without clusters {_range(found)}; p = {found.p_value:.2f}.",
    )


def _cdf(found: SelectionResult) -> Picture:
    return _of_selection(
        ConsensusCDFDisplay,
        found,
        title="Distribution of the co-association",
        about="Cumulative distribution of the co-association of pairs of samples when base "
        "partitions are dropped. A curve that is flat in the middle has few ambiguous pairs.",
        alt=f"Cumulative distributions of the consensus matrix {_range(found)}.",
    )


def _growth(found: SelectionResult) -> Picture | None:
    if len(found.scores) < 2:
        return None
    return _of_selection(
        DeltaAreaDisplay,
        found,
        title="Effect of one more cluster",
        about="Increase of the area below these curves. Where it levels off, more clusters add "
        "little.",
        alt=f"Growth of the area below the consensus distribution {_range(found)}.",
    )


def _tracks(found: SelectionResult) -> Picture:
    height = 1.4 + 0.32 * len(found.scores)
    return picture(
        (9.6, height),
        lambda ax: TrackingDisplay.from_selection(found, ax=ax),
        "png",
        title="Clusters for increasing numbers of clusters",
        about="Each row is a number of clusters, each column one or a few samples. A color that "
        "splits is a cluster that is divided; colors that mix are unstable clusters.",
        alt=f"Clusters of the samples {_range(found)}.",
        wide=True,
    )
