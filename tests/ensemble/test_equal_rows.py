"""Rows that are equal."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_array_equal

from consensa.ensemble.equal_rows import (
    adjacent_equal_rows,
    distinct_rows,
    equal_rows,
    places_among,
)

matrices = hnp.arrays(
    st.sampled_from([np.int8, np.int32, np.uint16]),
    st.tuples(st.integers(1, 30), st.integers(1, 4)),
    elements=st.integers(0, 2),
)


@given(rows=matrices)
def test_groups_are_those_of_numpy_in_lexicographic_order(rows):
    wanted, first, inverse, counts = np.unique(
        rows, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    groups = equal_rows(rows)
    assert_array_equal(groups.of_row, inverse.ravel())
    assert_array_equal(groups.first, first)
    assert_array_equal(groups.sizes, counts)
    assert_array_equal(distinct_rows([rows[:3], rows[3:]], 4), wanted[:4])


@given(rows=matrices)
def test_sorted_rows_need_no_sorting(rows):
    ordered = rows[np.lexsort(rows.T[::-1])]
    for found, wanted in zip(adjacent_equal_rows(ordered), equal_rows(ordered), strict=True):
        assert_array_equal(found, wanted)


def test_no_rows_have_no_groups():
    for group in (equal_rows, adjacent_equal_rows):
        assert [len(part) for part in group(np.empty((0, 3), int))] == [0, 0, 0]


@given(rows=matrices, data=st.data())
def test_rows_are_found_among_known_ones_or_are_not_there(rows, data):
    known = np.unique(rows, axis=0)
    known = known[data.draw(st.permutations(range(len(known))))][: max(1, len(known) - 1)]
    places = places_among(known, rows)
    for row, place in zip(rows.tolist(), places, strict=True):
        assert place == (known.tolist().index(row) if row in known.tolist() else -1)
