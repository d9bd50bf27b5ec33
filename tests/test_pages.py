"""Tutorials and how-to pages: everything that they show runs, and prints what they say."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest
import snippets
from snippets import Step

from consensa._defaults import DEFAULT_METHOD

DOCS = Path(__file__).parent.parent / "docs"
FOLDERS = ("tutorials", "howto", "coming_from", "paper")
PAGES = [
    DOCS / "index.md",
    *(page for name in FOLDERS for page in sorted(DOCS.glob(f"{name}/*.md"))),
]
STORIES = [page for page in PAGES if snippets.read_steps(page.read_text())]


@pytest.mark.parametrize("page", STORIES, ids=lambda page: page.stem)
def test_what_a_page_shows_is_what_it_prints(page, tmp_path):
    for step, printed in snippets.run_page(page, tmp_path):
        assert snippets.agrees(step, printed), (
            f"{page.name}, line {step.line}:\n{step.code}\nprints\n{printed}\n"
            f"and not\n{step.shown}"
            f"\nIf that is right: python docs/_ext/snippets.py {page.relative_to(DOCS.parent)}"
        )
    for picture in re.findall(rf"\.\./_generated/{page.stem}/([^)]+)\)", page.read_text()):
        assert (tmp_path / picture).exists(), f"{page.name} shows {picture} and does not make it"


@pytest.mark.parametrize("page", sorted(DOCS.glob("tutorials/*.md")), ids=lambda page: page.stem)
def test_a_tutorial_shows_nothing_that_is_not_run(page):
    languages = set(re.findall(r"^```(\S+)$", page.read_text(), flags=re.M))
    assert languages <= {"python", "text", "console", "{toctree}"}


def test_python_of_every_page_is_run_by_some_test():
    elsewhere = {"audit.md", "scale.md"}  # test_guide.py and distributed/test_page.py
    for page in DOCS.rglob("*.md"):
        place = page.relative_to(DOCS)
        if "```python" in page.read_text() and place.parts[0] not in {"guide", "_generated"}:
            assert page in STORIES or str(place) in elsewhere, f"nothing runs {place}"


def test_steps_of_a_page_are_found_in_order():
    page = (
        "```python\nx = 1\nprint(x)\n```\n\n```text\n1\n```\n\nWords.\n\n```text\nno step\n```\n"
        "```console\n$ consensa methods  # all of them\nmany\nlines\n$ head -1 x\n1\n```\n"
    )
    assert snippets.read_steps(page) == [
        Step("python", "x = 1\nprint(x)\n", "1\n", 1),
        Step("console", "consensa methods", "many\nlines", 15),
        Step("console", "head -1 x", "1", 15),
    ]


def test_another_output_is_noticed_and_seconds_are_not():
    step = Step("python", "", "done in ... s\n\n  2 clusters\n", 1)
    assert snippets.agrees(step, "done in 0.3 s\n   \n  2 clusters  \n\n")
    assert not snippets.agrees(step, "done in 0.3 s\n\n  3 clusters\n")
    assert not snippets.agrees(Step("python", "x", "", 1), "more than is shown\n")


def test_a_page_can_be_written_again_with_what_it_prints_now(tmp_path):
    page = tmp_path / "page.md"
    page.write_text(
        "```python\nprint(1 + 1)\n```\n\n```text\n3\n```\n\n```console\n$ echo 0.2 s\n```\n"
    )
    assert snippets.written_again(page, tmp_path) == (
        "```python\nprint(1 + 1)\n```\n\n```text\n2\n```\n\n```console\n$ echo 0.2 s\n... s\n```\n"
    )


def _missing_in_walks(page: str) -> list[str]:
    """Files and functions that a page of walks names and the source does not have."""
    source = DOCS.parent / "src" / "consensa"
    named = re.findall(r"`([\w./]+(?:\.py|/))`(?: \(`(\w+)`\))?", page)
    return [
        f"{file} {function}".strip()
        for file, function in named
        if not (source / file).exists()
        or (function and f"def {function}(" not in (source / file).read_text())
    ]


def test_every_file_and_function_on_the_walks_exists():
    page = (DOCS / "contributing_walks.md").read_text()
    assert page.count("\n## `") == 4
    assert not _missing_in_walks(page)
    assert _missing_in_walks("`_api.py` (`gone`), `cli/gone.py`") == [
        "_api.py gone",
        "cli/gone.py",
    ]


def _shown(line: dict[str, str]) -> list[str]:
    """A line of the leaderboard's CSV as its page shows it, without the bold type."""
    scores = ("NMI", "ARI", "ACC")
    means = [f"{float(line[name]):.4f}" for name in scores]
    gaps = [(float(line[f"{name} to best"]), line[f"{name} half-width"]) for name in scores]
    around = [f" ± {float(width):.4f}" if width else "" for _, width in gaps]
    rank = f"{float(line['rank']):.1f}" if line["rank"] else "–"
    differences = [f"{gap:+.4f}{width}" for (gap, _), width in zip(gaps, around, strict=True)]
    seconds = f"{float(line['seconds']):.1f}"
    return [line["row"], *means, *differences, rank, seconds, line["draws"]]


def test_the_leaderboard_shows_the_numbers_of_its_csv():
    page = (DOCS / "results" / "leaderboard.md").read_text()
    shown = []
    for section in page.split("\n## ")[1:]:
        title, rows = section.split("\n", 1)
        cells = [row.strip("| ").split(" | ") for row in rows.splitlines() if row.startswith("|")]
        shown += [[title, *row] for row in cells if len(row) == 10 and set(row[0]) - {"-"}]
    shown = [[cell.strip("*") for cell in row] for row in shown if "NMI" not in row[1:]]
    with (DOCS / "results" / "leaderboard.csv").open(newline="") as file:
        lines = [[line["part"], *_shown(line)] for line in csv.DictReader(file)]
    assert len(lines) > 100
    assert shown == lines


def _lines(name: str) -> list[dict]:
    with (DOCS / "results" / name).open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def test_the_guide_says_how_often_the_number_of_clusters_is_right_as_it_was_measured():
    noise = [line["one"] for line in _lines("number_noise.jsonl")]
    sets = [line for line in _lines("number_sets.jsonl") if line["seed"] == 0]
    off = [min(abs(line["chosen"] - known) for known in line["known"]) for line in sets]
    exact, near = (100 * sum(one <= limit for one in off) / len(off) for limit in (0, 1))
    page = " ".join((DOCS / "guide" / "which_method.md").read_text().split())
    assert f'In {len(noise)} runs on noise it answered "one cluster" {sum(noise)} times' in page
    assert (
        f"on {len(off)} sets with known numbers it was exact on {exact:.0f} % "
        f"and at most one off on {near:.0f} %"
    ) in page


@pytest.mark.parametrize("members", [10, 20])
def test_from_labels_the_default_is_first_or_within_the_interval_of_the_first(members):
    part = f"From labels, ensembles of {members}"
    with (DOCS / "results" / "leaderboard.csv").open(newline="") as file:
        rows = [line for line in csv.DictReader(file) if line["part"] == part]
    ranked = [line for line in rows if line["draws"] == "20" and line["rank"]]
    (default,) = [line for line in ranked if line["row"] == DEFAULT_METHOD]
    for score in ("NMI", "ARI", "ACC"):
        behind = -float(default[f"{score} to best"])
        assert behind <= float(default[f"{score} half-width"])
