"""Labels of rows that are computed when they are read are those that are kept."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import consensa as cs
from consensa.consensus import _tea
from consensa.consensus._empty_clusters import fill_empty_clusters
from consensa.ensemble import Ensemble
from consensa.ensemble.deferred import RowValues
from consensa.generation._labels_of_points import LookedUpCodes


@pytest.fixture
def codes(monkeypatch):
    """Codes of 3,000 samples of 40 and 30 points, of which TEA draws rows."""
    monkeypatch.setattr(_tea, "_MOST_SAMPLES", 1000)
    monkeypatch.setattr("consensa.generation._labels_of_points._ROWS", 256)
    rng = np.random.default_rng(0)
    classes = rng.integers(0, 3, 3000)
    numbers = [(classes + 3 * rng.integers(0, n // 3, 3000)).astype(np.uint16) for n in (40, 30)]
    tables = [(np.arange(n) % 3)[:, None] + 3 * rng.integers(0, 2, (n, 5)) for n in (40, 30)]
    return [table.astype(np.int32) for table in tables], numbers


@pytest.mark.parametrize("method", [cs.tea, cs.mcla])
def test_labels_and_confidence_are_the_same(codes, method):
    kept = method(Ensemble(LookedUpCodes(*codes)), 3)
    found = method(Ensemble(LookedUpCodes(*codes, deferred=True)), 3)
    assert isinstance(found.labels, RowValues)
    assert_array_equal(np.asarray(found.labels), kept.labels)
    assert_array_equal(np.asarray(found.confidence), kept.confidence)
    assert_array_equal(found.cluster_sizes, kept.cluster_sizes)
    assert found.n_clusters == kept.n_clusters
    assert found.confidence.mean() == pytest.approx(kept.confidence.mean(), abs=1e-12)
    few = np.array([2999, 5, 700])
    assert_array_equal(found.labels[few], kept.labels[few])
    assert_array_equal(found.labels[250:1000], kept.labels[250:1000])
    assert repr(found) == repr(kept)


def test_empty_clusters_are_filled_alike(codes):
    both = []
    for deferred in (False, True):
        ensemble = Ensemble(LookedUpCodes(*codes, deferred=deferred))
        labels = ensemble.rows.label(lambda ids: 3 * (ids[:, 0] % 2))  # clusters 0 and 3 of four
        filled = fill_empty_clusters(ensemble, labels, 4)
        numbered = ensemble.rows.number(filled)
        assert numbered.n_labels == 4
        both.append((np.asarray(filled), np.asarray(numbered.labels), numbered.rank))
    for kept, found in zip(*both, strict=True):
        assert_array_equal(found, kept)
