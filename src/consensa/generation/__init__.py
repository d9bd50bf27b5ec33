"""Features → Ensemble. Every generator has ``generate(X, *, random_state=None)``."""

from consensa.generation._bootstrap import Bootstrap
from consensa.generation._random_kmeans import RandomKMeans

__all__ = ["Bootstrap", "RandomKMeans"]
