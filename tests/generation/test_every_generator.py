"""What every generator must satisfy. Generators are found in `generation.__all__`."""

from __future__ import annotations

import importlib.util
import pickle

import array_api_strict as strict
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import DBSCAN

import consensa
from consensa import EAC, Ensemble, LandmarkSpectral, Mixed, RandomKMeans
from consensa._machine.progress import reporting
from consensa.exceptions import InvalidInputError, InvalidParameterError
from consensa.generation.neighborhood_generator import NeighborhoodGenerator

X = np.random.default_rng(0).normal(size=(64, 5))
X[:32] += 4
NEEDS = {"Mixed": [RandomKMeans(3), DBSCAN(eps=3)]}
GENERATORS = [
    kind(NEEDS[name]) if name in NEEDS else kind(4)
    for name in consensa.generation.__all__
    if isinstance(kind := getattr(consensa.generation, name), type)
]
BY_ORDER = (LandmarkSpectral, NeighborhoodGenerator)
NEEDED = {"LeidenSweep": "leidenalg"}  # optional libraries


def _marked(generator):
    name = type(generator).__name__
    without = name in NEEDED and importlib.util.find_spec(NEEDED[name]) is None
    skip = pytest.mark.skipif(without, reason=f"{name} needs {NEEDED.get(name)}, an extra")
    return pytest.param(generator, id=name, marks=skip)


every = pytest.mark.parametrize("generator", list(map(_marked, GENERATORS)))


@every
def test_it_makes_an_ensemble_of_the_samples(generator):
    ensemble = generator.generate(X, random_state=0)
    assert isinstance(ensemble, Ensemble)
    assert ensemble.labels.shape == (64, 4)


@every
def test_same_seed_same_partitions_and_another_seed_others(generator):
    first = generator.generate(X, random_state=1).labels
    assert_array_equal(generator.generate(X, random_state=1).labels, first)
    again = generator.generate(X, random_state=np.random.RandomState(1)).labels
    assert_array_equal(again, first)
    assert not np.array_equal(generator.generate(X, random_state=2).labels, first)


@every
def test_the_partitions_are_the_same_for_any_number_of_jobs(generator):
    if "n_jobs" not in generator.get_params():
        return
    one = generator.generate(X, random_state=0)
    two = clone(generator).set_params(n_jobs=2).generate(X, random_state=0)
    assert_array_equal(one.labels, two.labels)


@every
def test_the_features_and_the_global_random_state_are_left_alone(generator):
    points = X.copy()
    points.flags.writeable = False
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    generator.generate(points)
    assert_array_equal(points, X)
    assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


@every
def test_every_kind_of_features_gives_the_same_partitions(generator):
    wanted = generator.generate(X, random_state=0).labels
    for features in (X.tolist(), pd.DataFrame(X), np.asfortranarray(X)):
        assert_array_equal(generator.generate(features, random_state=0).labels, wanted)
    foreign = generator.generate(strict.asarray(X), random_state=0)
    assert isinstance(foreign.labels, type(strict.asarray(0)))
    assert_array_equal(foreign.codes, wanted)


@every
def test_the_index_of_a_frame_names_the_samples(generator):
    names = [f"sample {row}" for row in range(len(X))]
    ensemble = generator.generate(pd.DataFrame(X, index=names), random_state=0)
    assert list(ensemble.sample_names) == names


@every
def test_sparse_features_give_the_partitions_of_dense_ones(generator):
    points = np.where(np.abs(X) < 0.5, 0.0, X)
    wanted = generator.generate(points, random_state=0).labels
    for kind in (sparse.csr_array, sparse.csc_matrix):
        made = generator.generate(kind(points), random_state=0).codes
        if isinstance(generator, BY_ORDER):  # their draws go by an order of the samples
            wanted = generator.generate(sparse.csr_array(points), random_state=0).labels
        assert_array_equal(made, wanted)
    model = EAC(2, generator=generator, random_state=0).fit(sparse.csr_array(points))
    assert_array_equal(model.predict(sparse.csr_array(points)), model.labels_)


@every
def test_models_put_the_samples_where_they_are(generator):
    ensemble = generator.generate(X, random_state=0)
    for model, codes in zip(ensemble.models, ensemble.codes.T, strict=True):
        if model is not None:
            known = codes >= 0  # what was left out may be placed
            assert_array_equal(model.predict(X)[known], codes[known])


@every
def test_equal_samples_are_never_separated(generator):
    points = np.repeat(np.arange(6.0), 15).reshape(-1, 1)
    labels = generator.generate(points, random_state=0).codes
    for start in range(0, 90, 15):
        for column in labels[start : start + 15].T:
            assert len(set(column[column >= 0])) <= 1


@every
def test_constant_columns_and_two_samples_are_taken(generator):
    assert generator.generate(np.c_[X, np.ones(64)], random_state=0).n_samples == 64
    if type(generator) is not Mixed:
        few = generator.generate([[0.0, 1.0], [3.0, 1.0]], random_state=0)
        assert few.n_samples == 2


@every
def test_progress_is_reported_to_the_end(generator):
    told = []

    class Reporter:
        def __init__(self, description, total):
            self.left = total
            told.append(self)

        def __enter__(self):
            return self.advance

        def advance(self):
            self.left -= 1

        def __exit__(self, *error):
            pass

    with reporting(Reporter):
        generator.generate(X, random_state=0)
    assert told
    assert all(step.left == 0 for step in told)


@every
def test_every_parameter_is_declared_and_refused_when_bad(generator):
    assert set(generator._declared) == set(generator.get_params(deep=False))
    for name, constraints in generator._declared.items():
        bad = clone(generator).set_params(**{name: constraints[0].refused()})
        with pytest.raises(InvalidParameterError, match=f"'{name}' parameter of"):
            bad.generate(X, random_state=0)
    with pytest.raises(InvalidParameterError, match="'random_state' parameter of generate"):
        generator.generate(X, random_state=-1)


@every
def test_bad_features_are_refused(generator):
    with pytest.raises(InvalidInputError, match="Column 0 has NaN in row 1"):
        generator.generate([[0.0], [np.nan]])
    with pytest.raises(InvalidInputError, match="minimum of 2 is required"):
        generator.generate([[0.0]])


@every
def test_it_can_be_cloned_pickled_and_used_by_a_consensus(generator):
    wanted = generator.generate(X, n_clusters=2, random_state=0).labels
    for twin in (clone(generator), pickle.loads(pickle.dumps(generator))):
        assert repr(twin) == repr(generator)
        model = EAC(2, generator=twin, random_state=0).fit(X)
        assert_array_equal(model.ensemble_.labels, wanted)
