"""Every public name has a NumPy-style docstring that describes every parameter."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from types import FunctionType

import numpydoc.validate
import pytest

import consensa
from consensa import ConsensusResult, MethodComparison, SelectionResult, SolverTrace

# What numpydoc asks for and we do not: a second paragraph always (ES01), types in its own
# vocabulary, summaries on the line of the quotes (GL01), short summaries as infinitives (SS05).
IGNORED = {"GL01", "ES01", "SS05", "GL08", "SS06", "PR06", "RT02", "RT03", "GL03", "PR02", "YD01"}

MADE_BY_FUNCTIONS = (ConsensusResult, MethodComparison, SelectionResult, SolverTrace)


def public_objects():
    found = {}
    for module in pkgutil.iter_modules(consensa.__path__):
        if module.name.startswith("_") or module.name == "cli":
            continue
        package = importlib.import_module(f"consensa.{module.name}")
        for name in package.__all__:
            found[f"consensa.{module.name}.{name}"] = getattr(package, name)
    for name in consensa.__all__:
        if not inspect.ismodule(getattr(consensa, name)):
            found[f"consensa.{name}"] = getattr(consensa, name)
    for path, obj in list(found.items()):
        if inspect.isclass(obj):
            for name, member in vars(obj).items():
                if not name.startswith("_") and isinstance(
                    member, (FunctionType, classmethod, staticmethod)
                ):
                    found[f"{path}.{name}"] = member
    return found


OBJECTS = public_objects()


@pytest.mark.parametrize("path", sorted(OBJECTS))
def test_docstring(path):
    obj = OBJECTS[path]
    if isinstance(obj, (tuple, dict, str)):
        return  # a constant, described where it is defined
    report = numpydoc.validate.validate(path)
    assert report["docstring"], f"{path} has no docstring"
    # Errors, and plain values that only a method makes, document their attributes.
    small = inspect.isclass(obj) and (
        issubclass(obj, (Warning, Exception, tuple)) or obj in MADE_BY_FUNCTIONS
    )
    tolerated = IGNORED | ({"EX01", "SA01", "PR01"} if small else set())
    problems = [f"{code}: {text}" for code, text in report["errors"] if code not in tolerated]
    assert not problems, f"{path}\n" + "\n".join(problems)
