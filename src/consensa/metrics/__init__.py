"""Scores against the truth, confidence and agreement, and the effect of the row order."""

from consensa.metrics._class_runs import ClassRuns, class_runs
from consensa.metrics._external import (
    accuracy,
    adjusted_rand_index,
    clustering_scores,
    normalized_mutual_information,
    pairwise_f1,
    pairwise_precision,
    pairwise_recall,
    purity,
)
from consensa.metrics._order import order_sensitivity
from consensa.metrics._order_audit import OrderAudit, audit_order
from consensa.metrics._partition_similarity import partition_similarity
from consensa.metrics.certainty import (
    ClusterStability,
    PartitionAgreement,
    cluster_stability,
    partition_agreement,
    sample_confidence,
)
from consensa.metrics.rivals import SampleRivals, item_consensus, sample_rivals
from consensa.metrics.spectrum import order_information, order_spectrum

__all__ = [
    "ClassRuns",
    "ClusterStability",
    "OrderAudit",
    "PartitionAgreement",
    "SampleRivals",
    "accuracy",
    "adjusted_rand_index",
    "audit_order",
    "class_runs",
    "cluster_stability",
    "clustering_scores",
    "item_consensus",
    "normalized_mutual_information",
    "order_information",
    "order_sensitivity",
    "order_spectrum",
    "pairwise_f1",
    "pairwise_precision",
    "pairwise_recall",
    "partition_agreement",
    "partition_similarity",
    "purity",
    "sample_confidence",
    "sample_rivals",
]
