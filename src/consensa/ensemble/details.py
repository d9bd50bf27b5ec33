"""Names of what generators say of an ensemble, in `Ensemble.details`."""

from __future__ import annotations

__all__ = ["AGREEMENT_OF_KINDS", "LANDMARKS", "MISSING_VALUES", "SPACE", "TEXT_COLUMNS"]

MISSING_VALUES = "missing values"  # how many there were, and what was done with them
SPACE = "space"  # how features were scaled and reduced, and their distance
TEXT_COLUMNS = "text columns"  # which there are, and how they were encoded
LANDMARKS = "landmarks"  # number of samples that the partitions were computed on, if not all
AGREEMENT_OF_KINDS = "agreement of kinds"  # of the kind of partitions that agrees most with others
