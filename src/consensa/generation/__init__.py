"""Features → Ensemble. Every generator has ``generate(X, *, random_state=None)``."""

from consensa.generation._random_kmeans import RandomKMeans

__all__ = ["RandomKMeans"]
