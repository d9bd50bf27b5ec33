"""How good is a partition: against the truth, and against the order of the rows."""

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
from consensa.metrics._order import order_information, order_sensitivity, order_spectrum
from consensa.metrics._order_audit import OrderAudit, audit_order

__all__ = [
    "OrderAudit",
    "accuracy",
    "adjusted_rand_index",
    "audit_order",
    "clustering_scores",
    "normalized_mutual_information",
    "order_information",
    "order_sensitivity",
    "order_spectrum",
    "pairwise_f1",
    "pairwise_precision",
    "pairwise_recall",
    "purity",
]
