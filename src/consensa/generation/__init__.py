"""Features → Ensemble: ``generate(X, *, n_clusters=None, random_state=None)``."""

from consensa.generation._bootstrap import Bootstrap
from consensa.generation._landmark_spectral import LandmarkSpectral
from consensa.generation._mixed import Mixed
from consensa.generation._random_kmeans import RandomKMeans
from consensa.generation._random_projection import RandomProjection
from consensa.generation._random_subspace import RandomSubspace

__all__ = [
    "Bootstrap",
    "LandmarkSpectral",
    "Mixed",
    "RandomKMeans",
    "RandomProjection",
    "RandomSubspace",
]
