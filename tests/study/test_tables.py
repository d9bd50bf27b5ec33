"""Tables from cells made by hand."""

from __future__ import annotations

import csv
import html.parser
import io

import numpy as np
import pytest

from consensa.datasets import Dataset
from consensa.study._html import to_html
from consensa.study._remarks import remarks_on
from consensa.study._summary import summarize
from consensa.study._tables import collect
from consensa.study._text import to_csv, to_markdown
from consensa.study.cells import Record
from consensa.study.draws import METRICS
from consensa.study.material import Material
from consensa.study.paper import Printed, paper_values
from consensa.study.protocol import Protocol

MF = Dataset("mf", None, np.repeat([1, 2], 3), np.zeros((6, 9), int), "local")
MINE = Dataset("mine", None, np.repeat([1, 2], 2), np.zeros((4, 9), int), "local")


def record(protocol, dataset, order, draw, method, values):
    rows = {row: dict.fromkeys(METRICS, value) for row, value in values.items()}
    cell = protocol.cell(dataset, order, draw, method)
    return {cell.key: Record(cell, "done", {"rows": rows, "details": {}})}


@pytest.fixture
def made():
    """Three methods on one set of the paper: one whole, one half, one that failed."""
    protocol = Protocol(("mf",), ("lwea", "sec", "spce", "lta"), draws=2)
    records = {}
    for draw, value in enumerate([0.5, 0.7]):
        for order in ("stored", "shuffled"):
            records |= record(protocol, MF, order, draw, "lwea", {"LWEA": value})
        records |= record(
            protocol, MF, "stored", draw, "lta", {"Ours-EA": 0.1, "Ours-SC": value / 2}
        )
    records |= record(protocol, MF, "stored", 0, "sec", {"SEC": 0.59})
    for draw in range(2):
        cell = protocol.cell(MF, "stored", draw, "spce")
        records[cell.key] = Record(cell, "too large", reason="needs 9 GiB and 3 are free")
    return protocol, records


@pytest.fixture
def table(made):
    return collect(made[0], Material({"mf": MF}, made[1]))[0]


def test_means_and_deviations_are_over_the_draws(table):
    score = table.score("LWEA", "nmi", "stored")
    assert score.mean == pytest.approx(0.6)
    assert score.std == pytest.approx(np.sqrt(0.02))  # of 0.5 and 0.7, over n - 1
    assert (score.draws, score.note) == (2, "")


def test_beside_ours_stands_what_the_paper_prints(table):
    assert table.sources == ("paper", "stored", "shuffled")
    assert table.score("LWEA", "nmi", "paper").mean == 0.65
    assert table.score("Ours-SC", "acc", "paper").mean == 0.99
    assert table.score("LWEA", "nmi_arithmetic", "paper").mean is None


def test_what_is_not_there_says_why(table):
    assert table.score("SEC", "acc", "stored").draws == 1
    assert table.score("SEC", "acc", "shuffled").note == "missing"
    assert table.score("SPCE", "acc", "stored").note == "too large: needs 9 GiB and 3 are free"
    text = to_markdown(table)
    assert "| SPCE | 0.581 | not run: too large | missing |" in text
    assert "| SEC | 0.592 | 0.590 (1 of 2 draws) | missing |" in text
    assert "- SPCE: too large: needs 9 GiB and 3 are free" in text


def test_the_best_and_the_second_best_of_a_column_are_marked(table):
    assert table.places("ari", "paper") == {"Ours-SC": 1, "Ours-EA": 2}
    assert "**0.979** | " in to_markdown(table).split("## ARI")[1]
    assert "<b>0.979</b>" in to_html(table)


def test_nothing_is_marked_while_cells_of_the_column_are_missing(made, table):
    protocol, records = made
    assert table.places("ari", "stored") == {}  # SEC lacks a draw
    records |= record(protocol, MF, "stored", 1, "sec", {"SEC": 0.61})
    whole = collect(protocol, Material({"mf": MF}, records))[0]
    assert whole.places("ari", "stored") == {"LWEA": 1, "SEC": 1, "Ours-SC": 2}
    lines = to_markdown(whole).split("## ARI")[1].splitlines()
    lwea = next(line for line in lines if line.startswith("| LWEA"))
    assert lwea.split("|")[3] == " **0.600** ± 0.141 "
    assert "<b>0.600</b> ± 0.141" in to_html(whole)


def test_values_that_print_alike_share_their_place(made):
    protocol, records = made
    records |= record(protocol, MF, "stored", 0, "sec", {"SEC": 0.6000004})
    records |= record(protocol, MF, "stored", 1, "sec", {"SEC": 0.6})
    places = collect(protocol, Material({"mf": MF}, records))[0].places("acc", "stored")
    assert places == {"LWEA": 1, "SEC": 1, "Ours-SC": 2}


def test_csv_has_a_line_for_each_row_and_metric_and_no_reason_that_names_a_machine(table):
    lines = list(csv.DictReader(io.StringIO(to_csv(table))))
    assert len(lines) == 5 * 8
    first = lines[0]
    assert first["method"] == "LWEA"
    assert first["metric"] == "acc"
    assert first["stored_mean"] == "0.600000"
    assert first["stored_std"] == "0.141421"
    assert first["stored_draws"] == "2"
    assert first["paper_place"] == ""
    assert lines[-8]["paper_place"] == "1"
    assert "GiB" not in to_csv(table)
    spce = next(line for line in lines if line["method"] == "SPCE")
    assert (spce["stored_mean"], spce["stored_note"]) == ("", "not run: too large")


