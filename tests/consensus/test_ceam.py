"""CEAM: what is particular to it."""

import tracemalloc
import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from consensa import Ensemble, ceam
from consensa.consensus import _ceam as module
from consensa.consensus.needs import LABELS, Arrays, bytes_of, sizes_of
from consensa.exceptions import ConvergenceWarning, NotEnoughMemoryError, UndecidedTieWarning
from consensa.metrics import adjusted_rand_index


def multiplex_of(ensemble):
    groups = ensemble.microclusters()
    rows = Ensemble(groups.rows).membership()
    return module._Multiplex(rows, ensemble.cluster_counts, groups.sizes), groups


def mean_graph_of(labels, *, n_neighbors, n_rounds, alpha=0.85, n_steps=20):
    """Mean graph between the samples, with the partitions refined in the given order."""
    multiplex, groups = multiplex_of(Ensemble.from_labels(labels))
    for _ in range(n_rounds):
        for number in range(labels.shape[1]):
            points = multiplex.diffuse(number, alpha, n_steps)
            multiplex.learn(number, module._neighbor_graph(points, groups.sizes, n_neighbors))
    root = np.sqrt(groups.sizes)
    graph = multiplex.mean_graph().toarray() / np.outer(root, root)
    return graph[np.ix_(groups.labels, groups.labels)]


def test_graphs_and_eigenvectors_are_those_of_the_authors_program(reference_ceam):
    labels = reference_ceam["labels"].astype(np.int64)
    assert len(np.unique(labels, axis=0)) == len(labels)
    graph = mean_graph_of(labels, n_neighbors=8, n_rounds=5)
    assert_allclose(graph, reference_ceam["mean_graph"], rtol=0, atol=1e-14)
    multiplex, groups = multiplex_of(Ensemble.from_labels(labels))
    points = multiplex.diffuse(0, 0.85, 20)
    multiplex.learn(0, module._neighbor_graph(points, groups.sizes, 8))
    first = multiplex.links[0].toarray() + np.diag(multiplex.scale[0] ** 2)
    first = first[np.ix_(groups.labels, groups.labels)]
    assert_allclose(first, reference_ceam["first_graph"], rtol=0, atol=1e-14)
    # The program leaves the first out of K + 1 vectors, the roots of the degrees.
    ours = module._eigenvectors(sparse.csr_array(graph), np.ones(50), 5, np.random.RandomState(0))
    trivial = np.sqrt(graph.sum(axis=1, keepdims=True) / graph.sum())
    theirs = np.column_stack([trivial, reference_ceam["vectors"]])
    assert_allclose(ours @ ours.T, theirs @ theirs.T, rtol=0, atol=1e-12)


def chances_by_definition(points, n_neighbors):
    """Chance that row h is one of the nearest of row g; they are tied if they are equally near."""
    apart = np.sqrt(((points[:, None] - points) ** 2).sum(axis=2))
    chance = np.zeros_like(apart)
    for g, distances in enumerate(apart):
        others = np.delete(np.arange(len(points)), g)
        last = np.sort(distances[others])[min(n_neighbors, len(others)) - 1]
        nearer = [h for h in others if distances[h] < last - 1e-9]
        tied = [h for h in others if abs(distances[h] - last) <= 1e-9]
        chance[g, nearer] = 1
        chance[g, tied] = min(1, (n_neighbors - len(nearer)) / len(tied))
    return chance


