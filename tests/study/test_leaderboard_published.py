"""The published leaderboard: rows are added to it without computing the others again."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

from consensa.study.cells import Cell, Record
from consensa.study.store import Store

FOLDER = Path(__file__).parents[2] / "benchmarks"
SCORES = ("nmi_arithmetic", "ari", "acc")


@pytest.fixture(scope="module")
def published():
    """The module of the benchmark."""
    spec = importlib.util.spec_from_file_location(
        "leaderboard_published", FOLDER / "leaderboard_published.py"
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def cell(draw, method="eac", **settings):
    return Cell("tables", "tiny", "shuffled", draw, method, {"members": 4, **settings})


def done(of, value):
    rows = {"EAC": dict.fromkeys(SCORES, value)}
    return Record(of, "done", {"rows": rows, "details": {}}, seconds=1.5)


def line(row, score, *, draws=20, rank=1.0):
    numbers = {"draws": draws, "rank": rank, "seconds": 1.0}
    scores = {name: score for name in ("NMI", "ARI", "ACC")}
    gaps = {f"{name} {what}": 0.0 for name in scores for what in ("to best", "half-width")}
    return {"row": row, **numbers, **scores, **gaps}


def test_published_cells_come_back_with_their_scores_and_times(published, tmp_path):
    path, cells = tmp_path / "cells.csv", [cell(draw) for draw in range(3)]
    with Store(tmp_path / "a.sqlite") as store:
        for each in cells[:2]:
            store.put(done(each, 0.25 + each.draw / 8))
        published.publish_cells(store, cells, path, SCORES)
    with Store(tmp_path / "b.sqlite") as store:
        store.put(done(cells[0], 0.75))  # a cell that is there stays
        assert published.restore_cells(store, cells, path, SCORES) == 1
        assert store.get(cells[0]).payload["rows"]["EAC"]["ari"] == 0.75
        assert store.get(cells[1]).payload["rows"]["EAC"] == dict.fromkeys(SCORES, 0.375)
        assert store.get(cells[1]).seconds == 1.5
        assert store.get(cells[2]) is None


def test_cells_of_a_method_that_has_changed_do_not_come_back(published, tmp_path):
    path = tmp_path / "cells.csv"
    with Store(tmp_path / "a.sqlite") as store:
        store.put(done(cell(0), 0.5))
        published.publish_cells(store, [cell(0)], path, SCORES)
        assert published.restore_cells(store, [cell(0, revision=2)], path, SCORES) == 0


def test_publishing_other_cells_keeps_those_of_the_file(published, tmp_path):
    path, cells = tmp_path / "cells.csv", [cell(0), cell(1)]
    for number, each in enumerate(cells):
        with Store(tmp_path / f"{number}.sqlite") as store:
            store.put(done(each, 0.5))
            published.publish_cells(store, cells, path, SCORES)
    assert [text.split(",")[2] for text in path.read_text().splitlines()[1:]] == ["0", "1"]


def test_an_added_row_has_no_rank_and_stands_where_its_score_belongs(published):
    before = [line("TEA", 0.9), line("EAC", 0.5), line("TEA", 0.8, draws=2), line("A", 1, draws=2)]
    new = [line("TEA", 0.9, rank=1.2), line("SPCE", 0.7, rank=1.8)]
    found = published.merged(new, before)
    assert [each["row"] for each in found] == ["TEA", "SPCE", "EAC"]
    assert [each["rank"] for each in found] == [1.0, None, 1.0]
    assert published.with_fewer_draws(found, before) == [line("A", 1, draws=2)]


def test_a_row_whose_scores_have_changed_is_replaced(published):
    before = [line("TEA", 0.9), line("EAC", 0.5), line("SPCE", 0.3)]
    new = [line("TEA", 0.9), line("SPCE", 0.7)]
    found = {each["row"]: each for each in published.merged(new, before)}
    assert found["SPCE"]["NMI"] == 0.7
    assert found["SPCE"]["rank"] is None


def test_if_every_row_is_computed_all_have_their_ranks(published):
    new = [line("TEA", 0.9, rank=1.2), line("SPCE", 0.7, rank=1.8)]
    assert published.merged(new, [line("TEA", 0.9), line("SPCE", 0.7)]) == new


def test_differences_to_a_row_that_is_not_the_best_are_refused(published):
    with pytest.raises(SystemExit, match="EAC has the best NMI"):
        published.merged([line("SPCE", 0.7)], [line("EAC", 0.8)])


def test_a_number_that_is_not_known_is_read_as_none(published, tmp_path):
    path = tmp_path / "leaderboard.csv"
    path.write_text("part,row,draws,rank,NMI,NMI half-width\nA,TEA,1,,0.5,nan\n")
    expected = {"part": "A", "row": "TEA", "draws": 1, "rank": None, "NMI": 0.5}
    assert published.read_lines(path)["A"] == [expected | {"NMI half-width": None}]


def test_published_rows_of_the_sets_stay(published):
    section = (
        f"\n{published.BY_SET}\n\n| NMI | mf |\n|---|---|\n| EAC | 0.5 (20) |\n| TEA | old |\n"
    )
    rows = ["| NMI | mf |", "|---|---|", "| TEA | 0.9 (20) |"]
    assert published.merged_by_set(rows, section) == [
        "| NMI | mf |", "|---|---|", "| EAC | 0.5 (20) |", "| TEA | 0.9 (20) |",
    ]  # fmt: skip
