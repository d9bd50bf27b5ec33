"""The examples of the gallery run, draw, and have what the gallery needs."""

from __future__ import annotations

import ast
import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

EXAMPLES = sorted((Path(__file__).parent.parent / "examples").glob("plot_*.py"))
every_example = pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)


@every_example
def test_the_example_runs_and_draws(path, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.argv", [str(path)])
    monkeypatch.setattr(plt, "show", lambda: None)  # Agg says that it shows nothing
    names = runpy.run_path(str(path), run_name="__main__")
    assert plt.get_fignums()
    for number in plt.get_fignums():
        plt.figure(number).savefig(tmp_path / "figure.png", dpi=30)
    if path.stem == "plot_multi_view_order":  # the transform gains from the order, and else loses
        assert names["audit"].finding == "strong"
        assert names["stored"] > names["plain"] + 0.2 > max(names["shuffled"])


@every_example
def test_the_example_has_a_title_and_says_what_it_shows(path):
    described = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    title, line, _, first = described.splitlines()[:4]
    assert line == "=" * len(title)
    assert first
    assert len({p.stem for p in EXAMPLES}) >= 12
