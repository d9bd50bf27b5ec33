"""One way to say that a label is missing."""

from __future__ import annotations

import re
from pathlib import Path

import array_api_strict as strict
import numpy as np
import pandas as pd
import pytest

import consensa
from consensa._array import to_numpy
from consensa.ensemble.missing import MISSING, is_labeled, is_missing, is_nothing


@pytest.mark.parametrize("library", [np, strict])
def test_a_label_is_missing_or_there(library):
    codes = library.asarray([[0, MISSING], [3, 1]])
    assert to_numpy(is_missing(codes)).tolist() == [[False, True], [False, False]]
    assert to_numpy(is_labeled(codes)).tolist() == [[True, False], [True, True]]


@pytest.mark.parametrize("value", [None, float("nan"), np.float32("nan"), pd.NA, pd.NaT])
def test_what_stands_for_nothing_in_the_input(value):
    assert is_nothing(value)


@pytest.mark.parametrize("value", ["", "nan", 0, -1, 0.5])
def test_what_is_something(value):
    assert not is_nothing(value)


def test_nobody_compares_codes_with_the_number_for_missing_by_hand():
    """Compiled loops do, because it is faster there."""
    root = Path(consensa.__file__).parent
    by_hand = [
        f"{path.relative_to(root)}: {line.strip()}"
        for path in root.rglob("*.py")
        if not path.stem.endswith("_kernels") and path != root / "ensemble" / "missing.py"
        for line in path.read_text().splitlines()
        if re.search(r"[!=]= (MISSING|-1)\b", line)
    ]
    assert not by_hand
