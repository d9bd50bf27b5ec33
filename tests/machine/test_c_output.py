"""What C libraries print does not reach stdout, and what we print does."""

from __future__ import annotations

import ctypes
import os

import numpy as np
import pytest

from consensa._machine.c_output import c_output_on_stderr
from consensa.partition import cut_by_metis

pytestmark = pytest.mark.skipif(os.name != "posix", reason="C library of POSIX")


def print_in_c(text):
    ctypes.CDLL(None).printf(text.encode())  # stays in its buffer: stdout is no terminal


def test_what_c_prints_inside_goes_to_stderr_and_the_rest_to_stdout(capfd):
    print_in_c("before\n")
    with c_output_on_stderr():
        print_in_c("inside\n")
    print_in_c("after\n")
    ctypes.CDLL(None).fflush(None)
    assert capfd.readouterr() == ("before\nafter\n", "inside\n")


def test_it_is_given_back_after_an_error(capfd):
    with pytest.raises(KeyError), c_output_on_stderr():
        raise KeyError
    os.write(1, b"ours")
    assert capfd.readouterr().out == "ours"


def test_metis_prints_no_complaint_into_stdout(capfd):
    sizes = [1000, 1, 1, 1, 1]  # one vertex heavier than a part: nothing is left for the others
    cut_by_metis(np.ones((5, 5)), 4, sizes=sizes, random_state=0)
    printed = capfd.readouterr()
    assert printed.out == ""
    assert "Cannot bisect a graph" in printed.err  # or METIS did not complain
