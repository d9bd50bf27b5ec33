"""What methods that improve several starts on rows of base clusters share."""

from __future__ import annotations

import gc
import weakref

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

from consensa import Ensemble
from consensa.consensus._representatives import representatives
from consensa.consensus._row_shares import Descent, RowShares, Run, best_run


def rows_of(labels, n_clusters=3):
    ensemble = Ensemble.from_labels(labels)
    rng = np.random.RandomState(0)
    return RowShares.of(ensemble, representatives(ensemble, n_clusters, rng))


def with_gaps(n, m, k, seed):
    """Random labels, a quarter of them missing; each sample has one."""
    rng = np.random.RandomState(seed)
    labels = np.where(rng.uniform(size=(n, m)) < 0.25, -1, rng.randint(k, size=(n, m)))
    labels[:, 0] = np.abs(labels[:, 0])
    return labels


def separations(own, other):
    """In how many partitions two rows differ; half of one if a label is missing there."""
    pairs = zip(own, other, strict=True)
    return sum(0 if a == b else 0.5 if -1 in (a, b) else 1 for a, b in pairs)


def test_starts_are_drawn_by_the_partitions_that_separate_samples():
    rows = rows_of(with_gaps(30, 4, 3, 1))
    weights = np.random.RandomState(2).randint(1, 9, size=30)
    rows = rows._replace(weights=weights)
    for seed in range(10):
        rng = np.random.RandomState(seed)
        nearest, drawn = np.full(30, np.inf), []
        for number in range(5):
            odds = weights if number == 0 else weights * nearest
            place = rng.uniform() * odds.sum()
            drawn.append(rows.ids[int(np.argmax(np.cumsum(odds) > place))])
            nearest = np.minimum(nearest, [separations(row, drawn[-1]) for row in rows.ids])
        expected = [np.argmin([separations(row, own) for own in drawn]) for row in rows.ids]
        assert_array_equal(rows.start(5, np.random.RandomState(seed)), expected)


def test_a_start_has_no_more_labels_than_there_are_distinct_rows():
    rows = rows_of([[0, 0], [0, 1], [0, 1], [1, 1]])
    for seed in range(10):
        labels = rows.start(4, np.random.RandomState(seed))
        assert sorted(set(labels)) == [0, 1, 2]
        assert labels[1] == labels[2]


def test_the_table_of_a_descent_is_largest_for_the_nearest_center():
    rows = rows_of(np.random.RandomState(0).randint(3, size=(30, 4)))
    values = np.random.RandomState(1).uniform(0.5, 2, rows.members.shape[1])
    found = Descent.of(rows, np.arange(30) % 3, values, 0.0, 2)
    one_hot = rows.members.toarray()
    centers = np.stack([one_hot[found.labels == k].mean(axis=0) for k in range(3)])
    apart = ((one_hot[:, None] - centers) ** 2 @ values).T
    own = one_hot @ values
    assert_allclose((rows.members @ found.table(values, 4)).T, own - apart)


def test_the_first_of_the_best_runs_is_returned_and_no_other_is_kept():
    scores, kept, tables = iter([1.0, 3.0, 2.0, 3.0, 0.0]), [], []

    def improve(start):
        gc.collect()
        kept.append(sum(table() is not None for table in tables))
        table = np.empty((6, 3))
        tables.append(weakref.ref(table))
        return Run(start, next(scores), table, len(tables), True)

    rows = rows_of(np.random.RandomState(0).randint(3, size=(20, 2)))
    best = best_run(rows, 3, improve, 5, np.random.RandomState(0))
    assert best.n_iter == 2
    assert len(kept) == 5
    assert max(kept) <= 1
