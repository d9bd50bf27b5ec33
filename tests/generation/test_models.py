"""Models of base partitions: they put seen samples where they are, in the ensemble's numbers."""

from __future__ import annotations

import pickle

import array_api_strict
import numpy as np
import pytest
from numpy.testing import assert_array_equal

from consensa import Ensemble, RandomKMeans
from consensa.generation._models import NearestCenter, with_models


class Parity:
    """Cluster 7 for even numbers, 3 for odd ones, -1 for negative ones."""

    def predict(self, X):
        return np.where(X[:, 0] < 0, -1, np.where(X[:, 0] % 2 == 0, 7, 3))


@pytest.fixture
def features():
    return np.random.RandomState(0).normal(size=(80, 3))


def test_models_of_kmeans_give_the_partitions_back(features):
    ensemble = RandomKMeans(6).generate(features, random_state=0)
    answers = np.stack([model.predict(features) for model in ensemble.models], axis=1)
    assert_array_equal(answers, ensemble.codes)


def test_a_new_sample_goes_to_the_nearest_center():
    model = NearestCenter(np.array([[0.0, 0.0], [10.0, 0.0]]))
    assert_array_equal(model.predict(np.array([[1, 2], [9, 9], [4, 100]])), [0, 1, 0])


def test_models_speak_the_numbers_of_the_ensemble_whatever_the_clusterer_says():
    raw = np.array([3, 7, 3, -1])
    ensemble = Ensemble.from_labels(np.stack([raw, [0, 0, 1, 1]], axis=1))
    ensemble = with_models(ensemble, [raw, np.array([0, 0, 1, 1])], [Parity(), None])
    assert ensemble.models[1] is None
    assert_array_equal(ensemble.models[0].predict(np.array([[1], [2], [-5]])), [0, 1, -1])


def test_a_cluster_that_won_no_sample_cannot_win_a_new_one():
    same = np.ones((4, 2))  # k-means finds one cluster and leaves the other without samples
    ensemble = RandomKMeans(1, n_clusters=2).generate(same, random_state=0)
    assert_array_equal(ensemble.models[0].predict(np.array([[1.0, 1.0], [5.0, -5.0]])), [0, 0])


def test_selecting_dropping_and_pickling_keep_the_models(features):
    ensemble = RandomKMeans(3).generate(features, random_state=0)
    assert ensemble.select([2, 0]).models == (ensemble.models[2], ensemble.models[0])
    assert ensemble.drop([0]).models == ensemble.models[1:]
    again = pickle.loads(pickle.dumps(ensemble))
    assert_array_equal(again.models[1].predict(features), ensemble.codes[:, 1])


def test_a_label_matrix_has_no_models():
    assert Ensemble.from_labels([[0], [1]]).models is None
    assert Ensemble.from_labels([[0, 0], [1, 1]]).select([0]).models is None


def test_features_of_another_array_library_keep_models_too(features):
    ensemble = RandomKMeans(2).generate(array_api_strict.asarray(features), random_state=0)
    assert_array_equal(ensemble.models[0].predict(features), ensemble.codes[:, 0])