def mean_graph_by_definition(labels, *, n_neighbors, n_rounds, alpha, n_steps):
    """The same with n × n graphs, one sample, layer and step after the other."""
    m = labels.shape[1]
    _, first, row = np.unique(labels, axis=0, return_index=True, return_inverse=True)
    row = row.ravel()
    given = [
        (column[:, None] == np.unique(column[column >= 0])).astype(float) for column in labels.T
    ]
    graphs = [y @ y.T for y in given]
    scores = [[y.copy() for _ in range(m)] for y in given]
    for _ in range(n_rounds):
        for p in range(m):
            scale = [1 / np.sqrt(graph.sum(axis=1) + m - 1)[:, None] for graph in graphs]
            for _ in range(n_steps):
                before = scores[p]
                scores[p] = [
                    alpha * scale[q] * (graphs[q] @ (scale[q] * before[q]))
                    + sum(alpha * scale[q] * scale[o] * before[o] for o in range(m) if o != q)
                    + (1 - alpha) * given[p]
                    for q in range(m)
                ]
            points = scores[p][p]
            unit = points / np.linalg.norm(points, axis=1, keepdims=True)
            chance = chances_by_definition(points[first], n_neighbors)
            linked = np.eye(len(first)) + chance + chance.T - chance * chance.T
            graphs[p] = linked[np.ix_(row, row)] * (unit @ unit.T)
    scale = [1 / np.sqrt(graph.sum(axis=1) + m - 1)[:, None] for graph in graphs]
    return sum(s * graph * s.T for s, graph in zip(scale, graphs, strict=True)) / m


@pytest.mark.parametrize("missing", [False, True])
def test_the_mean_graph_is_that_of_the_definition_with_equal_rows(missing):
    rng = np.random.RandomState(4)
    labels = np.where(rng.uniform(size=(24, 4)) < 0.3, rng.randint(3, size=(24, 4)), 0)
    labels[12:] = (labels[12:] + 1) % 3
    if missing:
        labels[rng.uniform(size=labels.shape) < 0.2] = -1
        labels[(labels < 0).all(axis=1), 0] = 0
    assert 8 < len(np.unique(labels, axis=0)) < 24
    options = {"n_neighbors": 3, "n_rounds": 2, "alpha": 0.7, "n_steps": 4}
    slow = mean_graph_by_definition(labels, **options)
    assert_allclose(mean_graph_of(labels, **options), slow, rtol=0, atol=1e-13)


def test_rows_that_are_equally_near_share_the_last_places():
    # Each corner of a triangle has one place for two others: a link exists with chance 3/4.
    graph = module._neighbor_graph(np.eye(3) + 1, np.ones(3), 1).toarray()
    cosine = 5 / 6
    assert_allclose(graph, np.eye(3) + (1 - np.eye(3)) * 0.75 * cosine)
    # Two nearer rows, then three for two places, some of them by rounding not quite as near.
    row, error = np.zeros(6, int), 1e-14
    for distance in ([1, 2, 3, 3, 3 + error, 4], [1, 2, 3, 3 + error, 3 + error, 4]):
        chance = module._chances(row, np.array(distance), 4, 1e-12)
        assert_allclose(chance, [1, 1, 2 / 3, 2 / 3, 2 / 3, 0])
    assert_array_equal(module._chances(row, np.array(distance), 7, 1e-12), np.ones(6))


def test_equal_rows_are_one_neighbor_and_all_linked():
    points, sizes = np.array([[4.0, 0], [4, 1], [4, 3]]), np.array([5, 1, 2])
    graph = module._neighbor_graph(points, sizes, 1).toarray()
    unit = points / np.linalg.norm(points, axis=1, keepdims=True)
    linked = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]])
    root = np.sqrt(sizes)
    assert_allclose(graph, linked * (unit @ unit.T) * np.outer(root, root))


@pytest.mark.parametrize(("further", "chance"), [(5e-11, 0), (1e-14, 0.5)])
def test_rows_are_equally_near_only_up_to_rounding(further, chance):
    # The nearest of the second and of the fourth is another one than the first.
    heights = np.array([0, 1, 1.5, -1 - further, -1.5])
    points = np.stack([np.full(5, 5.0), heights], axis=1)
    graph = module._neighbor_graph(points, np.ones(5), 1).toarray()
    unit = points / np.linalg.norm(points, axis=1, keepdims=True)
    assert_allclose(graph[0, [1, 3]], [1 - chance, chance] * (unit[[1, 3]] @ unit[0]))