def test_the_page_is_whole_and_fetches_nothing(table):
    class Reader(html.parser.HTMLParser):
        open, links = [], []

        def handle_starttag(self, tag, attributes):
            if tag != "meta":
                self.open.append(tag)
            self.links += [value for name, value in attributes if name in ("src", "href")]

        def handle_endtag(self, tag):
            assert self.open.pop() == tag

    reader = Reader()
    page = to_html(table, remarks=["1 < 2 & so on"])
    reader.feed(page)
    assert reader.open == []
    assert reader.links == []
    assert "1 &lt; 2 &amp; so on" in page


def test_a_set_that_the_paper_has_not_has_no_column_of_it():
    protocol = Protocol(("mine",), ("eac",), ("shuffled",), draws=1)
    records = record(protocol, MINE, "shuffled", 0, "eac", {"EAC": 0.25})
    table = collect(protocol, Material({"mine": MINE}, records))[0]
    assert table.sources == ("shuffled",)
    assert table.score("EAC", "nmi", "shuffled").std is None
    assert "| EAC | **0.250** |" in to_markdown(table)


def test_the_summary_ranks_the_rows_that_every_set_has():
    protocol = Protocol(("mf", "mine"), ("eac", "sec", "lwea"), ("stored",), draws=1)
    values = {"mf": {"eac": 0.9, "sec": 0.5, "lwea": 0.5}, "mine": {"eac": 0.2, "sec": 0.4}}
    records = {}
    for dataset in (MF, MINE):
        for method, value in values[dataset.name].items():
            row = {method.upper(): value}
            records |= record(protocol, dataset, "stored", 0, method, row)
    datasets = {"mf": MF, "mine": MINE}
    summary = summarize(collect(protocol, Material(datasets, records)))
    assert summary.table.score("EAC", "nmi", "stored").mean == pytest.approx(0.55)
    assert summary.mean_ranks == {}  # a cell is missing
    assert summary.table.score("LWEA", "nmi", "stored").note == (
        "on 1 of 2 sets, the rest missing"
    )
    assert summary.comparisons == {}  # two methods: nothing to test
    text = to_markdown(summary.table, summary)
    assert "| LWEA | 0.500 (on 1 of 2 sets, the rest missing) |  |" in text
    assert "| EAC | 0.550 ± 0.495 |  |" in text
    cell = protocol.cell(MINE, "stored", 0, "lwea")
    records[cell.key] = Record(cell, "too large", reason="needs 9 GiB")
    summary = summarize(collect(protocol, Material(datasets, records)))
    text = to_markdown(summary.table, summary)
    assert summary.mean_ranks["EAC", "nmi", "stored"] == 1.5
    assert summary.mean_ranks["SEC", "nmi", "stored"] == 1.5
    assert ("LWEA", "nmi", "stored") not in summary.mean_ranks
    assert "| LWEA | 0.500 (on 1 of 2 sets) |  |" in text
    assert "| EAC | **0.550** ± 0.495 | 1.50 |" in text
    lines = list(csv.DictReader(io.StringIO(to_csv(summary.table, summary))))
    assert lines[0]["stored_mean_rank"] == "1.500000"
    assert lines[0]["stored_sets"] == "2"


def test_a_failure_that_speaks_of_something_missing_is_no_missing_cell():
    protocol = Protocol(("mf", "mine"), ("eac", "sec", "lwea"), ("stored",), draws=1)
    records = {}
    for dataset in (MF, MINE):
        for method, value in {"eac": 0.9, "sec": 0.5}.items():
            row = {method.upper(): value}
            records |= record(protocol, dataset, "stored", 0, method, row)
        cell = protocol.cell(dataset, "stored", 0, "lwea")
        records[cell.key] = Record(cell, "failed", reason="a library is missing")
    tables = collect(protocol, Material({"mf": MF, "mine": MINE}, records))
    assert tables[0].places("nmi", "stored") == {"EAC": 1, "SEC": 2}
    assert "- LWEA: failed: a library is missing" in to_markdown(tables[0])
    summary = summarize(tables)
    assert summary.table.places("nmi", "stored") == {"EAC": 1, "SEC": 2}
    assert summary.mean_ranks["EAC", "nmi", "stored"] == 1


def test_the_difference_from_the_paper_is_told(table):
    assert remarks_on(table)[0].startswith(
        "Ours-SC as stored differs from the paper's NMI by -0.679."
    )


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("binalpha", "acc", "Ours-SC"), 0.858),
        (("binalpha", "nmi", "PTA-SL"), 0.3),
        (("mf", "nmi", "Ours-SC"), 0.979),
        (("mnist5k", "nmi", "Ours-SC"), 0.979),
        (("semeion", "acc", "Ours-EA"), 0.846),
        (("caltech20", "purity", "LWEA"), 0.665),
        (("texture", "nmi", "Ours-SC"), 0.995),
        (("isolet", "nmi", "Ours-SC"), 0.831),
    ],
)
def test_the_papers_values_are_those_it_prints(place, value):
    assert paper_values()[Printed(*place)] == value


def test_the_papers_tables_are_complete():
    values = paper_values()
    assert len(values) == 7 * 7 * 14
    assert all(0 <= value <= 1 for value in values.values())
