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
    names = runpy.run_path(str(path), run_name="__main__")
    assert written.read_bytes().startswith(b"\x89PNG")
    if path.stem == "plot_multi_view_order":  # the transform gains from the order, and else loses
        assert names["audit"].finding == "strong"
        assert names["stored"] > names["plain"] + 0.2 > max(names["shuffled"])
