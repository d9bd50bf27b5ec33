"""A result → `ReportData`: the contents of the report, as plain values."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

import numpy as np

from consensa._array import Array
from consensa._machine.versions import versions
from consensa._result import ConsensusResult
from consensa._result.wording import counted, two_digits
from consensa.consensus.base import BaseConsensus
from consensa.description import sample_map
from consensa.exceptions import InvalidInputError
from consensa.metrics import clustering_scores, partition_agreement, sample_confidence
from consensa.report._cuts import cuts_of
from consensa.report._data import CandidateRow, ReportData, Run, Selection
from consensa.report._description import described
from consensa.report._explorer import explorer_of
from consensa.report._known import Known
from consensa.report._map import consensus_map
from consensa.report._packed import packed
from consensa.report._pictures import pictures_of, pictures_of_selection
from consensa.report._remarks import DOUBTFUL, remarks_on
from consensa.report._repeat import python_lines
from consensa.report._tables import (
    clusters_table,
    confidence_histogram,
    partitions_table,
    samples_table,
)
from consensa.selection import SelectionResult

__all__ = ["collect_report"]

_PLAIN = (bool, int, float, str, np.generic)


def collect_report(
    result: Any,
    *,
    X: Any = None,
    truth: Any = None,
    ids: Any = None,
    selection: SelectionResult | None = None,
    title: str | None = None,
    run: Run | None = None,
) -> ReportData:
    """Collect the contents of a report."""
    result, run = _read_result(result), run or Run()
    labels, confidence, ensemble = result.labels, result.confidence, result.ensemble
    names = _names(ids, ensemble.sample_names, len(labels))
    stability = np.bincount(labels, confidence) / np.bincount(labels)
    agreement = partition_agreement(ensemble, labels)
    clusters = clusters_table(result, stability)
    cuts = cuts_of(result)
    matrix = consensus_map(
        ensemble, labels, confidence, names, agreement.agreement, cuts.part_of_sample
    )
    known = Known(names, run.names_title, X, truth, None if X is None else sample_map(X))
    explorer, arrays = explorer_of(result, cuts, known)
    if explorer is not None:
        arrays["row_of_sample"] = np.frombuffer(matrix.row_of_sample, "<u2")
    in_all = f"{counted(result.n_clusters, 'cluster')} in {counted(len(labels), 'sample')}"
    return ReportData(
        title=title or in_all,
        lede=_lede(result, run),
        made=datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z"),
        n_samples=len(labels),
        n_partitions=ensemble.n_partitions,
        n_clusters=result.n_clusters,
        n_missing=ensemble.n_missing,
        mean_confidence=two_digits(float(confidence.mean())),
        n_doubtful=int((confidence < DOUBTFUL).sum()),
        remarks=remarks_on(result, stability.tolist(), agreement, selection),
        clusters=clusters,
        histogram=confidence_histogram(result, [row.number for row in clusters]),
        map=matrix,
        samples=samples_table(result, names),
        partitions=partitions_table(ensemble, agreement),
        selection=None if selection is None else _selection(selection),
        scores=_scores(run, truth, labels),
        description=described(result, known, draws_map=explorer is None),
        explorer=explorer,
        packed=packed(arrays | {"matrix": matrix.values}),
        pictures=pictures_of(result, names),
        facts=_facts(result, run),
        versions=list(versions().items()),
        command=run.command,
        python=python_lines(result, data=run.data, before=run.lines),
    )


def _read_result(given: Any) -> ConsensusResult:
    """The result itself or that of a fitted estimator, with its confidence."""
    result = getattr(given, "result_", None) if isinstance(given, BaseConsensus) else given
    if not isinstance(result, ConsensusResult):
        message = (
            f"A report needs a ConsensusResult or a fitted consensus estimator. Got "
            f"{type(given).__name__}{': call fit first' if hasattr(given, 'fit') else ''}."
        )
        raise InvalidInputError(message)
    labels, confidence = np.asarray(result.labels), result.confidence
    if confidence is None:
        confidence = sample_confidence(result.ensemble, labels)
    return replace(result, labels=labels, confidence=np.asarray(confidence))


def _names(ids: Any, known: Any, n_samples: int) -> Array:
    """Sample names: the given ones, those of the frame, or row numbers."""
    given = known if ids is None else ids
    if given is None:
        return np.arange(n_samples)
    names = np.asarray(given, dtype=object)
    if names.shape != (n_samples,):
        message = f"ids must name each of the {n_samples} samples. Got shape {names.shape}."
        raise InvalidInputError(message)
    return names


def _lede(result: ConsensusResult, run: Run) -> str:
    doubtful = int((result.confidence < DOUBTFUL).sum())
    source = f" of {run.source}" if run.source else ""
    method = f", combined by {result.info.name}" if result.info else ""
    verb = "is" if doubtful == 1 else "are"
    sure = f"{counted(doubtful, 'sample')} {verb}" if doubtful else "no sample is"
    return (
        f"{counted(result.ensemble.n_partitions, 'base partition')}{source}{method}. The mean "
        f"confidence is {two_digits(float(result.confidence.mean()))}, and {sure} below one half."
    )


def _scores(run: Run, truth: Any, labels: Array) -> dict[str, float]:
    """The scores of the run, or those against the known classes."""
    scores = run.scores
    if truth is not None and not scores:
        scores = clustering_scores(truth, labels)
    return {name: float(score) for name, score in scores.items()}


def _selection(found: SelectionResult) -> Selection:
    fields = CandidateRow._fields
    rows = [CandidateRow(*(row[name].item() for name in fields)) for row in found.scores]
    pictures = pictures_of_selection(found)
    return Selection(found.n_clusters, found.finding, found.clarity, found.p_value, rows, pictures)


def _facts(result: ConsensusResult, run: Run) -> list[tuple[str, str]]:
    """Facts about the run, as terms and descriptions."""
    ensemble, info = result.ensemble, result.info
    low, high = int(ensemble.cluster_counts.min()), int(ensemble.cluster_counts.max())
    counts = counted(low, "cluster") if low == high else f"{low} to {high} clusters"
    parameters = {name: value for name, value in result.parameters.items() if name != "generator"}
    seed = parameters.pop("random_state", "not used by the method")
    facts: list[tuple[str, Any]] = [("Data", run.source)] if run.source else []
    facts += [
        ("Samples", f"{ensemble.n_samples:,}"),
        ("Base partitions", f"{ensemble.n_partitions:,}, of {counts}"),
    ]
    if result.generator is not None:
        facts.append(("Generator", repr(result.generator)))
    if info is not None:
        year = "" if str(info.year) in info.reference else f", {info.year}"
        facts.append(("Method", f"{info.name} ({info.reference}{year})"))
        free = "not used (order-free method)" if info.order_free else "used by the method"
        facts.append(("Order of the rows", free))
    facts += parameters.items()
    facts.append(("Seed", "none: another run may differ" if seed is None else seed))
    facts += [(name, value) for name, value in result.details.items() if isinstance(value, _PLAIN)]
    if run.notes:
        facts.append(("Preparation", " ".join(run.notes)))
    if run.seconds is not None:
        facts.append(("Time", f"{run.seconds:.1f} s"))
    return [(term, str(value)) for term, value in facts]
