"""The cost model: what it counts, and how it scales."""

from __future__ import annotations

import json
from pathlib import Path

import dask
import dask.array as da
import numpy as np
import pytest

import consensa
from consensa import distributed
from consensa._defaults import DEFAULT_METHOD, DEFAULT_N_PARTITIONS
from consensa.consensus.catalogue import find_methods, methods_that
from consensa.consensus.needs import bytes_of, sizes_of
from consensa.distributed import Cluster, plan
from consensa.distributed.planning.costs import Costs, load_costs
from consensa.distributed.planning.methods import STEPS
from consensa.distributed.planning.work import Work
from consensa.exceptions import InvalidInputError, InvalidParameterError

MACHINES = Cluster(workers=4, cores=8, memory=64e9, network=1e9)
FREE = Costs(**dict.fromkeys(Costs._fields, 0.0))
on_dask = pytest.mark.parametrize("method", methods_that("dask"))
by_rows = pytest.mark.parametrize("method", methods_that("by_rows"))


def lwgp(**options):
    return plan(10**9, 50, 100, method="LWGP", cluster=MACHINES, **options)


def test_every_method_that_works_by_blocks_of_rows_has_a_plan_and_no_other():
    assert set(STEPS) == set(methods_that("by_rows"))


def test_the_number_of_samples_is_enough():
    made = plan(10**6)
    assert made.method == DEFAULT_METHOD
    assert made.n_partitions == DEFAULT_N_PARTITIONS
    assert made.n_base_clusters == 20 * made.n_partitions  # k to 3 k for k = 10
    assert made == plan(10**6, 48, 20, n_clusters=10, method=consensa.TEA(), label_bytes=4)


@on_dask
@pytest.mark.filterwarnings("ignore::consensa.exceptions.ConsensaWarning")
def test_passes_are_those_of_the_twins(method):
    labels = da.from_array(np.random.default_rng(0).integers(0, 7, (40, 3)), chunks=(20, 3))
    with dask.config.set(scheduler="synchronous"):
        model = getattr(distributed, method)(2, generator="precomputed").fit(labels)
    assert plan(10**8, method=method, cluster=MACHINES).passes == len(model.compute_log_)


@by_rows
def test_time_is_linear_in_the_samples_once_they_are_many(method):
    one, ten = (plan(n, 20, 30, method=method).seconds for n in (10**10, 10**11))
    assert ten / one == pytest.approx(10, rel=0.1)


@by_rows
def test_memory_grows_with_what_is_kept_of_a_sample_once_they_are_many(method):
    few, many = (plan(n, method=method).worker_memory for n in (10**7, 10**8))
    assert many - few == pytest.approx(40 * 9 * 10**7)


@by_rows
def test_the_arrays_of_a_plan_are_those_that_are_checked_before_a_run(method):
    """For partitions of 7 clusters each."""
    labels = np.random.default_rng(0).permuted(np.arange(40 * 6).reshape(6, 40).T % 7, axis=0)
    checked = sizes_of(consensa.Ensemble.from_labels(labels), 3, 40)
    model = find_methods()[method]()
    work = Work(40, 6, 7, 3, 4, Cluster(), model, load_costs())
    assert work.declared == bytes_of(model.info.arrays, checked)
    assert plan(40, 6, 7, n_clusters=3, method=method).worker_memory >= work.declared


def test_overlaps_that_are_not_stored_need_no_memory_in_a_plan():
    few, many = (plan(300, m, 5, n_clusters=3, method="TEA") for m in (1_600, 3_000))
    assert many.worker_memory < few.worker_memory  # above 2**26 pairs of clusters
    on_workers = plan(300, 3_000, 5, n_clusters=3, method="TEA", cluster=MACHINES)
    assert on_workers.worker_memory > 8 * 3 * 12 * (3_000 * 5) ** 2


