"""The runner computes what is missing, once, and records what goes wrong."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
import study_cells

from consensa.study import _pool
from consensa.study.cells import Cell, Record
from consensa.study.options import RunOptions
from consensa.study.runner import run_cells
from consensa.study.store import Store

both_ways = pytest.mark.parametrize("jobs", [0, 2])


def cells(count=4, method="eac"):
    return [Cell("tables", "tiny", "stored", draw, method) for draw in range(count)]


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "cells.sqlite") as opened:
        yield opened


@pytest.fixture
def options(tmp_path):
    """Options for cells that are computed in this process."""
    return RunOptions(tmp_path, jobs=0)


def computed(options):
    with Path(options.out, "log").open() as file:
        return Counter(int(line) for line in file)


@both_ways
def test_what_is_missing_is_computed_and_nothing_twice(store, options, jobs):
    options = replace(options, jobs=jobs)
    first = run_cells(store, cells(2), study_cells.square, options)
    assert (first.computed, first.known, first.missing) == (2, 0, ())
    second = run_cells(store, cells(4), study_cells.square, options)
    assert (second.computed, second.known) == (2, 2)
    assert computed(options) == dict.fromkeys(range(4), 1)
    kept = [store.get(cell).payload for cell in cells()]
    assert [payload["square"] for payload in kept] == [0, 1, 4, 9]
    assert jobs == 0 or {payload["threads"] for payload in kept} == {"1"}
    assert "2 cells computed in this run, 2 already known." in second.sentences()


def test_a_damaged_cell_is_computed_again_and_reported(store, options):
    run_cells(store, cells(), study_cells.square, options)
    with sqlite3.connect(store.path) as connection:
        wrong = '{"square":5,"threads":null}'
        connection.execute("update cells set payload = ? where key = ?", (wrong, cells()[1].key))
    connection.close()
    report = run_cells(store, cells(), study_cells.square, options)
    assert (report.computed, report.known, report.damaged) == (1, 3, 1)
    assert "1 stored cells were damaged" in " ".join(report.sentences())
    assert store.get(cells()[1]).payload["square"] == 1
    assert computed(options) == {0: 1, 1: 2, 2: 1, 3: 1}


def test_a_damaged_key_is_reported_and_its_row_removed(store, options):
    run_cells(store, cells(), study_cells.square, options)
    with sqlite3.connect(store.path) as connection:
        connection.execute("update cells set key = 'x' || key where key = ?", (cells()[1].key,))
    connection.close()
    report = run_cells(store, cells(), study_cells.square, options)
    assert (report.computed, report.known, report.damaged) == (1, 3, 1)
    assert "1 stored cells were damaged" in " ".join(report.sentences())
    again = run_cells(store, cells(), study_cells.square, options)
    assert (again.computed, again.known, again.damaged) == (0, 4, 0)


@pytest.mark.posix
def test_what_goes_wrong_is_recorded_with_its_reason_and_the_rest_goes_on(store, options):
    methods = ["killed", "large", "slow", "wrong", "nan", "warns"]
    wanted = [Cell("tables", "tiny", "stored", 0, method) for method in methods]
    report = run_cells(store, wanted, study_cells.trouble, replace(options, jobs=1))
    kept = {record.cell.method: record for record in store.records().values()}
    states = {method: record.state for method, record in kept.items()}
    assert states == {
        "killed": "failed", "large": "too large", "slow": "too large", "wrong": "failed",
        "nan": "failed", "warns": "done",
    }  # fmt: skip
    assert "memory ran out" in kept["killed"].reason
    assert kept["large"].reason == "needs 9 GiB"
    assert kept["slow"].reason == "n = 9 is above the limit"
    assert kept["wrong"].reason == "ValueError: no such thing"
    assert "not JSON compliant" in kept["nan"].reason
    assert kept["warns"].notes == ("UserWarning: mind the gap",)
    assert kept["warns"].versions["consensa"]
    assert {record.cell.method for record in report.problems} == set(methods) - {"warns"}
    said = " ".join(report.sentences())
    assert "too large: large on tiny, 1 cells: needs 9 GiB" in said
    again = run_cells(store, wanted[1:], study_cells.trouble, options)
    assert (again.computed, again.known) == (4, 1)  # what is not done is tried again


def test_a_worker_that_cannot_import_the_function_says_so(store, options):
    def hidden(cell, options):
        return {}

    hidden.__module__ = "no_such_module"
    report = run_cells(store, cells(1), hidden, replace(options, jobs=1))
    assert report.problems[0].reason == "its process ended with status 1 and without a record"


def test_a_worker_that_cannot_be_started_is_a_reason_and_the_study_ends(
    store, options, monkeypatch
):
    def refused(*args, **options):
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr(_pool.subprocess, "Popen", refused)
    report = run_cells(store, cells(3), study_cells.square, replace(options, jobs=2, budget=1))
    assert [record.state for record in report.problems] == ["failed"] * 3
    reason = "its process could not be started: [Errno 12] Cannot allocate memory"
    assert {record.reason for record in report.problems} == {reason}


@pytest.mark.parametrize(
    ("answers", "ends", "reason"),
    [
        (b'{"state":"done","payl', True, "its process ended with status 3 and without a record"),
        (b'{"state":"done","payl\n', False, "its process returned an unreadable record"),
        (b'{"state":"done"}\n', False, "its process returned an unreadable record"),
        (b"\xff\n", False, "its process returned an unreadable record"),
    ],
)
def test_a_worker_that_dies_while_it_writes_is_a_reason_and_the_study_ends(
    store, options, monkeypatch, answers, ends, reason
):
    serve = (
        f"import os, sys, time; sys.stdin.readline(); sys.stdin.readline(); "
        f"os.write(1, {answers!r}); {'os._exit(3)' if ends else 'time.sleep(600)'}"
    )
    monkeypatch.setattr(_pool, "_SERVE", serve)
    report = run_cells(store, cells(2), study_cells.square, replace(options, jobs=1, budget=1))
    assert len(report.problems) == 2
    assert all(record.reason.startswith(reason) for record in report.problems)


@both_ways
def test_when_the_time_is_up_it_stops_and_says_what_is_missing(store, options, jobs):
    options = replace(options, jobs=jobs, budget=0.5 / 60)
    report = run_cells(store, cells(40), study_cells.slowly, options)
    assert len(report.missing) == 40 - report.computed > 30
    assert f"{len(report.missing)} cells are missing" in report.sentences()[-1]
    assert len(store.records()) == report.computed


def test_a_budget_may_be_longer_than_any_clock(store, options):
    report = run_cells(store, cells(1), study_cells.square, replace(options, jobs=1, budget=1e300))
    assert report.computed == 1


def test_progress_counts_and_guesses_the_time_left(store, options):
    store.put(Record(Cell("tables", "tiny", "stored", 99, "eac"), "done", {}, seconds=10.0))
    seen = []
    run_cells(store, cells(3), study_cells.square, options, progress=seen.append)
    assert [(step.computed, step.wanted) for step in seen] == [(1, 3), (2, 3), (3, 3)]
    assert 5 < seen[0].seconds_left < 11  # two left, at the mean of 10 s and next to nothing
    assert seen[2].seconds_left == 0


def ends(process, seconds=300.0):
    """Whether a process ends soon; one that nobody waits for stays in the list as a zombie."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            if process.status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.02)
    return False


