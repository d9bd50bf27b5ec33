"""Co-association: by hand, by definition, by invariance."""

from __future__ import annotations

import array_api_strict as strict
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import label_matrices

from consensa import Ensemble, coassociation
from consensa.exceptions import InvalidInputError, InvalidParameterError
from consensa.similarity import _agreement


def slowly(labels, weights=None):
    """Share of the partitions that put two samples together, by three plain loops."""
    n, m = labels.shape
    weights = [1.0] * m if weights is None else weights
    result = np.eye(n)
    for i in range(n):
        for j in range(n):
            together = shared = 0.0
            for k in range(m):
                if labels[i, k] != -1 and labels[j, k] != -1:
                    shared += weights[k]
                    together += weights[k] * (labels[i, k] == labels[j, k])
            if i != j:
                result[i, j] = together / shared if shared > 0 else 0.0
    return result


def test_five_samples_by_hand():
    labels = [[0, 0, 0], [0, 0, -1], [0, 1, 1], [1, 1, 1], [1, 2, -1]]
    wanted = [
        [1, 1, 1 / 3, 0, 0],
        [1, 1, 1 / 2, 0, 0],
        [1 / 3, 1 / 2, 1, 2 / 3, 0],
        [0, 0, 2 / 3, 1, 1 / 2],
        [0, 0, 0, 1 / 2, 1],
    ]
    np.testing.assert_array_equal(coassociation(Ensemble.from_labels(labels)), wanted)


@given(label_matrices())
def test_it_is_the_triple_loop(labels):
    np.testing.assert_array_equal(coassociation(Ensemble.from_labels(labels)), slowly(labels))


@given(label_matrices(), st.data())
def test_with_weights_it_is_the_weighted_triple_loop(labels, data):
    m = labels.shape[1]
    weight = st.sampled_from([0.0, 0.1, 1.0, 3.7])
    weights = data.draw(st.lists(weight, min_size=m, max_size=m).filter(any))
    affinity = coassociation(Ensemble.from_labels(labels), partition_weights=weights)
    np.testing.assert_allclose(affinity, slowly(labels, weights), rtol=0, atol=1e-15)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@given(labels=label_matrices(), seed=st.integers(0, 2**31) | st.none())
def test_it_is_symmetric_in_the_unit_interval_with_unit_diagonal(dtype, labels, seed):
    weights = None if seed is None else np.random.default_rng(seed).random(labels.shape[1])
    ensemble = Ensemble.from_labels(np.vstack([labels, labels]))
    affinity = coassociation(ensemble, dtype=dtype, partition_weights=weights)
    assert affinity.dtype == dtype
    np.testing.assert_array_equal(affinity, affinity.T)
    assert affinity.min() >= 0
    assert affinity.max() <= 1
    assert (np.diag(affinity) == 1).all()
    twins = affinity[np.arange(len(labels)), np.arange(len(labels)) + len(labels)]
    assert (twins == 1).all()  # identical rows are always together: exactly 1, not nearly


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("n_partitions", [10, 37, 200])
def test_a_pair_that_is_always_together_has_exactly_one_whatever_the_weights(dtype, n_partitions):
    weights = np.random.default_rng(n_partitions).random(n_partitions)
    unanimous = Ensemble.from_labels(np.zeros((3, n_partitions), int))
    assert (coassociation(unanimous, partition_weights=weights, dtype=dtype) == 1).all()


def test_weighted_sums_over_missing_labels_do_not_depend_on_the_order_of_the_pair():
    rng = np.random.default_rng(0)
    labels = rng.integers(-1, 3, (90, 37))
    weights = rng.random(37)
    for dtype in ("float64", "float32"):
        affinity = coassociation(
            Ensemble.from_labels(labels), partition_weights=weights, dtype=dtype
        )
        np.testing.assert_array_equal(affinity, affinity.T)
        np.testing.assert_allclose(affinity, slowly(labels, weights), rtol=0, atol=1e-5)


@given(label_matrices(), st.randoms(use_true_random=False))
def test_renaming_clusters_changes_nothing(labels, random):
    names = list(range(labels.max() + 1))
    random.shuffle(names)
    renamed = np.where(labels == -1, -1, np.array(names)[labels])
    np.testing.assert_array_equal(
        coassociation(Ensemble.from_labels(renamed)), coassociation(Ensemble.from_labels(labels))
    )


