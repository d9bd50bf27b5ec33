"""Ensemble → affinity: how alike the partitions say two samples are."""

from consensa.similarity._coassociation import coassociation
from consensa.similarity._coherent_links import coherent_links

__all__ = ["coassociation", "coherent_links"]
