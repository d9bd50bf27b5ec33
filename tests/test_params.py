"""One declaration makes the check and the message."""

from __future__ import annotations

import inspect
import math
from dataclasses import field
from fractions import Fraction
from typing import Any, ClassVar, get_type_hints

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
    ParameterFields,
    RandomState,
    Real,
    check_params,
    completed,
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


class Base(ParameterFields):
    n_clusters: int = field(default=2, kw_only=False)
    seed: Any = None


class Derived(Base):
    kinds: ClassVar[tuple[str, ...]] = ("a", "b")
    theta: float = 0.4


def test_fields_are_the_parameters_and_only_they_are_stored():
    assert vars(Derived(3, theta=1.0)) == {"n_clusters": 3, "seed": None, "theta": 1.0}
    assert Derived(3) != Derived(3)  # as all estimators: no comparison by parameters
    with pytest.raises(TypeError, match="positional"):
        Derived(3, 1.0)
    with pytest.raises(TypeError, match="unexpected keyword argument 'kinds'"):
        Derived(kinds=())


def test_own_parameters_stand_before_inherited_ones():
    assert str(inspect.signature(Derived)) == (
        "(n_clusters: int = 2, *, theta: float = 0.4, seed: Any = None) -> None"
    )


def test_a_parameter_without_a_default_belongs_to_the_subclass_that_gives_it_one():
    class Abstract(Base):
        width: int

    class Concrete(Abstract):
        width: int = 3
        depth: int = 1

    assert list(inspect.signature(Concrete).parameters) == ["n_clusters", "width", "depth", "seed"]


def test_types_of_inherited_parameters_need_no_import_in_the_module_of_a_subclass():
    space = {"Base": Base, "__name__": "elsewhere"}
    exec("from __future__ import annotations\nclass Far(Base):\n    depth: int = 1", space)
    hints = get_type_hints(space["Far"].__init__)
    assert hints["seed"] is Any
    assert hints["depth"] is int


def test_a_type_that_only_type_checkers_know_stays_a_name():
    class Loose(Base):
        frame: NotImported = None  # noqa: F821

    assert Loose(frame=1).frame == 1


def test_a_class_with_its_own_init_keeps_it_and_so_do_its_subclasses():
    class Own(Base):
        def __init__(self, extra=1):
            self.extra = extra

    class Below(Own):
        kinds: ClassVar[str] = "c"

    assert vars(Below(extra=5)) == {"extra": 5}


def test_a_class_without_a_docstring_gets_none():
    assert Derived.__doc__ is None


@pytest.mark.parametrize("types", [True, False], ids=["types", "names of types"])
def test_a_parameter_without_a_declaration_has_the_constraints_of_its_type(types):
    def function(count: int, share: float, flag: bool, name: str): ...

    *numbers, name = inspect.signature(function, eval_str=types).parameters.values()
    assert completed({"share": (Real(least=0),)}, numbers) == {
        "count": (Integer(1),),
        "share": (Real(least=0),),
        "flag": (Boolean(),),
    }
    with pytest.raises(TypeError, match=r"Declare the valid values of 'name'.* str\."):
        completed({}, [name])
