"""The consensus methods: one file, one estimator and one function each."""

from consensa.consensus._eac import EAC, eac
from consensa.consensus._lta import LTA, lta

__all__ = ["EAC", "LTA", "eac", "lta"]
