"""The values that the paper prints."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files
from typing import NamedTuple

__all__ = ["Printed", "paper_values"]


class Printed(NamedTuple):
    """Position of a value in the paper's tables."""

    dataset: str
    metric: str
    row: str


@cache
def paper_values() -> dict[Printed, float]:
    """Every value of the paper's tables 1 to 7."""
    text = files("consensa.study").joinpath("paper.csv").read_text(encoding="utf-8")
    lines = csv.DictReader(text.splitlines())
    return {
        Printed(line["dataset"], line["metric"], line["method"]): float(line["value"])
        for line in lines
    }
