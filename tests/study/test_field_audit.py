"""The audit of every method: which draws, changes, verdicts, and the page made from the files."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from consensa.datasets import Dataset
from consensa.study import RunOptions, protocol_of
from consensa.study._field_audit import FieldAudit, write_field_audit
from consensa.study._field_audit_page import audit_page, audit_tables
from consensa.study.cells import Record
from consensa.study.draws import METRICS, draw
from consensa.study.experiments import Experiments
from consensa.study.figures import FIGURES, Plan
from consensa.study.material import Material
from consensa.study.run import run_study

RESULTS = Path(__file__).parents[2] / "docs" / "results" / "audit"


def made(n_samples=6):
    return Dataset(
        "mf", None, np.repeat([1, 2], n_samples // 2), np.zeros((n_samples, 10), int), "local"
    )


def lines_of(folder, **wanted):
    with (folder / "audit.csv").open() as file:
        lines = list(csv.DictReader(file))
    return [line for line in lines if all(line[key] == value for key, value in wanted.items())]


def recorded(protocol, dataset, by_order, method="eac", row="EAC"):
    """Records of one method, with these scores in each order."""
    records = {}
    for order, values in by_order.items():
        for number, value in enumerate(values):
            cell = protocol.cell(dataset, order, number, method)
            rows = {row: dict.fromkeys(METRICS, value)}
            records[cell.key] = Record(cell, "done", {"rows": rows, "details": {}})
    return records


@pytest.mark.parametrize(
    ("shuffled", "verdict", "change"),
    [
        ([0.5, 0.9], "none", 0.0),
        ([0.5, 0.82], "slight", -0.04),
        ([0.5, 0.8], "slight", -0.05),
        ([0.5, 0.78], "strong", -0.06),
    ],
)
def test_the_verdict_is_that_of_the_draws_in_both_orders(tmp_path, shuffled, verdict, change):
    protocol, dataset = protocol_of(sets=["mf"], methods=["eac"], draws=3), made()
    records = recorded(protocol, dataset, {"stored": [0.5, 0.9, 0.7], "shuffled": shuffled})
    write_field_audit(FieldAudit(protocol), Material({"mf": dataset}, records), tmp_path)
    (line,) = lines_of(tmp_path, metric="nmi")
    assert line["verdict"] == verdict
    assert (line["stored_draws"], line["shuffled_draws"], line["draws_in_both"]) == ("3", "2", "2")
    assert float(line["change"]) == pytest.approx(change)
    assert float(line["stored"]) == pytest.approx(0.7)


@pytest.mark.parametrize(
    ("method", "n_samples", "expected"),
    [("eac", 6, (5, 3)), ("gtlec", 6, (5, 5)), ("gtlec", 3002, (3, 3)), ("eac", 3002, (5, 3))],
)
def test_order_free_methods_and_large_files_need_few_draws(method, n_samples, expected):
    audit = FieldAudit(protocol_of(sets=["mf"], methods=[method], draws=5))
    orders = [cell.order for cell in audit.cells({"mf": made(n_samples)})]
    assert (orders.count("stored"), orders.count("shuffled")) == expected


def test_what_was_not_run_has_no_verdict(tmp_path):
    protocol, dataset = protocol_of(sets=["mf"], methods=["eac"], draws=1), made()
    write_field_audit(FieldAudit(protocol), Material({"mf": dataset}, {}), tmp_path)
    (line,) = lines_of(tmp_path, metric="ari")
    assert (line["verdict"], line["change"], line["stored_draws"]) == ("not run", "", "0")
    assert "not run" in audit_page(tmp_path)


def test_what_was_too_large_is_told_from_what_was_not_run(tmp_path):
    protocol, dataset = protocol_of(sets=["mf"], methods=["eac"], draws=2), made()
    cell = protocol.cell(dataset, "stored", 0, "eac")
    records = {cell.key: Record(cell, "too large", reason="its time grows with the cube")}
    write_field_audit(FieldAudit(protocol), Material({"mf": dataset}, records), tmp_path)
    assert {line["verdict"] for line in lines_of(tmp_path)} == {"too large"}


def test_the_audit_of_a_small_set_tells_the_two_kinds_of_methods_apart(folder, tmp_path):
    protocol = protocol_of(sets=["tiny"], methods=["eac", "lta"], draws=2, members=5)
    plans = {"degrees": Plan(protocol, (20.0,))}
    asked = Experiments(figures=plans, audit=FieldAudit(protocol))
    outcome = run_study(asked, RunOptions(tmp_path, folder, jobs=0))
    assert [path.name for path in outcome.tables] == ["audit.csv", "runs.csv", "audit.md"]
    assert {line["verdict"] for line in lines_of(tmp_path, row="EAC")} == {"none"}
    assert (tmp_path / "audit.md").read_text() == audit_page(tmp_path)
    assert "| tiny | 45 | 3 | 3 | 31.0 ± 3.1 | 1.000 |" in audit_tables(tmp_path)["runs"]
    assert "| tiny | EAC |" in audit_tables(tmp_path)["degrees"]


def test_the_share_of_the_rows_that_is_moved_grows_from_stored_to_shuffled():
    dataset = Dataset("mine", None, np.repeat([1, 2], 50), np.zeros((100, 9), int), "local")
    none, all_rows = (
        draw(dataset, order, 1, members=3, seed=0) for order in ("stored", "shuffled")
    )
    for share in (1, 20, 50, 100):
        drawn = draw(dataset, "shuffled", 1, members=3, seed=0, moved=share)
        np.testing.assert_array_equal(np.sort(drawn.rows), np.arange(100))
        moved = drawn.rows != np.arange(100)
        assert moved.sum() <= share
        assert moved.sum() >= share - 5  # some rows come back to their own place
        assert drawn.random_state == none.random_state
    np.testing.assert_array_equal(drawn.rows, all_rows.rows)
    np.testing.assert_array_equal(none.rows, np.arange(100))


def test_the_ends_of_the_degrees_are_cells_of_the_tables():
    protocol, dataset = protocol_of(sets=["mf"], methods=["eac"], draws=2), made()
    of_tables = {cell.key for cell in protocol.cells({"mf": dataset})}
    cells = FIGURES["degrees"].cells(Plan(protocol, (5.0,)), {"mf": dataset})
    others = [cell for cell in cells if cell.key not in of_tables]
    assert of_tables < {cell.key for cell in cells}
    assert [cell.settings["moved"] for cell in others] == [5.0, 5.0]
    same = FIGURES["degrees"].cells(Plan(protocol, (5,)), {"mf": dataset})
    assert [cell.key for cell in same] == [cell.key for cell in cells]


@pytest.mark.skipif(not RESULTS.exists(), reason="the results are not part of this copy")
def test_the_page_of_the_results_is_made_from_its_files():
    assert (RESULTS / "audit.md").read_text(encoding="utf-8") == audit_page(RESULTS)
