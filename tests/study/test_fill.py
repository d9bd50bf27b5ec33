"""A small study as a whole: ended in the middle, damaged, gathered; always the same tables."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys

import pytest

from consensa.study import RunOptions, fill, protocol_of, write_tables
from consensa.study.options import STORE
from consensa.study.store import Store

PROTOCOL = protocol_of(sets=["tiny"], methods=["lwea", "sec", "eac"], draws=4, members=5)


def tables(out):
    """Every file that must not depend on how the study was run, by its name."""
    return {
        path.name: path.read_bytes()
        for path in out.iterdir()
        if path.suffix in {".csv", ".md", ".html", ".png", ".svg"}
    }


@pytest.fixture(scope="module")
def whole(folder, tmp_path_factory):
    """The study without any interruption."""
    out = tmp_path_factory.mktemp("whole")
    report = fill(PROTOCOL, RunOptions(out, folder, jobs=0))
    assert (report.computed, report.problems, report.missing) == (24, (), ())
    write_tables(PROTOCOL, RunOptions(out, folder))
    return out


SLOW = """
import sys, time
from consensa.study import RunOptions, fill, protocol_of
protocol = protocol_of(sets=["tiny"], methods=["lwea", "sec", "eac"], draws=4, members=5)
def said(step):
    print("cell", flush=True)
    time.sleep(600 if step.computed == 5 else 0)  # the middle
fill(protocol, RunOptions(sys.argv[1], sys.argv[2]), progress=said)
"""


@pytest.mark.posix
def test_a_study_killed_in_the_middle_gives_the_same_tables_and_computes_nothing_twice(
    whole, folder, tmp_path
):
    study = subprocess.Popen(
        [sys.executable, "-c", SLOW, str(tmp_path), str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    for _ in range(5):
        assert study.stdout.readline() == "cell\n"
    study.send_signal(signal.SIGKILL)
    study.wait(timeout=300)
    study.stdout.close()
    with Store(tmp_path / STORE) as store:
        kept = store.records()
    assert 5 <= len(kept) < 24
    report = fill(PROTOCOL, RunOptions(tmp_path, folder, jobs=0))
    assert (report.computed, report.known) == (24 - len(kept), len(kept))
    with Store(tmp_path / STORE) as store:
        after = store.records()
    assert all(after[key].seconds == record.seconds for key, record in kept.items())
    write_tables(PROTOCOL, RunOptions(tmp_path, folder))
    assert tables(tmp_path) == tables(whole)


def test_a_damaged_cell_is_computed_again_and_the_tables_are_the_same(whole, folder, tmp_path):
    shutil.copy(whole / STORE, tmp_path)
    with sqlite3.connect(tmp_path / STORE) as connection:
        key, payload = connection.execute("select key, payload from cells limit 1").fetchone()
        wrong = payload.replace('"acc":', '"acc":0.99,"was":')
        connection.execute("update cells set payload = ? where key = ?", (wrong, key))
    connection.close()
    report = fill(PROTOCOL, RunOptions(tmp_path, folder, jobs=0))
    assert (report.computed, report.known, report.damaged) == (1, 23, 1)
    assert "1 stored cells were damaged" in " ".join(report.sentences())
    write_tables(PROTOCOL, RunOptions(tmp_path, folder))
    assert tables(tmp_path) == tables(whole)


def test_parts_of_a_study_are_joined(whole, folder, tmp_path):
    for part, methods in {"here": ["lwea", "sec"], "there": ["eac"]}.items():
        protocol = protocol_of(sets=["tiny"], methods=methods, draws=4, members=5)
        fill(protocol, RunOptions(tmp_path / part, folder, jobs=0))
    with Store(tmp_path / "here" / STORE) as store:
        assert store.gather(tmp_path / "there" / STORE).added == 8
    report = fill(PROTOCOL, RunOptions(tmp_path / "here", folder, jobs=0))
    assert (report.computed, report.known) == (0, 24)
    write_tables(PROTOCOL, RunOptions(tmp_path / "here", folder))
    assert tables(tmp_path / "here") == tables(whole)


def test_what_is_written_names_no_time_and_no_place(whole, folder):
    for name, content in tables(whole).items():
        if name.endswith((".csv", ".md", ".html")):
            assert b"second" not in content.replace(b"second best", b"")
            assert os.fspath(folder).encode() not in content
    timings = json.loads((whole / "timings.json").read_text())
    assert timings["sets"]["tiny"]["eac"]["cells"] == 8
    assert timings["computed_with"][0]["cells"] == 24


def test_order_free_methods_score_alike_in_both_orders(whole):
    lines = (whole / "tiny.csv").read_text().splitlines()[1:]
    for line in lines:
        _, _, stored, _, _, _, _, shuffled, *_ = line.split(",")
        assert stored == shuffled


def test_pictures_that_the_new_tables_do_not_have_are_removed(whole, folder, tmp_path):
    shutil.copy(whole / STORE, tmp_path)
    old = {tmp_path / f"critical-difference-{source}.{kind}"
           for source in ("paper", "stored") for kind in ("png", "svg")}  # fmt: skip
    mine = tmp_path / "critical-difference-of-mine.png"
    for path in (*old, mine):
        path.write_text("of other tables")
    write_tables(PROTOCOL, RunOptions(tmp_path, folder))  # one set: nothing to compare
    assert set(tmp_path.glob("critical-difference*")) == {mine}


def test_another_seed_is_another_study(whole, folder, tmp_path):
    shutil.copy(whole / STORE, tmp_path)
    protocol = protocol_of(sets=["tiny"], methods=["eac"], draws=4, members=5, seed=1)
    assert fill(protocol, RunOptions(tmp_path, folder, jobs=0)).computed == 8
