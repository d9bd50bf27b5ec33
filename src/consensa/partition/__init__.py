"""Affinity or graph → labels."""

from consensa.partition._bipartite import (
    bipartite_embedding,
    cut_bipartite,
    joint_bipartite_embedding,
)
from consensa.partition._discretization import (
    Rounding,
    cut_by_discretization,
    normalized_cut_vectors,
    round_by_rotation,
    round_from_random_row,
)
from consensa.partition._kahypar import HYPERGRAPH_OBJECTIVES, cut_by_kahypar
from consensa.partition._linkage import LINKAGES, Dendrogram, cut_by_linkage, linkage_tree
from consensa.partition._matching import match_clusters
from consensa.partition._metacluster_vote import vote_by_metaclusters
from consensa.partition._metis import cut_by_metis
from consensa.partition._sized_linkage import sized_linkage
from consensa.partition._spectral import cut_by_spectrum, spectral_embedding
from consensa.partition._weighted_kmeans import WeightedKMeans, weighted_kmeans
from consensa.partition.kmeans import kmeans_labels

__all__ = [
    "HYPERGRAPH_OBJECTIVES",
    "LINKAGES",
    "Dendrogram",
    "Rounding",
    "WeightedKMeans",
    "bipartite_embedding",
    "cut_bipartite",
    "cut_by_discretization",
    "cut_by_kahypar",
    "cut_by_linkage",
    "cut_by_metis",
    "cut_by_spectrum",
    "joint_bipartite_embedding",
    "kmeans_labels",
    "linkage_tree",
    "match_clusters",
    "normalized_cut_vectors",
    "round_by_rotation",
    "round_from_random_row",
    "sized_linkage",
    "spectral_embedding",
    "vote_by_metaclusters",
    "weighted_kmeans",
]
