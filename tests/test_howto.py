"""What the how-to pages add to the library passes the tests that every such thing must pass.

The method of the pages, WEAC, is part of the library, where the common tests find it.
"""

from __future__ import annotations

import doctest
import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
HOWTO = TESTS.parent / "docs" / "howto"
# What adding the files and their lines in __init__.py does.
PLUGIN = """
import random_hyperplanes
from consensa import generation

for name in random_hyperplanes.__all__:
    setattr(generation, name, getattr(random_hyperplanes, name))
generation.__all__.extend(random_hyperplanes.__all__)
"""


def test_the_generator_of_the_page_passes_the_common_checks(tmp_path):
    (tmp_path / "worked_examples.py").write_text(PLUGIN)
    places = [tmp_path, HOWTO, *os.environ.get("PYTHONPATH", "").split(os.pathsep)]
    files = ["tests/generation/test_every_generator.py"]
    options = ["-q", "-p", "worked_examples", "-p", "no:cacheprovider", "-p", "no:xdist"]
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *files, *options, "-k", "RandomHyperplanes"],
        cwd=TESTS.parent,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, places))},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-2000:]
    passed = int(ran.stdout.rsplit(" passed", 1)[0].split()[-1])
    assert passed > 10, "the checks did not find it"


@pytest.mark.parametrize("path", sorted(HOWTO.glob("*.py")), ids=lambda path: path.stem)
def test_examples_in_the_docstrings_run(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module  # its dataclass looks itself up
    try:
        spec.loader.exec_module(module)
        assert doctest.testmod(module).failed == 0
    finally:
        del sys.modules[path.stem]
