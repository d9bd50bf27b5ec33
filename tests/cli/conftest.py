"""How the tests call the command line, and small files for it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from consensa.cli import run


class Outcome(NamedTuple):
    status: int
    out: str
    err: str


@pytest.fixture
def consensa(capsys, monkeypatch):
    """Run a command in this process; typer's and rich's line breaks are taken out of stderr."""
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("TERM", "dumb")

    def call(*arguments):
        status = run([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return Outcome(status, printed.out, " ".join(printed.err.replace("│", " ").split()))

    return call


@pytest.fixture
def blobs():
    """30 samples in 3 groups that nobody can miss, not sorted by group."""
    rng = np.random.RandomState(0)
    truth = rng.permutation(np.repeat([0, 1, 2], 10))
    frame = pd.DataFrame(rng.normal(size=(30, 2)) + 20 * truth[:, None], columns=["x", "y"])
    frame.insert(0, "code", [f"{row:03d}" for row in range(30)])
    frame["group"] = np.array(["red", "green", "blue"])[truth]
    return frame


@pytest.fixture
def blobs_csv(blobs, tmp_path):
    path = tmp_path / "blobs.csv"
    blobs.to_csv(path, index=False)
    return path


@pytest.fixture
def write(tmp_path):
    """Write a text file and give its path."""

    def to(name, text):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return to
