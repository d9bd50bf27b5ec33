"""Coherent links: by hand, by definition, exact whatever the number of partitions."""

from __future__ import annotations

import math

import array_api_strict as strict
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import label_matrices

from consensa import Ensemble, coassociation, coherent_links
from consensa.exceptions import InvalidParameterError
from consensa.similarity import _agreement


def slowly(labels, min_shared=None):
    """Pairs on which all partitions that label both agree, by three plain loops."""
    n, m = labels.shape
    least = math.ceil(m / 2) if min_shared is None else min_shared
    links = np.eye(n, dtype=bool)
    for i in range(n):
        for j in range(n):
            shared = [k for k in range(m) if labels[i, k] != -1 and labels[j, k] != -1]
            agree = all(labels[i, k] == labels[j, k] for k in shared)
            links[i, j] |= agree and len(shared) >= least
    return links


def test_five_samples_by_hand():
    labels = [[0, 0, 0], [0, 0, -1], [0, -1, -1], [1, 1, 1], [1, 1, -1]]
    links = coherent_links(Ensemble.from_labels(labels))
    assert links.dtype == bool
    assert links.astype(int).tolist() == [
        [1, 1, 0, 0, 0],
        [1, 1, 0, 0, 0],
        [0, 0, 1, 0, 0],
        [0, 0, 0, 1, 1],
        [0, 0, 0, 1, 1],
    ]
    one_is_enough = coherent_links(Ensemble.from_labels(labels), min_shared=1)
    assert one_is_enough[0, 2]
    assert one_is_enough[1, 2]


@given(label_matrices(), st.none() | st.integers(1, 6))
def test_they_are_the_triple_loop(labels, min_shared):
    links = coherent_links(Ensemble.from_labels(labels), min_shared=min_shared)
    np.testing.assert_array_equal(links, slowly(labels, min_shared))


@given(label_matrices())
def test_without_missing_labels_they_are_the_microclusters(labels):
    ensemble = Ensemble.from_labels(np.maximum(labels, 0))
    groups = ensemble.microclusters().labels
    np.testing.assert_array_equal(coherent_links(ensemble), groups[:, None] == groups[None, :])


@given(label_matrices())
def test_linked_pairs_have_co_association_one(labels):
    ensemble = Ensemble.from_labels(labels)
    assert (coassociation(ensemble)[coherent_links(ensemble)] == 1).all()


@given(label_matrices())
def test_duplicating_every_partition_changes_nothing(labels):
    # With an odd number of partitions half of them, rounded up, is less than half of the double.
    m = labels.shape[1]
    once = coherent_links(Ensemble.from_labels(labels), min_shared=m)
    twice = coherent_links(Ensemble.from_labels(np.hstack([labels, labels])), min_shared=2 * m)
    np.testing.assert_array_equal(once, twice)


@given(label_matrices(), st.randoms(use_true_random=False))
def test_permuting_samples_permutes_the_links(labels, random):
    order = list(range(len(labels)))
    random.shuffle(order)
    np.testing.assert_array_equal(
        coherent_links(Ensemble.from_labels(labels[order])),
        coherent_links(Ensemble.from_labels(labels))[np.ix_(order, order)],
    )


@pytest.mark.parametrize("n_partitions", [3, 10, 49, 107, 1001])
def test_one_partition_in_many_is_enough_to_break_a_link(n_partitions):
    labels = np.zeros((3, n_partitions), int)
    labels[2, -1] = 1
    links = coherent_links(Ensemble.from_labels(labels))
    assert links.astype(int).tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 1]]


def test_the_size_of_the_blocks_does_not_matter(monkeypatch):
    labels = np.random.default_rng(2).integers(-1, 2, (31, 4))
    labels[(labels == -1).all(axis=1)] = 0
    ensemble = Ensemble.from_labels(labels)
    whole = coherent_links(ensemble)
    monkeypatch.setattr(_agreement, "_BLOCK_BYTES", 31 * 4 * 7)
    np.testing.assert_array_equal(coherent_links(ensemble), whole)


def test_the_links_are_in_the_library_of_the_labels():
    links = coherent_links(Ensemble.from_labels(strict.asarray([[0, 0], [0, 1], [0, 0]])))
    assert isinstance(links, type(strict.asarray(0)))
    assert links.dtype == strict.bool


@pytest.mark.parametrize("min_shared", [0, -1, 1.5, "half", True])
def test_a_number_of_partitions_that_is_none_is_refused(min_shared):
    ensemble = Ensemble.from_labels([[0, 0], [0, 1]])
    with pytest.raises(InvalidParameterError, match="'min_shared' parameter of coherent_links"):
        coherent_links(ensemble, min_shared=min_shared)
