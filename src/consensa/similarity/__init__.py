"""Ensemble → affinity of samples or base clusters."""

from consensa.similarity._cluster_overlap import cluster_overlap
from consensa.similarity._coassociation import coassociation
from consensa.similarity._coherent_links import coherent_links
from consensa.similarity._enhanced_coassociation import enhanced_coassociation
from consensa.similarity._link_based import link_similarity
from consensa.similarity._locally_weighted import (
    cluster_certainty,
    locally_weighted_coassociation,
)
from consensa.similarity._probability_trajectories import probability_trajectories
from consensa.similarity._trajectories import trajectory_similarity
from consensa.similarity.jaccard import cluster_jaccard

__all__ = [
    "cluster_certainty",
    "cluster_jaccard",
    "cluster_overlap",
    "coassociation",
    "coherent_links",
    "enhanced_coassociation",
    "link_similarity",
    "locally_weighted_coassociation",
    "probability_trajectories",
    "trajectory_similarity",
]
