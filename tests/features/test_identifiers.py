"""Columns that look like row numbers or names of the samples."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from consensa import open_features
from consensa.features import _features, read_features
from consensa.features._drawn_frame import drawn_frame
from consensa.features.identifiers import identifier_columns

RNG = np.random.default_rng(0)
N = 40
MEASURED = RNG.normal(size=N)
COLUMNS = {
    "row number": (np.arange(N), True),
    "from one": (np.arange(1, N + 1), True),
    "ids": (np.arange(1001, 1001 + N), True),
    "a fifth of the rows is gone": (np.delete(np.arange(N + 10), np.arange(5, 15)), True),
    "a fourth of the rows is gone": (np.delete(np.arange(N + 14), np.arange(5, 19)), False),
    "most rows are gone": (np.arange(0, 3 * N, 3), False),
    "salaries": (RNG.choice(60_000, N, replace=False) + 20_000, False),
    "ages": (RNG.integers(18, 90, N), False),
    "fractions": (np.arange(N) + 0.5, False),
    "one value twice": (np.r_[np.arange(N - 1), N - 3], False),
    "constant": (np.ones(N), False),
}


def named(columns):
    return identifier_columns(read_features(columns))


@pytest.mark.parametrize(("values", "expected"), COLUMNS.values(), ids=list(COLUMNS))
def test_distinct_whole_numbers_that_nearly_fill_their_range_in_any_order(values, expected):
    for order in (np.arange(N), np.argsort(values), RNG.permutation(N)):
        frame = pd.DataFrame({"x": MEASURED, "c": values}).iloc[order]
        assert named(frame) == (("c",) if expected else ())
        assert named(frame.to_numpy(dtype=float)) == ((1,) if expected else ())
        with_text = frame.assign(color=["red", "blue"] * (N // 2))
        assert named(with_text) == (("c",) if expected else ())


def test_sparse_columns_are_looked_at_too():
    X = sparse.csr_array(np.c_[MEASURED > 0, np.arange(N), MEASURED > 1].astype(float))
    assert named(X) == (1,)


def test_huge_values_are_no_row_numbers():
    assert named(np.c_[MEASURED, np.where(MEASURED > 0, 1e308, -1e308)]) == ()


def test_few_rows_may_be_consecutive_by_chance():
    for n, expected in ((5, ()), (19, ()), (20, (1,))):
        assert named(np.c_[RNG.normal(size=n), np.arange(n)]) == expected


def test_ranks_and_a_single_column_are_data():
    ranks = np.argsort(RNG.normal(size=(N, 4)), axis=0)
    assert named(ranks) == ()
    assert named(np.arange(N)[:, None]) == ()
    assert named(np.c_[ranks[:, :2], RNG.normal(size=(N, 2))]) == (0, 1)


@pytest.mark.parametrize(("repeated", "expected"), [(0, True), (3, True), (10, False)])
def test_text_of_which_nearly_every_row_has_its_own(repeated, expected):
    names = [f"n{max(0, i - repeated)}" for i in range(N)]
    frame = pd.DataFrame({"x": MEASURED, "y": MEASURED**2, "name": names})
    assert named(frame) == (("name",) if expected else ())


def test_text_that_differs_in_every_row_changes_no_comparison_of_distances():
    frame = pd.DataFrame({"x": MEASURED, "color": ["red", "blue"] * (N // 2)})
    without = read_features(frame)
    found = read_features(frame.assign(name=[f"n{i}" for i in range(N)]))
    np.testing.assert_array_equal(found.array, without.array)


def test_row_numbers_beside_text_are_found_in_all_rows(tmp_path, monkeypatch):
    monkeypatch.setattr("consensa.features.table_features.SAMPLED_ROWS", 50)
    monkeypatch.setattr(_features, "drawn_frame", lambda frame: drawn_frame(frame, 50))
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({
        "nr": rng.permutation(200),
        "gaps": rng.permutation(900)[:200],
        "twice": np.append(rng.permutation(199), 5),
        "value": rng.normal(size=200),
        "color": rng.choice(["red", "blue"], 200),
    })  # fmt: skip
    frame.to_parquet(tmp_path / "x.parquet", row_group_size=30)
    assert identifier_columns(read_features(frame)) == ("nr",)
    assert identifier_columns(open_features(tmp_path / "x.parquet")) == ("nr",)


def test_row_numbers_are_found_among_the_columns_that_are_used(tmp_path):
    rng = np.random.default_rng(0)
    np.save(
        tmp_path / "x.npy", np.c_[rng.normal(size=(60, 3)), rng.permutation(60), rng.random(60)]
    )
    features = open_features(tmp_path / "x.npy")
    assert identifier_columns(features) == (3,)
    assert identifier_columns(features.select([1, 3, 4])) == (1,)
    assert identifier_columns(features.select([0, 1, 4])) == ()
