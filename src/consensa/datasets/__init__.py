"""The data sets of the paper, from a local folder or from OpenML."""

from consensa.datasets._load import SETS, Dataset, load

__all__ = ["SETS", "Dataset", "load"]
