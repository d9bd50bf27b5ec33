"""Consensus clustering of AnnData objects, in the manner of scanpy."""

from consensa.anndata._consensus import consensus, markers

__all__ = ["consensus", "markers"]
