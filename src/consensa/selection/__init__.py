"""Selection of the number of clusters, and comparison of methods."""

from consensa.selection._ambiguous_pairs import ambiguous_pairs
from consensa.selection._cluster_recovery import cluster_recovery
from consensa.selection._compare import MethodComparison, compare_methods, sample_disagreement
from consensa.selection._consensus_cdf import cdf_area, consensus_cdf, delta_area
from consensa.selection._density_counts import density_counts
from consensa.selection._density_separation import density_separation
from consensa.selection._eigengap import eigengap
from consensa.selection._explained_dispersion import explained_dispersion
from consensa.selection._kind_agreement import kind_agreement
from consensa.selection._mean_agreement import mean_agreement
from consensa.selection._merge_gap import merge_gap
from consensa.selection._mixture_bic import mixture_bic
from consensa.selection._neighbor_eigengap import neighbor_eigengap
from consensa.selection._one_cluster import OneClusterTest, one_cluster_test
from consensa.selection._resampling import stability
from consensa.selection._result import SelectionResult
from consensa.selection._select_n_clusters import select_n_clusters
from consensa.selection._tree_separation import tree_separation

__all__ = [
    "MethodComparison",
    "OneClusterTest",
    "SelectionResult",
    "ambiguous_pairs",
    "cdf_area",
    "cluster_recovery",
    "compare_methods",
    "consensus_cdf",
    "delta_area",
    "density_counts",
    "density_separation",
    "eigengap",
    "explained_dispersion",
    "kind_agreement",
    "mean_agreement",
    "merge_gap",
    "mixture_bic",
    "neighbor_eigengap",
    "one_cluster_test",
    "sample_disagreement",
    "select_n_clusters",
    "stability",
    "tree_separation",
]
