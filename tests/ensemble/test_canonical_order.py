"""The order of partitions, clusters and samples that depends on what the labels say alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from strategies import label_matrices

from consensa import Ensemble
from consensa.ensemble import _refinement
from consensa.ensemble import canonical_order as _canonical_order
from consensa.ensemble.canonical_form import canonical_form


def disguised(labels, rng):
    """The same ensemble in another order, with other names, and which samples the rows are."""
    rows, columns = rng.permutation(len(labels)), rng.permutation(labels.shape[1])
    top = labels.max() + 1
    renamed = np.stack([np.append(rng.permutation(top), -1)[c] for c in labels.T], axis=1)
    return renamed[rows][:, columns], rows


def codes(labels):
    return canonical_form(Ensemble.from_labels(labels), sort_samples=True).ensemble.codes


@settings(deadline=None, max_examples=200)
@given(labels=label_matrices(), seed=st.integers(0, 2**16))
def test_every_order_and_every_naming_has_the_same_canonical_form(labels, seed):
    other, _ = disguised(labels, np.random.RandomState(seed))
    assert_array_equal(codes(labels), codes(other))


@pytest.mark.parametrize("missing", [False, True])
def test_samples_go_where_they_went_in_any_order(planted, missing):
    labels, _ = planted
    rng = np.random.RandomState(9)
    if missing:
        labels[rng.uniform(size=labels.shape) < 0.2] = -1
    other, rows = disguised(labels, rng)
    here = canonical_form(Ensemble.from_labels(labels), sort_samples=True).samples
    there = canonical_form(Ensemble.from_labels(other), sort_samples=True).samples
    assert_array_equal(labels[here], labels[rows[there]])
    assert_array_equal(np.sort(here), np.arange(len(labels)))


def test_the_order_is_made_once(planted, monkeypatch):
    ensemble = Ensemble.from_labels(planted[0])
    first = ensemble.canonical
    monkeypatch.setattr(_canonical_order, "colors_by_overlap", None)
    assert ensemble.canonical is first


def test_samples_in_order_and_samples_as_given_see_the_same_clusters(planted):
    ensemble = Ensemble.from_labels(planted[0])
    form = canonical_form(ensemble, sort_samples=True)
    as_given = canonical_form(ensemble, sort_samples=False).ensemble
    assert_array_equal(as_given.codes[form.samples], form.ensemble.codes)
    assert_array_equal(as_given.overlap.toarray(), form.ensemble.overlap.toarray())
    assert_array_equal(as_given.rows.overlap().toarray(), form.ensemble.rows.overlap().toarray())
    assert_array_equal(as_given.rows.sizes(), form.ensemble.cluster_sizes)
    assert_array_equal(as_given.rows.take(form.samples), form.ensemble.codes)
    assert_array_equal(as_given.rows.distinct(999), form.ensemble.rows.distinct(999))
    assert_array_equal(as_given.microclusters().sizes, form.ensemble.microclusters().sizes)
    weights = np.linspace(0.1, 1, ensemble.n_clusters)
    assert_array_equal(
        as_given.rows.balanced_overlap(weights).toarray(),
        form.ensemble.rows.balanced_overlap(weights).toarray(),
    )
    answer = np.arange(60) % 3
    assert_array_equal(
        as_given.rows.meetings(answer, 3),
        form.ensemble.rows.meetings(answer[form.samples], 3),
    )
    scores = as_given.rows.score(lambda ids, own: ids[:, 0] + own, answer)
    assert_array_equal(scores, as_given.cluster_ids[:, 0] + answer)


def test_clusters_that_overlap_alike_are_told_apart_by_those_that_they_overlap():
    # The first partition has four single samples, alike at first sight. Two of them are in a
    # cluster of the second that the third keeps whole.
    labels = np.array([[0, 0, 0], [1, 0, 0], [2, 1, 1], [3, 1, 2]])
    ties = Ensemble.from_labels(labels).canonical.ties
    assert not ties.matter_to(np.array([0, 1, 2, 3]))


def answer_matters(labels, answer):
    ties = Ensemble.from_labels(labels).canonical.ties
    return ties is not None and ties.matter_to(np.asarray(answer)[ties.first_samples])


def test_exchangeable_samples_that_stay_together_or_are_all_alone_are_no_tie():
    three = np.repeat(np.arange(3), 2)[:, None]
    assert not answer_matters(three, three[:, 0])
    assert not answer_matters(three, np.zeros(6, int))


def test_exchangeable_samples_that_are_told_apart_are_a_tie():
    assert answer_matters(np.repeat(np.arange(3), 2)[:, None], [0, 0, 0, 0, 1, 1])
    assert answer_matters(np.arange(4)[:, None], [0, 0, 1, 1])
    # Two pairs that are told apart inside, but not between: which goes with which is open.
    crossed = np.array([[0, 0], [0, 1], [1, 2], [1, 3]])
    assert not answer_matters(crossed, [0, 0, 1, 1])
    assert answer_matters(crossed, [0, 1, 0, 1])


def ring(n, first):
    """Samples whose neighbors to the left and right share a cluster of two partitions."""
    around = np.arange(n)
    return np.stack([around // 2, (around + 1) % n // 2], axis=1) + first


def test_rings_of_four_and_of_six_are_told_apart():
    labels = np.concatenate([ring(4, 0), ring(6, 100)])
    cell = np.repeat([0, 1], [4, 6])
    colors = _refinement.Colors(np.zeros(10, int), np.zeros(10, int))
    ensemble = Ensemble.from_labels(labels)
    ties = ensemble.canonical.ties
    assert ties.incidence.refine(colors).n_rows == 1  # refinement alone sees no difference
    assert not answer_matters(labels, cell)
    assert_array_equal(codes(labels), codes(labels[::-1]))


@pytest.mark.parametrize("most", [20_000, 1])
@pytest.mark.parametrize("shift", range(3))
def test_arcs_of_a_ring_are_a_tie_whichever_sample_is_first(shift, most, monkeypatch):
    monkeypatch.setattr(_refinement, "_LOOK_AHEAD", most)
    arcs = np.arange(12) // 3
    assert answer_matters(np.roll(ring(12, 0), shift, axis=0), np.roll(arcs, shift))
    assert not answer_matters(ring(12, 0), np.arange(12) % 2)


def test_too_many_exchangeable_samples_are_put_in_order_all_the_same(monkeypatch):
    monkeypatch.setattr(_refinement, "_MOST_WORK", 1)
    labels = np.concatenate([ring(6, 0), ring(6, 100)])
    assert answer_matters(labels, np.repeat([0, 1], 6))
    assert len(np.unique(Ensemble.from_labels(labels).canonical.clusters)) == 12


def test_without_all_distinct_rows_the_names_decide(monkeypatch):
    monkeypatch.setattr(_canonical_order, "_MOST_ROWS", 2)
    order = Ensemble.from_labels([[0], [1], [2]]).canonical
    assert_array_equal(order.clusters, [0, 1, 2])
