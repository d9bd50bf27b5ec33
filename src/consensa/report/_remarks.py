"""What a reader should know before relying on an answer, in plain words; the order first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from consensa.exceptions import (
    ConvergenceWarning,
    DegenerateRefinementWarning,
    FewerClustersWarning,
    OrderSensitivityWarning,
    ThinEvidenceWarning,
)
from consensa.metrics import PartitionAgreement
from consensa.metrics.spectrum import ORDER_MATTERS_ABOVE
from consensa.report._subject import Subject
from consensa.selection import SelectionResult

__all__ = ["DOUBTFUL", "Remark", "remarks_on"]

DOUBTFUL = 0.5  # below, most of what a sample is together with lies in other clusters
_MANY = 0.2  # share of doubtful samples that is worth a warning
_UNRELATED = 0.1  # agreement below which a partition says next to nothing of the answer
_FEW_PARTITIONS = 5
_CLEAR = 0.5  # clarity of the choice of the number of clusters
_MOST_NAMED = 8
_TITLES: dict[type[Warning], str] = {
    DegenerateRefinementWarning: "The refined matrix is nearly constant",
    ThinEvidenceWarning: "Too many labels are missing to be sure",
}
# What these warn of has a remark of its own.
_KNOWN = (ConvergenceWarning, FewerClustersWarning, OrderSensitivityWarning)


class Remark(NamedTuple):
    """A warning: what is the matter, what it means, what to do."""

    title: str
    text: str


def remarks_on(
    subject: Subject,
    stability: Sequence[float],
    agreement: PartitionAgreement,
    selection: SelectionResult | None,
    warned: Iterable[Warning],
) -> list[Remark]:
    """Every remark, the most important first."""
    warned = list(warned)
    found = [
        _order(subject, warned),
        _fewer(subject),
        _converged(subject, warned),
        _chosen(selection),
        *(_as_said(warning) for warning in warned if not isinstance(warning, _KNOWN)),
        _doubtful(subject),
        _unstable(subject, stability),
        _alone(subject),
        _all_equal(subject, agreement),
        _unrelated(subject, agreement),
        _missing(subject),
        _few(subject),
    ]
    return [remark for remark in found if remark is not None]


def _order(subject: Subject, warned: list[Warning]) -> Remark | None:
    information = subject.details.get("order_information")
    if information is not None:
        much = information > ORDER_MATTERS_ABOVE
        what = (
            f"The order of the rows tells much about the partitions ({information:.2f} on a scale "
            f"from 0 to 1), and {subject.method} reads it: the clusters may come from how the "
            f"file is sorted rather than from the data."
            if much
            else f"The order of the rows tells nothing about the partitions ({information:.2f} on "
            f"a scale from 0 to 1), so what {subject.method} does along the rows has nothing to "
            f"work on. With the rows in another order the answer may be another."
        )
        return Remark(
            "The answer depends on the order of the rows",
            f"{what} Shuffle the rows and run it again, measure the effect with “consensa audit”, "
            f"or use a method that does not read the order, such as TEA.",
        )
    said = [str(warning) for warning in warned if isinstance(warning, OrderSensitivityWarning)]
    return Remark("The answer depends on the order of the rows", said[0]) if said else None


def _fewer(subject: Subject) -> Remark | None:
    asked, found = subject.parameters.get("n_clusters"), int(subject.labels.max()) + 1
    if asked is None or found >= asked:
        return None
    return Remark(
        f"{found} cluster{'s' if found > 1 else ''}, not the {asked} that were asked for",
        "The base partitions do not tell more groups of samples apart, or some clusters won no "
        "sample. Ask for fewer clusters, or add base partitions.",
    )


def _converged(subject: Subject, warned: list[Warning]) -> Remark | None:
    trace, title = subject.trace, "The solver did not finish"
    if trace is not None and not trace.converged:
        return Remark(
            title,
            f"It stopped after {trace.n_iter} iterations, before it met its tolerance. Allow more "
            f"by max_iter; until then the clusters are provisional.",
        )
    # Few methods keep a trace: of the others only the warning tells.
    said = [str(warning) for warning in warned if isinstance(warning, ConvergenceWarning)]
    return Remark(title, " ".join(dict.fromkeys(said))) if said else None


def _chosen(selection: SelectionResult | None) -> Remark | None:
    if selection is None:
        return None
    if selection.n_clusters == 1:
        return Remark("The data show no clusters beyond what noise shows", selection.finding)
    if selection.clarity >= _CLEAR:
        return None
    return Remark(
        "The number of clusters is not clear",
        f"{selection.finding} Look at the neighboring numbers too.",
    )


def _as_said(warning: Warning) -> Remark:
    return Remark(_TITLES.get(type(warning), "Said while it was computed"), str(warning))


def _doubtful(subject: Subject) -> Remark | None:
    share = float(np.mean(subject.confidence < DOUBTFUL))
    if share <= _MANY:
        return None
    return Remark(
        f"{share:.0%} of the samples are doubtful",
        "Their companions in the base partitions lie mostly in other clusters than their own. "
        "Fewer clusters, other features or more base partitions may give a surer answer; read "
        "the clusters as tendencies.",
    )


def _unstable(subject: Subject, stability: Sequence[float]) -> Remark | None:
    weak = [cluster for cluster, value in enumerate(stability) if value < DOUBTFUL]
    if not weak:
        return None
    which = f"Cluster {weak[0]} is" if len(weak) == 1 else f"Clusters {_listed(weak)} are"
    return Remark(
        "A cluster does not hold together"
        if len(weak) == 1
        else f"{len(weak)} clusters do not hold together",
        f"{which} mixed with others in most base partitions. The table of clusters says with "
        f"which.",
    )


def _alone(subject: Subject) -> Remark | None:
    alone = np.flatnonzero(np.bincount(subject.labels) == 1).tolist()
    if not alone:
        return None
    which = f"Cluster {alone[0]} is" if len(alone) == 1 else f"Clusters {_listed(alone)} are"
    return Remark(
        "A cluster of one sample" if len(alone) == 1 else f"{len(alone)} clusters of one sample",
        f"{which} a single sample each. Often these are outliers, or more clusters were asked "
        f"for than there are.",
    )


def _all_equal(subject: Subject, agreement: PartitionAgreement) -> Remark | None:
    if len(agreement.agreement) < 2 or not np.all(agreement.agreement == 1):
        return None
    return Remark(
        "All base partitions are the same",
        "They equal the answer, so full confidence only says that they agree with each other. "
        "Base partitions that differ, by other seeds, features or methods, would test it.",
    )


def _unrelated(subject: Subject, agreement: PartitionAgreement) -> Remark | None:
    unrelated = np.flatnonzero(agreement.agreement < _UNRELATED)
    if len(unrelated) == 0:
        return None
    every = subject.ensemble.n_partitions
    return Remark(
        f"{len(unrelated)} of {every} base partitions hardly "
        f"agree{'' if len(unrelated) > 1 else 's'} with the answer",
        "They say something else or nothing: see the table of base partitions. If they are known "
        "to be bad, leave them out.",
    )


def _missing(subject: Subject) -> Remark | None:
    ensemble = subject.ensemble
    if not ensemble.has_missing:
        return None
    share = ensemble.n_missing / (ensemble.n_samples * ensemble.n_partitions)
    return Remark(
        f"{_percent(share)} of the labels are missing",
        "Each sample is judged by the base partitions that label it; where these are few, its "
        "confidence is coarse.",
    )


def _few(subject: Subject) -> Remark | None:
    count = subject.ensemble.n_partitions
    if count >= _FEW_PARTITIONS:
        return None
    return Remark(
        f"Only {count} base partition{'s' if count > 1 else ''}",
        "Confidence and stability are counted over the base partitions, and so few of them give "
        "coarse numbers.",
    )


def _percent(share: float) -> str:
    return "Less than 1 %" if share < 0.01 else f"{share:.0%}"


def _listed(clusters: Sequence[Any]) -> str:
    named = ", ".join(map(str, clusters[:_MOST_NAMED]))
    more = len(clusters) - _MOST_NAMED
    return f"{named} and {more} more" if more > 0 else named
