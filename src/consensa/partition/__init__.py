"""Affinity or graph → labels."""

from consensa.partition._kmeans import kmeans_labels
from consensa.partition._linkage import LINKAGES, Dendrogram, cut_by_linkage, linkage_tree
from consensa.partition._spectral import cut_by_spectrum, spectral_embedding

__all__ = [
    "LINKAGES",
    "Dendrogram",
    "cut_by_linkage",
    "cut_by_spectrum",
    "kmeans_labels",
    "linkage_tree",
    "spectral_embedding",
]
