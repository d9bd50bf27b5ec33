"""Two dimensions for a picture: the embedding of `NeighborEmbedding`, of all samples."""

from __future__ import annotations

import numpy as np

from consensa._array import Array
from consensa.features import Features
from consensa.generation._graph_cuts import tree_edges
from consensa.generation._neighbor_embedding import NeighborEmbedding, embedded_points
from consensa.generation._neighborhood import Neighborhood
from consensa.generation.base import LARGEST_SEED

__all__ = ["PointsOfSamples", "embed_points", "find_points"]

PointsOfSamples = Neighborhood
_N_NEIGHBORS = 15


def find_points(
    features: Features, *, n_jobs: int | None, rng: np.random.RandomState
) -> PointsOfSamples:
    """The distinct samples in the space in which the default generator measures distances."""
    return NeighborEmbedding(n_jobs=n_jobs)._find_neighborhood(features, rng)


def embed_points(found: PointsOfSamples, rng: np.random.RandomState) -> Array:
    """Coordinates of the points in two dimensions."""
    seed = int(rng.randint(LARGEST_SEED))
    return embedded_points(found, tree_edges(found), n_neighbors=_N_NEIGHBORS, seed=seed)
