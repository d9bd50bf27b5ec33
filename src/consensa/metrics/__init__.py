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
from consensa.metrics._order import order_information, order_sensitivity

__all__ = [
    "accuracy",
    "adjusted_rand_index",
    "clustering_scores",
    "normalized_mutual_information",
    "order_information",
    "order_sensitivity",
    "pairwise_f1",
    "pairwise_precision",
    "pairwise_recall",
    "purity",
]
