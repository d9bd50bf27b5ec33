"""Selection of the number of clusters, and comparison of methods."""

from consensa.selection._ambiguous_pairs import ambiguous_pairs
from consensa.selection._compare import MethodComparison, compare_methods, sample_disagreement
from consensa.selection._consensus_cdf import cdf_area, consensus_cdf, delta_area
from consensa.selection._eigengap import eigengap
from consensa.selection._explained_dispersion import explained_dispersion
from consensa.selection._mean_agreement import mean_agreement
from consensa.selection._resampling import stability
from consensa.selection._result import SelectionResult
from consensa.selection._select_n_clusters import select_n_clusters

__all__ = [
    "MethodComparison",
    "SelectionResult",
    "ambiguous_pairs",
    "cdf_area",
    "compare_methods",
    "consensus_cdf",
    "delta_area",
    "eigengap",
    "explained_dispersion",
    "mean_agreement",
    "sample_disagreement",
    "select_n_clusters",
    "stability",
]
