"""Distances in place of features, and the cosine distance."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score

import consensa as cs
from consensa.exceptions import InvalidInputError, InvalidParameterError
from consensa.generation._given_distances import coordinates, distinct_samples, nearest_given

IRIS = load_iris().data / np.ptp(load_iris().data, axis=0)
DISTANCES = squareform(pdist(IRIS))
KINDS = [cs.GraphCuts(4), cs.GenieTrees(4), cs.GaussianMixtures(2), cs.NeighborEmbedding(4)]


def test_distances_of_features_give_a_similar_answer():
    by_distances = cs.cluster(DISTANCES, 3, metric="precomputed", random_state=0)
    generator = cs.DiverseKinds(scaling="none", metric="euclidean")
    by_features = cs.cluster(IRIS, 3, generator=generator, random_state=0)
    assert adjusted_rand_score(by_features.labels, by_distances.labels) > 0.85
    # The random numbers of an embedding go to other samples: their canonical order is another one.
    same, others = by_features.ensemble, by_distances.ensemble
    is_embedding = np.char.startswith(same.partition_names, "embedding")
    pairs = zip(same.codes.T, others.codes.T, strict=True)
    agreement = np.array([adjusted_rand_score(one, other) for one, other in pairs])
    assert agreement[is_embedding].min() > 0.5
    assert agreement[~is_embedding].min() > 0.95
    kept = np.flatnonzero(~is_embedding)
    one, other = (cs.combine(labels.select(kept), 3).labels for labels in (same, others))
    assert adjusted_rand_score(one, other) > 0.95
    assert others.partition_names == same.partition_names
    assert by_distances.details["space"] == "distances as given"
    assert by_distances.remarks == ()


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: type(kind).__name__)
def test_every_kind_finds_the_same_partitions_in_any_order(kind):
    rng = np.random.default_rng(0)
    matrix = DISTANCES[::2, ::2]
    order = rng.permutation(len(matrix))
    generator = kind.set_params(metric="precomputed", n_clusters=3)
    first = generator.generate(matrix, random_state=0)
    second = generator.generate(matrix[np.ix_(order, order)], random_state=0)
    for a, b in zip(first.codes[order].T, second.codes.T, strict=True):
        assert adjusted_rand_score(a, b) == 1


def test_the_default_gives_the_same_partition_in_any_order_of_rows_and_columns():
    rng = np.random.default_rng(0)
    matrix = np.round(DISTANCES, 1)  # with ties, and samples at distance 0
    order = rng.permutation(len(matrix))
    options = {"metric": "precomputed", "random_state": 0}
    first = cs.cluster(matrix, 3, **options).labels
    second = cs.cluster(matrix[np.ix_(order, order)], 3, **options).labels
    assert adjusted_rand_score(first[order], second) == 1


def test_more_distinct_samples_than_max_samples_get_the_label_of_the_nearest():
    generator = cs.DiverseKinds(12, metric="precomputed", max_samples=60)
    labels = cs.TEA(3, generator=generator, random_state=0).fit(DISTANCES).labels_
    assert adjusted_rand_score(load_iris().target, labels) > 0.5


def test_samples_with_the_same_distances_to_all_are_one_point():
    matrix = squareform(pdist(np.array([[0.0], [0.0], [1.0], [5.0], [5.0], [5.0]])))
    found = distinct_samples(matrix)
    assert len(found.first) == 3
    assert_array_equal(np.sort(np.bincount(found.row_of_sample)), [1, 2, 3])
    assert found.row_of_sample[0] == found.row_of_sample[1] != found.row_of_sample[2]


def tree_of_three_legs():
    """Distances 1 along the edges of a tree without symmetry, and 2 elsewhere."""
    matrix = 2.0 - 2.0 * np.eye(7)
    for a, b in ((0, 1), (0, 2), (2, 3), (0, 4), (4, 5), (5, 6)):  # legs of 1, 2 and 3 edges
        matrix[a, b] = matrix[b, a] = 1.0
    return matrix


@pytest.mark.parametrize(
    "matrix", [DISTANCES[:20, :20], tree_of_three_legs()], ids=["iris", "tree"]
)
def test_the_order_of_the_samples_is_that_of_their_distances_alone(matrix):
    rng = np.random.default_rng(0)
    wanted = matrix[np.ix_(*(distinct_samples(matrix).first,) * 2)]
    for _ in range(5):
        order = rng.permutation(len(matrix))
        shuffled = matrix[np.ix_(order, order)]
        first = distinct_samples(shuffled).first
        assert_array_equal(shuffled[np.ix_(first, first)], wanted)


def test_coordinates_have_the_distances_that_were_given():
    for n in (40, 1100):  # more than the landmarks
        points = np.random.default_rng(0).normal(size=(n, 3))
        found = coordinates(squareform(pdist(points)))
        assert found.shape == (n, 3)
        assert_allclose(found.mean(axis=0), 0, atol=1e-12)
        assert_allclose(pdist(found), pdist(points), atol=1e-8)
    assert not coordinates(np.zeros((4, 4))).any()


def test_nearest_neighbors_leave_out_the_point_itself_even_among_zeros():
    neighbors, distances = nearest_given(np.array([[0, 0, 2], [0, 0, 1], [2, 1, 0.0]]), 30)
    assert_array_equal(neighbors, [[1, 2], [0, 2], [1, 0]])
    assert_array_equal(distances, [[0, 2], [0, 1], [1, 2]])


SMALL = squareform(pdist(np.arange(5.0)[:, None] ** 2))


@pytest.mark.parametrize(
    ("X", "said"),
    [
        (np.ones((5, 3)), r"a row and a column for each sample. Got shape \(5, 3\)"),
        (-SMALL, "must not be negative. Row 0, column 1 .* has -1"),
        (np.triu(SMALL), "must be symmetric. Row 0, column 1 .* has 1; row 1, column 0 has 0"),
        (np.eye(5), r"0 on the diagonal. Row 0 .* has 1 there. Convert similarities"),
        (sparse.csr_array(SMALL), "dense and without text. Got a sparse matrix"),
        (pd.DataFrame(SMALL).assign(a=list("xxyyz")), "without text. Got text columns"),
    ],
    ids=["features", "negative", "triangle", "similarities", "sparse", "text"],
)
def test_what_is_no_matrix_of_distances_is_refused(X, said):
    with pytest.raises(InvalidInputError, match=said):
        cs.cluster(X, 2, metric="precomputed")


def test_rounding_is_no_asymmetry():
    noisy = SMALL * (1 + 1e-12 * np.random.default_rng(0).normal(size=SMALL.shape))
    labels = cs.cluster(noisy.astype(np.float32), 2, metric="precomputed", random_state=0).labels
    assert len(set(labels)) == 2


def test_new_samples_and_numbers_of_clusters_need_features():
    generator = cs.GenieTrees(4, metric="precomputed")
    model = cs.EAC(2, generator=generator).fit(SMALL)
    with pytest.raises(InvalidInputError, match="predict needs features, and the model was fit"):
        model.predict(SMALL)
    with pytest.raises(InvalidParameterError, match="select_n_clusters needs features"):
        cs.select_n_clusters(SMALL, (2, 3), generator=generator)


def test_the_metric_is_that_of_the_generator():
    counts = np.random.default_rng(0).poisson(3, size=(40, 6)) * np.geomspace(1, 50, 40)[:, None]
    own = cs.cluster(counts, 2, generator=cs.GenieTrees(6, metric="cosine"), random_state=0)
    given = cs.cluster(counts, 2, generator=cs.GenieTrees(6), metric="cosine", random_state=0)
    assert_array_equal(given.labels, own.labels)
    assert given.generator.metric == "cosine"
    assert "cosine distance" in given.details["space"]
    for generator in (cs.RandomKMeans(), "precomputed"):
        with pytest.raises(InvalidParameterError, match="needs a generator that has it"):
            cs.cluster(counts, 2, generator=generator, metric="cosine")
    with pytest.raises(InvalidParameterError, match="'metric' parameter of DiverseKinds"):
        cs.cluster(counts, 2, metric="manhattan")


def test_cosine_finds_the_subjects_of_texts_of_any_length():
    rng = np.random.default_rng(0)
    subject = rng.permutation(np.repeat([0, 1, 2], 40))
    rates = np.full((3, 60), 0.2)
    for own in range(3):
        rates[own, own * 20 : own * 20 + 20] = 2.0
    lengths = rng.lognormal(0, 1.0, size=120)
    counts = sparse.csr_array(rng.poisson(rates[subject] * lengths[:, None]).astype(float))
    generator = cs.DiverseKinds(scaling="none")
    result = cs.cluster(counts, 3, generator=generator, metric="cosine", random_state=0)
    assert adjusted_rand_score(subject, result.labels) > 0.9
