"""Numbers of the note on the order that no table has."""

from __future__ import annotations

import csv
import importlib.util
import re
import shlex
import shutil
import subprocess
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from conftest import outside

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "docs" / "results"
NOTE = " ".join((ROOT / "docs" / "paper" / "order.md").read_text(encoding="utf-8").split())


@pytest.fixture
def spectrum():
    """The script that prints where the classes of ISOLET are in the spectrum."""
    path = ROOT / "benchmarks" / "isolet_spectrum.py"
    spec = importlib.util.spec_from_file_location("isolet_spectrum", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_note_says_how_much_of_isolet_is_near_a_few_frequencies(spectrum, monkeypatch, capsys):
    monkeypatch.setenv("CONSENSA_DATA", str(outside("CONSENSA_DATA", "isolet.npz").parent))
    spectrum.main()
    printed = capsys.readouterr().out
    count, of = map(int, re.search(r"(\d+) of (\d+) frequencies", printed).groups())
    stored, shuffled = (float(share) for share in re.findall(r"([\d.]+)% of the energy", printed))
    assert f"{count:,} of the {of:,} frequencies" in NOTE
    assert f"{stored:.0f} % of the energy" in NOTE
    assert f"with the rows shuffled, {shuffled:.0f} %" in NOTE


def test_a_period_of_the_file_is_all_of_the_energy_near_its_multiples(spectrum):
    periodic = np.tile(np.repeat(np.arange(26), 2), 150)
    near = spectrum.near_multiples(len(periodic))
    energy = spectrum.energy_by_frequency(periodic)
    assert energy[near].sum() == pytest.approx(energy.sum())
    assert near.sum() == 51 * 13  # 52 turns but for the frequencies 0 and n


def lines_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def ahead(order):
    """Row, set and score of LTA (spectral) and GTLEC, where they are above all other methods."""
    best, ours = defaultdict(float), {}
    for line in lines_of(RESULTS / "audit" / "audit.csv"):
        key = line["dataset"], line["metric"]
        if line["row"] in ("Ours-SC", "GTLEC"):
            ours[line["row"], *key] = float(line[order])
        elif line["method"] != "lta":
            best[key] = max(best[key], float(line[order]))
    return {key for key, score in ours.items() if score > best[key[1:]]}, set(ours)


def test_the_note_names_the_scores_in_which_lta_and_gtlec_are_not_above_all_others():
    above, every = ahead("stored")
    assert len(every) == 2 * 7 * 3
    others = {line["method"] for line in lines_of(RESULTS / "audit" / "audit.csv")}
    assert f"than the {len(others - {'lta', 'gtlec'})} other methods that we ran" in NOTE
    assert every - above == {
        ("Ours-SC", "caltech20", "ari"), ("Ours-SC", "caltech20", "acc"),
        ("GTLEC", "caltech20", "ari"), ("GTLEC", "caltech20", "acc"),
        ("Ours-SC", "isolet", "ari"),
    }  # fmt: skip
    assert "both scores on CalTech20, and the ARI of LTA on ISOLET" in NOTE
    assert ahead("shuffled")[0] == set()
    assert "another method is better on every set in each of the three scores" in NOTE


def test_the_note_says_that_the_nmi_of_lta_falls_in_every_draw():
    found = {
        (line["row"], line["dataset"], line["draw"], line["order"]): float(line["nmi"])
        for line in lines_of(RESULTS / "study" / "cells.csv")
        if line["row"] in ("Ours-SC", "Ours-EA")
    }
    stored = [key[:3] for key in found if key[3] == "stored"]
    falls = {key: found[*key, "stored"] - found[*key, "shuffled"] for key in stored}
    assert len(falls) == 2 * 140
    assert min(falls.values()) > 0
    assert "falls in each of its 140" in NOTE
    by_set = defaultdict(list)
    for (row, name, _), fall in falls.items():
        if row == "Ours-EA":
            by_set[name].append(fall)
    means = {name: np.mean(each) for name, each in by_set.items()}
    assert (min(means, key=means.get), max(means, key=means.get)) == ("isolet", "binalpha")
    least, most = f"{means['isolet']:.2f}", f"{means['binalpha']:.2f}"
    assert f"on average by {least} (ISOLET) to {most} (BinAlpha)" in NOTE


@pytest.mark.skipif(shutil.which("pandoc") is None, reason="pandoc is not installed")
def test_on_paper_tables_are_whole_and_links_lead_somewhere(tmp_path):
    (command,) = re.findall(r"^\t(pandoc .*)$", (ROOT / "Makefile").read_text(), flags=re.M)
    page = tmp_path / "order.html"
    words = [str(page) if word == "out/order.html" else word for word in shlex.split(command)]
    subprocess.run(words, cwd=ROOT, check=True, capture_output=True)
    text = page.read_text(encoding="utf-8")
    of_tables = "".join(re.findall(r"\btable \{([^}]*)\}", text))
    assert "font-size" in of_tables  # the style of the note
    assert "overflow" not in of_tables  # a table that scrolls is cut off
    links = set(re.findall(r'<a href="([^"]*)"', text))
    assert links
    assert all(link.startswith(("https://", "#")) for link in links)
