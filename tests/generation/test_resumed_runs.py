"""Runs on features on disk that are interrupted, and go on with the same labels."""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
import textwrap

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import consensa as cs
from consensa._machine import run_state
from consensa._machine.run_state import RunState
from consensa.exceptions import InvalidInputError, NotEnoughMemoryError
from consensa.features import stored_features
from consensa.features.stored import open_features
from consensa.generation import landmarks
from consensa.generation._nearest_point import NearestPoint

SMALL = cs.DiverseKinds(8, max_samples=100, n_jobs=1)


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.setattr(stored_features, "_MOST_ROWS", 64)
    monkeypatch.setattr(stored_features, "_MULTIPLE", 1)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    rng = np.random.default_rng(0)
    rows = np.array([[0.0] * 4, [6.0] * 4])[rng.integers(0, 2, 500)] + rng.normal(size=(500, 4))
    np.save(tmp_path / "x.npy", rows)
    return tmp_path / "x.npy"


@pytest.fixture
def state(tmp_path):
    return tmp_path / "state"


def run(path, state=None, seed=0, **options):
    stored = open_features(path, resume=state, **options)
    return cs.cluster(stored, 2, generator=SMALL, random_state=seed).labels


def count_calls(monkeypatch, fail_at=None):
    """Count the blocks whose points are searched for; the given one fails."""
    search, calls = NearestPoint.__call__, []

    def counted(self, rows):
        calls.append(len(rows))
        if len(calls) == fail_at:
            raise KeyboardInterrupt
        return search(self, rows)

    monkeypatch.setattr(NearestPoint, "__call__", counted)
    return calls


def test_an_interrupted_run_goes_on_with_the_same_labels(path, state, monkeypatch):
    wanted = run(path)
    with monkeypatch.context() as patched:
        count_calls(patched, fail_at=8)  # of 16: two spaces, eight parts
        with pytest.raises(KeyboardInterrupt):
            run(path, state)
    calls = count_calls(monkeypatch)
    assert_array_equal(run(path, state), wanted)
    assert len(calls) == 10
    assert_array_equal(run(path, state), wanted)
    assert len(calls) == 10  # nothing is computed again


@pytest.mark.parametrize("name", ["sample.npz", "points-0.bin", "points.txt", "partitions-2.npz"])
def test_damaged_files_are_computed_again(path, state, name):
    wanted = run(path, state)
    damaged = bytearray((state / name).read_bytes())
    for place in range(len(damaged) // 3, len(damaged), 9):
        damaged[place] ^= 0x55
    (state / name).write_bytes(damaged)
    assert_array_equal(run(path, state), wanted)


def test_a_state_that_cannot_be_read_is_refused(path, state):
    run(path, state)
    (state / "run.json").write_text("{")
    with pytest.raises(InvalidInputError, match=r"is damaged\. Remove the folder"):
        run(path, state)


def test_the_state_of_another_run_is_refused(path, state):
    run(path, state)
    with pytest.raises(InvalidInputError, match="another run: seed differs"):
        run(path, state, seed=1)
    np.save(path, np.load(path)[::-1])
    with pytest.raises(InvalidInputError, match="another run: data differs"):
        run(path, state)
    other = path.parent / "other"
    other.mkdir()
    (other / "notes.txt").write_text("mine")
    with pytest.raises(InvalidInputError, match="must be an empty folder"):
        run(path, other)


def test_a_full_disk_keeps_what_was_computed(path, state, monkeypatch):
    wanted = run(path)
    write, written = run_state.StoredNumbers.write, []

    def full(self, part, numbers):
        written.append(part)
        if len(written) == 4:
            with self.state._writing():
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        write(self, part, numbers)

    with monkeypatch.context() as patched:
        patched.setattr(run_state.StoredNumbers, "write", full)
        with pytest.raises(InvalidInputError, match="Free some space, and run again with"):
            run(path, state)
    calls = count_calls(monkeypatch)
    assert_array_equal(run(path, state), wanted)
    assert len(calls) == 10


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_a_killed_process_is_resumed(path, state):
    wanted = run(path)
    script = textwrap.dedent(
        f"""
        import os, signal
        import consensa as cs
        from consensa.features import stored_features
        from consensa.generation._nearest_point import NearestPoint
        stored_features._MOST_ROWS, stored_features._MULTIPLE = 64, 1
        search, calls = NearestPoint.__call__, []
        def killed(self, rows):
            calls.append(1)
            if len(calls) == 7:
                os.kill(os.getpid(), signal.SIGKILL)
            return search(self, rows)
        NearestPoint.__call__ = killed
        stored = cs.open_features({str(path)!r}, resume={str(state)!r})
        generator = cs.DiverseKinds(8, max_samples=100, n_jobs=1)
        cs.cluster(stored, 2, generator=generator, random_state=0)
        """
    )
    ended = subprocess.run([sys.executable, "-c", script], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert len((state / "points.txt").read_text().splitlines()) == 3
    assert_array_equal(run(path, state), wanted)


def test_a_limit_below_the_least_is_refused_before_anything_is_read(path, monkeypatch):
    monkeypatch.setattr(landmarks, "sample_rows", None)
    with pytest.raises(NotEnoughMemoryError, match=r"limit of 9.537 MiB .* too low: this process"):
        run(path, memory="10MB")
    large = cs.DiverseKinds(8, max_samples=100)
    monkeypatch.setattr("consensa.generation.neighborhood_generator._BYTES_OF_POINT", float(2**40))
    with pytest.raises(NotEnoughMemoryError, match=r"on disk needs .* that the process may use"):
        cs.cluster(open_features(path, memory="8GiB"), 2, generator=large, random_state=0)


def test_the_last_line_of_a_killed_run_is_ignored(tmp_path):
    state = RunState(tmp_path / "state", {"data": "1"})
    numbers = state.numbers("points", [np.uint16], 30)
    numbers.write((0, 10), [np.arange(10)])
    numbers.write((20, 30), [np.arange(20, 30)])
    with (tmp_path / "state" / "points.txt").open("a") as journal:
        journal.write("10 2")
    assert numbers.finished() == {(0, 10), (20, 30)}
    assert_array_equal(numbers.arrays[0][20:], np.arange(20, 30))
    assert json.loads((tmp_path / "state" / "run.json").read_text())["data"] == "1"


@pytest.mark.parametrize("bit", [0x01, 0x55])
def test_arrays_with_a_damaged_byte_anywhere_are_none_or_whole(state, bit):
    """Bytes of a ZIP file say, among others, that it is encrypted or of a later version."""
    kept = RunState(state, {})
    kept.save("numbers", {"a": np.arange(3), "b": np.ones(2)})
    path = state / "numbers.npz"
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ bit]) + whole[place + 1 :])
        read = kept.load("numbers")
        if read is not None:
            assert_array_equal(read["a"], np.arange(3))
            assert_array_equal(read["b"], np.ones(2))
