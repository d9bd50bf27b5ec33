"""Features → Ensemble: ``generate(X, *, n_clusters=None, random_state=None)``."""

from consensa.generation._bootstrap import Bootstrap
from consensa.generation._diverse_kinds import DiverseKinds
from consensa.generation._gaussian_mixtures import GaussianMixtures
from consensa.generation._genie_trees import GenieTrees
from consensa.generation._graph_cuts import GraphCuts
from consensa.generation._landmark_spectral import LandmarkSpectral
from consensa.generation._leiden_sweep import LeidenSweep
from consensa.generation._mixed import Mixed
from consensa.generation._neighbor_embedding import NeighborEmbedding
from consensa.generation._random_kmeans import RandomKMeans
from consensa.generation._random_metrics import RandomMetrics
from consensa.generation._random_projection import RandomProjection
from consensa.generation._random_subspace import RandomSubspace

__all__ = [
    "Bootstrap",
    "DiverseKinds",
    "GaussianMixtures",
    "GenieTrees",
    "GraphCuts",
    "LandmarkSpectral",
    "LeidenSweep",
    "Mixed",
    "NeighborEmbedding",
    "RandomKMeans",
    "RandomMetrics",
    "RandomProjection",
    "RandomSubspace",
]