RUN = """
import sys
import study_cells
from consensa.study.cells import Cell
from consensa.study.options import RunOptions
from consensa.study.runner import run_cells
from consensa.study.store import Store
cells = [Cell("tables", "tiny", "stored", draw, "eac") for draw in range(40)]
with Store(sys.argv[1]) as store:
    options = RunOptions(sys.argv[2], jobs=2)  # 20 s in all: the signal comes before
    said = lambda step: print("cell", flush=True)
    print(run_cells(store, cells, study_cells.slowly, options, progress=said))
"""


@pytest.mark.posix
@pytest.mark.parametrize("signum", ["SIGKILL", "SIGINT"])
def test_a_run_ended_in_the_middle_goes_on_and_computes_no_finished_cell_again(
    tmp_path, options, signum
):
    path = tmp_path / "cells.sqlite"
    run = subprocess.Popen(
        [sys.executable, "-c", RUN, str(path), str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    for _ in range(3):
        assert run.stdout.readline() == "cell\n"
    workers = psutil.Process(run.pid).children()
    run.send_signal(getattr(signal, signum))
    run.wait(timeout=300)
    run.stdout.close()
    assert all(ends(worker) for worker in workers)
    with Store(path) as store:
        records = store.records().values()
        assert [record.reason for record in records if record.state != "done"] == []
        kept = {record.cell.draw for record in records}
        assert 3 <= len(kept) < 40
        report = run_cells(store, cells(40), study_cells.square, options)
        assert (report.computed, report.known, report.damaged) == (40 - len(kept), len(kept), 0)
    times = computed(options)
    assert set(times) == set(range(40))
    assert all(times[draw] == 1 for draw in kept)
    assert sum(times.values()) <= 42  # what the two workers were at


def test_an_error_in_this_process_ends_the_workers(store, options):
    def fail(step):
        raise KeyError(step.computed)

    before = psutil.Process().children()
    with pytest.raises(KeyError) as failed:  # whose traceback keeps the frames alive
        run_cells(store, cells(8), study_cells.slowly, replace(options, jobs=2), progress=fail)
    assert (psutil.Process().children(), failed.value.args) == (before, (1,))
    assert len(store.records()) == 1


def test_nothing_wanted_is_nothing_done(store, options):
    assert run_cells(store, [], study_cells.square, replace(options, jobs=2)).computed == 0
