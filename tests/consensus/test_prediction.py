"""New samples: the vote by hand and by definition, on digits, and what cannot be predicted."""

from __future__ import annotations

import array_api_strict
import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from consensa import EAC, LWEA, Ensemble, RandomKMeans, Voting
from consensa._result.prediction import assign_by_vote
from consensa.exceptions import InvalidInputError, UnknownLabelsWarning
from consensa.metrics import adjusted_rand_index


class LabelsOnly:
    """A generator that keeps no models."""

    def generate(self, X, *, random_state=None):
        return Ensemble(RandomKMeans(4).generate(X, random_state=random_state).labels)


@pytest.fixture
def points():
    rng = np.random.RandomState(0)
    truth = np.repeat([0, 1, 2], 20)
    return rng.normal(size=(60, 2)) + 8 * np.eye(3)[truth][:, :2], truth


def slow_votes(labels, consensus, new):
    """Naive Bayes with one imaginary sample, as the docstring writes it."""
    share = np.bincount(consensus) / len(consensus)
    answer = []
    for row in new:
        score = np.log(share)
        for m, code in enumerate(row):
            if code == -1:
                continue
            inside = labels[:, m] == code
            for c, prior in enumerate(share):
                met = np.sum(inside & (consensus == c))
                score[c] += np.log((met + prior) / ((inside.sum() + 1) * prior))
        answer.append(np.argmax(score))
    return np.array(answer)


def test_the_vote_by_hand():
    ensemble = Ensemble.from_labels([[0, 0, 0], [0, 0, 0], [0, 0, 1], [1, 1, 1], [1, 1, 1]])
    consensus = np.array([0, 0, 0, 1, 1])
    # Two partitions against one; then a missing label leaves one against one, and the tie goes
    # to the cluster that the pure base cluster names.
    new = np.array([[1, 1, 0], [0, 1, 1], [0, -1, -1], [-1, -1, 1]])
    assert_array_equal(assign_by_vote(ensemble, consensus, new), [1, 1, 0, 1])


def test_the_vote_is_its_definition(planted):
    labels, truth = planted
    codes = Ensemble.from_labels(labels).codes
    truth = np.minimum(truth, 1)  # clusters of 20 and 40
    new = np.random.RandomState(1).randint(-1, 3, size=(200, 8))
    new = new[~(new == -1).all(axis=1)]
    found = assign_by_vote(Ensemble.from_labels(labels), truth, new)
    unseen = ~(new[:, None] == codes).all(axis=2).any(axis=1)
    assert unseen.sum() > 100
    assert_array_equal(found[unseen], slow_votes(codes, truth, new)[unseen])


def test_a_row_that_was_seen_goes_where_it_went():
    # All partitions speak against the consensus label of sample 0; it keeps it all the same.
    ensemble = Ensemble.from_labels([[0, 0], [1, 1], [1, 1], [0, 1], [0, 1]])
    consensus = np.array([1, 1, 1, 0, 0])
    assert_array_equal(assign_by_vote(ensemble, consensus, ensemble.codes), consensus)


def test_a_sample_that_no_partition_places_is_missing():
    ensemble = Ensemble.from_labels([[0, 0], [1, 1]])
    found = assign_by_vote(ensemble, np.array([0, 1]), np.array([[-1, -1], [1, -1]]))
    assert_array_equal(found, [-1, 1])


def test_blocks_of_rows_change_nothing(planted, monkeypatch):
    labels, truth = planted
    ensemble = Ensemble.from_labels(labels)
    new = np.random.RandomState(1).randint(0, 3, size=(50, 8))
    whole = assign_by_vote(ensemble, truth, new)
    monkeypatch.setattr("consensa._result.prediction._BLOCK_BYTES", 7 * 8 * 3)
    assert_array_equal(assign_by_vote(ensemble, truth, new), whole)


@pytest.mark.parametrize("method", [EAC, LWEA, Voting])
def test_digits_seen_in_the_fit_keep_their_cluster(method):
    X = load_digits().data
    model = method(10, random_state=0).fit(X)
    assert np.mean(model.predict(X) == model.labels_) >= 0.99


def test_new_digits_lose_at_most_three_hundredths():
    X, digits = load_digits(return_X_y=True)
    gaps = []
    # Some of the new digits are harder: with all digits fitted, one split still differs by 0.04.
    for seed in range(5):
        seen, new, y_seen, y_new = train_test_split(X, digits, test_size=0.2, random_state=seed)
        model = LWEA(10, random_state=seed).fit(seen)
        fitted = adjusted_rand_index(y_seen, model.labels_)
        gaps.append(fitted - adjusted_rand_index(y_new, model.predict(new)))
    assert np.mean(gaps) <= 0.03


