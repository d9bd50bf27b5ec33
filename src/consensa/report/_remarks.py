"""What a reader should know before relying on a result; the order of the rows first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from consensa._result import ConsensusResult, Remark
from consensa._result.wording import counted
from consensa.ensemble import Ensemble
from consensa.exceptions import (
    ConvergenceWarning,
    FewerClustersWarning,
    OrderSensitivityWarning,
)
from consensa.metrics import PartitionAgreement
from consensa.selection import SelectionResult

__all__ = ["DOUBTFUL", "remarks_on"]

DOUBTFUL = 0.5  # below, most of what a sample is together with lies in other clusters
_MANY = 0.2  # share of doubtful samples that is worth a warning
_UNRELATED = 0.1  # agreement below which a partition says next to nothing of the answer
_FEW_PARTITIONS = 5
_NUMBER = {
    "several": "Several numbers of clusters are good",
    "unclear": "The number of clusters is not clear",
    "unknown": "The partitions cannot tell the number of clusters",
}
_MOST_NAMED = 8


def remarks_on(
    result: ConsensusResult,
    stability: Sequence[float],
    agreement: PartitionAgreement,
    selection: SelectionResult | None,
) -> list[Remark]:
    """Every remark, the most important first."""
    said = _by_title(result.remarks)
    said.pop(FewerClustersWarning.title, None)  # has a remark of its own
    found = [
        said.pop(OrderSensitivityWarning.title, None),
        _fewer(result),
        said.pop(ConvergenceWarning.title, None),
        _chosen(selection),
        *said.values(),
        _doubtful(result),
        _unstable(stability),
        _alone(result),
        _all_equal(agreement),
        _unrelated(agreement),
        _missing(result.ensemble),
        _few(result.ensemble),
    ]
    return [remark for remark in found if remark is not None]


def _by_title(remarks: Sequence[Remark]) -> dict[str, Remark]:
    """One remark of each title, with all texts."""
    joined: dict[str, Remark] = {}
    for title, text in remarks:
        before = joined[title].text + " " if title in joined else ""
        joined[title] = Remark(title, before + text)
    return joined


def _fewer(result: ConsensusResult) -> Remark | None:
    asked, found = result.parameters.get("n_clusters"), result.n_clusters
    if asked is None or found >= asked:
        return None
    return Remark(
        f"{counted(found, 'cluster')} instead of the {asked} requested",
        "The base partitions do not separate more groups of samples. Request fewer clusters, or "
        "add base partitions.",
    )


def _chosen(selection: SelectionResult | None) -> Remark | None:
    if selection is None:
        return None
    if selection.n_clusters == 1:
        return Remark("The data show no cluster structure", selection.finding)
    if selection.answer == "clear":
        return None
    return Remark(_NUMBER[selection.answer], selection.finding)


def _doubtful(result: ConsensusResult) -> Remark | None:
    share = float(np.mean(result.confidence < DOUBTFUL))
    if share <= _MANY:
        return None
    return Remark(
        f"{share:.0%} of the samples have a confidence below one half",
        "The base partitions put them together mostly with samples of other clusters. "
        "Fewer clusters, other features or more base partitions may give a more reliable result.",
    )


def _unstable(stability: Sequence[float]) -> Remark | None:
    weak = [cluster for cluster, value in enumerate(stability) if value < DOUBTFUL]
    if not weak:
        return None
    which = f"Cluster {weak[0]} is" if len(weak) == 1 else f"Clusters {_listed(weak)} are"
    return Remark(
        "A cluster has a low stability"
        if len(weak) == 1
        else f"{len(weak)} clusters have a low stability",
        f"{which} mixed with others in most base partitions. The table of clusters shows with "
        f"which.",
    )


def _alone(result: ConsensusResult) -> Remark | None:
    alone = np.flatnonzero(result.cluster_sizes == 1).tolist()
    if not alone:
        return None
    which = f"Cluster {alone[0]} is" if len(alone) == 1 else f"Clusters {_listed(alone)} are"
    return Remark(
        "A cluster of one sample" if len(alone) == 1 else f"{len(alone)} clusters of one sample",
        f"{which} a single sample each. Often these are outliers, or more clusters were "
        f"requested than the data have.",
    )


def _all_equal(agreement: PartitionAgreement) -> Remark | None:
    if len(agreement.agreement) < 2 or not np.all(agreement.agreement == 1):
        return None
    return Remark(
        "All base partitions are the same",
        "They equal the consensus, so full confidence only means that they agree with each other. "
        "Test the result with different base partitions, from other seeds, features or methods.",
    )


def _unrelated(agreement: PartitionAgreement) -> Remark | None:
    unrelated = np.flatnonzero(agreement.agreement < _UNRELATED)
    if len(unrelated) == 0:
        return None
    return Remark(
        f"{len(unrelated)} of {len(agreement.agreement)} base partitions hardly "
        f"agree{'' if len(unrelated) > 1 else 's'} with the consensus",
        "See the table of base partitions. If they are known to be bad, remove them.",
    )


def _missing(ensemble: Ensemble) -> Remark | None:
    if not ensemble.has_missing:
        return None
    share = ensemble.n_missing / (ensemble.n_samples * ensemble.n_partitions)
    return Remark(
        f"{_percent(share)} of the labels are missing",
        "The confidence of a sample is computed from the base partitions that label it. If there "
        "are few of them, it is coarse.",
    )


def _few(ensemble: Ensemble) -> Remark | None:
    count = ensemble.n_partitions
    if count >= _FEW_PARTITIONS:
        return None
    return Remark(
        f"Only {counted(count, 'base partition')}",
        "Confidence and stability are means over the base partitions, and coarse if there are so "
        "few of them.",
    )


def _percent(share: float) -> str:
    return "Less than 1 %" if share < 0.01 else f"{share:.0%}"


def _listed(clusters: Sequence[Any]) -> str:
    named = ", ".join(map(str, clusters[:_MOST_NAMED]))
    more = len(clusters) - _MOST_NAMED
    return f"{named} and {more} more" if more > 0 else named
