"""Parts of an audit: cells computed on another machine, and folders put together."""

from __future__ import annotations

import csv
import importlib.util
import json
from argparse import Namespace
from pathlib import Path

import pytest

from consensa.study.cells import Cell, Record

FOLDER = Path(__file__).parents[2] / "benchmarks"


def script(name):
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write(folder, name, *lines):
    folder.mkdir(exist_ok=True)
    with (folder / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(lines[0]))
        writer.writeheader()
        writer.writerows(lines)


def scored(dataset, nmi):
    """A line of audit.csv for each score."""
    numbers = {order: nmi for order in ("stored", "shuffled")}
    numbers |= {f"{order}_{what}": 0 for order in numbers for what in ("std", "draws")}
    texts = {"method": "eac", "row": "EAC", "paper": "", "change": 0, "verdict": "none"}
    names = ("nmi", "ari", "acc")
    return [{"dataset": dataset, "metric": name} | texts | numbers for name in names]


def sorted_as(dataset, sortedness):
    line = dict.fromkeys(("samples", "classes", "runs", "expected", "std"), 2)
    return {"dataset": dataset} | line | {"sortedness": sortedness}


def test_a_line_that_was_cut_off_does_not_take_the_next_one_with_it(monkeypatch, tmp_path):
    audit_gpu, path = script("audit_gpu"), tmp_path / "cells.jsonl"
    whole, cut = json.dumps({"key": "a", "state": "done"}), '{"key": "b", "st'
    path.write_text(f"{whole}\n{cut}", encoding="utf-8")
    cell = Cell("tables", "mf", "stored", 0, "gtlec")
    monkeypatch.setattr(audit_gpu, "read_sets", lambda *given: {})
    monkeypatch.setattr(audit_gpu, "in_workers", lambda *given: [Record(cell, "done")])
    monkeypatch.setitem(audit_gpu.PARTS, "audit", lambda *given: [([cell], 1)])
    audit_gpu.compute(Namespace(seconds=1, out=path, device="cpu", sets=["mf"], part="audit"))
    assert set(audit_gpu.lines_of(path)) == {"a", cell.key}


@pytest.mark.parametrize("option", ["--sets", "--degrees"])
def test_sets_that_the_script_does_not_know_are_refused(monkeypatch, capsys, option):
    monkeypatch.setattr("sys.argv", ["audit_gpu.py", "--out", "cells.jsonl", option, "mf,mnist"])
    with pytest.raises(SystemExit):
        script("audit_gpu").main()
    assert "wanted some of binalpha, " in (said := capsys.readouterr().err)
    assert "Got 'mnist'." in said


def test_the_lines_of_both_files_are_merged_and_the_page_made_again(tmp_path):
    new, old = tmp_path / "new", tmp_path / "old"
    write(old, "audit.csv", *scored("mf", 0.25), *scored("semeion", 0.5))
    write(old, "runs.csv", sorted_as("mf", 1), sorted_as("semeion", 0))
    write(new, "audit.csv", *scored("texture", 0.625), *scored("mf", 0.75))
    write(new, "runs.csv", sorted_as("texture", 0.5), sorted_as("mf", 1))
    merge_audit = script("merge_audit")
    merge_audit.main(new, old)
    for name, count in (("audit.csv", 3), ("runs.csv", 1)):
        found = [line["dataset"] for line in merge_audit.read(old, name)]
        assert found == ["mf"] * count + ["semeion"] * count + ["texture"] * count
    assert merge_audit.read(old, "audit.csv")[0]["stored"] == "0.75"
    assert "| texture | 2 | 2 | 2 | 2 ± 2 | 0.500 |" in (old / "audit.md").read_text("utf-8")


@pytest.mark.parametrize("missing", ["audit.csv", "runs.csv"])
@pytest.mark.parametrize("where", ["new", "old"])
def test_a_folder_without_one_of_the_files_is_refused_and_nothing_is_written(
    tmp_path, where, missing
):
    for folder, dataset in ((tmp_path / "new", "texture"), (tmp_path / "old", "mf")):
        write(folder, "audit.csv", *scored(dataset, 0.25))
        write(folder, "runs.csv", sorted_as(dataset, 1))
    (tmp_path / where / missing).unlink()
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.csv")}
    with pytest.raises(SystemExit, match=f"{where}/{missing} is missing or empty"):
        script("merge_audit").main(tmp_path / "new", tmp_path / "old")
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