def test_weights_of_very_short_rows_are_smaller_than_their_cosines():
    # They are divided by 1e-7, as in the authors' program.
    graph = module._neighbor_graph(np.array([[1e-9, 0], [1.0, 0]]), np.ones(2), 1).toarray()
    assert_allclose(graph, [[1e-4, 1e-2], [1e-2, 1]])


def test_neighbors_do_not_depend_on_the_blocks(monkeypatch):
    points = np.random.RandomState(0).uniform(size=(40, 3)).round(1)
    whole = module._neighbor_graph(points, np.ones(40), 5).toarray()
    monkeypatch.setattr(module, "_BLOCK", 280)
    assert_array_equal(module._neighbor_graph(points, np.ones(40), 5).toarray(), whole)


def test_pairs_are_measured_alike_in_any_blocks(monkeypatch):
    points = np.random.RandomState(0).uniform(size=(40, 3))
    row, column = np.divmod(np.arange(1600), 40)
    whole = module._measured(points, row, column)
    apart = np.linalg.norm(points[:, None] - points, axis=2)
    assert_allclose(whole[0], apart.ravel(), atol=1e-15)
    assert_allclose(whole[1], (points @ points.T).ravel())
    monkeypatch.setattr(module, "_BLOCK", 100)
    assert_array_equal(module._measured(points, row, column), whole)


def test_clusters_diffuse_alike_in_any_blocks(monkeypatch):
    labels = np.random.RandomState(0).randint(7, size=(50, 4))
    whole = mean_graph_of(labels, n_neighbors=5, n_rounds=2)
    monkeypatch.setattr(module, "_COLUMNS", 3)
    assert_array_equal(mean_graph_of(labels, n_neighbors=5, n_rounds=2), whole)


def test_the_nearest_are_found_although_products_round_their_distances():
    # Squares are 1e8, so that products have errors of 1e-8, as large as the squared distances.
    points = 1e4 + 1e-4 * np.random.RandomState(0).normal(size=(60, 2))
    row, column, distance, _ = module._near_pairs(points, np.square(points).sum(axis=1), 5)
    apart = np.linalg.norm(points[:, None] - points, axis=2)
    np.fill_diagonal(apart, np.inf)
    assert_array_equal(distance, apart[row, column])
    for number, expected in enumerate(np.argsort(apart, axis=1)[:, :5]):
        assert_array_equal(column[row == number][:5], expected)


@pytest.mark.parametrize("dense_up_to", [1500, 10])
def test_eigenvectors_of_repeated_rows_are_those_of_the_samples(monkeypatch, dense_up_to):
    monkeypatch.setattr(module, "_DENSE_UP_TO", dense_up_to)
    rng = np.random.RandomState(2)
    rows = np.where(rng.uniform(size=(30, 4)) < 0.4, rng.randint(3, size=(30, 4)), 0)
    rows[15:] = (rows[15:] + 1) % 3
    labels = np.repeat(rows, rng.choice([1, 2, 5], 30), axis=0)
    multiplex, groups = multiplex_of(Ensemble.from_labels(labels))
    for number in range(4):
        points = multiplex.diffuse(number, 0.85, 20)
        multiplex.learn(number, module._neighbor_graph(points, groups.sizes, 3))
    root = np.sqrt(groups.sizes)
    found = module._eigenvectors(multiplex.mean_graph(), root, 3, np.random.RandomState(0))
    found = (found / root[:, None])[groups.labels]
    graph = mean_graph_of(labels, n_neighbors=3, n_rounds=1)
    scale = 1 / np.sqrt(graph.sum(axis=1))
    expected = np.linalg.eigh(scale[:, None] * graph * scale)[1][:, -3:]
    assert_allclose(
        found @ found.T, expected @ expected.T, atol=1e-3 if dense_up_to < 99 else 1e-9
    )


