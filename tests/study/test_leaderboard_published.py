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
    return Cell(
        "tables", "tiny", "shuffled", draw, method, {"members": 4, "data": "a", **settings}
    )


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
        store.put(Record(cells[1], "failed", reason="stopped"))
        known = published.WithPublished(store, published.published_cells(cells, path, SCORES))
        assert known.get(cells[0]).payload["rows"]["EAC"]["ari"] == 0.75
        assert known.get(cells[1]).payload["rows"]["EAC"] == dict.fromkeys(SCORES, 0.375)
        assert known.get(cells[1]).seconds == 1.5
        assert known.get(cells[2]) is None
        # Their three scores are no result of a study, so the store does not have them.
        assert [record.state for record in store.records().values()] == ["done", "failed"]


@pytest.mark.parametrize("changed", [{"revision": 2}, {"data": "b"}, {"members": 5}])
def test_cells_of_another_method_or_other_data_do_not_come_back(published, tmp_path, changed):
    path = tmp_path / "cells.csv"
    with Store(tmp_path / "a.sqlite") as store:
        store.put(done(cell(0), 0.5))
        published.publish_cells(store, [cell(0)], path, SCORES)
    assert list(published.published_cells([cell(0)], path, SCORES)) == [cell(0).key]
    assert not published.published_cells([cell(0, **changed)], path, SCORES)


def test_a_cell_on_other_data_takes_the_place_of_the_published_one(published, tmp_path):
    path = tmp_path / "cells.csv"
    for number, each in enumerate([cell(0), cell(0, data="b")]):
        with Store(tmp_path / f"{number}.sqlite") as store:
            store.put(done(each, 0.5))
            published.publish_cells(store, [each], path, SCORES)
    assert [text.split(",")[2] for text in path.read_text().splitlines()[1:]] == ["b"]


def test_publishing_other_cells_keeps_those_of_the_file(published, tmp_path):
    path, cells = tmp_path / "cells.csv", [cell(0), cell(1)]
    for number, each in enumerate(cells):
        with Store(tmp_path / f"{number}.sqlite") as store:
            store.put(done(each, 0.5))
            published.publish_cells(store, cells, path, SCORES)
    assert [text.split(",")[3] for text in path.read_text().splitlines()[1:]] == ["0", "1"]


def test_an_added_row_has_no_rank_and_stands_where_its_score_belongs(published):
    before = [line("TEA", 0.9), line("EAC", 0.5), line("TEA", 0.8, draws=2), line("A", 1, draws=2)]
    new = [line("TEA", 0.9, rank=1.2), line("SPCE", 0.7, rank=1.8)]
    found = published.merged(new, before)
    assert [each["row"] for each in found] == ["TEA", "SPCE", "EAC"]
    assert [each["rank"] for each in found] == [1.0, None, 1.0]
    assert published.with_fewer_draws(found, before) == [line("A", 1, draws=2)]


def with_gaps(row, scores, gaps, half):
    """A line with scores of its own and differences to a best one."""
    numbers = {}
    for name, score, gap in zip(("NMI", "ARI", "ACC"), scores, gaps, strict=True):
        numbers |= {name: score, f"{name} to best": gap, f"{name} half-width": half}
    return line(row, 0.0) | numbers


def test_differences_are_to_the_new_best_where_it_has_changed(published):
    before = [
        with_gaps("TEA", (0.9, 0.8, 0.7), (0, 0, 0), 0.0),
        with_gaps("EAC", (0.5, 0.4, 0.3), (-0.4, -0.4, -0.4), 0.01),
    ]
    new = [  # better by NMI alone
        with_gaps("SPCE", (0.95, 0.1, 0.1), (0, -0.7, -0.6), 0.0) | {"rank": 1.1},
        with_gaps("TEA", (0.9, 0.8, 0.7), (-0.05, 0, 0), 0.02) | {"rank": 1.9},
    ]
    spce, tea, eac = published.merged(new, before)
    assert [spce["row"], tea["row"], eac["row"]] == ["SPCE", "TEA", "EAC"]
    assert [spce["rank"], tea["rank"], eac["rank"]] == [None, 1.0, 1.0]
    assert [tea["NMI to best"], tea["NMI half-width"]] == [-0.05, 0.02]
    assert eac["NMI to best"] == pytest.approx(-0.45)
    assert eac["NMI half-width"] is None
    assert [eac["ARI to best"], eac["ARI half-width"]] == [-0.4, 0.01]
    assert [eac["ACC to best"], eac["ACC half-width"]] == [-0.4, 0.01]


def test_differences_are_to_the_scores_that_the_best_row_has_now(published):
    before = [line("TEA", 0.9), line("EAC", 0.5)]
    tea, eac = published.merged([line("TEA", 0.8)], before)
    assert tea["rank"] is None
    assert eac["ARI to best"] == pytest.approx(-0.3)
    assert eac["ARI half-width"] is None


def test_a_row_whose_scores_have_changed_is_replaced(published):
    before = [line("TEA", 0.9), line("EAC", 0.5), line("SPCE", 0.3)]
    new = [line("TEA", 0.9), line("SPCE", 0.7)]
    found = {each["row"]: each for each in published.merged(new, before)}
    assert found["SPCE"]["NMI"] == 0.7
    assert found["SPCE"]["rank"] is None


def test_if_every_row_is_computed_all_have_their_ranks(published):
    new = [line("TEA", 0.9, rank=1.2), line("SPCE", 0.7, rank=1.8)]
    assert published.merged(new, [line("TEA", 0.9), line("SPCE", 0.7)]) == new


@pytest.mark.parametrize("rows", [["TEA"], ["TEA", "EAC"]])
def test_lines_of_fewer_draws_do_not_replace_published_ones(published, rows):
    new = [line(row, 0.9, draws=3) for row in rows]
    with pytest.raises(SystemExit, match="have 3 draws, the published ones 20: say --draws 20"):
        published.merged(new, [line("TEA", 0.9), line("EAC", 0.5)])


def test_lines_of_more_draws_replace_all_published_ones_or_none(published):
    new = [line("TEA", 0.9, draws=30), line("EAC", 0.5, draws=30)]
    before = [line("TEA", 0.9), line("EAC", 0.5), line("A", 0.3, draws=3)]
    assert published.merged(new, before) == new
    with pytest.raises(SystemExit, match="have 30 draws, the published ones 20"):
        published.merged(new, [*before, line("SPCE", 0.3)])


def test_a_row_beside_a_published_best_one_has_differences_of_the_means(published):
    before = [line("EAC", 0.8), line("TEA", 0.6)]
    eac, spce, tea = published.merged([line("SPCE", 0.7)], before)
    assert spce["NMI to best"] == pytest.approx(-0.1)
    assert spce["NMI half-width"] is None
    assert [eac, tea] == before


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
