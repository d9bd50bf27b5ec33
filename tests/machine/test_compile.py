"""Loops that are compiled when they are first called."""

from __future__ import annotations

import ctypes
import importlib.util
import pickle
import sys

import numba
import numpy as np
import pytest
from numba.core import caching

from consensa._machine import compile as _compile
from consensa._machine.compile import compiled, compiling_pays
from consensa.tensor._fused_kernels import pairs_before

LOOPS = """
from consensa._machine.compile import compiled

@compiled()
def total(values):
    add = 0.0
    for value in values:
        add += square(value)
    return add

@compiled()
def square(value):
    return value * value
"""


@pytest.fixture
def load(tmp_path, monkeypatch):
    """Import the loops anew: the file and its cache stay, what was compiled is forgotten."""
    path = tmp_path / "loops.py"
    path.write_text(LOOPS)
    monkeypatch.setattr(numba.config, "CACHE_DIR", "")  # beside the file, whatever is set outside

    def once():
        spec = importlib.util.spec_from_file_location("loops", path)
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, "loops", module)
        spec.loader.exec_module(module)
        return module

    return once


def cached(folder):
    return sorted(folder.rglob("*.nbi"))


def test_a_loop_calls_another_and_both_are_kept_on_disk(load, tmp_path):
    assert load().total(np.arange(4.0)) == 14
    names = [path.name.partition("-")[0] for path in cached(tmp_path)]
    assert names == ["loops.square", "loops.total"]


def test_what_is_on_disk_is_not_compiled_again(load, tmp_path, monkeypatch):
    load().total(np.arange(4.0))
    again = load()
    monkeypatch.setattr(caching.IndexDataCacheFile, "save", None)  # would fail
    assert again.total(np.arange(5.0)) == 30


def test_a_loop_without_a_place_for_its_cache_is_compiled_in_memory():
    scope = {"compiled": compiled}
    exec("@compiled()\ndef double(value):\n    return 2 * value", scope)  # in no file
    assert scope["double"](4) == 8


def test_a_full_disk_does_not_stop_a_loop(load, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(caching.IndexDataCacheFile, "save", full)
    assert load().total(np.arange(4.0)) == 14
    assert cached(tmp_path) == []


def test_a_cache_that_was_cut_off_does_not_stop_a_loop(load, tmp_path):
    load().total(np.arange(4.0))
    for path in cached(tmp_path):
        path.write_bytes(path.read_bytes()[:3])
    assert load().total(np.arange(4.0)) == 14


def test_the_errors_of_a_loop_are_its_own():
    with pytest.raises(TypeError, match="not enough arguments"):
        pairs_before(1)


def test_a_loop_is_pickled_by_its_name():
    assert pickle.loads(pickle.dumps(pairs_before)) is pairs_before


def test_compiling_pays_once_all_steps_together_take_long(monkeypatch):
    monkeypatch.setattr(_compile, "_steps", 0)
    monkeypatch.setattr(_compile, "_LOADING", 10)
    assert [compiling_pays(steps) for steps in (4, 4, 4, 1)] == [False, False, True, True]
    assert [compiling_pays(steps, alone=True) for steps in (10, 11)] == [False, True]


INSTRUCTION = """
from consensa._machine.compile import compiled, generated

@generated
def twice(_, value):
    def write(context, builder, signature, args):
        return builder.fadd(args[0], args[0])

    return value(value), write

@compiled()
def doubled(value):
    return twice(value) + 1.0
"""


def test_a_loop_uses_a_generated_instruction_and_is_kept_on_disk(load, tmp_path):
    (tmp_path / "loops.py").write_text(INSTRUCTION)
    assert load().doubled(3.0) == 7
    assert [path.name.partition("-")[0] for path in cached(tmp_path)] == ["loops.doubled"]
    assert load().doubled(4.0) == 9


ENTRY_POINT = """
from consensa._machine.compile import compiled, entry_point

@compiled()
def square(value):
    return value * value

def power(times):
    @entry_point("float64(float64)")
    def raised(value):
        for _ in range(times):
            value = square(value)
        return value

    return raised
"""


def of_c(entry_point):
    return ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double)(entry_point.address)


def test_entry_points_are_called_by_their_address_and_are_kept_on_disk(
    load, tmp_path, monkeypatch
):
    (tmp_path / "loops.py").write_text(ENTRY_POINT)
    assert [of_c(load().power(times))(3.0) for times in (1, 2)] == [9, 81]
    assert any("raised" in path.name for path in cached(tmp_path))
    monkeypatch.setattr(caching.IndexDataCacheFile, "save", None)  # would fail
    assert [of_c(load().power(times))(3.0) for times in (2, 1)] == [81, 9]


def test_an_entry_point_needs_no_cache(load, tmp_path, monkeypatch):
    (tmp_path / "loops.py").write_text(ENTRY_POINT)
    assert of_c(load().power(1))(3.0) == 9
    for path in cached(tmp_path):
        path.write_bytes(path.read_bytes()[:3])
    assert of_c(load().power(1))(3.0) == 9

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(caching.IndexDataCacheFile, "save", full)
    assert of_c(load().power(3))(3.0) == 6561
