"""The data of a report: facts about the run, and all contents of the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from consensa._result import Remark
from consensa.report._description import Description
from consensa.report._explorer import Explorer
from consensa.report._map import ConsensusMap
from consensa.report._packed import Packed
from consensa.report._pictures import Picture

__all__ = [
    "CandidateRow",
    "ClusterRow",
    "PartitionRow",
    "ReportData",
    "Run",
    "SampleRow",
    "Selection",
]


@dataclass(frozen=True)
class Run:
    """Facts about a run that are not in its result.

    The report omits what is not given.

    Parameters
    ----------
    source : str or None, default=None
        Source of the data, such as a file name.
    command : str or None, default=None
        The command line.
    lines : str or None, default=None
        Python code that reads the data, to precede the code that fits the model.
    data : str, default="X"
        Name of the data in this code.
    seconds : float or None, default=None
        Time of the fit.
    scores : mapping of str to float
        Scores against known classes.
    notes : tuple of str
        What was done to the data before, such as the missing values that were filled.
    names_title : str, default="sample"
        Title of the sample names in a file of labels.

    See Also
    --------
    write_report : Write the report.

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
    notes: tuple[str, ...] = ()
    names_title: str = "sample"


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
    """A sample in the table of least certain samples."""

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
    """A candidate for the number of clusters."""

    n_clusters: int
    evidence: float
    stability: float
    agreement: float
    eigengap: float
    pac: float


class Selection(NamedTuple):
    """How the number of clusters was selected."""

    n_clusters: int
    finding: str
    clarity: float
    p_value: float | None
    rows: list[CandidateRow]
    pictures: list[Picture]


@dataclass(frozen=True)
class ReportData:
    """The contents of a report.

    Attributes
    ----------
    title, lede : str
        The result in one line, and in one or two sentences.
    made : str
        When the report was written.
    n_samples, n_partitions, n_clusters, n_missing : int
        Counts.
    mean_confidence : str
        Mean confidence of all samples.
    n_doubtful : int
        Samples with confidence below one half.
    remarks : list of Remark
        Warnings, the most important first.
    clusters : list of ClusterRow
        The clusters, or the largest ones if there are many.
    histogram : dict of str to list of int
        Histograms of confidence, for ``"all"`` samples and for each cluster shown.
    map : ConsensusMap
        The consensus matrix, summarized.
    samples : list of SampleRow
        The least certain samples.
    partitions : list of PartitionRow
        The base partitions, or the first ones if there are many.
    selection : Selection or None
        How the number of clusters was selected, if it was.
    scores : dict of str to float
        Scores against known classes.
    description : Description or None
        What the clusters are, if the features were given.
    explorer : Explorer or None
        What the script needs to show other numbers of clusters; None if there is too much of it.
    packed : Packed
        Arrays of the map and the explorer.
    pictures : list of Picture
        Static figures.
    facts : list of (str, str)
        Facts about the run.
    versions : list of (str, str)
        Versions of the libraries.
    command, python : str or None
        The command, and the Python code that repeats it.
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
    description: Description | None
    explorer: Explorer | None
    packed: Packed
    pictures: list[Picture]
    facts: list[tuple[str, str]]
    versions: list[tuple[str, str]]
    command: str | None
    python: str