def test_new_samples_go_to_the_cluster_around_them(points):
    X, truth = points
    model = EAC(3, random_state=0).fit(X[::2])
    assert adjusted_rand_index(model.predict(X[1::2]), truth[1::2]) == 1
    one = model.predict(X[1:2])
    assert_array_equal(one, model.labels_[:1])
    foreign = model.predict(array_api_strict.asarray(X[1::2]))
    assert_array_equal(foreign, model.predict(X[1::2]))


def test_new_rows_of_a_label_matrix_are_read_by_name():
    frame = pd.DataFrame({"a": ["x", "x", "y", "y"], "b": [5, 5, 2, 2]})
    model = EAC(2, generator="precomputed").fit(frame)
    new = pd.DataFrame({"a": ["y", None, "x"], "b": [2.0, 5.0, np.nan]})
    assert_array_equal(model.predict(new), [1, 0, 0])
    assert_array_equal(model.predict_labels(pl.DataFrame({"a": ["y"], "b": [2]})), [1])
    assert_array_equal(model.predict_labels([["x", 5]]), [0])


def test_missing_labels_in_the_fit_do_not_shift_the_names():
    model = EAC(2, generator="precomputed").fit([[None, 9], ["x", 9], ["y", 4], ["y", 4]])
    assert_array_equal(model.predict([["y", None], ["x", None]]), [1, 0])


def test_labels_that_the_fit_did_not_see_do_not_vote():
    model = EAC(2, generator="precomputed").fit([["x", 0], ["x", 0], ["y", 1], ["y", 1]])
    with pytest.warns(UnknownLabelsWarning, match="3 of the 4 labels did not occur"):
        assert_array_equal(model.predict([["z", 1], ["z", 7]]), [1, -1])


def test_labels_can_be_given_to_a_model_fitted_on_features(points):
    X, _ = points
    model = EAC(3, generator=RandomKMeans(5), random_state=0).fit(X)
    raw = [names[codes] for names, codes in zip(model.ensemble_.label_names,
                                                model.ensemble_.codes.T, strict=True)]  # fmt: skip
    assert_array_equal(model.predict_labels(np.stack(raw, axis=1)), model.labels_)


def test_an_ensemble_with_models_predicts_from_features(points):
    X, _ = points
    ensemble = RandomKMeans(6).generate(X, random_state=0)
    model = EAC(3).fit(ensemble)
    assert_array_equal(model.predict(X), model.labels_)


def test_partitions_without_a_model_do_not_vote(points):
    X, truth = points
    ensemble = RandomKMeans(6, n_clusters=3).generate(X, random_state=0)
    half = Ensemble(ensemble.labels, models=(None,) * 3 + ensemble.models[3:])
    assert adjusted_rand_index(EAC(3).fit(half).predict(X), truth) == 1


def test_a_generator_without_models_says_why(points):
    model = EAC(3, generator=LabelsOnly()).fit(points[0])
    with pytest.raises(InvalidInputError, match=r"those of LabelsOnly have none.*DiverseKinds"):
        model.predict(points[0])


def test_columns_must_be_those_of_the_fit():
    frame = pd.DataFrame({"a": [0, 0, 1], "b": [0, 0, 1]})
    model = EAC(2, generator="precomputed").fit(frame)
    with pytest.raises(InvalidInputError, match=r"the 2 partitions of the fit.*Got 3"):
        model.predict([[0, 0, 0]])
    with pytest.raises(InvalidInputError, match=r"in their order: \['a', 'b'\].*Got \['b', 'a'\]"):
        model.predict(frame[["b", "a"]])
    features = EAC(2, random_state=0).fit(np.arange(8.0).reshape(4, 2))
    with pytest.raises(InvalidInputError, match="X has 3 features, but EAC is expecting 2"):
        features.predict(array_api_strict.zeros((1, 3)))


def test_an_ensemble_is_no_new_row_of_labels():
    model = EAC(2, generator="precomputed").fit([["x"], ["y"]])
    with pytest.raises(InvalidInputError, match="which an Ensemble does not keep"):
        model.predict(Ensemble.from_labels([["y"], ["x"]]))
    with pytest.raises(InvalidInputError, match="Fit on the label matrix"):
        EAC(2).fit(Ensemble(np.array([[0], [1]]))).predict([[0]])
