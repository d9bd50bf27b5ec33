"""Numbers of the note on the order that no table has."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

from conftest import outside

ROOT = Path(__file__).parent.parent
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
