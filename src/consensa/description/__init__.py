"""What the clusters are: their profiles, a map of the samples, and a table of the samples."""

from consensa.description._sample_map import SampleMap, sample_map
from consensa.description.profiles import cluster_profiles
from consensa.description.sample_table import sample_table

__all__ = ["SampleMap", "cluster_profiles", "sample_map", "sample_table"]
