"""All criteria for one number of clusters after the other, from features."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.metrics import silhouette_score

from consensa._array import Array
from consensa._machine.threads import one_thread
from consensa.consensus.base import BaseConsensus
from consensa.ensemble import Ensemble
from consensa.generation.landscape import Landscape, Sources
from consensa.selection._ambiguous_pairs import ambiguous_pairs
from consensa.selection._cluster_recovery import jaccard_of_clusters
from consensa.selection._consensus_cdf import cdf_area, consensus_cdf
from consensa.selection._density_counts import counts_of_points, density_votes
from consensa.selection._density_separation import separation_of_clusters
from consensa.selection._kind_agreement import best_of_pairs, pairs_of_kinds
from consensa.selection._merge_gap import gaps_of_merges
from consensa.selection._mixture_bic import bic_of_points
from consensa.selection._neighbor_eigengap import gaps_of_landscape
from consensa.selection._resampling import combined
from consensa.selection._tree_separation import reachability_tree, validity_of_clusters
from consensa.similarity import coassociation

__all__ = ["PER_NUMBER", "FeatureCriteria"]

# Criteria of the consensus with each number of clusters, in the order of the table.
PER_NUMBER = (
    "stability",
    "weakest_stability",
    "agreement",
    "overall_agreement",
    "silhouette",
    "separation",
    "weakest_separation",
    "tree_separation",
    "pac",
    "area",
)
_N_NEIGHBORS = 10
_SUBSETS = 4
_SHARE = 0.7  # of the points in a subset
_SUBSET_NEIGHBORS = 15
_MOST_IN_MATRIX = 1000  # samples of the co-association matrix
_MOST_IN_SILHOUETTE = 1000


class FeatureCriteria:
    """Base partitions, consensus and criteria for each number of clusters.

    What does not depend on the number is computed once: neighbors, trees, embeddings, spectra,
    and the trees of random parts of the points.
    """

    def __init__(self, model: BaseConsensus, sources: Sources, rng: np.random.RandomState) -> None:
        self.model = model
        self.sources = sources
        self.seed = int(rng.randint(2**31 - 1))
        self.landscape = sources.landscape
        n = self.landscape.n_points
        self.first = np.zeros(n, np.int64)  # a sample of each point
        self.first[sources.point_of_sample[::-1]] = np.arange(len(sources.point_of_sample))[::-1]
        size = min(n, max(4, int(_SHARE * n)))
        self.parts = [np.sort(rng.permutation(n)[:size]) for _ in range(_SUBSETS)]
        self.subsets = [self.landscape.subset(rows, _SUBSET_NEIGHBORS) for rows in self.parts]
        self.tree = reachability_tree(_near(self.landscape))
        self.counts = counts_of_points(self.landscape.points)
        self.ensembles: dict[int, Ensemble] = {}
        self.labels: dict[int, Array] = {}
        self.cdf: dict[int, Array] = {}
        self._rows: dict[int, dict[str, float]] = {}

    def measure(self, numbers: Iterable[int]) -> None:
        """Compute the criteria for numbers of clusters that were not measured yet."""
        for k in numbers:
            if k not in self._rows:
                self._rows[k] = self._measured(k)

    def columns(self, numbers: Array) -> dict[str, Array]:
        """Each criterion for the given numbers of clusters."""
        rows = [self._rows[int(k)] for k in numbers]
        table = {name: np.array([row[name] for row in rows]) for name in PER_NUMBER}
        table["eigengap"] = gaps_of_landscape(self.landscape, numbers)
        table["merge_gap"] = gaps_of_merges(self.landscape, numbers)
        table["votes"] = density_votes(self.counts, numbers)
        table["bic"] = bic_of_points(self.landscape.points, numbers)
        return table

    def result(self, n_clusters: int) -> Any:
        """The consensus, from the partitions that were measured."""
        if n_clusters not in self.ensembles:
            self.ensembles[n_clusters] = self.sources.ensemble(n_clusters)
        return combined(self.model, self.ensembles[n_clusters], n_clusters, self.seed)

    def _measured(self, k: int) -> dict[str, float]:
        self.labels[k] = np.asarray(self.result(k).labels)
        codes = self.labels[k][self.first]
        codes = np.unique(codes, return_inverse=True)[1]
        sizes = np.bincount(codes) / len(codes)
        jaccard = self._stability(codes, k)
        depth = separation_of_clusters(_near(self.landscape), codes, _N_NEIGHBORS)
        validity = validity_of_clusters(self.tree, codes)
        agreement = pairs_of_kinds(self.ensembles[k], k)
        pac, area, self.cdf[k] = self._matrix(self.ensembles[k])
        return {
            "stability": float(jaccard.mean()),
            "weakest_stability": float(jaccard.min(axis=1).mean()),
            "agreement": best_of_pairs(agreement, 2),
            "overall_agreement": best_of_pairs(agreement, None),
            "silhouette": self._silhouette(codes),
            "separation": float(depth.mean()),
            "weakest_separation": float(depth.min()),
            "tree_separation": float(sizes @ validity),
            "pac": pac,
            "area": area,
        }

    def _stability(self, codes: Array, k: int) -> Array:
        """Stability of the clusters in each part of the points: (n_parts, n_clusters)."""
        found = []
        for rows, part in zip(self.parts, self.subsets, strict=True):
            own = codes[rows]
            jaccard = jaccard_of_clusters(own, part.tree_cuts([k])[0].astype(np.int64))
            found.append(np.pad(jaccard, (0, int(codes.max()) + 1 - len(jaccard))))
        return np.array(found)

    def _silhouette(self, codes: Array) -> float:
        """Mean silhouette in the embeddings, or in the space of the points without any."""
        places = self.sources.landscape.embeddings or (self.landscape.points,)
        if not 1 < codes.max() + 1 < len(codes):
            return 0.0
        with one_thread():
            sample = None if len(codes) <= _MOST_IN_SILHOUETTE else _MOST_IN_SILHOUETTE
            return float(
                np.mean(
                    [
                        silhouette_score(place, codes, sample_size=sample, random_state=0)
                        for place in places
                    ]
                )
            )

    def _matrix(self, ensemble: Ensemble) -> tuple[float, float, Array]:
        """PAC, area and distribution of the co-association of the partitions."""
        rows = np.linspace(0, ensemble.n_samples - 1, _MOST_IN_MATRIX).astype(int)
        few = ensemble.n_samples > _MOST_IN_MATRIX
        together = coassociation(Ensemble.from_labels(ensemble.codes[rows]) if few else ensemble)
        return ambiguous_pairs(together), cdf_area(together), consensus_cdf(together)[1]


def _near(landscape: Landscape) -> Landscape:
    """The same with ten neighbors of each point."""
    near = Landscape(
        landscape.points,
        landscape.neighbors[:, :_N_NEIGHBORS],
        landscape.distances[:, :_N_NEIGHBORS],
    )
    near.__dict__["tree"] = landscape.tree  # of all neighbors, and not computed again
    return near
