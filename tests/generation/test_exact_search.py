"""Nearest rows are exactly those of a slow loop: by distance, then by number."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from consensa.generation import _exact_search
from consensa.generation._exact_search import ExactSearch, Room

rng = np.random.default_rng(0)
NORMAL = rng.normal(size=(600, 20))
TABLES = {
    "normal": NORMAL,
    "many equal distances": rng.integers(0, 2, (500, 9)).astype(float),
    "far clumps": np.concatenate([NORMAL[:200], NORMAL[200:400] + 1e8]),
    "tight clusters": np.concatenate([NORMAL[:200] * 1e-5, NORMAL[200:400] * 1e-5 + 1]),
    "an outlier": np.concatenate([NORMAL[:200], np.full((1, 20), 1e9)]),
    "large": NORMAL[:200] * 1e120,
    "small": NORMAL[:200] * 1e-150,
    "all equal": np.zeros((60, 7)),
    "single precision": NORMAL[:200].astype(np.float32),
}


def slowly(rows, targets, count):
    numbers, distances = [], []
    for row in rows:
        lengths = np.linalg.norm(targets.astype(float) - row, axis=1)
        numbers.append(sorted(range(len(targets)), key=lambda j: (lengths[j], j))[:count])
        distances.append(lengths[numbers[-1]])
    return np.array(numbers), np.array(distances)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("count", [1, 7, 31, 1000])
def test_nearest_rows_are_those_of_a_slow_loop(name, count):
    targets = TABLES[name]
    rows = np.concatenate([targets[:15], targets[:15] * 1.001])
    numbers, distances = ExactSearch(targets, count)(rows)
    wanted, lengths = slowly(rows, targets, count)
    assert_array_equal(numbers, wanted)
    assert_array_equal(distances, lengths)


@pytest.mark.parametrize("block", [1, 5000])
def test_blocks_change_nothing(block, monkeypatch):
    wanted = ExactSearch(NORMAL, 5)(NORMAL)
    monkeypatch.setattr(_exact_search, "_BLOCK", block)
    monkeypatch.setattr(_exact_search, "_LEAST_HEIGHT", 1)
    for mine, theirs in zip(ExactSearch(NORMAL, 5)(NORMAL), wanted, strict=True):
        assert_array_equal(mine, theirs)


def test_double_precision_is_asked_only_where_single_precision_does_not_tell(monkeypatch):
    monkeypatch.setattr(ExactSearch, "double", None)
    ExactSearch(NORMAL, 5)(NORMAL)
    with pytest.raises(AttributeError):
        ExactSearch(TABLES["far clumps"], 5)(NORMAL[:2])


def test_a_row_far_beyond_single_precision_has_its_nearest_targets():
    numbers, _ = ExactSearch(NORMAL, 3)(NORMAL[:1] * 1e60)
    assert_array_equal(numbers, slowly(NORMAL[:1] * 1e60, NORMAL, 3)[0])


def test_no_rows_have_no_neighbors():
    numbers, distances = ExactSearch(NORMAL, 3)(NORMAL[:0])
    assert numbers.shape == distances.shape == (0, 3)


def test_blocks_write_their_products_to_the_same_memory(monkeypatch):
    monkeypatch.setattr(_exact_search, "_BLOCK", 5000)
    given = Room.array
    places = set()

    def noted(self, shape, kind):
        array = given(self, shape, kind)
        places.add((array.dtype, array.ctypes.data))
        return array

    monkeypatch.setattr(Room, "array", noted)
    ExactSearch(NORMAL, 5)(NORMAL)
    assert len(places) == 2  # products in single precision, and which of them are large
