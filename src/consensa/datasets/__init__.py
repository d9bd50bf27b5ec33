"""The sets of the paper: a local folder first, then OpenML."""

from consensa.datasets._load import SETS, Dataset, load

__all__ = ["SETS", "Dataset", "load"]
