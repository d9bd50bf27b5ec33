"""Numbering of labels block by block."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from strategies import label_matrices

from consensa import Ensemble
from consensa.ensemble.numbering import Numbering, merge_scans, scan_block
from consensa.exceptions import InvalidInputError

types = st.sampled_from([np.int64, np.int8, float, object])


@given(labels=label_matrices(), cut=st.integers(0, 12), dtype=types, stretch=st.booleans())
def test_blocks_are_numbered_as_the_whole(labels, cut, dtype, stretch):
    given = labels.astype(dtype)
    if stretch and dtype in (np.int64, float):
        given = np.where(labels >= 0, labels * 10**9, -1).astype(dtype)
    names = [str(j) for j in range(labels.shape[1])]
    blocks = [given[:cut], given[cut:]]
    scan = merge_scans([scan_block(b, names, s) for b, s in zip(blocks, (0, cut), strict=True)])
    wanted = Ensemble.from_labels(labels)
    assert_array_equal(
        np.concatenate([Numbering(scan.distinct).codes(b) for b in blocks]), wanted.codes
    )
    assert (scan.n_rows, scan.n_missing) == (len(labels), wanted.n_missing)


def test_numbering_that_changes_nothing_is_known():
    assert Numbering([np.array([0, 1, 2])]).is_identity
    assert not Numbering([np.array([0, 1]), np.array([1, 0])]).is_identity


def test_blocks_of_another_width_are_refused():
    with pytest.raises(
        InvalidInputError, match=r"must have 2 partitions.*From row 7, they have 3"
    ):
        scan_block(np.zeros((2, 3), int), ["0", "1"], 7)


def test_the_first_row_without_labels_is_found_across_blocks():
    scans = [
        scan_block(np.array([[0, 0]]), ["a", "b"], 0),
        scan_block(np.array([[0, -1], [-1, -1]]), ["a", "b"], 1),
        scan_block(np.array([[-1, -1]]), ["a", "b"], 3),
    ]
    assert merge_scans(scans).unlabeled == 2


@given(labels=label_matrices(), others=label_matrices(), dtype=st.sampled_from(["i1", "i8"]))
def test_a_block_without_new_labels_is_scanned_alike_and_others_are_left(labels, others, dtype):
    names = [str(j) for j in range(labels.shape[1])]
    first = scan_block(labels, names)
    numbering = Numbering(first.distinct)
    rows = np.resize(others, (len(others), labels.shape[1])).astype(dtype)
    new = any(
        not set(column.tolist()) <= {-1, *known.tolist()}
        for column, known in zip(rows.T, first.distinct, strict=True)
    )
    found = numbering.scan_known(rows, 5)
    assert (found is None) == new
    if found is not None:
        assert found.distinct is first.distinct
        assert (found.n_missing, found.unlabeled) == scan_block(rows, names, 5)[2:]


def test_negative_labels_are_not_taken_for_known_ones():
    numbering = Numbering([np.array([0, 1]), np.array([0, 1])])
    assert numbering.scan_known(np.array([[0, -2]]), 0) is None
    assert numbering.scan_known(np.array([[2, 0]]), 0) is None
    assert numbering.scan_known(np.array([[1, -1]]), 0) is not None
