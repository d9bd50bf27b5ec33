"""Arrays of other libraries: recognized, moved to the host and back."""

from __future__ import annotations

import array_api_strict as strict
import numpy as np
import pytest

from consensa._array import as_array, device, is_array, is_numpy, namespace, to_library, to_numpy
from consensa._optional import require
from consensa.exceptions import MissingExtraError

STRICT = type(strict.asarray(0))


def test_arrays_are_told_from_everything_else():
    assert is_array(np.zeros(2))
    assert is_array(strict.zeros(2))
    for value in ([0, 1], (0, 1), "01", None, 1):
        assert not is_array(value)


def test_the_namespace_is_that_of_the_array():
    assert is_numpy(namespace(np.zeros(2)))
    assert not is_numpy(namespace(strict.zeros(2)))
    assert namespace(strict.zeros(2)) is strict


def test_what_is_not_an_array_becomes_numpy():
    assert isinstance(as_array([0, 1]), np.ndarray)
    array = strict.zeros(2)
    assert as_array(array) is array


@pytest.mark.parametrize("dtype", ["int32", "float32", "float64", "bool"])
def test_to_the_host_and_back_nothing_changes(dtype):
    array = strict.asarray([[0, 1], [1, 0]], dtype=getattr(strict, dtype))
    host = to_numpy(array)
    assert type(host) is np.ndarray
    assert host.dtype == np.dtype(dtype)
    back = to_library(host, like=array)
    assert isinstance(back, STRICT)
    assert back.dtype == array.dtype
    assert device(back) == device(array)
    assert bool(strict.all(back == array))


def test_numpy_is_not_copied():
    array = np.zeros(2)
    assert to_numpy(array) is array
    assert to_library(array, like=np.ones(3)) is array


def test_a_missing_library_names_the_extra_that_brings_it():
    with pytest.raises(MissingExtraError, match=r"^Plots needs nolib, .* 'consensa\[plot\]'$"):
        require("nolib.pyplot", extra="plot", purpose="Plots")
    assert require("math", extra="plot", purpose="Plots").pi > 3
