"""LeidenSweep: what is particular to it."""

from __future__ import annotations

import numpy as np
import pytest

import consensa as cs
from consensa.exceptions import MissingExtraError

leidenalg = pytest.importorskip("leidenalg", reason="LeidenSweep needs leidenalg, an extra")
igraph = pytest.importorskip("igraph")

RNG = np.random.RandomState(0)
X = RNG.normal(size=(90, 4)) + 7 * np.repeat(np.eye(4)[:3], 30, axis=0)


def test_a_larger_resolution_gives_more_clusters():
    counts = cs.LeidenSweep(10, resolution=(0.05, 5.0)).generate(X, random_state=0).cluster_counts
    assert counts[0] <= 3 < counts[-1]
    assert np.corrcoef(np.arange(10), counts)[0, 1] > 0.8


def test_the_order_of_the_rows_does_not_matter():
    order = RNG.permutation(90)
    here, there = (cs.LeidenSweep(6).generate(rows, random_state=0) for rows in (X, X[order]))
    for one, other in zip(here.codes[order].T, there.codes.T, strict=True):
        assert cs.metrics.adjusted_rand_index(one, other) == 1


def test_without_its_libraries_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "leidenalg", None)
    with pytest.raises(MissingExtraError, match=r"consensa\[leiden\]"):
        cs.LeidenSweep(2).generate(X)
