"""What an import loads, and what it leaves for later."""

from __future__ import annotations

import ast
import pickle
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import consensa

LATER = {"numba", "llvmlite", "matplotlib", "dask", "distributed", "torch", "polars", "typer"}
ALSO_OF_SKLEARN = {"pandas", "pyarrow"}  # scikit-learn loads them where they are installed


def loaded_by(code):
    """Top-level names of the modules that this code loads in a fresh process."""
    code = f"{code}\nimport sys; print(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.fixture(scope="module")
def of_sklearn():
    return loaded_by("import sklearn.cluster")


@pytest.mark.parametrize(
    "code",
    [
        "from consensa import *",
        "import consensa.cli._app, consensa.study, consensa.report, consensa.datasets",
        "import consensa as cs; cs.TEA, cs.plotting, cs.distributed, dir(cs)",
    ],
)
def test_no_import_loads_numba_or_an_optional_library(code, of_sklearn):
    loaded = loaded_by(code)
    assert "consensa" in loaded
    assert loaded & (LATER - {"typer"} if "cli" in code else LATER) == set()
    assert loaded & ALSO_OF_SKLEARN <= of_sklearn


def test_every_library_that_the_package_imports_is_declared():
    # The development environment has more: what only it has would be missing for a user.
    root = Path(__file__).parent.parent
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    users = [extras[name] for name in extras if name not in ("bench", "dev", "docs")]
    given = [
        re.split(r"[><=;\[]", line)[0]
        for part in (project["dependencies"], *users)
        for line in part
    ]
    declared = {"sklearn" if name == "scikit-learn" else name.replace("-", "_") for name in given}
    imported = {
        (name or "").partition(".")[0]
        for path in (root / "src").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [node.module] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names]
        )
    }
    brought = {"triton", "llvmlite"}  # by torch and numba
    assert imported - set(sys.stdlib_module_names) - {"consensa"} - brought <= declared


def test_consensa_itself_loads_nothing_until_a_name_is_asked_for():
    assert loaded_by("import consensa") & {"numpy", "scipy", "sklearn", "pandas"} == set()


@pytest.mark.parametrize("option", ["--help", "--version", "-h", ""])
def test_help_answers_without_scikit_learn(option):
    code = f"from consensa.cli import run; assert run({option.split()!r}) in (0, 2)"
    loaded = loaded_by(code)
    assert "typer" in loaded
    assert loaded & {"numpy", "sklearn", "pandas", "pyarrow"} == set()


def test_small_problems_are_solved_without_numba():
    code = "import consensa as cs; cs.eac(cs.Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2)"
    assert "numba" not in loaded_by(code)


def test_every_public_name_is_there_and_listed():
    names = {}
    exec("from consensa import *", names)
    assert set(consensa.__all__) <= set(names)
    assert set(consensa.__all__) <= set(dir(consensa))
    assert consensa.TEA is names["TEA"] is consensa.consensus.TEA
    assert pickle.loads(pickle.dumps(consensa.TEA)) is consensa.TEA


@pytest.mark.parametrize("name", ["nothing", "_nothing", "__wrapped__"])
def test_a_name_that_is_not_there_is_an_attribute_error(name):
    with pytest.raises(AttributeError, match=f"module 'consensa' has no attribute '{name}'"):
        getattr(consensa, name)
