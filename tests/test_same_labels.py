"""The labels of every method do not depend on the machine's settings or on how Python runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy  # noqa: F401
import pytest
from threadpoolctl import threadpool_info

SCRIPT = Path(__file__).with_name("labels_of_every_method.py")
COMPILED = ["ECCMS", "SDGCA", "SPCE", "TEA", "TRCE"]  # and LTA, which takes the longest to compile

# Of an ensemble with more components than clusters its eigenvectors are close to a tie.
ON_EIGENVECTORS = {"ECPCSMC"}
OF_X86 = {"Haswell", "SkylakeX", "Sandybridge", "Zen", "Cooperlake", "Sapphirerapids"}


def start(where, names=(), **settings):
    """A process that prints the labels, with these environment variables."""
    command = [sys.executable, str(SCRIPT), where, *names]
    environment = os.environ | {name: str(value) for name, value in settings.items()}
    return subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def printed(process):
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    return json.loads(out.splitlines()[-1])


@pytest.fixture(scope="module")
def one_thread():
    return printed(start("here", OMP_NUM_THREADS=1, NUMBA_NUM_THREADS=1, PYTHONHASHSEED=0))


@pytest.mark.parametrize(
    ("where", "threads"),
    [
        pytest.param(
            "fork",
            2,
            marks=pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows does not fork"),
        ),
        ("spawn", 4),
    ],
)
def test_neither_threads_nor_hashes_nor_other_processes_change_labels(one_thread, where, threads):
    settings = {"OMP_NUM_THREADS": threads, "NUMBA_NUM_THREADS": threads}
    there = printed(start(where, **settings, PYTHONHASHSEED=threads))
    assert {name for name in one_thread if there[name] != one_thread[name]} == set()


def test_loops_that_are_compiled_anew_give_the_same_labels(one_thread, tmp_path):
    there = printed(start("here", COMPILED, NUMBA_CACHE_DIR=tmp_path))
    assert any(tmp_path.rglob("*.nbi"))
    assert {name for name in there if there[name] != one_thread[name]} == set()


@pytest.mark.skipif(
    not any(library.get("architecture") in OF_X86 for library in threadpool_info()),
    reason="needs OpenBLAS on x86-64, which can be told to compute as on another processor",
)
def test_the_processor_does_not_change_labels(one_thread):
    there = printed(start("here", OPENBLAS_CORETYPE="Nehalem", NUMBA_NUM_THREADS=1))
    changed = {name for name in one_thread if decided(there)[name] != decided(one_thread)[name]}
    assert changed == set()


def decided(answers):
    """Without what the eigenvectors of an ensemble of more components than clusters decide."""
    return {
        name: found[:1] if name in ON_EIGENVECTORS else found for name, found in answers.items()
    }
