"""The number of clusters of data that were not read yet; estimators with ``"auto"`` call it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from consensa._machine.memory import out_of_memory
from consensa.ensemble import Ensemble
from consensa.exceptions import InvalidParameterError
from consensa.features import read_features
from consensa.features.partitions import warn_of_partitions
from consensa.features.space import PRECOMPUTED
from consensa.features.stored_features import StoredFeatures
from consensa.selection._candidates import read_candidates
from consensa.selection._from_features import select_from_features
from consensa.selection._from_partitions import select_from_partitions
from consensa.selection._result import SelectionResult

__all__ = ["chosen_number"]


def chosen_number(
    X: Any,
    n_clusters: Any = "auto",
    *,
    model: Any,
    generator: Any,
    owner: str,
    rng: Any,
    n_draws: int = 20,
    n_references: int = 199,
    max_samples: int = 2000,
) -> SelectionResult:
    """Recommend a number of clusters; the parameters were checked, and messages name `owner`."""
    options = {"n_references": n_references, "max_samples": max_samples, "rng": rng}
    with out_of_memory(owner):
        if isinstance(X, Ensemble) or isinstance(generator, str):
            partitions = Ensemble.from_labels(X)
            candidates = read_candidates(n_clusters, partitions.n_samples, owner=owner)
            return select_from_partitions(
                partitions, candidates, model=model, n_draws=n_draws, **options
            )
        _refuse_distances(generator, owner)
        rows = X.sampled() if isinstance(X, StoredFeatures) else X
        features = read_features(rows, accept_sparse=False)
        warn_of_partitions(X, stacklevel=4)
        features = replace(features, array=features.points)
        candidates = read_candidates(n_clusters, features.n_samples, owner=owner)
        return select_from_features(
            features, candidates, model=model, generator=generator, **options
        )


def _refuse_distances(generator: Any, owner: str) -> None:
    if getattr(generator, "metric", None) == PRECOMPUTED:
        message = (
            f"{owner} needs features to compare with reference data. For distances "
            "(metric='precomputed'), select from the partitions: "
            "select_n_clusters(generator.generate(X))."
        )
        raise InvalidParameterError(message)
