"""Where the ensembles of a selection come from: the data, and references without clusters."""

from __future__ import annotations

import warnings
from copy import copy
from typing import Any

import numpy as np

from consensa._array import Array, to_numpy
from consensa.consensus.base import BaseConsensus
from consensa.ensemble import Ensemble
from consensa.ensemble.missing import is_labeled
from consensa.exceptions import ConsensaWarning
from consensa.features.frames import has_words
from consensa.features.matrix import read_matrix
from consensa.features.scaling import SCALINGS
from consensa.generation import RandomKMeans
from consensa.generation.base import suited
from consensa.selection._evidence import measure
from consensa.selection._explained_dispersion import explained_dispersion
from consensa.selection._references import REFERENCES, permuted_partitions
from consensa.selection._resampling import consensus_at

__all__ = ["Source", "is_usable"]

_TEST_SAMPLES = 300  # the comparison with references works on so many samples
_TEST_DRAWS = 6


class Source:
    """Where ensembles come from: features and a generator, or partitions that are there."""

    def __init__(
        self,
        X: Any,
        generator: Any,
        reference: str,
        max_samples: int,
        rng: np.random.RandomState,
    ) -> None:
        self.partitions: Ensemble | None = None
        self.points: Array | None = None
        self.generator = RandomKMeans(30) if generator is None else generator
        self.kind = reference
        if isinstance(X, Ensemble) or generator == "precomputed":
            self.partitions = Ensemble.from_labels(X)
            n_samples = self.partitions.n_samples
        else:
            points = to_numpy(read_matrix(X))
            # A generator of the caller's own is given the features as they are, and words are
            # scaled as they are read.
            self.generator = suited(self.generator, X)
            plain = generator is None and not has_words(X)
            scaling = SCALINGS["range" if plain else "none"](points)
            self.points = scaling.apply(points)
            n_samples = len(points)
        self.samples = np.arange(n_samples)
        self._draw(max_samples, rng)

    def _draw(self, most: int, rng: np.random.RandomState) -> None:
        if len(self.samples) <= most:
            return
        rows = np.sort(rng.choice(len(self.samples), most, replace=False))
        self.samples = self.samples[rows]
        if self.points is not None:
            self.points = self.points[rows]
        if self.partitions is not None:
            self.partitions = _of_rows(self.partitions, rows)

    def smaller(self, rng: np.random.RandomState) -> Source:
        """The same with so few samples that it can be repeated many times."""
        other = copy(self)
        other._draw(_TEST_SAMPLES, rng)
        return other

    def reference(self, rng: np.random.RandomState) -> Source:
        """A source of the same kind without clusters."""
        other = copy(self)
        if self.partitions is not None:
            other.partitions = permuted_partitions(self.partitions, rng)
        if self.points is not None:
            other.points = REFERENCES[self.kind](self.points, rng)
        return other

    def ensemble(self, rng: np.random.RandomState) -> Ensemble:
        """The partitions that are there, or new ones."""
        if self.partitions is not None:
            return self.partitions
        made: Ensemble = self.generator.generate(self.points, random_state=rng)
        return made

    def statistic(
        self, model: BaseConsensus, candidates: list[int], rng: np.random.RandomState
    ) -> Array:
        """What is compared with references, for each candidate.

        The dispersion that the consensus explains where there are features, else the evidence;
        0 for candidates that the partitions do not tell apart.
        """
        ensemble = self.ensemble(rng)
        possible = np.array([is_usable(k, ensemble) for k in candidates])
        usable = [k for k, can in zip(candidates, possible, strict=True) if can]
        answer = np.zeros(len(candidates))
        if not usable:
            return answer
        if self.points is None:
            answer[possible] = measure(
                model, ensemble, usable, n_draws=_TEST_DRAWS, rng=rng
            ).evidence
            return answer
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConsensaWarning)
            labels = consensus_at(model, ensemble, usable, int(rng.randint(2**31 - 1)))
        answer[possible] = [explained_dispersion(self.points, column) for column in labels.T]
        return answer


def is_usable(n_clusters: int, ensemble: Ensemble) -> bool:
    """Whether the partitions tell so many groups apart, and fewer than there are samples."""
    return n_clusters < ensemble.n_samples and ensemble.separates(n_clusters)


def _of_rows(ensemble: Ensemble, rows: Array) -> Ensemble:
    """The partitions of some samples, without those that label none of them."""
    codes = ensemble.codes[rows]
    kept = is_labeled(codes).any(axis=0)
    return Ensemble.from_labels(codes[:, kept])
