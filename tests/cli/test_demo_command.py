"""``consensa demo`` on a few of its digits."""

from __future__ import annotations

import sys

import pandas as pd
import pytest
from sklearn.datasets import load_digits

from consensa._defaults import DEFAULT_METHOD
from consensa.cli import _demo


@pytest.fixture
def few_digits(monkeypatch):
    images, digits = load_digits(return_X_y=True)
    monkeypatch.setattr(_demo, "load_digits", lambda **_: (images[:120], digits[:120]))
    return digits[:120]


def test_the_demo_writes_its_files_and_compares_both_orders(consensa, few_digits, tmp_path):
    folder = tmp_path / "new" / "demo"
    done = consensa("demo", "--output", folder)
    assert done.status == 0, done.err
    order_free = f"default ({DEFAULT_METHOD}), either order"
    for said in ("k-means, one run", order_free, "LTA, as stored", "LTA, shuffled"):
        assert said in done.err
    labels = pd.read_csv(folder / "labels.csv")
    default = DEFAULT_METHOD.lower()
    assert list(labels) == ["index", "digit", "kmeans", default, "lta_as_stored", "lta_shuffled"]
    assert list(labels.digit) == list(few_digits)
    for column in list(labels)[2:]:
        assert list(labels[column].unique()) == list(range(10)), "numbered by first appearance"
    for name in ("consensus.png", "convergence.png"):
        assert (folder / name).read_bytes().startswith(b"\x89PNG")
        assert str(folder / name) in done.err
    assert len(list(folder.iterdir())) == 3


@pytest.mark.parametrize(("of_default", "place"), [(0.9, 0), (0.1, 3)])
def test_the_best_row_is_first_and_another_one_than_the_default_is_said(
    consensa, few_digits, tmp_path, monkeypatch, of_default, place
):
    scores = iter([{"ari": 0.3}, {"ari": of_default}, {"ari": 0.2}, {"ari": 0.4}])
    monkeypatch.setattr(_demo, "clustering_scores", lambda *_: next(scores))
    said = consensa("demo", "--output", tmp_path / "demo").err
    rows = ["LTA, shuffled", "k-means, one run", "LTA, as stored"]
    rows.insert(place, f"default ({DEFAULT_METHOD}), either order")
    places = [said.index(f"{row} ") for row in rows]
    assert places == sorted(places)
    assert ("'LTA, shuffled' has the highest ARI here" in said) == (place > 0)


def test_a_folder_that_cannot_be_made_is_refused(consensa, write):
    done = consensa("demo", "--output", write("taken", "x"))
    assert done.status == 2
    assert "--output must be a folder that can be created" in done.err


def test_without_matplotlib_the_demo_says_so_before_it_computes(
    consensa, few_digits, tmp_path, monkeypatch
):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    done = consensa("demo", "--output", tmp_path / "demo")
    assert done.status == 2
    assert "pip install 'consensa[plot]'" in done.err
    assert not (tmp_path / "demo").exists()
