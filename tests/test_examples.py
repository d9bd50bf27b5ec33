"""The examples run and write what they say."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("plot_*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_writes_its_figure(path, tmp_path, monkeypatch):
    written = tmp_path / "figure.png"
    monkeypatch.setattr("sys.argv", [str(path), str(written)])
    runpy.run_path(str(path), run_name="__main__")
    assert written.read_bytes().startswith(b"\x89PNG")
