"""What a page is made of: what is known of the run, and everything that the page says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from consensa.report._map import ConsensusMap
from consensa.report._pictures import Picture
from consensa.report._remarks import Remark

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
