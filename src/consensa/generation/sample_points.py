"""The samples as points of the space of the default generator, to draw and to judge them."""

from __future__ import annotations

import numpy as np

from consensa._array import Array
from consensa.features import Features
from consensa.generation._neighbor_embedding import NeighborEmbedding
from consensa.generation._neighbor_graphs import NeighborGraph, tree_edges
from consensa.generation._neighborhood import Neighborhood
from consensa.generation._neighbors import nearest_landmarks
from consensa.generation.base import LARGEST_SEED

__all__ = ["SamplePoints", "distances_to_nearest", "embed_points", "find_points"]

SamplePoints = Neighborhood
_N_NEIGHBORS = 15


def find_points(
    features: Features, *, n_jobs: int | None, rng: np.random.RandomState
) -> SamplePoints:
    """The distinct samples in the space in which the default generator measures distances."""
    return NeighborEmbedding(n_jobs=n_jobs)._find_neighborhoods(features, rng)[0]


def embed_points(found: SamplePoints, rng: np.random.RandomState) -> Array:
    """Coordinates of the points in two dimensions."""
    seed = int(rng.randint(LARGEST_SEED))
    graph = NeighborGraph(found, _N_NEIGHBORS, tree_edges(found))
    return NeighborEmbedding()._embed(graph, seed)


def distances_to_nearest(rows: Array, points: Array, count: int) -> Array:
    """Distances of rows of this space to their nearest points, the nearest first."""
    nearest = nearest_landmarks(rows, points, min(count, len(points)), None)
    return np.sort(np.linalg.norm(points[nearest] - rows[:, None], axis=2), axis=1)
