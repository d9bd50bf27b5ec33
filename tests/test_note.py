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
    """The script that prints where the energy of the files is in their spectrum."""
    path = ROOT / "benchmarks" / "file_spectrum.py"
    spec = importlib.util.spec_from_file_location("file_spectrum", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def of_the_data(monkeypatch):
    monkeypatch.setenv("CONSENSA_DATA", str(outside("CONSENSA_DATA", "isolet.npz").parent))


def test_the_note_says_how_much_of_isolet_is_near_a_few_frequencies(spectrum, of_the_data, capsys):
    spectrum.print_isolet()
    printed = capsys.readouterr().out
    count, of = map(int, re.search(r"(\d+) of (\d+) frequencies", printed).groups())
    stored, shuffled = (float(share) for share in re.findall(r"([\d.]+)% of the energy", printed))
    assert f"{count:,} of the {of:,} frequencies" in NOTE
    assert f"{stored:.0f} % of the energy" in NOTE
    assert f"with the rows shuffled, {shuffled:.0f} %" in NOTE


def test_the_note_says_how_much_of_semeion_is_at_low_frequencies(spectrum, of_the_data, capsys):
    # Of the six sorted files it has the least, and of the three at frequency 0 the most as stored.
    spectrum.print_sets(["semeion"], ["semeion"])
    stored, shuffled = capsys.readouterr().out.split(";")
    low, constant = re.findall(r"([\d.]+)% of", stored)
    assert f"{low} to 71 % of the energy is at frequencies up to $2 K$" in NOTE
    assert f"and 49 to {float(constant):.0f} % as stored" in NOTE
    low, constant = re.findall(r"([\d.]+)% of", shuffled)
    assert f"and {low} to 34 % if the rows are shuffled" in NOTE
    assert 97 <= float(constant) <= 100
    assert "97 to 100 % of the energy is at frequency 0" in NOTE


def test_all_energy_of_slow_columns_is_at_low_frequencies(spectrum):
    columns = np.cos(2 * np.pi * np.outer(np.arange(90), [1, 3]) / 90) + 1  # energy 90², twice / 4
    assert spectrum.share_of_low(columns, 3) == pytest.approx(1)
    assert spectrum.share_of_low(columns, 2) == pytest.approx(5 / 6)
    assert spectrum.share_of_low(columns, 0) == pytest.approx(2 / 3)


def test_a_period_of_the_file_is_all_of_the_energy_near_its_multiples(spectrum):
    periodic = np.tile(np.repeat(np.arange(26), 2), 150)
    near = spectrum.near_multiples(len(periodic))
    energy = spectrum.energy_by_frequency(np.equal.outer(periodic, np.arange(26)))[1:]
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


@pytest.mark.parametrize("page", ["README.md", "docs/paper/order.md"])
def test_pages_have_the_mean_nmi_of_both_orders(page):
    text = " ".join((ROOT / page).read_text(encoding="utf-8").replace("**", "").split())
    nmi = [line for line in lines_of(RESULTS / "audit" / "audit.csv") if line["metric"] == "nmi"]
    means = {
        (row, order): f"{np.mean([float(line[order]) for line in nmi if line['row'] == row]):.3f}"
        for row in ("Ours-SC", "GTLEC", "EAC")
        for order in ("stored", "shuffled")
    }
    assert f"from {means['Ours-SC', 'stored']} to {means['Ours-SC', 'shuffled']} (LTA)" in text
    assert f"from {means['GTLEC', 'stored']} to {means['GTLEC', 'shuffled']} (GTLEC)" in text
    assert means["EAC", "stored"] == means["EAC", "shuffled"]
    assert f"{means['EAC', 'stored']} in both orders" in text


def test_the_note_compares_both_methods_with_eac_and_the_unrefined_matrix():
    nmi = {
        (line["row"], line["dataset"]): float(line["shuffled"])
        for line in lines_of(RESULTS / "audit" / "audit.csv")
        if line["metric"] == "nmi"
    }
    sets = sorted({name for _, name in nmi})
    below = {row: [s for s in sets if nmi[row, s] < nmi["EAC", s]] for row in ("Ours-SC", "GTLEC")}
    assert {row: len(found) for row, found in below.items()} == {"Ours-SC": 7, "GTLEC": 4}
    assert "LTA is below EAC on all seven sets, GTLEC on four" in NOTE

    drawn = defaultdict(list)
    for line in lines_of(RESULTS / "study" / "figures" / "seven" / "penalty.csv"):
        if (line["row"], line["order"], float(line["penalty"])) == ("Ours-SC", "shuffled", 0.1):
            drawn[line["dataset"]].append(float(line["nmi"]))
    unrefined = {name: np.mean(scores) for name, scores in drawn.items()}
    change = {key: score - unrefined[key[1]] for key, score in nmi.items() if key[0] in below}
    lost = ["binalpha", "mf", "semeion"]
    of_lta = [-change.pop(("Ours-SC", name)) for name in lost]
    assert f"LTA loses {min(of_lta):.2f} to {max(of_lta):.2f} of NMI" in NOTE
    assert max(map(abs, change.values())) <= 0.0405
    assert "are within 0.04 of the NMI of that matrix" in NOTE


def test_the_note_says_that_lta_has_two_outcomes_on_shuffled_mf():
    found = sorted(
        float(line["nmi"])
        for line in lines_of(RESULTS / "study" / "cells.csv")
        if (line["dataset"], line["row"], line["order"]) == ("mf", "Ours-SC", "shuffled")
    )
    low = [score for score in found if score < 0.2]
    assert {f"{score:.2f}" for score in low} == {"0.01"}
    assert len(found) - len(low) == 7
    span = f"{found[len(low)]:.2f} to {found[-1]:.2f}"
    assert f"{len(low)} draws have an NMI of 0.01, the other seven {span}" in NOTE


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
