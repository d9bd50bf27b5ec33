"""What is done to some rows of an ensemble, given by their cluster ids."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from numpy.testing import assert_allclose, assert_array_equal
from strategies import label_matrices

from consensa import Ensemble
from consensa._machine import compile as _compile
from consensa.ensemble.rows import (
    add_rows_of_table,
    cluster_ids,
    cluster_slices,
    count_meetings,
    mean_company,
    membership,
    nearest_centers,
    offsets,
    sizes_of_clusters,
    sums_by_partition,
)

NUMPY, COMPILED = float("inf"), -1  # steps before loops are compiled
either = pytest.mark.parametrize("loading", [NUMPY, COMPILED], ids=["numpy", "compiled"])


@pytest.fixture
def labels():
    drawn = np.random.default_rng(0).integers(-1, 4, (50, 6))
    drawn[:, 0] = np.abs(drawn[:, 0])
    return drawn


def test_clusters_are_numbered_over_all_partitions_those_of_the_first_one_first():
    counts = np.array([3, 1, 2])
    assert_array_equal(offsets(counts), [0, 3, 4])
    assert cluster_slices(counts) == [slice(0, 3), slice(3, 4), slice(4, 6)]
    codes = np.array([[2, 0, 1], [-1, 0, -1]], np.int32)
    assert_array_equal(cluster_ids(codes, counts), [[2, 3, 5], [-1, 3, -1]])


@pytest.mark.parametrize("axis", [0, 1])
def test_sums_by_partition_are_those_of_the_clusters_of_each(axis):
    counts = np.array([3, 1, 2])
    values = np.random.default_rng(0).integers(0, 9, (6, 6))
    parts = (values[part] if axis == 0 else values[:, part] for part in cluster_slices(counts))
    expected = np.stack([part.sum(axis=axis) for part in parts], axis=axis)
    assert_array_equal(sums_by_partition(values, counts, axis), expected)


@given(labels=label_matrices())
def test_ids_memberships_and_sizes_of_rows_are_those_of_the_ensemble(labels):
    ensemble = Ensemble.from_labels(labels)
    ids = cluster_ids(ensemble.codes, ensemble.cluster_counts)
    assert_array_equal(ids, ensemble.cluster_ids)
    found = membership(ids, ensemble.n_clusters)
    assert_array_equal(found.toarray(), ensemble.membership().toarray())
    assert_array_equal(sizes_of_clusters(ids, ensemble.n_clusters), found.sum(axis=0))


@pytest.mark.parametrize("size", [1, 40])
def test_compiled_and_plain_sums_are_equal_to_the_last_bit(labels, size, monkeypatch):
    ensemble = Ensemble.from_labels(labels)
    ids = ensemble.cluster_ids[:size].astype(np.int32)
    table = np.random.default_rng(3).standard_normal((ensemble.n_clusters, 5))
    monkeypatch.setattr(_compile, "_LOADING", NUMPY)
    plain = add_rows_of_table(ids, table)
    held = [row[row >= 0] for row in ids]
    assert_allclose(plain, [table[rows].sum(axis=0) for rows in held])
    nearest = nearest_centers(plain, table)
    monkeypatch.setattr(_compile, "_LOADING", COMPILED)
    assert_array_equal(add_rows_of_table(ids, table), plain)
    assert_array_equal(nearest_centers(plain, table), nearest)
    distances = ((plain[:, None] - table) ** 2).sum(axis=2)
    assert_array_equal(nearest, distances.argmin(axis=1))


@either
def test_the_first_of_two_centers_as_near_wins(loading, monkeypatch):
    monkeypatch.setattr(_compile, "_LOADING", loading)
    centers = np.array([[5.0], [1.0], [-1.0], [1.0]])
    assert_array_equal(nearest_centers(np.array([[0.0], [0.9]]), centers), [1, 1])


def test_ids_of_small_types_do_not_overflow():
    codes = np.full((2, 3), 120, np.int8)
    ids = cluster_ids(codes, np.array([121, 121, 121]))
    assert_array_equal(ids, [[120, 241, 362]] * 2)


def test_compiled_and_plain_company_is_equal_to_the_last_bit(monkeypatch):
    labels = np.random.default_rng(0).integers(-1, 4, (50, 20))
    labels[:, 0] = np.abs(labels[:, 0])
    ids = Ensemble.from_labels(labels).cluster_ids.astype(np.int32)
    sizes = Ensemble.from_labels(labels).cluster_sizes
    sizes[:2] = 1  # alone in the partition; below, one label is alone in the consensus
    consensus = np.random.default_rng(1).integers(0, 3, 50)
    monkeypatch.setattr(_compile, "_LOADING", NUMPY)
    met = count_meetings(ids, consensus, (len(sizes) + 1, 4))
    alone = np.array([True, False, False, False])
    plain = mean_company(ids, consensus, met, sizes, alone)
    monkeypatch.setattr(_compile, "_LOADING", COMPILED)
    assert_array_equal(count_meetings(ids, consensus, met.shape), met)
    assert_array_equal(mean_company(ids, consensus, met, sizes, alone), plain)