@pytest.mark.parametrize("seed", [0, 3])
def test_repeated_rows_are_cut_like_their_samples(seed):
    rng = np.random.RandomState(seed)
    rows = np.where(rng.uniform(size=(30, 4)) < 0.4, rng.randint(3, size=(30, 4)), 0)
    rows[15:] = (rows[15:] + 1) % 3
    labels = np.repeat(rows, rng.choice([1, 2, 20], 30), axis=0)
    sizes = Ensemble.from_labels(labels).microclusters().sizes
    graph = module._learned_graph(Ensemble.from_labels(labels).microclusters(), 0.85, 3, 1, 20)
    found, _ = module._cut(graph, sizes, 4, 0)
    row = np.repeat(np.arange(len(sizes)), sizes)
    root = np.sqrt(sizes)
    of_samples = (graph.toarray() / np.outer(root, root))[np.ix_(row, row)]
    expected, _ = module._cut(sparse.csr_array(of_samples), np.ones(len(row), int), 4, 0)
    assert adjusted_rand_index(found[row], expected) == 1


def test_many_rows_have_the_eigenvectors_of_few(monkeypatch, reference_ceam):
    graph, root = sparse.csr_array(reference_ceam["mean_graph"]), np.ones(50)
    few = module._eigenvectors(graph, root, 4, np.random.RandomState(0))
    monkeypatch.setattr(module, "_DENSE_UP_TO", 20)
    many = module._eigenvectors(graph, root, 4, np.random.RandomState(0))
    assert not np.array_equal(few, many)
    assert_allclose(many @ many.T, few @ few.T, atol=1e-3)


def test_the_planted_clusters_are_found(planted):
    labels, truth = planted
    result = ceam(Ensemble.from_labels(labels), 3, random_state=0)
    assert adjusted_rand_index(truth, result.labels) == 1
    assert result.details["n_components"] == 1
    assert result.details["converged"]


@pytest.mark.parametrize(("n_samples", "expected", "other"), [(999, 10, 20), (1000, 20, 10)])
def test_the_number_of_neighbors_is_that_of_the_paper(n_samples, expected, other):
    rng = np.random.RandomState(0)
    ensemble = Ensemble.from_labels(rng.randint(5, size=(40, 3))[np.arange(n_samples) % 40])
    options = {"n_rounds": 1, "random_state": 0}
    labels = ceam(ensemble, 4, **options).labels
    assert_array_equal(labels, ceam(ensemble, 4, n_neighbors=expected, **options).labels)
    assert (labels != ceam(ensemble, 4, n_neighbors=other, **options).labels).any()


def test_components_are_the_clusters_and_merged_if_there_are_too_many():
    truth = np.repeat([0, 1, 2, 3], [3, 4, 5, 6])
    apart = np.stack([truth, truth], axis=1)
    apart[0, 1] = 1  # the first two are linked by one sample
    result = ceam(Ensemble.from_labels(apart), 3, random_state=0)
    assert_array_equal(result.labels, np.repeat([0, 1, 2], [7, 5, 6]))
    assert result.details["n_components"] == 3
    with pytest.warns((ConvergenceWarning, UndecidedTieWarning)) as told:
        result = ceam(Ensemble.from_labels(apart), 2, random_state=0)
    assert any("CEAM found 3 components instead of 2" in str(warning.message) for warning in told)
    assert len(np.unique(result.labels)) == 2


