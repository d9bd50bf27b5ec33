"""One default: whatever has a default generator, number of partitions or method has the same."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

import consensa as cs
from consensa import _defaults, generation
from consensa.cli import _audit, _cluster, _combine, _compare, _generators, _plan
from consensa.consensus.catalogue import find_methods, read_method
from consensa.generation.default import default_generator, read_generator
from consensa.metrics import adjusted_rand_index

WINE, CULTIVAR = load_wine(return_X_y=True)
ESTIMATORS = list(find_methods().values())


def default_of(function, name):
    return inspect.signature(function).parameters[name].default


def test_the_names_are_those_of_a_generator_and_a_method():
    generator = default_generator()
    assert type(generator).__name__ == _defaults.DEFAULT_GENERATOR
    assert generator.n_partitions == _defaults.DEFAULT_N_PARTITIONS
    assert default_generator(7, n_jobs=2).get_params()["n_partitions"] == 7
    assert type(read_method(None, owner="here")).__name__ == _defaults.DEFAULT_METHOD
    own = cs.RandomKMeans(3)
    assert read_generator(own) is own
    assert repr(read_generator(None)) == repr(generator)


def test_an_estimator_finds_what_cluster_finds():
    result = cs.cluster(WINE, 3, random_state=0)
    model = cs.TEA(3, random_state=0).fit(WINE)
    assert_array_equal(result.labels, model.labels_)
    assert_array_equal(result.ensemble.labels, model.ensemble_.labels)
    assert adjusted_rand_index(CULTIVAR, result.labels) > 0.75


class Recorded(cs.RandomKMeans):
    """Stands in for the default generator, and remembers that it was asked."""

    asked = 0

    def _calls(self, *arguments):
        Recorded.asked += 1
        return super()._calls(*arguments)


@pytest.fixture
def recorded(monkeypatch):
    monkeypatch.setattr(_defaults, "DEFAULT_GENERATOR", "Recorded")
    monkeypatch.setattr(generation.default, "DEFAULT_GENERATOR", "Recorded")
    monkeypatch.setattr(generation, "Recorded", Recorded, raising=False)
    monkeypatch.setattr(Recorded, "asked", 0)
    return Recorded


@pytest.mark.filterwarnings("ignore::consensa.exceptions.ConsensaWarning")
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: e.__name__)
def test_every_estimator_has_the_default_generator(estimator, recorded):
    assert default_of(estimator, "generator") is None
    estimator(2, random_state=0).fit(WINE[:30])
    assert recorded.asked == 1


def test_cluster_and_selection_have_the_default_generator(recorded):
    cs.cluster(scale(WINE), 3)  # k-means on other units is doubted
    assert recorded.asked == 1
    cs.select_n_clusters(WINE, [2, 3], n_references=0, n_draws=2)
    assert recorded.asked == 3  # once for each candidate


def test_the_command_line_has_the_default_generator():
    assert _generators.Generating().generator == _defaults.DEFAULT_GENERATOR
    made = _generators.base_partitions(9, None, 10)
    assert type(made) is type(generation.default.default_generator(9))


def test_cluster_combine_and_selection_have_the_default_method(monkeypatch, planted):
    labels = planted[0]
    monkeypatch.setattr("consensa.consensus.catalogue.DEFAULT_METHOD", "HBGF")
    assert cs.cluster(scale(WINE), 3, generator=cs.RandomKMeans(4)).method == "hbgf"
    assert cs.combine(labels, 3).method == "hbgf"
    seen = []
    monkeypatch.setattr(
        cs.HBGF, "_combine", lambda self, ensemble, rng: seen.append(self) or cs.eac(ensemble, 3)
    )
    cs.select_n_clusters(labels, [2, 3], generator="precomputed", n_references=0, n_draws=2)
    assert seen


@pytest.mark.parametrize("command", [_cluster.cluster, _combine.combine, _audit.audit, _plan.plan])
def test_commands_have_the_default_method(command):
    assert default_of(command, "method") == _defaults.DEFAULT_METHOD


@pytest.mark.parametrize(
    "maker",
    [
        *(
            getattr(generation, name)
            for name in generation.__all__
            if name not in {"Mixed", _defaults.DEFAULT_GENERATOR}
        ),
        cs.distributed.RandomKMeans,
    ],
    ids=lambda maker: f"{maker.__module__}.{maker.__name__}",
)
def test_other_generators_have_one_number_of_partitions(maker):
    assert default_of(maker, "n_partitions") == 20


@pytest.mark.parametrize("command", [_cluster.cluster, _audit.audit, _compare.compare, _plan.plan])
def test_commands_have_the_default_number_of_partitions(command):
    assert default_of(command, "partitions") == _defaults.DEFAULT_N_PARTITIONS


def test_selection_looks_at_the_partitions_that_cluster_would_make():
    found = cs.select_n_clusters(WINE, [3, 4], n_references=0, n_draws=2, random_state=0)
    made = default_generator().generate(WINE, n_clusters=found.n_clusters, random_state=0)
    assert found.ensemble.partition_names == made.partition_names
    assert_array_equal(found.result.labels, cs.combine(found.ensemble, found.n_clusters).labels)
    of_three, of_four = found.labels.T
    assert (of_three.max(), of_four.max()) == (2, 3)


def test_a_warning_recommends_the_default_method():
    labels = np.repeat([[0], [1]], 20, axis=0) * np.ones((1, 3), int)
    with pytest.warns(cs.exceptions.OrderSensitivityWarning, match=_defaults.DEFAULT_METHOD):
        cs.LTA(2, generator="precomputed").fit(labels)
