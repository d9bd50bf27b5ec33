"""One declaration makes the check and the message."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from consensa._params import (
    Boolean,
    HasMethod,
    Integer,
    IntegerRange,
    JobCount,
    NoneType,
    OneOf,
    RandomState,
    Real,
    check_params,
)
from consensa.exceptions import ConsensaError, InvalidParameterError

CASES = [
    (
        Integer(1),
        [1, 2, np.int64(5), np.uint8(1), 10**30],
        [0, -1, 1.0, "1", True, np.True_, None],
    ),
    (JobCount(), [1, -1, -2, np.int64(4)], [0, 1.0, True, "all", np.int64(0)]),
    (Real(), [0, -1.5, np.float32(2), Fraction(1, 3), 10**400], [math.nan, math.inf, "1", True]),
    (Real(above=0), [1e-300, 1, 10**400], [0, -1, -math.inf, np.nan, np.float32("inf"), 1j]),
    (Real(least=0, most=1), [0, 1, 0.5], [-1e-9, 1.0000001, None]),
    (OneOf(("a", "b")), ["a", "b", np.str_("a")], ["c", "", None, 1, ["a"], np.array(["a"])]),
    (Boolean(), [True, False, np.True_], [0, 1, "yes", None]),
    (NoneType(), [None], [0, "", False]),
    (
        IntegerRange(2),
        [(2, 2), [2, 5], (np.int64(3), 4)],
        [(1, 2), (5, 4), (2,), (2, 3, 4), 2, (2.0, 3)],
    ),
    (
        RandomState(),
        [None, 0, 2**32 - 1, np.int64(3), np.random.RandomState(0)],
        [-1, 2**32, 1.0, "0", True],
    ),
    (HasMethod("pop"), [[], {}], [list, 3, None, "pop"]),
]


@pytest.mark.parametrize(("constraint", "good", "bad"), CASES, ids=lambda case: str(case)[:30])
def test_each_constraint_accepts_the_good_and_refuses_the_bad(constraint, good, bad):
    for value in good:
        assert constraint.accepts(value), value
    for value in [*bad, constraint.refused()]:
        assert not constraint.accepts(value), value


@pytest.mark.parametrize(
    ("constraint", "said"),
    [
        (Integer(2), "an integer ≥ 2"),
        (JobCount(), "an integer other than 0 (-1 is all cores)"),
        (Real(), "a finite number"),
        (Real(above=0), "a finite number > 0"),
        (Real(least=0, most=0.5), "a finite number ≥ 0 and ≤ 0.5"),
        (OneOf(("a", "b")), "'a' or 'b'"),
        (Boolean(), "True or False"),
        (NoneType(), "None"),
        (IntegerRange(1), "a pair (low, high) of integers with 1 ≤ low ≤ high"),
        (HasMethod("generate"), "an object with a method 'generate'"),
    ],
    ids=lambda case: str(case)[:30],
)
def test_each_constraint_says_what_it_wants(constraint, said):
    assert constraint.describe() == said


DECLARED = {"tol": (Real(above=0), NoneType()), "linkage": (OneOf(("average", "single")),)}


def test_good_values_pass_in_silence():
    check_params("EAC", DECLARED, {"tol": None, "linkage": "single", "other": 1})
    check_params("EAC", DECLARED, {"tol": 1e-3, "linkage": "average"})


def test_the_message_names_the_parameter_what_was_wanted_and_what_came():
    wanted = (
        r"^The 'tol' parameter of EAC must be a finite number > 0, or None\. Got -1 instead\.$"
    )
    with pytest.raises(InvalidParameterError, match=wanted):
        check_params("EAC", DECLARED, {"tol": -1, "linkage": "single"})


def test_the_nearest_option_is_suggested():
    with pytest.raises(
        InvalidParameterError, match=r"Got 'avrage' instead\. Did you mean 'average'\?"
    ):
        check_params("EAC", DECLARED, {"tol": 1, "linkage": "avrage"})
    with pytest.raises(InvalidParameterError, match=r"Got 'zzz' instead\.$"):
        check_params("EAC", DECLARED, {"tol": 1, "linkage": "zzz"})


def test_a_bad_parameter_is_a_value_error_and_a_type_error_of_ours():
    for kind in (ConsensaError, ValueError, TypeError):
        assert issubclass(InvalidParameterError, kind)
