"""What methods that improve several starts on rows of base clusters share."""

from __future__ import annotations

import weakref

import numpy as np

from consensa import Ensemble
from consensa.consensus._representatives import representatives
from consensa.consensus._row_shares import RowShares, Run, best_run


def rows_of(labels, n_clusters=3):
    ensemble = Ensemble.from_labels(labels)
    rng = np.random.RandomState(0)
    return RowShares.of(ensemble, representatives(ensemble, n_clusters, rng))


def test_the_first_of_the_best_runs_is_returned_and_no_other_is_kept():
    scores, kept, tables = iter([1.0, 3.0, 2.0, 3.0, 0.0]), [], []

    def improve(start):
        kept.append(sum(table() is not None for table in tables))
        table = np.empty((6, 3))
        tables.append(weakref.ref(table))
        return Run(start, next(scores), table, len(tables), True)

    rows = rows_of(np.random.RandomState(0).randint(3, size=(20, 2)))
    best = best_run(rows, 3, improve, 5, np.random.RandomState(0))
    assert best.n_iter == 2
    assert kept == [0, 1, 1, 1, 1]
