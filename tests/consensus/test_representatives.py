"""Methods on more samples than they start from: few stand for all."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import consensa
from consensa import Ensemble
from consensa.consensus import _ptgp, _tea
from consensa.consensus._representatives import representatives
from consensa.ensemble import _counts
from consensa.metrics import adjusted_rand_index
from consensa.partition import kmeans as _kmeans

linear = pytest.mark.parametrize(
    "name",
    ["lwgp", "hbgf", "sec", "ecpcsmc", "mcla", "tea", "ptgp", "kcc", "cdkm", "cdec", "emconsensus",
     "gpmgla"],
)  # fmt: skip


@pytest.fixture
def few(monkeypatch):
    """Starts from 200 samples at most."""
    monkeypatch.setattr(_kmeans, "_SAMPLE", 200)
    monkeypatch.setattr(_kmeans, "_SAMPLE_PER_CLUSTER", 10)
    monkeypatch.setattr(_tea, "_MOST_SAMPLES", 200)
    monkeypatch.setattr(_ptgp, "_MOST_SAMPLES", 200)
    monkeypatch.setattr(_ptgp, "_REPRESENTATIVES", 200)


@pytest.fixture(scope="module")
def many():
    """1500 samples in 4 classes, 9 noisy partitions, and the classes."""
    rng = np.random.default_rng(0)
    classes = rng.integers(0, 4, 1500)
    fine = 2 * classes[:, None] + rng.integers(0, 2, (1500, 9))
    noise = rng.uniform(size=fine.shape) < 0.15
    return np.where(noise, rng.integers(0, 8, fine.shape), fine), classes


def combined(name, labels, seed):
    """Labels of 4 clusters by the method of this name."""
    function = getattr(consensa, name)
    options = {"random_state": seed} if "random_state" in function.declared else {}
    return function(Ensemble.from_labels(labels), 4, **options).labels


@linear
def test_few_find_what_all_find(name, many, few):
    labels, classes = many
    found = combined(name, labels, 0)
    # Logarithms of the shares in a cluster of 50 rows are rough: many are of 0.
    least = 0.85 if name in ("kcc", "emconsensus") else 0.95
    assert adjusted_rand_index(found, classes) > least


@linear
def test_blocks_of_rows_do_not_show_in_the_labels(name, many, few, monkeypatch):
    labels, _ = many
    whole = combined(name, labels, 1)
    monkeypatch.setattr(_counts, "_BLOCK_ROWS", 77)
    blocks = combined(name, labels, 1)
    assert_array_equal(blocks, whole)


@linear
def test_equal_rows_get_equal_labels(name, many, few):
    twice = np.concatenate([many[0], many[0]])
    found = combined(name, twice, 0)
    assert_array_equal(found[:1500], found[1500:])


def test_representatives_are_distinct_rows_with_their_counts(many, few):
    ensemble = Ensemble.from_labels(many[0])
    chosen = representatives(ensemble, 4, np.random.RandomState(0))
    assert len(np.unique(chosen.ids, axis=0)) == 200
    assert not chosen.are_all
    assert_array_equal(chosen.ids, ensemble.cluster_ids[chosen.numbers])
    equal = (chosen.ids[:, None] == ensemble.cluster_ids[None]).all(axis=2)
    assert_array_equal(chosen.weights, equal.sum(axis=1))
    assert_array_equal(chosen.numbers, equal.argmax(axis=1))
    other = representatives(ensemble, 4, np.random.RandomState(1))
    assert set(other.numbers.tolist()) != set(chosen.numbers.tolist())


@linear
def test_representatives_do_not_depend_on_the_order_of_rows_or_partitions(name, many, few):
    labels, _ = many
    rng = np.random.RandomState(3)
    rows, columns = rng.permutation(len(labels)), rng.permutation(labels.shape[1])
    here, there = combined(name, labels, 0), combined(name, labels[rows][:, columns], 0)
    assert adjusted_rand_index(here[rows], there) == 1


def test_few_samples_stand_for_themselves(many):
    chosen = representatives(Ensemble.from_labels(many[0]), 4, np.random.RandomState(0))
    assert chosen.are_all
    assert_array_equal(np.sort(chosen.numbers), np.arange(1500))


def test_the_objective_of_sec_is_scaled_to_all_samples(many, few, monkeypatch):
    ensemble = Ensemble.from_labels(many[0])
    estimated = consensa.sec(ensemble, 4, random_state=0).details["objective"]
    monkeypatch.setattr(_kmeans, "_SAMPLE", 20_000)
    exact = consensa.sec(ensemble, 4, random_state=0).details["objective"]
    assert estimated == pytest.approx(exact, rel=0.05)
