"""Partition of a hypergraph by Mt-KaHyPar."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse

from consensa import HGPA
from consensa.exceptions import InvalidParameterError, MissingExtraError
from consensa.partition import cut_by_kahypar

# Vertices 0 to 2 share three hyperedges, 3 to 5 too; one hyperedge crosses, one is a single.
MEMBERSHIP = np.zeros((6, 8), int)
MEMBERSHIP[:3, :3] = MEMBERSHIP[3:, 3:6] = 1
MEMBERSHIP[[2, 3], 6] = MEMBERSHIP[0, 7] = 1


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csc_array])
@pytest.mark.parametrize("objective", ["cut", "connectivity"])
def test_few_hyperedges_are_cut(form, objective):
    answer = cut_by_kahypar(form(MEMBERSHIP), 2, objective=objective, random_state=0)
    assert_array_equal(answer, [0, 0, 0, 1, 1, 1])


def test_sizes_are_balanced():
    sizes = [4, 1, 1, 1, 1]
    answer = cut_by_kahypar(np.ones((5, 3)), 2, sizes=sizes, random_state=0)
    assert_array_equal(answer, [0, 1, 1, 1, 1])


def test_more_parts_than_vertices_one_part_and_no_hyperedges():
    assert_array_equal(cut_by_kahypar(MEMBERSHIP, 8), np.arange(6))
    assert_array_equal(cut_by_kahypar(MEMBERSHIP, 1), np.zeros(6))
    parts = cut_by_kahypar(np.zeros((6, 2)), 3, random_state=0)
    assert_array_equal(np.bincount(parts), [2, 2, 2])


def test_same_seed_same_answer():
    membership = np.random.RandomState(0).uniform(size=(60, 30)) < 0.2
    assert_array_equal(
        cut_by_kahypar(membership, 4, random_state=5),
        cut_by_kahypar(membership, 4, random_state=5),
    )


def test_nothing_is_printed(capfd):
    cut_by_kahypar(MEMBERSHIP, 2, random_state=0)
    printed = capfd.readouterr()
    assert printed.out == printed.err == ""


def test_bad_options_are_refused():
    with pytest.raises(InvalidParameterError, match="Did you mean 'cut'"):
        cut_by_kahypar(MEMBERSHIP, 2, objective="cute")


def test_without_the_extra_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "mtkahypar", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'consensa\[graph\]'"):
        HGPA(2, generator="precomputed").fit([[0, 0], [0, 1], [1, 1], [1, 0]])
