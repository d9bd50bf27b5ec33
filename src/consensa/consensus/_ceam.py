"""CEAM: labels diffuse over a graph of each partition, which is learned (Zhou et al. 2024)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from consensa._array import Array
from consensa._machine.memory import require_bytes, require_square
from consensa._params import Integer, NoneType, Real
from consensa._random import random_source
from consensa._result import ConsensusResult
from consensa.consensus._component_number import merged_components
from consensa.consensus.base import BaseConsensus
from consensa.consensus.fitted import Detail
from consensa.consensus.method import Arrays, MethodInfo, consensus_method
from consensa.ensemble import Ensemble, Microclusters
from consensa.ensemble.rows import cluster_slices, offsets
from consensa.partition import round_from_random_row
from consensa.partition.eigenpairs import eigenpairs
from consensa.partition.graph_spectrum import largest_below_one

__all__ = ["CEAM", "ceam"]

_EPS = np.finfo(np.float64).eps
_TIE = 1e-12  # of the longest row: distances this close are equal up to rounding
_SLACK = 1e-11  # of its square: more than the error of squared distances from products
_SHORTEST = 1e-7  # length by which shorter rows are divided, as in the authors' program
_BLOCK = 2**18  # distances, or entries of points, at a time
_COLUMNS = 16  # clusters of which the labels diffuse at a time
_ARRAYS_OF_LINK = 10  # numbers for a neighbor of a row in a graph, with those of all steps
_FACTORS = 1.5  # two dense triangles of a sparse factorization, in arrays of all pairs of rows
_DENSE_UP_TO = 1500  # distinct rows; above, Lanczos iteration is faster
_FEW_SAMPLES = 1000  # below, there are 10 neighbors


@consensus_method(
    MethodInfo(
        name="CEAM",
        year=2024,
        reference="P. Zhou, B. Hu, D. Yan and L. Du, IEEE TKDE 36(4)",
        time="n c (20 m k + n) for each of 5 rounds, c clusters in all, k neighbors",
        memory="q m c + 10 q m k, q distinct rows; 1.5 q² for q > 1500",
        arrays=(Arrays(8, "nK"),),  # the others are of distinct rows: see `_require_memory`
    ),
    alpha=(Real(above=0, most=1),),
    n_neighbors=(Integer(1), NoneType()),
)
def ceam(
    ensemble: Ensemble,
    n_clusters: int,
    *,
    alpha: float = 0.85,
    n_neighbors: int | None = None,
    n_rounds: int = 5,
    n_steps: int = 20,
    random_state: Any = None,
) -> ConsensusResult:
    """Consensus of `ensemble` by diffusion on an adaptive multiplex.

    Parameters
    ----------
    %(ensemble)s
    %(n_clusters)s
    alpha : float, default=0.85
        Weight of the graphs in a step of the diffusion; the labels have the rest.
    n_neighbors : int or None, default=None
        Number of neighbors in a learned graph; None is 10 below 1000 samples, and else 20.
    n_rounds : int, default=5
        How often every graph is learned.
    n_steps : int, default=20
        Number of steps of a diffusion.
    random_state : int, RandomState instance or None, default=None
        Seed of the sample from which the discretization starts.

    Returns
    -------
    ConsensusResult
        Labels, and ``details`` with the keys ``"n_components"`` and ``"converged"``.

    See Also
    --------
    CEAM : The estimator; formula, reference and example.

    Examples
    --------
    >>> from consensa import Ensemble, ceam
    >>> ceam(Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2, random_state=0).labels
    array([0, 0, 1])
    """
    groups = ensemble.microclusters()
    if n_neighbors is None:
        n_neighbors = 10 if ensemble.n_samples < _FEW_SAMPLES else 20
    _require_memory(groups, ensemble.n_clusters, n_clusters, n_neighbors)
    graph = _learned_graph(groups, alpha, n_neighbors, n_rounds, n_steps)
    n_components, component = connected_components(graph, directed=False)
    if n_components > n_clusters:
        component = merged_components("CEAM", component, groups, n_clusters)
    converged = True
    if n_components < n_clusters < len(component):
        component, converged = _cut(graph, groups.sizes, n_clusters, random_state)
    elif n_components < n_clusters:
        component = np.arange(n_clusters)
    details = {"n_components": n_components, "converged": converged}
    return ConsensusResult(component[groups.labels], ensemble, details=details)


def _require_memory(groups: Microclusters, n_base: int, n_clusters: int, n_neighbors: int) -> None:
    """Raise an error if what depends on the options, or on the distinct rows, does not fit."""
    order, m = groups.rows.shape
    near = min(n_neighbors, order - 1)
    require_bytes(
        _bytes_of_layers(order, m, n_base, near),
        step="CEAM",
        why=f"scores of {n_base} clusters and graphs of {near} neighbors, for {order} distinct "
        f"rows in {m} partitions",
        remedy="Lower n_neighbors, use fewer partitions, or a machine with more memory.",
    )
    if _by_lanczos(order, n_clusters):
        step = "The factorization of CEAM's mean graph"
        require_square(order, np.float64, arrays=_FACTORS, step=step, of="distinct rows")


def _bytes_of_layers(order: int, m: int, n_base: int, near: int) -> float:
    """Scores of all base clusters in m layers, and graphs of so many neighbors of each row."""
    return 8.0 * order * ((m + 2) * n_base + _ARRAYS_OF_LINK * m * near)


def _learned_graph(
    groups: Microclusters, alpha: float, n_neighbors: int, n_rounds: int, n_steps: int
) -> sparse.csr_array:
    """Mean of the graphs of the partitions, each refined by the others in every round."""
    rows = Ensemble(groups.rows)
    multiplex = _Multiplex(rows.membership(), rows.cluster_counts, groups.sizes)
    for _ in range(n_rounds):
        for number in range(rows.n_partitions):
            points = multiplex.diffuse(number, alpha, n_steps)
            multiplex.learn(number, _neighbor_graph(points, groups.sizes, n_neighbors))
    return multiplex.mean_graph()


class _Multiplex:
    """A graph of the samples for each partition, and links of a sample to itself between them.

    Graphs are between distinct rows. Scores of a row of r samples are multiplied by √r, and so are
    the weights of its links: then graphs are symmetric, and eigenvectors those of the samples. The
    graphs of the partitions as they are given are never formed, but multiplied by their factors.
    """

    def __init__(self, rows: sparse.csr_array, cluster_counts: Array, sizes: Array) -> None:
        self.root = np.sqrt(sizes)
        slices = cluster_slices(cluster_counts)
        self.labels = [self.root[:, None] * rows[:, own].toarray() for own in slices]
        self.scores = [np.tile(labels, (len(slices), 1)) for labels in self.labels]
        members = rows.tocoo()
        layer = np.repeat(np.arange(len(slices)), cluster_counts)[members.col]
        self.row, self.cluster, self.layer = members.row, members.col, layer
        degrees = np.zeros((len(slices), len(sizes)))
        degrees[layer, members.row] = (sizes @ rows)[members.col]
        self.given = np.ones(len(slices), bool)
        self.scale = self._inverse_root(degrees)
        self.links = [sparse.diags_array(-(each**2), format="csr") for each in self.scale]

    def _inverse_root(self, degrees: Array) -> Array:
        """Of the degrees in the graph, and of the links to the other layers."""
        return np.asarray(1 / np.sqrt(np.maximum(degrees + len(self.labels) - 1, _EPS)))

    def learn(self, number: int, graph: sparse.csr_array) -> None:
        """Replace the graph of a partition.

        The square of the scale is taken off the diagonal: see `_step`.
        """
        scale = self._inverse_root(graph @ self.root / self.root)
        own = sparse.diags_array(scale**2, format="csr")
        self.links[number] = sparse.csr_array(_scaled(graph, scale) - own)
        self.scale[number] = scale
        self.given[number] = False

    def diffuse(self, number: int, alpha: float, n_steps: int) -> Array:
        """Let the labels of one partition diffuse; the scores of its clusters in its own layer.

        f_q ← α D_q W_q D_q f_q + α Σ_{l ≠ q} D_q D_l f_l + (1 − α) y in every layer q.
        """
        links, gather = self._all_links(alpha), self._gather()
        spread = sparse.csr_array(alpha * gather.T)
        labels, scores = self.labels[number], self.scores[number]
        for first in range(0, labels.shape[1], _COLUMNS):
            own = slice(first, first + _COLUMNS)
            given = (1 - alpha) * np.tile(labels[:, own], (len(self.labels), 1))
            moved = scores[:, own]
            for _ in range(n_steps):
                moved = links @ moved + spread @ (gather @ moved)
                moved += given
            scores[:, own] = moved
        order = len(self.root)
        return scores[number * order : (number + 1) * order] / self.root[:, None]

    def _all_links(self, factor: float) -> sparse.csr_array:
        """The links inside all layers times a factor: a block of the diagonal for each layer."""
        size, order = self.scale.size, len(self.root)
        data = np.concatenate([links.data for links in self.links])
        data *= factor
        places = [links.indices + order * layer for layer, links in enumerate(self.links)]
        lengths = np.concatenate([np.diff(links.indptr) for links in self.links])
        ends = np.concatenate([[0], np.cumsum(lengths)])
        return sparse.csr_array((data, np.concatenate(places), ends), shape=(size, size))

    def _gather(self) -> sparse.csr_array:
        """Matrix that sums scores: of a row over all layers, and of a cluster in its layer.

        The first sum has the row's own layer in it, which the diagonal of the links takes off
        again. The second is only for the partitions whose graph is not learned yet.
        """
        n_layers, order = self.scale.shape
        kept = self.given[self.layer]
        row, layer = self.row[kept], self.layer[kept]
        data = [self.scale.ravel(), self.scale[layer, row] * self.root[row]]
        target = [np.tile(np.arange(order), n_layers), order + self.cluster[kept]]
        source = [np.arange(self.scale.size), layer * order + row]
        n_sums = order + sum(labels.shape[1] for labels in self.labels)
        places = (np.concatenate(target), np.concatenate(source))
        return sparse.csr_array((np.concatenate(data), places), shape=(n_sums, self.scale.size))

    def mean_graph(self) -> sparse.csr_array:
        """Mean of the learned graphs, normalized."""
        squares = sparse.diags_array((self.scale**2).sum(axis=0))
        total = sparse.csr_array(sum(self.links, squares))
        total.data *= 1 / len(self.links)
        return total


def _neighbor_graph(points: Array, sizes: Array, n_neighbors: int) -> sparse.csr_array:
    """Graph of the nearest rows with cosines as weights, times √r of both rows.

    Two rows are linked if one is among the nearest of the other, and every row to itself. Of rows
    that are equally near each has an equal chance: a weight is the cosine times the chance that
    the link exists.
    """
    squares = np.einsum("gc,gc->g", points, points)
    norms = np.maximum(np.sqrt(squares), _SHORTEST)
    row, column, distance, inner = _near_pairs(points, squares, n_neighbors)
    chance = _chances(row, distance, n_neighbors, _TIE * np.sqrt(squares.max()))
    weight = chance * inner / (norms[row] * norms[column])
    shape = (len(sizes), len(sizes))
    one_way = sparse.csr_array((chance, (row, column)), shape=shape)
    weighted = sparse.csr_array((weight, (row, column)), shape=shape)
    links = weighted + weighted.T - weighted.multiply(one_way.T)
    own = sparse.diags_array(squares / norms**2, format="csr")
    return _scaled(sparse.csr_array(links + own), np.sqrt(sizes))


def _scaled(graph: sparse.csr_array, factor: Array) -> sparse.csr_array:
    """Rows and columns of a graph multiplied by the factor of each."""
    of_row = np.repeat(factor, np.diff(graph.indptr))
    data = of_row * graph.data * factor[graph.indices]
    return sparse.csr_array((data, graph.indices, graph.indptr), shape=graph.shape)


def _near_pairs(points: Array, squares: Array, count: int) -> list[Array]:
    """Pairs of rows, the second among the `count` nearest of the first or as near as these.

    First rows, second rows, distances and inner products, sorted by the first row and then by the
    distance.
    """
    order = len(points)
    last = min(count, order - 1)
    slack = _SLACK * squares.max()
    height = max(1, _BLOCK // order)
    found = []
    for start in range(0, order, height):
        stop = min(start + height, order)
        block = squares[start:stop, None] + squares - 2 * (points[start:stop] @ points.T)
        block[np.arange(stop - start), np.arange(start, stop)] = -1  # itself: the nearest
        bound = np.partition(block, last, axis=1)[:, last] + slack
        row, column = np.nonzero(block <= bound[:, None])
        row += start
        row, column = row[row != column], column[row != column]
        distance, inner = _measured(points, row, column)
        ascending = np.lexsort((distance, row))
        found.append([part[ascending] for part in (row, column, distance, inner)])
    return [np.concatenate(part) for part in zip(*found, strict=True)]


def _measured(points: Array, row: Array, column: Array) -> tuple[Array, Array]:
    """Distance and inner product of each pair of rows, some pairs at a time.

    The product is exactly 0 if they share no cluster: then there is no link.
    """
    distance, inner = np.empty((2, len(row)))
    height = max(1, _BLOCK // points.shape[1])
    for start in range(0, len(row), height):
        own = slice(start, start + height)
        one, other = points[row[own]], points[column[own]]
        inner[own] = np.einsum("pc,pc->p", one, other)
        one -= other
        distance[own] = np.sqrt(np.square(one, out=one).sum(axis=1))
    return distance, inner


def _chances(row: Array, distance: Array, count: int, rounding: float) -> Array:
    """Chance of each pair that the second row is one of the `count` nearest of the first.

    1 for those nearer than the last place; all that are equally near share the places left.
    """
    starts = np.flatnonzero(np.diff(row, prepend=-1))
    found = np.diff(starts, append=len(row))
    last = distance[starts + np.minimum(count, found) - 1][row]
    nearer = distance < last - rounding
    tied = ~nearer & (distance <= last + rounding)
    places = count - np.add.reduceat(nearer, starts, dtype=np.int64)
    share = np.minimum(places / np.add.reduceat(tied, starts, dtype=np.int64), 1)
    return np.where(nearer, 1.0, np.where(tied, share[row], 0.0))


def _cut(
    graph: sparse.csr_array, sizes: Array, n_clusters: int, random_state: Any
) -> tuple[Array, bool]:
    """Spectral clustering of the rows: labels, and whether the rounding converged."""
    rng = random_source(random_state)
    vectors = _eigenvectors(graph, np.sqrt(sizes), n_clusters, rng)
    rounding = round_from_random_row(np.repeat(vectors, sizes, axis=0), random_state=rng)
    return rounding.labels[offsets(sizes)], rounding.converged


def _eigenvectors(
    graph: sparse.csr_array, root: Array, count: int, rng: np.random.RandomState
) -> Array:
    """Leading eigenvectors of the graph of the samples, normalized; those of rows times √r."""
    order = len(root)
    degrees = np.maximum(graph @ root / root, _EPS)
    matrix = _scaled(graph, 1 / np.sqrt(degrees))
    if _by_lanczos(order, count):
        return largest_below_one(matrix, count, rng, root=root * np.sqrt(degrees))
    dense = matrix.toarray(order="F")  # LAPACK overwrites this order without a copy
    return eigenpairs(dense, order - count, order - 1, overwrite=True)[1]


def _by_lanczos(order: int, count: int) -> bool:
    """Whether a sparse factorization finds so many eigenvectors faster than LAPACK."""
    return order > _DENSE_UP_TO and 3 * count < order


class CEAM(BaseConsensus):
    r"""Clustering ensemble via diffusion on an adaptive multiplex.

    Every partition :math:`p` is a layer of a multiplex: a graph of the samples with weights
    :math:`W^{(p)} = Y^{(p)} Y^{(p)T}`, where :math:`Y^{(p)}` has a column of zeros and ones for
    each cluster. A sample is linked to itself in all other layers with weight 1. The labels
    :math:`y` of a cluster diffuse over all layers [1]_,

    .. math::
        f^{(q)} \leftarrow \alpha D^{(q)} W^{(q)} D^{(q)} f^{(q)}
        + \alpha \sum_{l \ne q} D^{(q)} D^{(l)} f^{(l)} + (1 - \alpha) y,

    with :math:`D^{(q)}_{ii} = (m - 1 + \sum_j W^{(q)}_{ij})^{-1/2}`. The scores of the clusters of
    partition p in its own layer then are points, one for each sample, and the graph of their
    nearest neighbors, with cosines as weights, takes the place of :math:`W^{(p)}`. So each
    partition is refined by the others, one after the other, in several rounds. The mean of the
    graphs :math:`D^{(p)} W^{(p)} D^{(p)}` is cut by spectral clustering with discretization.

    Parameters
    ----------
    %(n_clusters)s
    alpha : float, default=0.85
        Weight :math:`\alpha` of the graphs in a step of the diffusion, at most 1.
    n_neighbors : int or None, default=None
        Number of neighbors in a learned graph; None is 10 below 1000 samples, and else 20, as in
        the paper. Samples with equal rows count as one neighbor.
    n_rounds : int, default=5
        How often every graph is learned.
    n_steps : int, default=20
        Number of steps of a diffusion, which starts where that of the round before ended.
    %(generator)s
    random_state : int, RandomState instance or None, default=None
        Seed of the generator, and of the sample from which the discretization starts.

    Attributes
    ----------
    %(labels_)s
    n_components_ : int
        Number of connected components of the mean graph.
    converged_ : bool
        Whether the discretization converged; True if there was none, as for K or more components.
    %(fitted)s

    See Also
    --------
    ceam : The same for an existing `Ensemble`.
    CESHL : Learns memberships in the base clusters, by the same authors.
    SPCE : Learns one graph of the samples.
    consensa.partition.round_by_rotation : The discretization.

    Notes
    -----
    The graphs of the partitions are multiplied by their factors, and learned graphs are sparse.
    The scores are an array of the samples, the partitions and all base clusters. Samples with
    equal rows are one row of the problem: q distinct rows. The mean graph has so many links that
    its factorization for the eigenvectors is nearly dense, above 1500 distinct rows: up to 1.5
    q × q arrays, which are checked before the graphs are learned. A missing label is a row of
    zeros in :math:`Y^{(p)}`.

    Samples with equal rows are equally near to all others. In the authors' program the numbers of
    the rows decide which of them are neighbors. Here they are one neighbor together, and all of
    them are linked. Of different rows that are equally near, up to 1e-12 of the longest, each has
    an equal chance of the last places, and the weight of a link is multiplied by the chance that
    it exists. The partitions are refined in canonical order. So the result does not depend on any
    order. If all rows and distances differ, the graphs are equal to those of the program.

    The program, and this function, differ from the paper in three ways: the neighbors are those
    by the scores of partition p, and not of all partitions; they are nearest in Euclidean
    distance, not in angle; and the graphs are averaged after they are normalized. The program
    leaves out the first eigenvector and takes the K after it; here the K first are taken, as in
    spectral clustering and in the paper. If the graph has K components, these are the clusters;
    if it has more, they are merged by average linkage on their mean co-association, with a
    warning.

    References
    ----------
    .. [1] P. Zhou, B. Hu, D. Yan and L. Du, "Clustering ensemble via diffusion on adaptive
       multiplex", IEEE TKDE 36(4), 2024, pages 1463 to 1474. :doi:`10.1109/TKDE.2023.3311409`

    Examples
    --------
    >>> from consensa import CEAM
    >>> partitions = [[0, 1, 0], [0, 1, 0], [0, 1, 1], [1, 0, 1], [1, 0, 1]]
    >>> CEAM(n_clusters=2, generator="precomputed", random_state=0).fit_predict(partitions)
    array([0, 0, 0, 1, 1])
    """

    _function = staticmethod(ceam)
    alpha: float = 0.85
    n_neighbors: int | None = None
    n_rounds: int = 5
    n_steps: int = 20
    n_components_ = Detail()
    converged_ = Detail()
