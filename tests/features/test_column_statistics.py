"""Statistics of columns on disk are those of the columns in memory."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from consensa.exceptions import InvalidInputError
from consensa.features import column_statistics
from consensa.features.column_statistics import column_fills, count_gaps
from consensa.features.stored import open_features

NUMBERS = st.one_of(
    st.none(),
    st.integers(-3, 3).map(float),
    st.floats(allow_nan=False, allow_infinity=False, width=64),
)


@settings(max_examples=30, deadline=None)
@example(values=[1e308])
@example(values=[1e308, 1.5e308])
@given(values=st.lists(NUMBERS, min_size=1, max_size=40))
def test_medians_are_exact(tmp_path_factory, values):
    path = tmp_path_factory.mktemp("medians") / "x.npy"
    column = np.array([np.nan if value is None else value for value in values])
    np.save(path, np.column_stack([column, -column]))
    stored = open_features(path)
    stored.parts = [(row, row + 1) for row in range(len(column))]
    known = np.sort(column[~np.isnan(column)])
    wanted = [None, None]
    if len(known):
        low, high = map(Fraction, known[[(len(known) - 1) // 2, len(known) // 2]].tolist())
        wanted = [float((low + high) / 2), -float((low + high) / 2)]
    assert list(column_fills(stored, [0, 1]).values()) == wanted
    assert count_gaps(stored).counts.tolist() == [len(column) - len(known)] * 2


def test_the_most_frequent_entry_is_found_in_any_order(tmp_path):
    frame = pd.DataFrame({"t": ["b", "a", None, "c", "a", "b"], "e": [None] * 6})
    frame = frame.astype({"e": "string"})
    for number, rows in enumerate([frame, frame[::-1]]):
        path = tmp_path / f"x{number}.parquet"
        rows.to_parquet(path, row_group_size=2)
        assert column_fills(open_features(path), [0, 1]) == {0: "a", 1: None}


def test_too_many_entries_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(column_statistics, "_MOST_ENTRIES", 3)
    pd.DataFrame({"t": list("abcdef")}).to_parquet(tmp_path / "x.parquet", row_group_size=2)
    with pytest.raises(InvalidInputError, match=r"column 't', has more than 3 different entries"):
        column_fills(open_features(tmp_path / "x.parquet"), [0])
