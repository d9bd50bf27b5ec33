"""Base partitions by the Leiden algorithm, over resolutions and seeds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from joblib import delayed
from scipy import sparse

from consensa._array import Array
from consensa._docs import GENERATOR, filled
from consensa._optional import require
from consensa._params import Declaration, Integer, OneOf, PositiveRange
from consensa.features import Features
from consensa.features.space import METRICS, SPACE_SCALINGS
from consensa.generation._neighbor_embedding import weighted_graph
from consensa.generation._neighbor_graphs import NeighborGraph
from consensa.generation._neighborhood import Neighborhood, find_neighborhood
from consensa.generation.base import LARGEST_SEED, BaseGenerator
from consensa.generation.neighborhood_generator import Partitions, run_batches

__all__ = ["LeidenSweep"]


class LeidenSweep(BaseGenerator):
    r"""Communities of the graph of nearest neighbors, for many resolutions and seeds.

    Each partition maximizes the modularity

    .. math:: \sum_{ij} \left( w_{ij} - \gamma \frac{d_i d_j}{2 m} \right) [\ell_i = \ell_j]

    by the Leiden algorithm [1]_, where :math:`w_{ij}` are the weights of `NeighborEmbedding`,
    :math:`d_i` their sums and :math:`2 m` their total. The resolution :math:`\gamma` decides how
    many clusters there are, and every partition has its own, from the lower to the upper end of
    the range; so it does not take a number of clusters. This is what is usually done with
    single cells, many times instead of once.

    Parameters
    ----------
    %(n_partitions)s
    resolution : (float, float), default=(0.25, 2.0)
        Range of the resolutions, spread evenly on a logarithmic scale, with a random offset.
    n_neighbors : int, default=15
        Number of nearest neighbors in the graph.
    n_iterations : int, default=2
        Iterations of the Leiden algorithm.
    %(scaling)s
    %(metric)s
    %(max_samples)s
    %(n_jobs)s

    See Also
    --------
    consensa.anndata.consensus : The consensus of an AnnData object.
    GraphCuts : Cuts of the graph into a given number of clusters.

    Notes
    -----
    Needs the optional libraries igraph and leidenalg (``pip install 'consensa[leiden]'``), which
    are licensed under the GPL and therefore not installed by default. The partitions are
    order-free.

    References
    ----------
    .. [1] V. A. Traag, L. Waltman and N. J. van Eck, "From Louvain to Leiden: guaranteeing
       well-connected communities", Scientific Reports 9, 2019.
       :doi:`10.1038/s41598-019-41695-z`

    Examples
    --------
    >>> import numpy as np
    >>> from consensa import LeidenSweep
    >>> X = np.array([[0.0], [0.1], [0.2], [0.3], [5.0], [5.1], [5.2], [5.3]])
    >>> sweep = LeidenSweep(1, resolution=(0.5, 0.5), n_neighbors=3)
    >>> sweep.generate(X, random_state=0).labels.T
    array([[0, 0, 0, 0, 1, 1, 1, 1]], dtype=int32)
    """

    resolution: tuple[float, float] = (0.25, 2.0)
    n_neighbors: int = 15
    n_iterations: int = 2
    scaling: str = "auto"
    metric: str = "euclidean"
    max_samples: int = 10_000
    _copies_of_x: ClassVar[float] = 8
    _declared: ClassVar[Declaration] = {
        "resolution": (PositiveRange(),),
        "scaling": (OneOf(SPACE_SCALINGS),),
        "metric": (OneOf(METRICS),),
        "max_samples": (Integer(2),),
    }

    def _partitions(
        self, features: Features, n_clusters: int | None, rng: np.random.RandomState
    ) -> Partitions:
        for library in ("igraph", "leidenalg"):
            require(library, extra="leiden", purpose="LeidenSweep")
        found = find_neighborhood(
            features,
            scaling=self.scaling,
            metric=self.metric,
            max_samples=self.max_samples,
            n_jobs=self.n_jobs,
            rng=rng,
        )
        return run_batches([(found, self._batches(found, rng))], self.n_partitions, self.n_jobs)

    def _batches(self, found: Neighborhood, rng: np.random.RandomState) -> Iterator[Any]:
        graph = _graph(found, self.n_neighbors)
        low, high = self.resolution
        places = (np.arange(self.n_partitions) + rng.uniform(size=self.n_partitions)) / (
            self.n_partitions
        )
        for place in places:
            seed = int(rng.randint(LARGEST_SEED))
            resolution = float(low * (high / low) ** place)
            yield delayed(_communities)(graph, found.n_points, resolution, self.n_iterations, seed)


def _graph(found: Neighborhood, n_neighbors: int) -> sparse.coo_array:
    """Each edge of the weighted graph of neighbors, once."""
    nothing = sparse.csr_array((found.n_points, found.n_points))
    if found.neighbors.shape[1] == 0:
        return nothing.tocoo()
    both = weighted_graph(NeighborGraph(found, n_neighbors, nothing))
    return sparse.triu(both, k=1).tocoo()


def _communities(
    graph: sparse.coo_array, n_points: int, resolution: float, n_iterations: int, seed: int
) -> list[Array]:
    igraph: Any = require("igraph", extra="leiden", purpose="LeidenSweep")
    leidenalg: Any = require("leidenalg", extra="leiden", purpose="LeidenSweep")
    if graph.nnz == 0:
        return [np.zeros(n_points, np.int64)]
    edges = igraph.Graph(n_points, np.stack(graph.coords, axis=1).tolist())
    found = leidenalg.find_partition(
        edges,
        leidenalg.RBConfigurationVertexPartition,
        weights=graph.data.tolist(),
        resolution_parameter=resolution,
        n_iterations=n_iterations,
        seed=seed,
    )
    return [np.asarray(found.membership, np.int64)]


LeidenSweep.__doc__ = filled(LeidenSweep.__doc__, GENERATOR)
