"""A result → `ReportData`: everything that the page says, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

import numpy as np

from consensa._array import Array
from consensa._machine.versions import versions
from consensa.exceptions import InvalidInputError
from consensa.metrics import cluster_stability, partition_agreement
from consensa.metrics.certainty import company_shares
from consensa.report._map import ConsensusMap, consensus_map
from consensa.report._pictures import Picture, pictures_of, pictures_of_selection
from consensa.report._remarks import DOUBTFUL, Remark, remarks_on
from consensa.report._repeat import NotWritable
from consensa.report._subject import Subject, read_subject
from consensa.selection import SelectionResult

__all__ = ["ReportData", "Run", "collect_report"]

_MOST_SAMPLES = 200  # of the table of the least certain
_MOST_CLUSTERS = 300  # of the table of clusters, and of the affinity between them
_MOST_PARTITIONS = 300
_BINS = 20


@dataclass(frozen=True)
class Run:
    """What is known of a run beside its result.

    What is not given is left out of the page.

    Parameters
    ----------
    source : str or None, default=None
        Where the data came from, such as the name of a file.
    command : str or None, default=None
        The command line.
    lines : str or None, default=None
        Python that makes the data, to stand before the lines that fit the model.
    data : str, default="X"
        What these lines call the data.
    seconds : float or None, default=None
        How long the fit took.
    scores : mapping of str to float
        Scores against known classes.
    warnings : tuple of Warning
        What was warned of.

    See Also
    --------
    write_report : The page.

    Examples
    --------
    >>> from consensa.report import Run
    >>> Run(source="flowers.csv", seconds=1.5).source
    'flowers.csv'
    """

    source: str | None = None
    command: str | None = None
    lines: str | None = None
    data: str = "X"
    seconds: float | None = None
    scores: Mapping[str, float] = field(default_factory=dict)
    warnings: tuple[Warning, ...] = ()


class ClusterRow(NamedTuple):
    """A cluster in the table of clusters."""

    number: int
    size: int
    share: float
    stability: float
    cohesion: float | None
    rival: int | None
    rival_affinity: float | None


class SampleRow(NamedTuple):
    """A sample in the table of the least certain."""

    name: str
    cluster: int
    confidence: float
    rival: int | None
    rival_share: float
    labeled: int


class PartitionRow(NamedTuple):
    """A base partition."""

    name: str
    n_clusters: int
    n_labeled: int
    agreement: float
    weight: float


class CandidateRow(NamedTuple):
    """A number of clusters that was considered."""

    n_clusters: int
    evidence: float
    stability: float
    agreement: float
    eigengap: float
    pac: float


class Selection(NamedTuple):
    """How the number of clusters was chosen."""

    n_clusters: int
    finding: str
    clarity: float
    p_value: float | None
    rows: list[CandidateRow]
    pictures: list[Picture]


@dataclass(frozen=True)
class ReportData:
    """Everything that the page says.

    Attributes
    ----------
    title, lede : str
        The answer in a line, and in a sentence or two.
    made : str
        When the page was made.
    n_samples, n_partitions, n_clusters, n_missing : int
        Counts.
    mean_confidence : str
        Of all samples.
    n_doubtful : int
        Samples with confidence below one half.
    remarks : list of Remark
        Warnings, the most important first.
    clusters : list of ClusterRow
        The clusters, or the largest of many.
    histogram : dict of str to list of int
        How many samples have which confidence: of ``"all"``, and of each cluster shown.
    map : ConsensusMap
        The consensus matrix, summarized.
    samples : list of SampleRow
        The least certain samples.
    partitions : list of PartitionRow
        The base partitions, or the first of many.
    selection : Selection or None
        How the number of clusters was chosen, if it was.
    scores : dict of str to float
        Against known classes.
    pictures : list of Picture
        Pictures that need no interaction.
    facts : list of (str, str)
        What was run.
    versions : list of (str, str)
        With what.
    command, python : str or None
        The command, and the Python lines that repeat it.
    """

    title: str
    lede: str
    made: str
    n_samples: int
    n_partitions: int
    n_clusters: int
    n_missing: int
    mean_confidence: str
    n_doubtful: int
    remarks: list[Remark]
    clusters: list[ClusterRow]
    histogram: dict[str, list[int]]
    map: ConsensusMap
    samples: list[SampleRow]
    partitions: list[PartitionRow]
    selection: Selection | None
    scores: dict[str, float]
    pictures: list[Picture]
    facts: list[tuple[str, str]]
    versions: list[tuple[str, str]]
    command: str | None
    python: str


def collect_report(
    result: Any,
    *,
    ids: Any = None,
    selection: SelectionResult | None = None,
    title: str | None = None,
    run: Run | None = None,
) -> ReportData:
    """What a report says of a result."""
    subject, run = read_subject(result), run or Run()
    labels, confidence, ensemble = subject.labels, subject.confidence, subject.ensemble
    n_clusters = int(labels.max()) + 1
    names = _names(ids, ensemble.sample_names, len(labels))
    stability = np.bincount(labels, confidence) / np.bincount(labels)
    agreement = partition_agreement(ensemble, labels)
    clusters = _clusters(subject, stability)
    return ReportData(
        title=title or _title(n_clusters, len(labels)),
        lede=_lede(subject, run),
        made=datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z"),
        n_samples=len(labels),
        n_partitions=ensemble.n_partitions,
        n_clusters=n_clusters,
        n_missing=ensemble.n_missing,
        mean_confidence=_two_digits(float(confidence.mean())),
        n_doubtful=int((confidence < DOUBTFUL).sum()),
        remarks=remarks_on(subject, stability.tolist(), agreement, selection, run.warnings),
        clusters=clusters,
        histogram=_histogram(labels, confidence, [row.number for row in clusters]),
        map=consensus_map(ensemble, labels, confidence, names, agreement.agreement),
        samples=_samples(subject, names),
        partitions=_partitions(subject, agreement),
        selection=None if selection is None else _selection(selection),
        scores={name: float(score) for name, score in run.scores.items()},
        pictures=pictures_of(subject, names),
        facts=_facts(subject, run),
        versions=list(versions().items()),
        command=run.command,
        python=_python(subject, run),
    )


def _names(ids: Any, known: Any, n_samples: int) -> Array:
    """Names of the samples: those given, those of the frame, or their numbers."""
    given = known if ids is None else ids
    if given is None:
        return np.arange(n_samples)
    names = np.asarray(given, dtype=object)
    if names.shape != (n_samples,):
        message = f"ids must name each of the {n_samples} samples. Got shape {names.shape}."
        raise InvalidInputError(message)
    return names


def _two_digits(share: float) -> str:
    """A share in two digits; 1.00 is only said of the whole."""
    return "> 0.99" if 0.995 <= share < 1 else f"{share:.2f}"


def _title(n_clusters: int, n_samples: int) -> str:
    return f"{n_clusters:,} cluster{'s' if n_clusters > 1 else ''} in {n_samples:,} samples"


def _lede(subject: Subject, run: Run) -> str:
    ensemble, confidence = subject.ensemble, subject.confidence
    doubtful = int((confidence < DOUBTFUL).sum())
    source = f" of {run.source}" if run.source else ""
    method = f", combined by {subject.method}" if subject.method else ""
    count = ensemble.n_partitions
    sure = (
        "no sample is below one half"
        if doubtful == 0
        else f"{doubtful:,} sample{' is' if doubtful == 1 else 's are'} below one half"
    )
    return (
        f"{count:,} base partition{'s' if count > 1 else ''}{source}{method}. The mean confidence "
        f"is {_two_digits(float(confidence.mean()))}, and {sure}."
    )


def _clusters(subject: Subject, stability: Array) -> list[ClusterRow]:
    sizes = np.bincount(subject.labels)
    largest = np.sort(np.argsort(-sizes, kind="stable")[:_MOST_CLUSTERS])
    cohesion = rival = affinity = None
    if len(sizes) <= _MOST_CLUSTERS:
        found = cluster_stability(subject.ensemble, subject.labels)
        cohesion, rival, affinity = found.cohesion, found.rival, found.affinity
    rows = []
    for c in largest.tolist():
        other = None if rival is None or rival[c] < 0 else int(rival[c])
        rows.append(
            ClusterRow(
                number=c,
                size=int(sizes[c]),
                share=float(sizes[c] / sizes.sum()),
                stability=float(stability[c]),
                cohesion=None if cohesion is None else float(cohesion[c]),
                rival=other,
                rival_affinity=None
                if other is None or affinity is None
                else float(affinity[c, other]),
            )
        )
    return rows


def _histogram(labels: Array, confidence: Array, clusters: list[int]) -> dict[str, list[int]]:
    places = np.minimum((confidence * _BINS).astype(int), _BINS - 1)
    counts = {"all": np.bincount(places, minlength=_BINS).tolist()}
    table = np.bincount(labels * _BINS + places, minlength=(int(labels.max()) + 1) * _BINS)
    by_cluster = table.reshape(-1, _BINS)
    return counts | {str(cluster): by_cluster[cluster].tolist() for cluster in clusters}


def _samples(subject: Subject, names: Array) -> list[SampleRow]:
    labels, confidence = subject.labels, subject.confidence
    least = np.argsort(confidence, kind="stable")[:_MOST_SAMPLES]
    shares = company_shares(subject.ensemble, labels, least)
    shares[np.arange(len(least)), labels[least]] = 0  # the rival is another cluster
    rival = shares.argmax(axis=1)
    share = shares.max(axis=1)
    labeled = subject.ensemble.labeled[least].sum(axis=1)
    return [
        SampleRow(
            name=str(names[sample]),
            cluster=int(labels[sample]),
            confidence=float(confidence[sample]),
            rival=int(rival[row]) if share[row] > 0 else None,
            rival_share=float(share[row]),
            labeled=int(labeled[row]),
        )
        for row, sample in enumerate(least)
    ]


def _partitions(subject: Subject, agreement: Any) -> list[PartitionRow]:
    ensemble = subject.ensemble
    known = ensemble.partition_names or tuple(map(str, range(ensemble.n_partitions)))
    columns = (agreement.n_clusters, agreement.n_labeled, agreement.agreement, agreement.weight)
    return [
        PartitionRow(str(name), int(k), int(n), float(value), float(weight))
        for name, k, n, value, weight in list(zip(known, *columns, strict=True))[:_MOST_PARTITIONS]
    ]


def _selection(found: SelectionResult) -> Selection:
    fields = CandidateRow._fields
    rows = [CandidateRow(*(row[name].item() for name in fields)) for row in found.scores]
    pictures = pictures_of_selection(found)
    return Selection(found.n_clusters, found.finding, found.clarity, found.p_value, rows, pictures)


def _facts(subject: Subject, run: Run) -> list[tuple[str, str]]:
    """What was run, as terms and their descriptions."""
    ensemble, info = subject.ensemble, subject.info
    low, high = int(ensemble.cluster_counts.min()), int(ensemble.cluster_counts.max())
    counts = f"{low}" if low == high else f"{low} to {high}"
    parameters = dict(subject.parameters)
    seed = parameters.pop("random_state", "not used by the method")
    facts = [("Data", run.source)] if run.source else []
    facts += [
        ("Samples", f"{ensemble.n_samples:,}"),
        ("Base partitions", f"{ensemble.n_partitions:,}, of {counts} clusters"),
    ]
    if subject.generator is not None and not isinstance(subject.generator, str):
        facts.append(("Made by", repr(subject.generator)))
    if info is not None:
        year = "" if str(info.year) in info.reference else f", {info.year}"
        facts.append(("Method", f"{info.name} ({info.reference}{year})"))
        free = "not read by the method" if info.order_free else "read by the method"
        facts.append(("Order of the rows", free))
    facts += [(name, str(value)) for name, value in parameters.items()]
    facts.append(("Seed", "none: another run may differ" if seed is None else str(seed)))
    if run.seconds is not None:
        facts.append(("Time", f"{run.seconds:.1f} s"))
    return [(term, str(value)) for term, value in facts]


def _python(subject: Subject, run: Run) -> str:
    if subject.repeat is None:
        return "# The result does not say which method made it."
    try:
        return subject.repeat(run.lines, run.data)
    except NotWritable as error:
        return f"# The lines cannot be written: {error}."
