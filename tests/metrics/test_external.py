"""The seven scores: by hand, by pair loops, by all permutations, and against scikit-learn."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.metrics.cluster import pair_confusion_matrix
from strategies import two_partitions

from consensa import metrics
from consensa.exceptions import InvalidInputError, InvalidParameterError

KEYS = ["acc", "nmi", "purity", "ari", "f1", "precision", "recall"]
FUNCTIONS = {
    "acc": metrics.accuracy,
    "nmi": metrics.normalized_mutual_information,
    "purity": metrics.purity,
    "ari": metrics.adjusted_rand_index,
    "f1": metrics.pairwise_f1,
    "precision": metrics.pairwise_precision,
    "recall": metrics.pairwise_recall,
}


def pairs_slowly(true, pred):
    """Pairs together in both, in a class, in a cluster, by a plain loop."""
    both = in_class = in_cluster = 0
    for i, j in itertools.combinations(range(len(true)), 2):
        in_class += true[i] == true[j]
        in_cluster += pred[i] == pred[j]
        both += true[i] == true[j] and pred[i] == pred[j]
    return both, in_class, in_cluster


def test_five_samples_by_hand():
    true, pred = [0, 0, 0, 1, 1], [0, 0, 1, 1, 2]
    scores = metrics.clustering_scores(true, pred)
    assert list(scores) == KEYS
    assert all(type(score) is float for score in scores.values())
    # Pairs: 4 in a class, 2 in a cluster, 1 in both, 10 in all.
    assert scores["acc"] == pytest.approx(3 / 5)
    assert scores["purity"] == pytest.approx(4 / 5)
    assert scores["precision"] == pytest.approx(1 / 2)
    assert scores["recall"] == pytest.approx(1 / 4)
    assert scores["f1"] == pytest.approx(2 * 1 / (4 + 2))
    assert scores["ari"] == pytest.approx((1 - 0.8) / (3 - 0.8))
    entropy_true = -(0.6 * np.log(0.6) + 0.4 * np.log(0.4))
    entropy_pred = -(0.8 * np.log(0.4) + 0.2 * np.log(0.2))
    joint = -(0.4 * np.log(0.4) + 3 * 0.2 * np.log(0.2))
    information = entropy_true + entropy_pred - joint
    assert scores["nmi"] == pytest.approx(2 * information / (entropy_true + entropy_pred))


@given(two_partitions())
def test_pair_scores_are_those_of_the_pair_loop(partitions):
    true, pred = partitions
    both, in_class, in_cluster = pairs_slowly(true, pred)
    if in_cluster:
        assert metrics.pairwise_precision(true, pred) == both / in_cluster
    if in_class:
        assert metrics.pairwise_recall(true, pred) == both / in_class
    if in_class + in_cluster:
        wanted = 2 * both / (in_class + in_cluster)
        assert metrics.pairwise_f1(true, pred) == pytest.approx(wanted)


@given(two_partitions(most_clusters=4))
def test_accuracy_is_the_best_of_all_matchings(partitions):
    true, pred = partitions
    clusters = sorted(set(pred))
    names = sorted(set(true)) + [None] * len(clusters)  # a cluster may go without a class
    hits = [
        [sum(t == name and p == c for t, p in zip(true, pred, strict=True)) for name in names]
        for c in clusters
    ]
    chosen = itertools.permutations(range(len(names)), len(clusters))
    best = max(sum(hits[c][name] for c, name in enumerate(match)) for match in chosen)
    assert metrics.accuracy(true, pred) == pytest.approx(best / len(true))


@given(two_partitions())
def test_purity_counts_the_largest_class_of_each_cluster(partitions):
    true, pred = partitions
    largest = 0
    for cluster in set(pred):
        classes = [t for t, p in zip(true, pred, strict=True) if p == cluster]
        largest += max(classes.count(c) for c in set(classes))
    assert metrics.purity(true, pred) == pytest.approx(largest / len(true))


@pytest.mark.parametrize("normalization", ["arithmetic", "max", "min", "geometric"])
@given(partitions=two_partitions())
def test_nmi_is_that_of_scikit_learn(normalization, partitions):
    true, pred = partitions
    wanted = normalized_mutual_info_score(true, pred, average_method=normalization)
    ours = metrics.normalized_mutual_information(true, pred, normalization=normalization)
    assert ours == pytest.approx(wanted, abs=1e-9)
    scores = metrics.clustering_scores(true, pred, normalization=normalization)
    assert scores["nmi"] == ours


@given(two_partitions())
def test_ari_is_that_of_scikit_learn(partitions):
    wanted = adjusted_rand_score(*partitions)
    assert metrics.adjusted_rand_index(*partitions) == pytest.approx(wanted, abs=1e-12)


@given(two_partitions())
def test_pair_scores_are_those_of_the_pair_confusion_of_scikit_learn(partitions):
    (_, only_pred), (only_true, both) = pair_confusion_matrix(*partitions)
    scores = metrics.clustering_scores(*partitions)
    if both + only_pred:
        assert scores["precision"] == pytest.approx(both / (both + only_pred))
    if both + only_true:
        assert scores["recall"] == pytest.approx(both / (both + only_true))


@given(two_partitions())
def test_each_function_gives_the_entry_of_the_dictionary(partitions):
    scores = metrics.clustering_scores(*partitions)
    assert {name: function(*partitions) for name, function in FUNCTIONS.items()} == scores


@given(two_partitions())
def test_scores_are_in_their_range(partitions):
    scores = metrics.clustering_scores(*partitions)
    assert -1 <= scores.pop("ari") <= 1
    assert all(0 <= score <= 1 for score in scores.values())
    assert scores["acc"] <= scores["purity"]


@given(two_partitions(), st.randoms(use_true_random=False))
def test_renaming_clusters_and_permuting_samples_change_nothing(partitions, random):
    true, pred = partitions
    names = ["a", "b", "c", "d", "e", "f"]
    random.shuffle(names)
    order = list(range(len(true)))
    random.shuffle(order)
    renamed = [names[true[i]] for i in order], [names[pred[i]] for i in order]
    assert metrics.clustering_scores(*renamed) == pytest.approx(
        metrics.clustering_scores(true, pred), abs=1e-12
    )


@given(two_partitions())
def test_the_symmetric_scores_are_symmetric(partitions):
    true, pred = partitions
    there, back = metrics.clustering_scores(true, pred), metrics.clustering_scores(pred, true)
    for name in ("acc", "nmi", "ari", "f1"):
        assert there[name] == pytest.approx(back[name], abs=1e-12)
    assert there["precision"] == back["recall"]


@given(two_partitions())
def test_equal_partitions_score_one_in_everything(partitions):
    true, _ = partitions
    scores = metrics.clustering_scores(true, [f"c{label}" for label in true])
    assert scores == pytest.approx(dict.fromkeys(KEYS, 1.0))


def test_one_cluster_and_singletons_are_the_two_ends():
    one, singletons = [0] * 4, [0, 1, 2, 3]
    assert metrics.clustering_scores(one, singletons) == {
        "acc": 0.25,
        "nmi": 0.0,
        "purity": 1.0,
        "ari": 0.0,
        "f1": 0.0,
        "precision": 0.0,
        "recall": 0.0,
    }
    assert metrics.clustering_scores(singletons, one)["purity"] == 0.25
    assert metrics.pairwise_precision(singletons, singletons) == 1.0


@pytest.mark.parametrize("dtype", ["int8", "int16", "int64", "uint8", "float32", "bool"])
def test_labels_of_every_type_are_read(dtype):
    true = np.array([0, 1, 1, 0, 1], dtype)
    assert metrics.accuracy(true, ["a", "b", "b", "a", "b"]) == 1.0


def test_narrow_integers_do_not_wrap_around():
    true = np.arange(-100, 100)
    assert metrics.accuracy(true, true.astype(np.int8)) == 1.0


def test_series_and_categories_are_read_and_minus_one_is_a_cluster():
    true = pd.Series(["x", "x", "y"], dtype="category", index=[9, 8, 7])
    for pred in ([-1, -1, 0], pl.Series(["a", "a", "b"]), [-1, -1, "b"], [-2.0, -2.0, 0.5]):
        assert metrics.adjusted_rand_index(true, pred) == 1.0


def test_many_samples_need_no_table_of_pairs():
    rng = np.random.default_rng(0)
    true = rng.integers(0, 10, 300_000)
    pred = np.where(rng.random(300_000) < 0.8, true, rng.integers(0, 10, 300_000))
    scores = metrics.clustering_scores(true, pred)
    assert scores["ari"] == pytest.approx(adjusted_rand_score(true, pred), abs=1e-12)
    assert scores["nmi"] == pytest.approx(normalized_mutual_info_score(true, pred), abs=1e-12)


@pytest.mark.parametrize(
    ("true", "pred", "said"),
    [
        ([0, 1], [0, 1, 2], "Got 2 and 3 labels"),
        ([], [], "at least one. Got 0 and 0 labels"),
        ([0, None], [0, 1], "y_true must label every sample. Sample 1 has None"),
        ([0, 1], [0, np.nan], "y_pred must label every sample. Sample 1 has nan"),
        ([[0], [1]], [0, 1], r"y_true must have one label for each sample"),
    ],
)
def test_partitions_that_cannot_be_compared_are_refused(true, pred, said):
    with pytest.raises(InvalidInputError, match=said):
        metrics.clustering_scores(true, pred)


def test_an_unknown_mean_is_refused_and_the_nearest_suggested():
    with pytest.raises(InvalidParameterError, match="Did you mean 'arithmetic'"):
        metrics.normalized_mutual_information([0, 1], [0, 1], normalization="arithmetical")
