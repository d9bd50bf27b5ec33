"""What the README says is what there is."""

import csv
import math
import re
import shlex
from pathlib import Path

import pytest
import study_tables

from consensa.cli._app import load_command
from consensa.cli._methods import choose_method, markdown_table

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
WORDS = " ".join(README.split())
SHELL = [
    shlex.split(line, comments=True)
    for block in re.findall(r"```bash\n(.*?)```", README, flags=re.S)
    for line in block.splitlines()
]


def test_table_of_methods_is_that_of_the_command_line():
    (table,) = re.findall(r"<!-- methods -->\n(.*?)\n<!-- /methods -->", README, flags=re.S)
    assert table == markdown_table(), "run: consensa methods --markdown"


@pytest.mark.parametrize("page", study_tables.PAGES, ids=["front", "results", "note"])
def test_tables_of_the_study_are_those_of_its_results(page):
    text = page.read_text(encoding="utf-8")
    assert "<!-- study: " in text
    assert text == study_tables.written_again(text), "run: python docs/_ext/study_tables.py"


def test_ten_methods_are_as_near_to_the_printed_scores_as_the_pages_say():
    others = {"DREC", "SPCE", "Ours-EA", "Ours-SC"}
    gaps = {}
    for name in study_tables.SETS:
        with (ROOT / f"docs/results/study/{name}.csv").open(encoding="utf-8") as file:
            for line in csv.DictReader(file):
                if line["metric"] == "nmi" and line["paper_mean"] and line["method"] not in others:
                    gap = abs(float(line["shuffled_mean"]) - float(line["paper_mean"]))
                    gaps.setdefault(line["method"], []).append(gap)
    assert [len(gaps), *{len(gap) for gap in gaps.values()}] == [10, 7]
    bound = math.ceil(200 * max(max(gap) for gap in gaps.values())) / 200
    said = f"within {bound:.3f} of the printed NMI on each of the seven sets"
    assert f"Ten of the twelve methods that the LTA paper compares with are {said}" in WORDS
    guide = " ".join((ROOT / "docs/guide/which_method.md").read_text(encoding="utf-8").split())
    assert f"ten of twelve are {said}" in guide


def test_lta_and_gtlec_are_compared_with_as_many_methods_as_the_readme_says():
    with (ROOT / "docs/results/audit/audit.csv").open(encoding="utf-8") as file:
        others = {line["method"] for line in csv.DictReader(file)} - {"lta", "gtlec"}
    assert f"the highest NMI of all {len(others) + 2} methods" in WORDS
    assert f"For the {len(others)} other methods of this library" in WORDS


def test_python_quick_start_runs(capsys):
    (code,) = re.findall(r"```python\n(.*?)```", README, flags=re.S)
    exec(compile(code, "README.md", "exec"), {})
    assert "'acc': 0." in capsys.readouterr().out


@pytest.mark.parametrize("line", [line for line in SHELL if line[0] == "consensa"], ids=shlex.join)
def test_commands_are_understood(line):
    given = load_command(line[1]).make_context(line[1], line[2:]).params
    if "labels" in given:
        assert given["labels"] == (given["file"].name == "partitions.csv")
    if given.get("method") and line[1] != "compare":
        choose_method(given["method"])


def test_targets_of_make_are_there():
    made = (ROOT / "Makefile").read_text()
    asked = [line[1] for line in SHELL if line[0] == "make"]
    assert asked
    assert all(re.search(rf"^{target}:", made, flags=re.M) for target in asked)
    assert {line[0] for line in SHELL} == {"consensa", "make"}


def test_links_lead_somewhere():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        if not target.startswith("http"):
            assert (ROOT / target).exists(), target