def test_as_many_clusters_as_distinct_rows_are_these_rows_before_any_is_filled():
    labels = np.array([[0, 0], [0, 1], [0, 1], [1, 1], [1, 0]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = ceam(Ensemble.from_labels(labels), 4, random_state=0)
    assert_array_equal(result.labels, [0, 1, 1, 2, 3])
    raw = ceam.__wrapped__(Ensemble.from_labels(labels), 4).labels
    assert_array_equal(np.unique(raw), np.arange(4))


def uneven():
    """One partition of many clusters, and five of two."""
    rng = np.random.RandomState(0)
    return np.column_stack([rng.randint(300, size=600), rng.randint(2, size=(600, 5))])


@pytest.mark.parametrize(
    "labels",
    [np.random.RandomState(0).randint(60, size=(600, 3)), uneven()],
    ids=["even", "uneven"],
)
def test_no_more_memory_than_declared_for_few_partitions_of_many_clusters(monkeypatch, labels):
    monkeypatch.setattr(module, "_BLOCK", 2**14)
    monkeypatch.setattr(module, "_DENSE_UP_TO", 100)
    ensemble = Ensemble.from_labels(labels)
    assert len(ensemble.microclusters().sizes) > 580
    declared = bytes_of((*ceam.info.arrays, LABELS), sizes_of(ensemble, 3, 600))
    rows, m = ensemble.microclusters().rows.shape
    declared += module._bytes_of_layers(rows, m, ensemble.n_clusters, 20)
    ceam(Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2)  # what it imports is not measured
    tracemalloc.start()
    ceam(ensemble, 3, n_rounds=1, n_neighbors=20, random_state=0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < declared


@pytest.mark.parametrize("n_neighbors", [20, 60, 5000])
def test_longer_lists_of_neighbors_are_counted_before_they_are_made(monkeypatch, n_neighbors):
    ensemble = Ensemble.from_labels(np.random.RandomState(0).randint(4, size=(90, 6)))
    rows, m = ensemble.microclusters().rows.shape
    near = min(n_neighbors, rows - 1)
    declared = module._bytes_of_layers(rows, m, ensemble.n_clusters, 20)
    monkeypatch.setattr("consensa._machine.memory.available_bytes", lambda: declared)
    if near <= 20:
        ceam(ensemble, 3, n_neighbors=n_neighbors, n_rounds=1, random_state=0)
        return
    with pytest.raises(NotEnoughMemoryError, match=rf"graphs of {near} .* Lower n_neighbors"):
        ceam(ensemble, 3, n_neighbors=n_neighbors, random_state=0)


def test_samples_with_equal_rows_need_the_memory_of_one(monkeypatch):
    few = np.random.RandomState(0).randint(4, size=(40, 6))
    ensemble = Ensemble.from_labels(few[np.arange(2000) % 40])
    rows, m = ensemble.microclusters().rows.shape
    assert rows <= 40
    of_samples = bytes_of((Arrays(8, "nK"), LABELS), sizes_of(ensemble, 3, 2000))
    of_rows = module._bytes_of_layers(rows, m, ensemble.n_clusters, 20)
    needed = max(of_samples, of_rows)
    monkeypatch.setattr("consensa._machine.memory.available_bytes", lambda: needed)
    assert len(np.unique(ceam(ensemble, 3, n_rounds=1, random_state=0).labels)) == 3
    monkeypatch.setattr("consensa._machine.memory.available_bytes", lambda: needed - 1)
    with pytest.raises(NotEnoughMemoryError, match="CEAM"):
        ceam(ensemble, 3, n_rounds=1, random_state=0)


def test_the_factorization_of_many_rows_is_counted_before_anything_is_learned(monkeypatch):
    labels = np.random.RandomState(0).randint(70, size=(2000, 2))
    ensemble = Ensemble.from_labels(labels)
    rows = len(ensemble.microclusters().sizes)
    assert rows > 1500
    needed = 1.5 * 8 * rows**2
    assert bytes_of((*ceam.info.arrays, LABELS), sizes_of(ensemble, 3, 2000)) < needed
    monkeypatch.setattr("consensa._machine.memory.available_bytes", lambda: needed - 1)
    monkeypatch.setattr(module, "_learned_graph", None)
    with pytest.raises(NotEnoughMemoryError, match=f"mean graph of n = {rows} distinct rows"):
        ceam(ensemble, 3, random_state=0)
