"""Consensa: many clusterings of the same samples in, one better clustering out."""

from importlib.metadata import version as _version

from consensa import consensus, exceptions, generation, metrics, partition, similarity, tensor
from consensa._ensemble import Ensemble
from consensa._result import ConsensusResult, SolverTrace
from consensa.consensus import EAC, LTA, eac, lta
from consensa.generation import RandomKMeans
from consensa.similarity import coassociation, coherent_links

__all__ = [
    "EAC",
    "LTA",
    "ConsensusResult",
    "Ensemble",
    "RandomKMeans",
    "SolverTrace",
    "coassociation",
    "coherent_links",
    "consensus",
    "eac",
    "exceptions",
    "generation",
    "lta",
    "metrics",
    "partition",
    "similarity",
    "tensor",
]

__version__ = _version("consensa")
