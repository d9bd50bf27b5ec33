"""Default values that several functions share, defined once.

Only names and numbers, so that every package can import them; `generation.default` and
`consensus.catalogue` turn the names into objects.
"""

from __future__ import annotations

__all__ = [
    "DEFAULT_GENERATOR",
    "DEFAULT_METHOD",
    "DEFAULT_N_PARTITIONS",
    "ENTROPY_SCALE",
    "IMBALANCE",
    "KMEANS_STARTS",
]

DEFAULT_GENERATOR = "DiverseKinds"  # chooses the scaling, finds clusters of any shape
DEFAULT_N_PARTITIONS = 48
DEFAULT_METHOD = "TEA"  # order-free
ENTROPY_SCALE = 0.4  # theta of the certainty of clusters, as in its paper
IMBALANCE = 0.05  # relative excess over the mean size, of graph partitioning
KMEANS_STARTS = 20
