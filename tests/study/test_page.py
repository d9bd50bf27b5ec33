"""The page of the study: whole, escaped, and opened in a browser without network."""

from __future__ import annotations

import re

import pytest

from consensa.study import RunOptions, protocol_of
from consensa.study._page import collect_page, to_page
from consensa.study._summary import Summary, summarize
from consensa.study._table_files import Tables
from consensa.study._tables import Score, Table
from consensa.study.cells import Cell, Record
from consensa.study.experiments import Experiments
from consensa.study.figures import FIGURES, Plan
from consensa.study.run import run_study


@pytest.fixture(scope="module")
def written(folder, tmp_path_factory):
    """The page of a small study with every figure, and the folder that it is in."""
    out = tmp_path_factory.mktemp("out")
    few = {"penalty": (0.002, 2.0), "size": (3.0, 6.0, 20.0)}
    tables = protocol_of(sets=["tiny"], methods=["lta", "eac", "lwea"], draws=2, members=5)
    plans = {
        name: Plan(protocol_of(sets=["tiny"], methods=figure.methods, draws=2, members=5),
                   few.get(name, ()))
        for name, figure in FIGURES.items()
    }  # fmt: skip
    asked = Experiments(tables, plans, page="consensa study all --sets 'tiny'")
    outcome = run_study(asked, RunOptions(out, folder, jobs=0))
    assert outcome.page == out / "index.html"
    return out


def test_a_browser_without_network_shows_every_figure_and_has_no_complaint(written, open_page):
    opened = open_page(written / "index.html")
    assert opened.errors == []
    assert opened.requests == [(written / "index.html").as_uri()]
    widths = opened.page.evaluate("[...document.images].map(image => image.naturalWidth)")
    assert len(widths) >= 5
    assert min(widths) > 100
    assert all(image.is_visible() for image in opened.page.locator("img").all())


def test_a_phone_scrolls_the_tables_and_not_the_page(written, open_page):
    opened = open_page(written / "index.html", width=375, height=700, color_scheme="dark")
    sizes = "[document.documentElement.scrollWidth, window.innerWidth]"
    page, window = opened.page.evaluate(sizes)
    assert page <= window
    drawn = opened.page.evaluate("[...document.images].map(image => image.clientWidth)")
    assert max(drawn) <= 375
    background = opened.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == "rgb(23, 24, 26)"  # dark, as the phone asks for


def test_pictures_have_words_and_tables_have_heads(written, open_page):
    page = open_page(written / "index.html").page
    assert page.evaluate("[...document.images].every(image => image.alt.length > 40)")
    assert page.evaluate("[...document.querySelectorAll('table')].every(t => t.caption)")
    assert page.evaluate(
        "[...document.querySelectorAll('tbody tr')].every(r => r.cells[0].scope === 'row')"
    )
    anchors = page.evaluate("[...document.querySelectorAll('nav a')].map(a => a.hash.slice(1))")
    assert len(anchors) >= 8
    assert all(page.evaluate(f"!!document.getElementById('{anchor}')") for anchor in anchors)


def test_the_page_says_what_the_tables_say(written):
    text = (written / "index.html").read_text()
    csv = (written / "tiny.csv").read_text().splitlines()
    row = next(line for line in csv if line.startswith("Ours-SC,nmi,")).split(",")
    assert f"{float(row[2]):.3f}" in text
    assert "consensa study all --sets &#39;tiny&#39;" in text
    assert "numpy" in text
    assert str(written) not in text
    assert "with the same rows shuffled" in text


def test_the_figures_name_the_number_of_partitions_and_what_was_left_out(written):
    text = (written / "index.html").read_text()
    assert "the consensus of 5 of them" in text
    assert "the same 5 partitions" in text
    assert "No draws of 20 partitions of tiny: its pool has 12." in text


def test_no_script_nothing_fetched(written):
    text = (written / "index.html").read_text()
    assert "<script" not in text
    sources = re.findall(r'(?:src|href)="([^"]{0,12})', text)
    assert all(source.startswith(("data:", "#")) for source in sources)


def test_everything_is_escaped(tmp_path):
    nasty = "<img src=x onerror=alert(1)>"
    scores = {(nasty, "nmi", "stored"): Score(None, note=f"failed: {nasty}")}
    table = Table(nasty, nasty, (nasty,), ("stored",), 1, scores)
    tables = Tables([table], Summary(1, table, {}, {}), [])
    page = collect_page(tables, [], [], wanted=0, out=tmp_path, command=nasty)
    text = to_page(page)
    assert nasty not in text
    assert "&lt;img src=x" in text


def test_a_summary_and_its_ranks_are_there_for_several_sets(tmp_path):
    def table(name, values):
        rows = tuple(values)
        scores = {(row, "nmi", order): Score(value, 0.01, 3) for row, value in values.items()
                  for order in ("stored", "shuffled")}  # fmt: skip
        return Table(name, name, rows, ("stored", "shuffled"), 3, scores)

    tables = [
        table("a", {"Ours-SC": 0.9, "EAC": 0.5, "LWEA": 0.6}),
        table("b", {"Ours-SC": 0.7, "EAC": 0.8, "LWEA": 0.6}),
    ]
    page = collect_page(
        Tables(tables, summarize(tables), []), [], [], wanted=3, out=tmp_path, command="consensa"
    )
    assert [section.name for section in page.sections] == ["a", "b", "summary"]
    assert "ahead of it on 1 of 2 sets" in page.findings[1]
    assert [row.cells[-1].text for row in page.order.rows] == ["0.600", "0.800"]
    assert page.order.heads[0] == "as stored"  # neither set is in the paper
    assert "0.800" in to_page(page)
    summary = page.sections[-1].short
    heads = ["ours, as stored", "ours, shuffled", "rank: ours, as stored", "rank: ours, shuffled"]
    assert summary.heads == heads
    first = [cell.text for cell in summary.rows[0].cells[:4]]
    assert first == ["0.800", "0.800", "1.50", "1.50"]  # 1st and 2nd
    assert page.legend.startswith("Means over the draws, in the summary over the sets, ±")


def test_what_is_missing_is_counted(tmp_path):
    table = Table("a", "a", (), ("stored",), 1, {})
    tables = Tables([table], Summary(1, table, {}, {}), [])
    record = Record(Cell("tables", "a", "stored", 0, "eac"), "failed", versions={"numpy": "2"})
    page = collect_page(tables, [], [record], wanted=3, out=tmp_path, command="consensa")
    said = ["3 cells: 1 failed, 2 missing.", "1 cells computed with numpy 2."]
    assert page.provenance == said


def test_the_summary_says_on_how_few_sets_a_mean_is(tmp_path):
    def table(name, **values):
        failed = Score(None, note="too large: 9 GiB")
        scores = {
            (row, "nmi", "stored"): failed if value is None else Score(value, 0.01, 3)
            for row, value in values.items()
        }
        return Table(name, name, tuple(values), ("stored",), 3, scores)

    tables = [table("a", EAC=0.5, SPCE=0.9), table("b", EAC=0.6, SPCE=None)]
    page = collect_page(
        Tables(tables, summarize(tables), []), [], [], wanted=4, out=tmp_path, command="consensa"
    )
    eac, spce = (row.cells[0] for row in page.sections[-1].short.rows)
    assert (eac.text, eac.spread) == ("0.550", "± 0.071")
    assert (spce.text, spce.spread) == ("0.900", "(on 1 of 2 sets)")
