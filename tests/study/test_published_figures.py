"""The published figures show the scores of the published tables."""

import csv
from pathlib import Path

import pytest

STUDY = Path(__file__).parents[2] / "docs" / "results" / "study"


def _scores(path, row):
    """Scores of a row of the tables, by data set, order and draw."""
    with path.open(newline="") as file:
        return {
            (line["dataset"], line["order"], line["draw"]): line["nmi"]
            for line in csv.DictReader(file)
            if line["row"] == row
        }


@pytest.mark.parametrize("figure", ["penalty", "base"])
def test_eac_has_the_scores_of_the_tables_in_both_orders(figure):
    shown = _scores(STUDY / "figures" / f"{figure}.csv", "EAC")
    tables = _scores(STUDY / "cells.csv", "EAC")
    assert len(shown) == 120
    assert all(tables[key] == score for key, score in shown.items())
    assert all(score == shown[name, "shuffled", draw] for (name, _, draw), score in shown.items())
