"""Consensa: many clusterings of the same samples in, one better clustering out."""

from importlib.metadata import version as _version

from consensa import (
    consensus,
    datasets,
    distributed,
    exceptions,
    generation,
    metrics,
    partition,
    plotting,
    report,
    selection,
    similarity,
    tensor,
)
from consensa._api import cluster, combine
from consensa._result import ConsensusResult, SolverTrace
from consensa.consensus import *
from consensa.ensemble import Ensemble, Microclusters
from consensa.ensemble.stored import open_labels
from consensa.generation import *
from consensa.selection import (
    MethodComparison,
    SelectionResult,
    compare_methods,
    select_n_clusters,
)
from consensa.similarity import *

__all__ = [
    "ConsensusResult",
    "Ensemble",
    "MethodComparison",
    "Microclusters",
    "SelectionResult",
    "SolverTrace",
    "cluster",
    "combine",
    "compare_methods",
    "consensus",
    "distributed",
    "datasets",
    "exceptions",
    "generation",
    "metrics",
    "open_labels",
    "partition",
    "plotting",
    "report",
    "select_n_clusters",
    "selection",
    "similarity",
    "tensor",
    *consensus.__all__,
    *generation.__all__,
    *similarity.__all__,
]

__version__ = _version("consensa")
