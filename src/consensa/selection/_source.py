"""Ensembles of the data and of reference data without clusters."""

from __future__ import annotations

import warnings
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from consensa._array import Array
from consensa.consensus.base import BaseConsensus
from consensa.ensemble import Ensemble
from consensa.ensemble.missing import is_labeled
from consensa.exceptions import ConsensaWarning, InvalidParameterError
from consensa.features import Features, read_features
from consensa.features.partitions import warn_of_partitions
from consensa.features.space import PRECOMPUTED
from consensa.generation.base import generated, scaled_for
from consensa.selection._evidence import measure
from consensa.selection._explained_dispersion import dispersion_of_points
from consensa.selection._references import REFERENCES, permuted_partitions
from consensa.selection._resampling import consensus_at

__all__ = ["Source", "is_usable"]

_TEST_SAMPLES = 300  # maximum number of samples of the comparison
_TEST_DRAWS = 6


class Source:
    """Source of ensembles: features and a generator, or existing partitions."""

    def __init__(
        self,
        X: Any,
        generator: Any,
        reference: str,
        max_samples: int,
        rng: np.random.RandomState,
    ) -> None:
        self.partitions: Ensemble | None = None
        self.features: Features | None = None
        self.generator = generator
        self.kind = reference
        if isinstance(X, Ensemble) or isinstance(generator, str):
            self.partitions = Ensemble.from_labels(X)
            n_samples = self.partitions.n_samples
        elif getattr(generator, "metric", None) == PRECOMPUTED:
            message = (
                "select_n_clusters needs features to compare with reference data. For distances "
                "(metric='precomputed'), select from the partitions: "
                "select_n_clusters(generator.generate(X))."
            )
            raise InvalidParameterError(message)
        else:
            features = read_features(X, accept_sparse=False)
            warn_of_partitions(X, stacklevel=3)
            self.features = replace(features, array=features.points)
            n_samples = self.features.n_samples
        self.samples = np.arange(n_samples)
        self._draw(max_samples, rng)

    def _draw(self, most: int, rng: np.random.RandomState) -> None:
        if len(self.samples) <= most:
            return
        rows = np.sort(rng.choice(len(self.samples), most, replace=False))
        self.samples = self.samples[rows]
        if self.features is not None:
            self.features = self.features.take(rows)
        if self.partitions is not None:
            self.partitions = _of_rows(self.partitions, rows)

    def smaller(self, rng: np.random.RandomState) -> Source:
        """The same with few samples, so that it can be repeated many times."""
        other = copy(self)
        other._draw(_TEST_SAMPLES, rng)
        return other

    def reference(self, rng: np.random.RandomState) -> Source:
        """A source of the same kind without clusters."""
        other = copy(self)
        if self.partitions is not None:
            other.partitions = permuted_partitions(self.partitions, rng)
        if self.features is not None:
            # If the generator does not depend on units, the references do not either.
            like = scaled_for(self.generator, self.features)
            drawn = REFERENCES[self.kind](like.points, rng)
            other.features = replace(like, array=drawn, sample_names=None)
        return other

    def ensemble(self, rng: np.random.RandomState) -> Ensemble:
        """The existing partitions, or newly generated ones."""
        if self.partitions is not None:
            return self.partitions
        assert self.features is not None
        return generated(self.generator, self.features, None, rng)

    def statistic(
        self, model: BaseConsensus, candidates: list[int], rng: np.random.RandomState
    ) -> Array:
        """Statistic that is compared with references, for each candidate.

        The explained dispersion of the consensus if there are features, else the evidence; 0 for
        candidates above the number of microclusters.
        """
        ensemble = self.ensemble(rng)
        possible = np.array([is_usable(k, ensemble) for k in candidates])
        usable = [k for k, can in zip(candidates, possible, strict=True) if can]
        answer = np.zeros(len(candidates))
        if not usable:
            return answer
        if self.features is None:
            answer[possible] = measure(
                model, ensemble, usable, n_draws=_TEST_DRAWS, rng=rng
            ).evidence
            return answer
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConsensaWarning)
            labels = consensus_at(model, ensemble, usable, int(rng.randint(2**31 - 1)))
        points = scaled_for(self.generator, self.features).points
        answer[possible] = [dispersion_of_points(points, column) for column in labels.T]
        return answer


def is_usable(n_clusters: int, ensemble: Ensemble) -> bool:
    """Whether there are enough microclusters, and more samples than clusters."""
    return n_clusters < ensemble.n_samples and ensemble.separates(n_clusters)


def _of_rows(ensemble: Ensemble, rows: Array) -> Ensemble:
    """Partitions of some samples, without partitions that label none of them."""
    codes = ensemble.codes[rows]
    kept = is_labeled(codes).any(axis=0)
    return Ensemble.from_labels(codes[:, kept])
