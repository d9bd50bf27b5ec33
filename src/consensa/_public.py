"""The public names of Consensa, loaded when the first of them is used."""

from typing import TYPE_CHECKING

from consensa import consensus, generation, similarity
from consensa._api import cluster, combine
from consensa._machine.progress import show_progress
from consensa._result import ConsensusResult, SolverTrace
from consensa._saved_model import SavedModel, load_model, save_model
from consensa.consensus import *
from consensa.description import SampleMap, cluster_profiles, sample_map, sample_table
from consensa.ensemble import Ensemble, Microclusters
from consensa.ensemble.stored import open_labels
from consensa.features.stored import open_features
from consensa.generation import *
from consensa.selection import (
    MethodComparison,
    SelectionResult,
    compare_methods,
    select_n_clusters,
)
from consensa.similarity import *

if TYPE_CHECKING:  # packages that are loaded only when they are used
    from consensa import (
        anndata,
        datasets,
        description,
        distributed,
        exceptions,
        metrics,
        partition,
        plotting,
        report,
        selection,
        tensor,
    )

__all__ = [
    "ConsensusResult",
    "Ensemble",
    "MethodComparison",
    "Microclusters",
    "SampleMap",
    "SavedModel",
    "SelectionResult",
    "SolverTrace",
    "anndata",
    "cluster",
    "cluster_profiles",
    "combine",
    "compare_methods",
    "consensus",
    "datasets",
    "description",
    "distributed",
    "exceptions",
    "generation",
    "load_model",
    "metrics",
    "open_features",
    "open_labels",
    "partition",
    "plotting",
    "report",
    "sample_map",
    "sample_table",
    "save_model",
    "select_n_clusters",
    "selection",
    "show_progress",
    "similarity",
    "tensor",
]
__all__ += consensus.__all__
__all__ += generation.__all__
__all__ += similarity.__all__
