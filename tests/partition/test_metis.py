"""Partition of a graph by METIS."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from consensa import CSPA
from consensa.exceptions import InvalidParameterError, MissingExtraError
from consensa.partition import cut_by_metis
from consensa.partition._metis import _whole_weights

TWO_TRIANGLES = np.kron(np.eye(2), np.ones((3, 3)))
TWO_TRIANGLES[2, 3] = TWO_TRIANGLES[3, 2] = 0.1


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.coo_array])
@pytest.mark.parametrize("scale", [1e-9, 1, 7, 1e12])
def test_light_edges_are_cut_whatever_the_scale_of_the_weights(form, scale):
    assert_array_equal(
        cut_by_metis(form(scale * TWO_TRIANGLES), 2, random_state=0), [0, 0, 0, 1, 1, 1]
    )


def test_weights_are_whole_positive_symmetric_and_without_loops():
    rng = np.random.RandomState(0)
    graph = rng.uniform(size=(20, 20)) ** 20  # from 1e-20 or so to 1
    graph += graph.T
    whole = _whole_weights(graph).toarray()
    assert whole.dtype == np.int64
    assert_array_equal(whole, whole.T)
    assert_array_equal(whole == 0, np.eye(20, dtype=bool))
    assert 2**29 <= whole.sum() <= 2**30 + 400


def test_whole_numbers_stay_as_they_are():
    graph = np.array([[4, 3, 0], [3, 0, 2], [0, 2, 1]])
    assert_array_equal(_whole_weights(graph).toarray(), [[0, 3, 0], [3, 0, 2], [0, 2, 0]])
    assert _whole_weights(graph * 10**12).sum() <= 2**30


def test_sizes_are_balanced():
    sizes = [4, 1, 1, 1, 1]
    answer = cut_by_metis(np.ones((5, 5)), 2, sizes=sizes, random_state=0)
    assert_array_equal(answer, [0, 1, 1, 1, 1])


def test_more_parts_than_vertices_one_part_and_no_edges():
    assert_array_equal(cut_by_metis(TWO_TRIANGLES, 8), np.arange(6))
    heavy = [100, 1, 1, 1, 1, 1]
    assert_array_equal(cut_by_metis(TWO_TRIANGLES, 6, sizes=heavy), np.arange(6))
    assert_array_equal(cut_by_metis(TWO_TRIANGLES, 1), np.zeros(6))
    assert_array_equal(np.bincount(cut_by_metis(np.zeros((6, 6)), 3, random_state=0)), [2, 2, 2])


def test_seed_decides():
    graph = np.random.RandomState(0).uniform(size=(60, 60))
    graph += graph.T
    answer = cut_by_metis(graph, 4, random_state=5)
    assert_array_equal(cut_by_metis(graph, 4, random_state=5), answer)
    assert np.any(cut_by_metis(graph, 4, random_state=6) != answer)


def test_bad_options_are_refused():
    with pytest.raises(InvalidParameterError, match="'imbalance' parameter of cut_by_metis"):
        cut_by_metis(TWO_TRIANGLES, 2, imbalance=0)


def test_without_the_extra_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "pymetis", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'consensa\[graph\]'"):
        CSPA(2, generator="precomputed").fit([[0, 0], [0, 1], [1, 1], [1, 0]])
