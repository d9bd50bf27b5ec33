"""What the clusters are: their profiles, a map of the samples, and a table of the samples."""

from consensa.description._profiles import cluster_profiles
from consensa.description._sample_map import SampleMap, sample_map

__all__ = ["SampleMap", "cluster_profiles", "sample_map"]