@given(label_matrices(), st.randoms(use_true_random=False))
def test_permuting_samples_permutes_the_matrix(labels, random):
    order = list(range(len(labels)))
    random.shuffle(order)
    np.testing.assert_array_equal(
        coassociation(Ensemble.from_labels(labels[order])),
        coassociation(Ensemble.from_labels(labels))[np.ix_(order, order)],
    )


@given(label_matrices())
def test_duplicating_every_partition_changes_nothing(labels):
    twice = Ensemble.from_labels(np.hstack([labels, labels]))
    np.testing.assert_array_equal(
        coassociation(twice), coassociation(Ensemble.from_labels(labels))
    )


@given(label_matrices(), st.data())
def test_a_whole_weight_is_a_number_of_copies(labels, data):
    m = labels.shape[1]
    copies = data.draw(st.lists(st.integers(1, 3), min_size=m, max_size=m))
    repeated = Ensemble.from_labels(np.repeat(labels, copies, axis=1))
    weighted = coassociation(Ensemble.from_labels(labels), partition_weights=copies)
    np.testing.assert_allclose(weighted, coassociation(repeated), rtol=0, atol=1e-15)


@pytest.mark.parametrize("scale", [1e-300, 1e-50, 1e50, 1e300])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_only_the_ratios_of_the_weights_count(scale, dtype):
    ensemble = Ensemble.from_labels([[0, 0, 0], [0, 1, -1], [1, 1, 0]])
    np.testing.assert_allclose(
        coassociation(ensemble, partition_weights=[1 * scale, 2 * scale, 3 * scale], dtype=dtype),
        coassociation(ensemble, partition_weights=[1, 2, 3], dtype=dtype),
        rtol=1e-6,
    )


@pytest.mark.parametrize("weights", [None, [0.3, 0.1, 0.7, 0.2]])
def test_the_size_of_the_blocks_does_not_matter(weights, monkeypatch):
    labels = np.random.default_rng(1).integers(-1, 3, (23, 4))
    labels[(labels == -1).all(axis=1)] = 0
    for matrix in (labels, np.maximum(labels, 0)):
        ensemble = Ensemble.from_labels(matrix)
        whole = coassociation(ensemble, partition_weights=weights)
        for n_bytes in (1, 23 * 8 * 5):
            monkeypatch.setattr(_agreement, "_BLOCK_BYTES", n_bytes)
            np.testing.assert_array_equal(
                coassociation(ensemble, partition_weights=weights), whole
            )
        monkeypatch.undo()


def test_the_matrix_is_in_the_library_of_the_labels():
    labels = [[0, 0], [0, 1], [1, 1]]
    affinity = coassociation(Ensemble.from_labels(strict.asarray(labels)))
    assert isinstance(affinity, type(strict.asarray(0)))
    assert affinity.dtype == strict.float64
    np.testing.assert_array_equal(
        np.asarray(affinity), coassociation(Ensemble.from_labels(labels))
    )


def test_the_weights_are_not_modified():
    weights = np.array([2.0, 4.0])
    coassociation(Ensemble.from_labels([[0, 0], [0, 1]]), partition_weights=weights)
    assert weights.tolist() == [2.0, 4.0]


@pytest.mark.parametrize(
    "weights", [[1], [1, 2, 3], [[1, 2]], [1, -1], [0, 0], [1, np.nan], [1, np.inf], 1.0]
)
def test_weights_that_are_none_are_refused(weights):
    ensemble = Ensemble.from_labels([[0, 0], [0, 1]])
    with pytest.raises(InvalidInputError, match="partition_weights must be 2 finite numbers"):
        coassociation(ensemble, partition_weights=weights)


def test_a_type_that_is_not_offered_is_refused():
    ensemble = Ensemble.from_labels([[0, 0], [0, 1]])
    with pytest.raises(InvalidParameterError, match="'dtype' parameter of coassociation"):
        coassociation(ensemble, dtype="float16")


def test_a_label_matrix_is_taken_as_it_is():
    labels = [["a", 0], ["a", 1], ["b", 1]]
    ensemble = Ensemble.from_labels(labels)
    np.testing.assert_array_equal(coassociation(labels), coassociation(ensemble))
