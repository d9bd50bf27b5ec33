"""Missing values, dates and ids are handled and told; all complaints come at once."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

from consensa.tables.inspection import inspect_table, question_shape
from consensa.tables.preparation import prepare
from consensa.tables.table import Table

GAPS = pd.DataFrame(
    {
        "x": [1.0, np.nan, 3.0, 9.0, 2.0],
        "y": [1.0, 2.0, 3.0, 4.0, np.nan],
        "z": ["b", "a", None, "a", "b"],
    }
)


def test_gaps_are_filled_with_the_median_or_the_most_frequent_entry():
    made = prepare(GAPS)
    assert made.frame["x"].tolist() == [1, 2.5, 3, 9, 2]
    assert made.frame["y"].tolist() == [1, 2, 3, 4, 2.5]
    assert made.frame["z"].tolist() == ["b", "a", "a", "a", "b"]  # of two, the first by name
    assert made.notes == [
        "3 missing values were filled with the median or the most frequent entry of their "
        "columns: 'x' 1, 'y' 1, 'z' 1."
    ]
    assert not made.complaints
    assert GAPS["x"].isna().sum() == 1  # the table itself is not changed


def test_the_order_of_the_rows_does_not_change_what_is_filled():
    shuffled = [3, 0, 4, 2, 1]
    turned = prepare(GAPS.iloc[shuffled].reset_index(drop=True)).frame
    assert_array_equal(turned, prepare(GAPS).frame.iloc[shuffled])


@pytest.mark.parametrize("dtype", ["Int64", "Float64", "float32"])
def test_gaps_of_every_type_of_numbers_are_filled(dtype):
    frame = pd.DataFrame({"x": pd.array([1, None, 4, 9], dtype=dtype), "y": [1.0, 2.0, 3.0, 5.0]})
    made = prepare(frame)
    assert made.frame["x"].tolist() == [1, 4, 4, 9]
    assert made.features.array.shape == (4, 2)


def test_gaps_of_categories_are_filled():
    made = prepare(GAPS.astype({"z": "category"}))
    assert made.frame["z"].tolist() == ["b", "a", "a", "a", "b"]


def test_rows_with_gaps_are_dropped_if_one_says_so():
    made = prepare(GAPS, missing="drop")
    assert made.rows.tolist() == [0, 3]
    assert made.frame["x"].tolist() == [1, 9]
    assert made.notes == ["3 rows with missing values left out."]
    short = prepare(GAPS.iloc[:3], missing="drop")
    assert short.complaints == ["--missing drop leaves 1 row. Use --missing impute."]


def test_every_column_with_gaps_is_named_if_they_are_an_error():
    made = prepare(GAPS, missing="error")
    assert [text[:35] for text in made.complaints] == [
        f"Column '{name}' has no value in row {row} (c"
        for name, row in (("x", 1), ("y", 4), ("z", 2))
    ]


def test_what_misses_more_than_half_is_left_out_with_a_warning():
    frame = GAPS.assign(w=[np.nan, np.nan, np.nan, 1.0, 2.0])
    frame.loc[1, ["x", "y", "z"]] = None
    made = prepare(frame)
    assert list(made.frame) == ["x", "y", "z"]
    assert made.rows.tolist() == [0, 2, 3, 4]
    assert made.warnings == [
        "More than half is missing in columns that are left out: 'w'.",
        "More than half is missing in 1 row, left out.",
    ]
    half = prepare(pd.DataFrame({"x": [1.0, np.nan, 2.0, np.nan], "y": [1.0, 2.0, 3.0, 5.0]}))
    assert not half.warnings  # half is not more


# ---- dates


DATES = {
    "iso": ["2026-01-02", "2026-01-05", None, "2026-02-02"],
    "with a time": ["2026-01-02 00:00", "2026-01-05 00:00", None, "2026-02-02 00:00"],
    "german": ["02.01.2026", "05.01.2026", None, "02.02.2026"],
    "slashes": ["2026/01/02", "2026/01/05", None, "2026/02/02"],
    "american, told by a day": ["01/02/2026", "01/05/2026", None, "01/31/2026"],
    "english": ["Jan 02, 2026", "Jan 05, 2026", None, "Feb 02, 2026"],
}


@pytest.mark.parametrize("entries", DATES.values(), ids=DATES.keys())
def test_dates_become_days_when_asked(entries):
    frame = pd.DataFrame({"day": entries, "x": [1.0, 2.0, 3.0, 4.0]})
    last = 29 if "31" in entries[-1] else 31
    made = prepare(frame, dates=True)
    assert made.frame["day"].tolist() == [0, 3, 3, last]
    assert made.notes[0] == "Dates are counted in days since the first one: 'day'."
    assert prepare(frame).complaints == [
        "Column 'day' holds dates. Use --dates to count their days, or --drop day."
    ]


def test_a_day_that_may_be_a_month_is_not_guessed():
    frame = pd.DataFrame({"day": ["01/02/2026", "03/04/2026"], "x": [1.0, 2.0]})
    assert "day and month cannot be told apart" in prepare(frame, dates=True).complaints[0]


def test_times_of_pandas_become_days():
    days = pd.to_datetime(["2026-01-02 00:00", "2026-01-02 12:00", "2026-01-04 00:00"])
    assert prepare(pd.DataFrame({"d": days}), dates=True).frame["d"].tolist() == [0, 0.5, 2]


def test_numbers_and_words_are_no_dates():
    frame = pd.DataFrame({"year": ["2020", "2021", "x"], "w": ["May", "June", "May"]})
    assert not any("dates" in text for text in prepare(frame).complaints)


# ---- ids


@pytest.fixture
def people():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "number": rng.permutation(40) + 1,
            "name": [f"p{i}" for i in range(40)],
            "x": rng.normal(size=40),
            "y": rng.normal(size=40),
            "rank": np.sort(rng.normal(size=40)),  # measured, in a sorted file
        }
    )


def test_ids_are_left_out_with_a_warning_and_can_be_kept(people):
    made = prepare(people)
    assert list(made.frame) == ["x", "y", "rank"]
    assert "are left out: 'number', 'name'. Use --keep number --keep name" in made.warnings[0]
    assert list(prepare(people, keep=["number"]).frame) == ["number", "x", "y", "rank"]


def test_shuffled_rows_give_the_same_decision(people):
    shuffled = people.sample(frac=1, random_state=1)
    assert list(prepare(shuffled).frame) == list(prepare(people).frame)


# ---- complaints


def test_all_complaints_come_at_once():
    frame = pd.DataFrame(
        {
            "day": ["2026-01-02", "2026-01-03", "2026-01-04"],
            "x": [1.0, np.inf, 2.0],
            "z": [[1], [2], [3]],
            "y": [1.0, 2.0, 4.0],
        }
    )
    said = " ".join(prepare(frame).complaints)
    for part in (
        "'day' holds dates",
        "'x' has infinity in row 1",
        "'z' of X must contain numbers",
    ):
        assert part in said


def test_a_complete_table_is_not_touched():
    frame = pd.DataFrame({"x": [1.0, 2.0, 4.0], "z": ["a", "b", "a"]})
    made = prepare(frame)
    assert made.frame is frame
    assert not made.notes + made.warnings + made.complaints


# ---- inspection


def test_an_inspection_names_what_is_noticeable(people):
    frame = people.assign(
        same=1,
        day=[f"2026-01-{1 + i % 28:02d}" for i in range(40)],
        far=[1e6, *([1.0, 2.0] * 19), 3.0],
    )
    frame = pd.concat([frame, frame.tail(1)], ignore_index=True)
    frame.loc[3, "x"] = np.nan
    found = inspect_table(Table(Path("people.csv"), frame))
    kinds = {column.name: column.kind for column in found.columns}
    assert kinds == {
        "number": "number", "name": "id", "x": "number", "y": "number", "rank": "number",
        "same": "constant", "day": "date", "far": "number",
    }  # fmt: skip
    said = " ".join(found.findings)
    for part in (
        "Constant columns change nothing: 'same'",
        "1 row equals an earlier one",
        "Outliers, which are clipped: 'far' 1",
        "differ by a factor of",
        "1 missing value was filled",
    ):
        assert part in said, part
    assert found.options == ("--id name", "--dates")


def test_a_matrix_that_looks_transposed_is_questioned():
    named = pd.DataFrame(np.ones((5, 178)), columns=[f"sample_{i}" for i in range(178)])
    assert "has 5 rows and 178 columns" in question_shape(named, labels=False)
    numbered = named.set_axis([f"x{i}" for i in range(178)], axis=1)
    assert question_shape(numbered, labels=False) is None  # names of features
    genes = named.set_axis([f"GENE{chr(65 + i % 26)}{i}" for i in range(178)], axis=1)
    assert question_shape(genes, labels=False) is None
    assert question_shape(genes, labels=True) is not None  # 178 partitions of 5 samples
    assert question_shape(named.T, labels=True) is None
    expression = pd.DataFrame(np.ones((300, 8)), columns=[f"Patient {i}" for i in range(8)])
    assert "has 300 rows and 8 columns, named like samples" in question_shape(
        expression, labels=False
    )
    assert question_shape(expression, labels=True) is None  # the runs of patients
    sensors = expression.set_axis([f"s{i}" for i in range(8)], axis=1)
    assert question_shape(sensors, labels=False) is None