def test_a_step_by_hand():
    made = plan(10**6, 10, 5, method="MCLA", costs=FREE._replace(pair=1e-9))
    seconds = {step.name: step.seconds for step in made.steps}
    assert seconds["overlap of the clusters"] == pytest.approx(10**6 * 55 * 1e-9 / 2)
    assert made.seconds == pytest.approx(10**6 * 55 * 1e-9 / 2)


def test_tea_compares_half_of_its_most_groups_where_all_rows_differ():
    costs = FREE._replace(affinity=1e-9, merge=1e-8)
    made = plan(10**6, 10, 5, method=consensa.TEA(max_groups=6000), costs=costs)
    seconds = {step.name: step.seconds for step in made.steps}
    assert seconds["affinity of the representatives"] == pytest.approx(3000**2 / 2 * 10 * 1e-9)
    assert seconds["tree of the representatives"] == pytest.approx(3000**2 * 1e-8)


def test_no_more_groups_are_compared_than_rows_can_differ():
    made = plan(10**6, 2, 5, n_clusters=2, costs=FREE._replace(merge=1e-8))
    assert made.seconds == pytest.approx(25**2 * 1e-8)


@pytest.mark.parametrize(("n", "microclusters"), [(5_000, 5_000), (10**6, 2_000)])
def test_ptgp_walks_between_its_representatives(n, microclusters):
    made = plan(n, 20, method="PTGP", costs=FREE._replace(trajectory=1e-9))
    assert made.seconds == pytest.approx(microclusters**2 * (20 + 20 * 20) * 1e-9)


def test_twice_the_machines_take_half_the_time_of_the_passes():
    costs = FREE._replace(pair=1e-9, number=1e-9)
    few, many = (
        plan(10**9, 20, 30, cluster=Cluster(workers, 8, None, 1e12), costs=costs).seconds
        for workers in (4, 8)
    )
    assert few / many == pytest.approx(2, rel=0.01)


def test_what_is_stored_and_what_comes_to_the_client():
    made = lwgp(label_bytes=2)
    assert made.bytes_stored == 10**9 * 50 * 2
    c = 5000
    assert made.n_base_clusters == c
    assert 2 * 8 * c**2 < made.bytes_to_client < 3 * 8 * c**2
    assert made.bytes_moved > 5 * made.bytes_stored


def test_steps_say_which_of_them_bring_back_a_table_of_all_pairs():
    assert [step.name for step in lwgp().steps if step.sums_pairs] == [
        "overlap of the clusters",
        "weighted overlap",
    ]


def test_the_sample_of_rows_is_that_of_the_methods(monkeypatch):
    full = lwgp().bytes_to_client
    monkeypatch.setattr("consensa.partition.kmeans._SAMPLE", 10_000)
    assert full - lwgp().bytes_to_client == 10_000 * (50 * 4 + 24)


def test_too_little_memory_is_seen():
    assert plan(10**9, 50, 100, cluster=MACHINES).fits
    assert not plan(10**9, 50, 100, cluster=MACHINES._replace(memory=4e9)).fits
    assert plan(10**9, 50, 100, cluster=MACHINES._replace(memory=None)).fits


def test_one_machine_moves_nothing():
    assert plan(10**6).bytes_moved == 0


def test_a_plan_prints_as_a_few_lines_to_read():
    lines = str(plan(10**6, cluster=Cluster(1, 1, 1e8))).splitlines()
    assert lines[0] == (
        "TEA of 1,000,000 samples and 48 partitions with 960 clusters in all, on one machine of "
        "1 core and 95.37 MiB"
    )
    assert lines[1].startswith("Time: ")
    assert lines[1].endswith(" in 6 passes over the labels")
    assert [line.partition(":")[0] for line in lines[2:]] == [
        "Labels as stored",
        "Memory",
        "Too little memory",
    ]


