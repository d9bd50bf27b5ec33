"""The label matrix: many partitions of the same samples.

Rows are samples, columns are partitions.
"""

from consensa.ensemble._ensemble import Ensemble, Microclusters
from consensa.ensemble.stored import open_labels

__all__ = ["Ensemble", "Microclusters", "open_labels"]
