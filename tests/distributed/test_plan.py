"""The cost model: what it counts, and how it scales."""

from __future__ import annotations

import pytest

from consensa.distributed import Cluster, plan
from consensa.distributed._plan import METHODS, Costs, load_costs
from consensa.exceptions import InvalidInputError, InvalidParameterError

# Steps that the twins are tested to take, each a pass over all labels but the first and numbering.
PASSES = {"LWGP": 5, "HBGF": 4, "SEC": 4, "ECPCSMC": 3, "MCLA": 3}
MACHINES = Cluster(workers=4, cores=8, memory=64e9, network=1e9)


@pytest.mark.parametrize("method", METHODS)
def test_passes_are_those_of_the_twins(method):
    assert plan(10**8, 20, 30, method=method, cluster=MACHINES).passes == PASSES[method]


@pytest.mark.parametrize("method", METHODS)
def test_time_is_linear_in_the_samples_once_they_are_many(method):
    one, ten = (plan(n, 20, 30, method=method, cluster=MACHINES).seconds for n in (10**9, 10**10))
    assert ten / one == pytest.approx(10, rel=0.1)


def test_a_step_by_hand():
    nothing = dict.fromkeys(Costs._fields, 0.0)
    costs = Costs(**nothing | {"pair": 1e-9})
    foretold = plan(10**6, 10, 5, method="MCLA", cluster=Cluster(1, 2), costs=costs)
    seconds = {step.name: step.seconds for step in foretold.steps}
    assert seconds["overlap of the clusters"] == pytest.approx(10**6 * 55 * 1e-9 / 2)
    assert foretold.seconds == pytest.approx(10**6 * 55 * 1e-9 / 2)


def test_twice_the_machines_take_half_the_time_of_the_passes():
    costs = Costs(**dict.fromkeys(Costs._fields, 0.0) | {"pair": 1e-9, "number": 1e-9})
    few, many = (
        plan(10**9, 20, 30, cluster=Cluster(workers, 8, None, 1e12), costs=costs).seconds
        for workers in (4, 8)
    )
    assert few / many == pytest.approx(2, rel=0.01)


def test_what_is_stored_and_what_comes_to_the_client():
    foretold = plan(10**9, 50, 100, cluster=MACHINES, label_bytes=2)
    assert foretold.bytes_stored == 10**9 * 50 * 2
    c = 5000
    assert foretold.n_base_clusters == c
    assert 2 * 8 * c**2 < foretold.bytes_to_client < 3 * 8 * c**2
    assert foretold.bytes_moved > 5 * foretold.bytes_stored


def test_steps_say_which_of_them_bring_back_a_table_of_all_pairs():
    steps = plan(10**9, 50, 100, cluster=MACHINES).steps
    assert [step.name for step in steps if step.sums_pairs] == [
        "overlap of the clusters",
        "weighted overlap",
    ]


def test_the_sample_of_rows_is_that_of_the_methods(monkeypatch):
    full = plan(10**9, 50, 100, cluster=MACHINES).bytes_to_client
    monkeypatch.setattr("consensa.partition.kmeans._SAMPLE", 10_000)
    half = plan(10**9, 50, 100, cluster=MACHINES).bytes_to_client
    assert full - half == 10_000 * 50 * 4


def test_too_little_memory_is_seen():
    assert plan(10**9, 50, 100, cluster=MACHINES).fits
    assert not plan(10**9, 50, 100, cluster=MACHINES._replace(memory=4e9)).fits
    assert plan(10**9, 50, 100, cluster=MACHINES._replace(memory=None)).fits


def test_one_machine_moves_nothing():
    assert plan(10**6, 20, 30).bytes_moved == 0


def test_costs_came_with_the_package():
    assert all(value > 0 for value in load_costs())


@pytest.mark.parametrize(
    ("arguments", "options", "error"),
    [
        ((1, 20, 30), {}, InvalidParameterError),
        ((100, 0, 30), {}, InvalidParameterError),
        ((100, 20, 30), {"method": "EAC"}, InvalidParameterError),
        ((100, 20, 30), {"cluster": Cluster(0)}, InvalidParameterError),
        ((100, 20, 300), {}, InvalidInputError),
    ],
)
def test_what_cannot_be_planned_is_refused(arguments, options, error):
    with pytest.raises(error):
        plan(*arguments, **options)