def test_costs_came_with_the_package():
    assert all(value > 0 for value in load_costs())


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((1,), {}, InvalidParameterError, "'n_samples'"),
        ((100, 0), {}, InvalidParameterError, "'n_partitions'"),
        ((100, 20, 0), {}, InvalidParameterError, "'partition_clusters'"),
        ((100,), {"n_clusters": 101}, InvalidParameterError, "at most the number of samples"),
        ((100,), {"method": "EAC"}, InvalidParameterError, "by blocks of rows: CDEC, CDKM"),
        ((100,), {"method": "none"}, InvalidParameterError, "'method' parameter of plan"),
        ((100,), {"cluster": Cluster(0)}, InvalidParameterError, "'workers'"),
        ((100, 20, 300), {}, InvalidInputError, "has at most as many clusters"),
        (
            (100,), {"method": "PTGP", "cluster": MACHINES}, InvalidParameterError,
            "that run on Dask: ECPCSMC, HBGF",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_planned_is_refused(arguments, options, error, message):
    with pytest.raises(error, match=message):
        plan(*arguments, **options)


# ---- from features -----------------------------------------------------------------------------


def from_features(n=10**9, d=100, **options):
    return plan(n, n_features=d, **{"cluster": MACHINES} | options)


def test_passes_from_features_are_those_of_dask():
    X = da.from_array(np.random.default_rng(0).normal(size=(90, 5)), chunks=(40, 5))
    generator = consensa.DiverseKinds(4, max_samples=30)
    with dask.config.set(scheduler="synchronous"):
        made = distributed.TEA(2, generator=generator, random_state=0).fit(X)
    assert from_features().passes == len(made.compute_log_)
    assert from_features().feature_passes == 2


def test_steps_from_features_by_hand():
    costs = FREE._replace(value=1e-9, product=1e-10, compare=1e-10, near=1e-9, member=1e-6)
    made = plan(10**6, 10, n_features=60, costs=costs, cluster=Cluster(1, 4))
    seconds = {step.name: step.seconds for step in made.steps if step.seconds}
    s, spaces = 10_000, 2
    assert seconds == {
        "sample of rows": pytest.approx(10**6 * 60 * 1e-9 / 4),
        "space and neighbors of the points": pytest.approx(spaces * s**2 * 50 * 1e-9 / 4),
        # distances to the points by 50 principal components, and the projection on these
        "nearest points": pytest.approx(
            10**6 * spaces * (s * (51 + 1) + 60 * 50) * 1e-10 / 4, rel=1e-6
        ),
        "partitions of the points": pytest.approx(10 * s * 1e-6 / 4),
    }


def test_few_samples_are_points_themselves_and_are_read_once():
    made = plan(5_000, n_features=3)
    assert made.feature_passes == 1
    assert "nearest points" not in [step.name for step in made.steps]


def test_a_row_needs_two_bytes_in_each_space_on_the_workers():
    few, many = (from_features(n).worker_memory for n in (10**10, 2 * 10**10))
    assert many - few == pytest.approx(2 * 2 * 10**10 / 4, rel=0.01)


def test_features_are_moved_in_two_passes_and_labels_in_none():
    made = from_features(value_bytes=8)
    assert made.bytes_stored == 10**9 * 100 * 8
    assert 2 < made.bytes_moved / made.bytes_stored < 2.2


def test_it_is_said_where_one_machine_ends():
    alone = Cluster(1, 2, 16e9)
    made = from_features(10**6, 20, cluster=alone)
    assert f"One such machine has memory for {made.largest:,.0f} samples" in str(made)
    assert from_features(int(0.97 * made.largest), 20, cluster=alone).fits
    assert not from_features(int(1.06 * made.largest), 20, cluster=alone).fits
    assert from_features(10**6, 20, cluster=Cluster()).largest is None


RUNS = json.loads((Path(__file__).parents[2] / "benchmarks/plan_features_runs.json").read_text())


@pytest.mark.parametrize("run", RUNS, ids=lambda run: f"{run['n']}x{run['columns']}")
def test_the_plan_from_features_is_near_what_was_measured(run):
    made = plan(run["n"], n_features=run["columns"], cluster=Cluster(1, run["cores"]))
    assert 1 / 1.5 < made.seconds / (run["cpu"] / run["cores"]) < 1.5
    assert 0.7 < made.worker_memory / 2**20 / run["peak"] < 1.3
