"""Full disks, signals, closed streams and neighbors: old files stay whole, no traceback.

Signals come at random moments. ``CONSENSA_FAULTS`` is the number of moments for each signal, 1 by
default; ``make faults`` tries many.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

pytestmark = pytest.mark.posix
MOMENTS = int(os.environ.get("CONSENSA_FAULTS", "1"))
COMMAND = [sys.executable, "-m", "consensa"]
FULL_DEVICE = "/dev/full" if os.path.exists("/dev/full") else os.devnull
long = pytest.mark.skipif(MOMENTS == 1, reason="takes long; a test of `make faults`")


@pytest.fixture
def here(tmp_path):
    """A folder with a label matrix, features, a set of the study, and old files."""
    rng = np.random.RandomState(0)
    y = np.repeat([0, 1, 2], 40)
    labels = np.where(rng.uniform(size=(120, 6)) < 0.3, rng.randint(4, size=(120, 6)), y[:, None])
    np.save(tmp_path / "runs.npy", labels)
    np.save(tmp_path / "X.npy", rng.normal(size=(120, 2)) + 9 * y[:, None])
    np.savez(tmp_path / "tiny.npz", y=y, members=labels)
    for name in ("labels.csv", "all.json", "page.html"):
        (tmp_path / name).write_text("old")
    return tmp_path


def call(here, *arguments, **options):
    """Run a command to its end."""
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], cwd=here, check=False, timeout=300, **streams
    )


STUDY = ("study", "tables", "--sets", "tiny", "--data", ".", "--methods", "eac", "--draws", "2",
         "--members", "4", "--out", "out")  # fmt: skip


# ---- signals ---------------------------------------------------------------------------------

# What `python -m consensa` runs, told when it begins: what Python does before is its own.
BEGIN = """
import importlib.util, os, pathlib, sys, time
(folder,) = importlib.util.find_spec("consensa").submodule_search_locations
lines = compile(pathlib.Path(folder, "__main__.py").read_text(), "__main__", "exec")
class Tell:
    def find_spec(self, name, path=None, target=None):
        if name == at:
            os.write(1, b"now\\n")
            if name != "consensa":
                time.sleep(60)
at = sys.argv.pop(1)
sys.meta_path.insert(0, Tell())
exec(lines)
"""


def begin(here, at, *arguments):
    """Start a command that tells when it first imports the module `at`, and stays there."""
    return subprocess.Popen(
        [sys.executable, "-c", BEGIN, at, *map(str, arguments)], cwd=here,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip


@pytest.mark.parametrize("module", ["consensa.cli._interrupt", "socket", "rich", "numpy"])
def test_ctrl_c_during_the_imports_ends_it_quietly(here, module):
    process = begin(here, module, "combine", "runs.npy", "-k", 3, "-o", "labels.csv")
    assert process.stdout.readline() == "now\n"
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in said


COMPLETE = 120  # lines of a result, and its header


@pytest.mark.parametrize("moment", range(MOMENTS))
@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGKILL", 9)])
def test_a_signal_at_any_moment_leaves_an_old_file_or_a_new_one(here, signum, moment):
    later = random.Random(f"{signum} {moment}").uniform(0, 2)
    process = begin(
        here, "consensa", "combine", "runs.npy", "-k", 3, "-o", "labels.csv",
        "--report", "page.html",
    )  # fmt: skip
    assert process.stdout.readline() == "now\n"
    time.sleep(later)
    process.send_signal(signum)
    _, said = process.communicate(timeout=60)
    expected = {-signum} if signum == signal.SIGKILL else {128 + signum}
    if signum == signal.SIGTERM:
        expected.add(-signum)  # in the first milliseconds, when nobody handles it yet
    assert process.returncode in {0, *expected}, (later, said)
    assert "Traceback" not in said, later
    labels, page = (here / "labels.csv").read_text(), (here / "page.html").read_text()
    assert labels == "old" or len(labels.splitlines()) == COMPLETE + 1
    assert page == "old" or page.rstrip().endswith("</html>")
    if process.returncode == 0:
        assert labels != "old"
        assert page != "old"


@long
@pytest.mark.parametrize("moment", range(MOMENTS))
def test_a_study_that_was_killed_goes_on_and_ends_with_the_same_tables(here, moment):
    process = begin(here, "consensa", *STUDY)
    assert process.stdout.readline() == "now\n"
    time.sleep(random.Random(moment).uniform(1, 6))
    process.kill()
    process.communicate(timeout=60)
    done = call(here, *STUDY)
    assert done.returncode == 0, done.stderr
    assert len(pd.read_csv(here / "out" / "cells.csv")) == 4


# ---- disks -----------------------------------------------------------------------------------

FULL = """
import json, resource, sys
import consensa.cli._app
from consensa.cli import run

