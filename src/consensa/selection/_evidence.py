"""All criteria for all candidates, from one ensemble and its resampled consensus."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from consensa._array import Array
from consensa.ensemble import Ensemble
from consensa.metrics.rand import pairwise_rand, rand_with
from consensa.selection._ambiguous_pairs import ambiguous_pairs
from consensa.selection._consensus_cdf import cdf_area, consensus_cdf
from consensa.selection._eigengap import eigengap
from consensa.selection._resampling import Trial, consensus_at, consensus_of_draws
from consensa.similarity import coassociation

__all__ = ["Curves", "measure"]


class Curves(NamedTuple):
    """Criteria with one entry for each of K candidates."""

    labels: Array  # (n, K): the consensus
    pac: Array
    area: Array
    eigengap: Array
    agreement: Array
    stability: Array
    cdf: Array  # (K, 101)
    draws: Array  # (n_draws, n, K): the consensus of each draw
    rand: Array  # (n_draws, K): mean agreement of each draw with the others

    @property
    def evidence(self) -> Array:
        """Evidence: mean of four criteria, each in [0, 1], larger is better."""
        return _mean(self.stability, self.agreement, self.eigengap, self.pac)

    def evidence_by_draw(self, ensemble: Ensemble) -> Array:
        """Evidence of each draw alone: (n_draws, K)."""
        own = [[rand_with(ensemble, column).mean() for column in draw.T] for draw in self.draws]
        return _mean(self.rand, np.array(own), self.eigengap, self.pac)


def _mean(stability: Array, agreement: Array, gap: Array, pac: Array) -> Array:
    return np.asarray((stability + agreement + gap + 1 - pac) / 4)


def measure(trial: Trial, ensemble: Ensemble, *, n_draws: int) -> Curves:
    """Every criterion for each candidate."""
    model, candidates, rng = trial
    labels = consensus_at(model, ensemble, candidates, int(rng.randint(2**31 - 1)))
    draws = consensus_of_draws(trial, ensemble, n_draws)
    matrices: dict[str, list[Any]] = {name: [] for name in ("pac", "area", "cdf", "rand")}
    for place in range(len(candidates)):
        drawn = Ensemble.from_labels(draws[:, :, place].T)
        together = coassociation(drawn)
        matrices["pac"].append(ambiguous_pairs(together))
        matrices["area"].append(cdf_area(together))
        matrices["cdf"].append(consensus_cdf(together)[1])
        matrices["rand"].append((pairwise_rand(drawn).sum(axis=1) - 1) / max(n_draws - 1, 1))
    rand = np.array(matrices["rand"]).T
    return Curves(
        labels=labels,
        pac=np.array(matrices["pac"]),
        area=np.array(matrices["area"]),
        eigengap=eigengap(coassociation(ensemble), candidates),
        agreement=np.array([rand_with(ensemble, column).mean() for column in labels.T]),
        stability=rand.mean(axis=0),
        cdf=np.array(matrices["cdf"]),
        draws=draws,
        rand=rand,
    )
