"""What the clusters are: their profiles, a map of the samples, and a table of the samples."""

from consensa.description._profiles import cluster_profiles

__all__ = ["cluster_profiles"]
