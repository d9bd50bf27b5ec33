"""Who may import whom: the layers of the house, read from the source."""

from __future__ import annotations

import ast
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

import consensa

REPOSITORY = Path(__file__).parents[1]
ROOT = Path(consensa.__file__).parent
# From the top to the bottom; a module imports from its own room or from below.
LAYERS = [
    ["__main__"],
    ["cli"],
    ["study"],
    ["_public"],
    ["report"],
    ["plotting"],
    ["_saved_model", "anndata"],
    ["_api", "distributed", "selection", "description"],
    ["consensus"],
    ["generation"],
    ["similarity", "tensor", "partition", "metrics", "datasets", "tables"],
    ["_result"],
    ["ensemble", "features"],
    ["_machine", "_params", "_random"],
    ["_array", "_docs"],
    ["_optional", "_defaults"],
    ["exceptions"],
    ["_recorder"],
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}
MODULES = sorted(path for path in ROOT.rglob("*.py") if path != ROOT / "__init__.py")
every_module = pytest.mark.parametrize(
    "path", MODULES, ids=lambda p: str(p.relative_to(ROOT).with_suffix(""))
)


def _house():
    """The script that counts, so that what is tested here is what `make house` says."""
    spec = importlib.util.spec_from_file_location("house", REPOSITORY / "tools" / "house.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


house = _house()


def room(path):
    """Name of the package or top module that a file belongs to."""
    return path.relative_to(ROOT).parts[0].removesuffix(".py")


def imported(path):
    """Names of the modules that a file imports, by a statement or by `require`."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module
            if node.module == "consensa":
                yield from (f"consensa.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", None) == "require":
            yield from (name.value for name in node.args if isinstance(name, ast.Constant))


@every_module
def test_imports_go_down_only(path):
    here = room(path)
    for name in imported(path):
        parts = name.split(".")
        if parts[0] != "consensa" or len(parts) == 1 or parts[1] not in LEVEL:
            continue
        there = parts[1]
        assert here == there or LEVEL[there] > LEVEL[here], f"{here} must not import {there}"


def test_every_room_has_its_place_in_the_plan():
    assert {room(path) for path in MODULES} == set(LEVEL)


@every_module
def test_an_underscore_means_private_to_its_own_room(path):
    assert not list(house.private_imports(path, ROOT))


@every_module
def test_functions_have_at_most_sixty_lines(path):
    assert not list(house.long_functions(path))


def test_arrays_have_one_name_and_the_median_file_is_short():
    assert [name for path in MODULES for name in house.array_aliases(path)] == ["Array"]
    assert house.median_length(MODULES) < 150


def test_contributing_draws_the_house_as_it_is():
    text = (REPOSITORY / "CONTRIBUTING.md").read_text()
    chain = re.search(r"```\n(__main__ →.*?)```", text, re.DOTALL).group(1)
    floors = [floor.replace("\n", " ").split(",") for floor in chain.split("→")]
    assert [[name.strip() for name in floor] for floor in floors] == LAYERS
    tree = re.search(r"```\nsrc/consensa/\n(.*?)```", text, re.DOTALL).group(1)
    drawn = [line.split()[0].rstrip("/").removesuffix(".py") for line in tree.splitlines()]
    assert set(drawn) == set(LEVEL)
    where = re.search(r"## Where is.*?\n## ", text, re.DOTALL).group(0)
    for place in re.findall(r"`([a-z_]+/[a-z_]+\.py)`", where):
        assert (ROOT / place).exists(), place


def test_memory_is_refused_in_one_place():
    """And on the workers of a cluster, whose memory only `distributed` can ask for."""
    places = {
        str(path.relative_to(ROOT))
        for path in MODULES
        if "raise NotEnoughMemoryError" in path.read_text()
    }
    assert places <= {"_machine/memory.py", "distributed/_cluster.py", "study/methods.py"}


@pytest.mark.parametrize(
    ("library", "rooms"),
    [
        ("array_api_compat", {"_array"}),
        ("dask", {"distributed"}),
        ("distributed", {"distributed", "cli"}),
        ("matplotlib", {"plotting"}),
        ("typer", {"cli"}),
        ("rich", {"cli"}),
    ],
)
def test_only_these_rooms_know(library, rooms):
    users = {
        room(path)
        for path in MODULES
        for name in imported(path)
        if name and name.split(".")[0] == library
    }
    assert users == rooms


BLOCK_OPTIONAL = """
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name in {"pandas", "polars", "matplotlib", "typer", "rich", "torch", "dask", "pyarrow",
                    "pymetis", "mtkahypar"}:
            raise ImportError(name)

sys.meta_path.insert(0, Blocked())
import consensa
print(len(consensa.__all__) > 10)
"""


def test_consensa_imports_without_any_optional_library():
    done = subprocess.run(
        [sys.executable, "-c", BLOCK_OPTIONAL], capture_output=True, text=True, check=False
    )
    assert done.stdout.strip() == "True", done.stderr


def test_there_is_no_drawer():
    drawers = {"utils", "helpers", "common", "misc"}
    assert not [path for path in MODULES if path.stem.strip("_") in drawers]
