"""What only a real process shows: Ctrl-C, a full disk, a missing library, a closed pipe."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import numpy as np
import psutil
import pytest

pytestmark = pytest.mark.posix
SECONDS = 10.0  # "at once", on a machine that is busy with other tests


@pytest.fixture
def start():
    """Start Python on a script; the script says when it is where the test wants it."""
    started = []

    def begin(script, *arguments, **options):
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        command = [sys.executable, "-c", script, *map(str, arguments)]
        started.append(subprocess.Popen(command, **pipes, **options))
        return started[-1]

    yield begin
    for process in started:
        process.kill()  # where a test failed: its worker ends with it
        process.wait()
        process.stdout.close()
        process.stderr.close()


GUARDED = """
import os, sys, time
from pathlib import Path
from consensa._machine.atomic import replacing
from consensa.cli._interrupt import guarded

def compute():
    print(os.getpid(), flush=True)
    return sum(range(4 * 10**9))  # holds the interpreter's lock, as SciPy's linkage does

def write():
    with replacing(sys.argv[2]) as temporary:
        temporary.write_text("half")
        print(os.getpid(), flush=True)
        time.sleep(60)

def fail():
    print(os.getpid(), flush=True)
    return 3

def vanish():
    print(os.getpid(), flush=True)
    os.kill(os.getpid(), 9)

sys.exit(guarded(globals()[sys.argv[1]]))
"""


@pytest.mark.parametrize(
    ("work", "signum"),
    [("compute", signal.SIGINT), ("write", signal.SIGINT), ("write", signal.SIGTERM)],
)
def test_a_signal_ends_it_at_once_and_leaves_the_old_file_whole(start, tmp_path, work, signum):
    target = tmp_path / "labels.csv"
    target.write_text("old")
    process = start(GUARDED, work, target)
    worker = int(process.stdout.readline())
    sent = time.monotonic()
    process.send_signal(signum)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 128 + signum
    assert time.monotonic() - sent < SECONDS
    assert said.strip() == "consensa: stopped."
    assert not psutil.pid_exists(worker)
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


@pytest.mark.parametrize("system", ["del os.fork", "sys.platform = 'darwin'"])
def test_where_forking_is_no_choice_one_process_ends_at_a_signal(start, tmp_path, system):
    # Windows cannot fork; on macOS the system's libraries do not survive it.
    target = tmp_path / "labels.csv"
    target.write_text("old")
    process = start(f"import os, sys\n{system}\n{GUARDED}", "write", target)
    assert int(process.stdout.readline()) == process.pid
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said.strip() == "consensa: stopped."
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_ctrl_c_of_a_terminal_reaches_both_processes(start):
    process = start(GUARDED, "compute", start_new_session=True)
    process.stdout.readline()
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in said


def test_a_worker_whose_guard_is_gone_ends(start, tmp_path):
    process = start(GUARDED, "write", tmp_path / "labels.csv")
    worker = psutil.Process(int(process.stdout.readline()))
    process.kill()
    process.communicate(timeout=60)
    worker.wait(timeout=60)
    assert list(tmp_path.iterdir()) == []


def test_the_status_of_the_worker_is_the_status(start):
    process = start(GUARDED, "fail")
    process.communicate(timeout=60)
    assert process.returncode == 3


def test_a_worker_killed_for_its_memory_is_reported(start):
    process = start(GUARDED, "vanish")
    _, said = process.communicate(timeout=60)
    assert process.returncode == 137
    assert "memory ran out" in said


ENDLESS = """
import sys
import consensa.cli._fit as fit
from consensa.cli import main

showing = fit.showing

def announced(*arguments):
    print("ready", flush=True)
    return showing(*arguments)

fit.showing = announced
sys.exit(main())
"""


def test_ctrl_c_leaves_the_old_file_whole(start, tmp_path):
    features, target = tmp_path / "features.npy", tmp_path / "labels.csv"
    np.save(features, np.random.RandomState(0).normal(size=(300, 3)))
    target.write_text("old")
    process = start(
        ENDLESS, "cluster", features, "-k", 3, "-o", target, "--method", "LTA",
        "--option", "max_iter=1000000000", "--option", "tol=1e-300",
    )  # fmt: skip
    assert process.stdout.readline() == "ready\n"
    sent = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert time.monotonic() - sent < SECONDS
    assert "Traceback" not in said
    assert target.read_text() == "old"
    assert sorted(tmp_path.iterdir()) == [features, target]


FULL_DISK = """
import resource, sys
import consensa.cli._app
from consensa.cli import run

resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
sys.exit(run(sys.argv[1:]))
"""


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_full_disk_leaves_the_old_file_whole(start, tmp_path, ending):
    runs, target = tmp_path / "runs.npy", tmp_path / f"labels{ending}"
    np.save(runs, np.random.RandomState(0).randint(9, size=(1000, 4)))
    target.write_text("old")
    process = start(FULL_DISK, "combine", runs, "-k", 3, "-o", target)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 2
    assert "could not be written: " in said
    assert "File too large. The existing file is unchanged." in said
    assert "Traceback" not in said
    assert target.read_text() == "old"
    assert sorted(tmp_path.iterdir()) == sorted([runs, target])


WITHOUT = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name == sys.argv[1]:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Blocked())
from consensa.cli import main

sys.exit(main())
"""


def test_without_its_libraries_it_says_which_extra_to_install(start):
    process = start(WITHOUT, "typer")
    printed, said = process.communicate(timeout=60)
    assert process.returncode == 2
    assert printed == ""
    assert said.splitlines() == [
        "consensa: The command line needs typer, which is not installed. "
        "Install it with: pip install 'consensa[cli]'"
    ]


COMMAND = "import sys; from consensa.cli import main; sys.exit(main())"


def test_a_pipe_that_is_closed_early_is_no_error(start, tmp_path):
    np.save(tmp_path / "runs.npy", np.random.RandomState(0).randint(9, size=(3000, 2)))
    process = start(COMMAND, "combine", tmp_path / "runs.npy", "-k", 3)
    process.stdout.readline()
    process.stdout.close()
    said = process.stderr.read()
    process.wait(timeout=60)
    assert "Traceback" not in said
    assert "combined by TEA" in said  # what comes after the labels is done
    assert process.returncode == 0
