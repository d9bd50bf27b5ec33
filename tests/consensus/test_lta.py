"""LTA: what is particular to it."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from consensa import LTA, Ensemble, RandomKMeans, coassociation, coherent_links, lta
from consensa.consensus._lta import auto_penalty
from consensa.exceptions import (
    ConsensaWarning,
    DegenerateRefinementWarning,
    InvalidInputError,
    OrderSensitivityWarning,
)
from consensa.metrics import clustering_scores, order_sensitivity
from consensa.partition import cut_by_spectrum
from consensa.tensor import refine

quietly = pytest.mark.filterwarnings("ignore::consensa.exceptions.ConsensaWarning")


def block_ensemble(sizes, n_partitions=6, flips=0.1, seed=0):
    """Partitions that follow blocks of rows, with some labels flipped."""
    rng = np.random.RandomState(seed)
    truth = np.repeat(np.arange(len(sizes)), sizes)
    labels = np.stack([truth] * n_partitions, axis=1)
    flipped = rng.uniform(size=labels.shape) < flips
    labels[flipped] = rng.randint(len(sizes), size=flipped.sum())
    return labels, truth


@quietly
def test_labels_are_the_cut_of_the_refined_matrix():
    labels, truth = block_ensemble([20, 20, 20])
    model = LTA(3, generator="precomputed", random_state=0).fit(labels)
    ensemble = Ensemble.from_labels(labels)
    refined = refine(coassociation(ensemble), coherent_links(ensemble), penalty=1000 * 60**-1.5)
    assert_array_equal(model.affinity_matrix_, refined.affinity)
    assert model.n_iter_ == refined.trace.n_iter
    assert model.trace_.converged
    assert clustering_scores(truth, model.labels_)["ari"] > 0.9


def test_auto_penalty_is_the_papers_for_large_n_and_grows_for_small():
    assert auto_penalty(7000) == 0.002
    assert auto_penalty(100) == pytest.approx(1)
    assert auto_penalty(25) == pytest.approx(8)


@quietly
def test_the_penalty_is_the_automatic_one_unless_it_is_given(monkeypatch):
    seen = []

    def record(*args, **kwargs):
        seen.append(kwargs["penalty"])
        return refine(*args, **kwargs)

    monkeypatch.setattr("consensa.consensus._lta.refine", record)
    labels = np.tile([[0, 0], [1, 1]], (50, 1))
    lta(Ensemble.from_labels(labels), 2, random_state=0)
    lta(Ensemble.from_labels(labels), 2, penalty=0.3, random_state=0)
    assert seen == [auto_penalty(100), 0.3]


@quietly
def test_average_linkage_keeps_the_tree_and_spectral_does_not():
    labels, truth = block_ensemble([15, 15])
    ensemble = Ensemble.from_labels(labels)
    tree = lta(ensemble, 2, partition="average")
    assert clustering_scores(truth, tree.labels)["ari"] > 0.8
    assert tree.linkage_matrix.shape == (29, 4)
    assert len(np.unique(tree.cut(5))) == 5
    spectral = lta(ensemble, 2, random_state=0)
    assert spectral.linkage_matrix is None
    with pytest.raises(InvalidInputError, match="has no tree"):
        spectral.cut(3)


def test_every_fourier_fit_warns_in_two_sentences_about_order():
    labels, _ = block_ensemble([40, 40, 40])
    model = LTA(3, generator="precomputed", random_state=0)
    with pytest.warns(
        OrderSensitivityWarning, match="may come from how the file is sorted"
    ) as got:
        model.fit(labels)
    (warning,) = [w for w in got if w.category is OrderSensitivityWarning]
    text = str(warning.message)
    assert "TEA" in text
    assert "order_sensitivity" in text
    assert text.count(". ") == 1
    assert text.endswith(".")
    assert model.order_information_ > 0.2
    shuffled = np.random.RandomState(0).permutation(labels)
    with pytest.warns(OrderSensitivityWarning, match="no relation to the partitions was found"):
        model.fit(shuffled)
    assert model.order_information_ < 0.05


def test_graph_domain_neither_warns_nor_reads_the_order():
    labels, truth = block_ensemble([15, 15, 15])
    model = LTA(3, domain="graph", generator="precomputed", random_state=0)
    assert clustering_scores(truth, model.fit_predict(labels))["ari"] > 0.9
    assert not hasattr(model, "order_information_")
    assert_allclose(order_sensitivity(model, labels, 3, random_state=0), 1)


def test_a_constant_refined_matrix_is_said_with_the_penalty_to_try():
    labels, _ = block_ensemble([20, 20, 20], flips=0.3)
    labels = np.random.RandomState(0).permutation(labels)
    model = LTA(3, penalty=0.002, generator="precomputed", random_state=0)
    with (
        pytest.warns(OrderSensitivityWarning),
        pytest.warns(DegenerateRefinementWarning, match=r"nearly constant.*Try penalty=2\.15"),
    ):
        model.fit(labels)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DegenerateRefinementWarning)
        warnings.simplefilter("ignore", OrderSensitivityWarning)
        model.set_params(penalty="auto").fit(labels)


@quietly
def test_single_precision_gives_the_same_labels():
    labels, _ = block_ensemble([30, 30, 30], flips=0.2)
    double = LTA(3, generator="precomputed", random_state=0).fit(labels)
    single = clone(double).set_params(dtype="float32").fit(labels)
    assert single.affinity_matrix_.dtype == np.float32
    assert_array_equal(single.labels_, double.labels_)


@quietly
@pytest.mark.parametrize("n", [50, 200, 500])
def test_blobs_are_found_in_any_order_with_the_automatic_penalty(n):
    X, truth = make_blobs(n, centers=3, random_state=1)
    order = np.argsort(truth, kind="stable")
    for rows in (np.arange(n), order):
        model = LTA(3, generator=RandomKMeans(10), random_state=0)
        assert clustering_scores(truth[rows], model.fit_predict(X[rows]))["ari"] > 0.9


@quietly
def test_it_is_a_clusterer_whose_parameters_are_attributes():
    assert not hasattr(LTA(), "transform")  # scikit-learn would take it for a transformer
    model = LTA(domain="graph")
    assert model.domain == model.get_params()["domain"] == "graph"
    assert "domain='graph'" in repr(model)
    pipeline = make_pipeline(StandardScaler(), LTA(2, generator=RandomKMeans(4), random_state=0))
    X = np.concatenate([np.zeros((10, 2)), np.ones((10, 2))]) + np.arange(40).reshape(20, 2) / 1e3
    assert pipeline.fit_predict(X).shape == (20,)
    nested = LTA(generator=RandomKMeans(4)).set_params(generator__n_partitions=7)
    assert nested.get_params()["generator__n_partitions"] == 7


def test_binalpha_falls_apart_where_its_rows_are_shuffled(reference_binalpha):
    arrays, _ = reference_binalpha
    labels, truth = arrays["labels"], arrays["truth"]
    rows = np.random.RandomState(0).permutation(len(truth))
    model = LTA(36, penalty=0.002, dtype="float32", generator="precomputed", random_state=0)
    with pytest.warns(ConsensaWarning):
        answer = model.fit_predict(labels[rows])
    assert clustering_scores(truth[rows], answer)["nmi"] < 0.4
    assert model.order_information_ < 0.01


def test_binalpha_agrees_with_the_authors_program(reference_binalpha):
    arrays, matrices = reference_binalpha
    labels, truth = arrays["labels"], arrays["truth"]
    last = {}
    ensemble = Ensemble.from_labels(labels)
    result = refine(
        coassociation(ensemble), coherent_links(ensemble), penalty=0.002,
        callback=lambda state: last.update(A1=state.links, A2=state.affinity, E=state.error),
    )  # fmt: skip
    assert result.trace.n_iter == 166
    assert_allclose(result.trace.residual, arrays["lta_lam0.002_residual"], rtol=0, atol=1e-9)
    for name, matrix in {**last, "B": result.links}.items():
        stored = matrices[f"lta_lam0.002_{name}"]
        for place, value in zip(stored["idx"], stored["val"], strict=True):
            assert matrix[tuple(place)] == pytest.approx(float(value), abs=1e-8)
    answer = cut_by_spectrum(result.affinity, 36, random_state=0)
    assert clustering_scores(truth, answer)["nmi"] > 0.9
