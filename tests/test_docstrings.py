"""Every public name has a NumPy-style docstring that describes every parameter."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from types import FunctionType

import numpydoc.validate
import pytest

import consensa
from consensa import ConsensusResult, MethodComparison, SelectionResult, SolverTrace
from consensa._docs import SCORE, filled

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


@pytest.mark.parametrize("path", sorted(OBJECTS))
def test_every_shared_entry_was_put_in(path):
    text = inspect.getdoc(OBJECTS[path]) or ""
    assert not re.search(r"^\s*%\(\w+\)s$", text, flags=re.M)


def test_shared_entries_stand_in_the_place_of_their_markers():
    text = "First line.\n\n    Parameters\n    ----------\n    %(y_true)s\n    %(other)s\n    "
    assert filled(text, SCORE).splitlines()[4:] == [
        "    y_true : array-like of shape (n_samples,)",
        "        Known classes, of any type.",
        "    %(other)s",
        "    ",
    ]
    assert filled("of 5 %(y_true)s", SCORE) == "of 5 %(y_true)s"  # not alone in its line


def test_consensa_works_without_docstrings():
    code = "import consensa as cs; cs.plotting, cs.distributed, cs.report; print(cs.EAC.__doc__)"
    done = subprocess.run(
        [sys.executable, "-OO", "-c", code], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "None", done.stderr