commands = json.loads(sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600))  # files can have no more bytes
for command in commands:
    print("status", run(command), file=sys.stderr, flush=True)
"""


def test_a_full_disk_is_a_message_for_every_command_that_writes(here):
    before = {path.name for path in here.iterdir()}
    labels = ["runs.npy", "--labels", "-k", "3", "-m", "EAC"]
    commands = [
        ["cluster", "X.npy", "-k", "3", "--report", "page.html"],
        ["combine", "runs.npy", "-k", "3", "-o", "labels.csv"],
        ["compare", *labels, "-o", "all.json"],
        ["audit", *labels, "--shuffles", "3", "-o", "audit"],
        [*STUDY],
    ]
    done = subprocess.run(
        [sys.executable, "-c", FULL, json.dumps(commands)],
        cwd=here, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert [line for line in done.stderr.splitlines() if line.startswith("status")] == [
        "status 2"
    ] * len(commands), done.stderr
    assert "Traceback" not in done.stderr
    for name in ("labels.csv", "all.json", "page.html"):
        assert (here / name).read_text() == "old"
    printed = done.stdout.splitlines()
    assert (
        printed.count("sample,cluster,confidence,rival,rival_share,outlier") == 2
    )  # the labels of the first two, on stdout
    assert printed.count("sample,EAC,disagreement") == 1
    assert "The result does not depend" in done.stdout  # the verdict of the audit
    left = {path.name for path in here.rglob("*")} - before
    assert left <= {"audit", "audit.json", "out", "study.sqlite"}  # and none of them is cut off
    json.loads((here / "audit" / "audit.json").read_text())
    assert (here / "out" / "study.sqlite").stat().st_size == 0


@long
def test_two_processes_share_a_store(here):
    both = [
        subprocess.Popen([*COMMAND, *STUDY], cwd=here, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    said = [process.communicate(timeout=300)[1] for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    cells = pd.read_csv(here / "out" / "cells.csv")
    assert list(cells.state) == ["done"] * 4


# ---- streams and surroundings ----------------------------------------------------------------


def closing(*descriptors):
    """What a shell does for ``>&-``."""
    return {"preexec_fn": lambda: [os.close(each) for each in descriptors]}


def test_labels_that_a_closed_stdout_does_not_take_are_kept(here):
    surroundings = os.environ | {"TMPDIR": str(here)}
    done = call(here, "combine", "runs.npy", "-k", 3, env=surroundings, **closing(1))
    assert done.returncode == 2
    assert b"standard output could not be written: It is closed" in done.stderr
    (kept,) = here.glob("consensa-*.csv")
    assert len(kept.read_text().splitlines()) == COMPLETE + 1


def test_messages_that_nobody_can_read_do_not_stop_the_work(here):
    with open(FULL_DEVICE, "wb") as full:
        done = call(
            here, "combine", "runs.npy", "-k", 3, "-o", "labels.csv", stderr=full, **closing(0, 1)
        )
    assert done.returncode == 0
    assert len((here / "labels.csv").read_text().splitlines()) == COMPLETE + 1


@pytest.mark.skipif(os.devnull == FULL_DEVICE, reason="needs /dev/full")
def test_an_answer_that_the_disk_does_not_take_is_an_error(here):
    with open(FULL_DEVICE, "wb") as full:
        done = call(here, "plan", "--samples", "1e6", stdout=full)
    assert done.returncode == 2
    assert done.stderr == b"Error: standard output: No space left on device.\n"


def test_neither_ascii_nor_a_missing_home_is_an_error(here):
    surroundings = {"PATH": os.environ["PATH"], "PYTHONIOENCODING": "ascii", "LANG": "C",
                    "PYTHONPATH": os.pathsep.join(sys.path)}  # fmt: skip
    done = call(here, "methods", env=surroundings)
    assert (done.returncode, done.stderr) == (0, b"")
    assert rb"n \xd7 n" in done.stdout


def test_a_narrow_terminal_is_no_error(consensa, here, monkeypatch):
    monkeypatch.chdir(here)
    monkeypatch.setenv("COLUMNS", "20")
    labels = ("runs.npy", "--labels", "-k", 3, "-m", "EAC")
    for command in (
        ("--help",),
        ("methods",),
        ("plan", "--samples", "1e9"),
        ("combine", "runs.npy", "-k", "2-3"),
        ("compare", *labels, "-m", "SEC"),
        ("audit", *labels, "--shuffles", 3),
        ("combine", "none.csv", "-k", 3),
        ("nonsense",),
    ):
        wrong = {"none.csv", "nonsense"} & set(command)
        assert consensa(*command).status == (2 if wrong else 0), command
