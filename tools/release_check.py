"""Everything that a release must pass, without publishing anything: run with `make release-check`.

Builds sdist and wheel, installs both into empty environments, runs the quick start of the README
in each, checks the types that a user sees, validates every metadata file, and builds the site. The
last line is the verdict. ``--fast`` leaves out what takes minutes.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import venv
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
UNSET = "to be set"
MOST_BYTES = 2 * 2**20  # of the wheel
WITHOUT_ADDRESSES = 8  # of pyroma's ten points, two are for an e-mail and an address
WAITING = (
    "CITATION.cff",
    "SECURITY.md",
    "CODE_OF_CONDUCT.md",
    "paper/paper.md",
    "recipe/recipe.yaml",
)
# Tests of the sdist that need nothing but the sdist, and are over in a minute or two.
SDIST_TESTS = ("tests/test_api.py", "tests/test_readme.py", "tests/test_site.py", "tests/ensemble")


class Failed(Exception):
    """A check did not pass; the message says why."""


class Missing(Exception):
    """A check needs a program that is not installed here."""


class Built(NamedTuple):
    """What is released, and a folder for everything that the checks make."""

    wheel: Path
    sdist: Path
    scratch: Path


def call(*command: str | Path, cwd: Path | None = None) -> str:
    """Run a program; what it printed, or `Failed` with that."""
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=environment | {"PYTHONIOENCODING": "utf-8", "MPLBACKEND": "Agg"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        message = f"{Path(str(command[0])).name}: status {done.returncode}\n{done.stdout}"
        raise Failed(message)
    return done.stdout


def program(name: str) -> str:
    """Path of a program of this environment or of the machine."""
    found = shutil.which(name, path=str(BIN)) or shutil.which(name)
    if found is None:
        message = f"{name} is not installed"
        raise Missing(message)
    return found


def build(scratch: Path) -> Built:
    """The sdist, and the wheel that is built from it."""
    call(sys.executable, "-m", "build", "--outdir", scratch / "dist", ROOT)
    (wheel,) = (scratch / "dist").glob("*.whl")
    (sdist,) = (scratch / "dist").glob("*.tar.gz")
    return Built(wheel, sdist, scratch)


def check_wheel(built: Built) -> None:
    """Small, typed, and without tests."""
    if built.wheel.stat().st_size > MOST_BYTES:
        message = f"{built.wheel.name} has {built.wheel.stat().st_size} bytes"
        raise Failed(message)
    names = zipfile.ZipFile(built.wheel).namelist()
    wrong = [name for name in names if re.search(r"(^|/)(tests?|conftest)\b", name)]
    if wrong or "consensa/py.typed" not in names:
        message = f"tests in the wheel, or no py.typed: {wrong}"
        raise Failed(message)
    call(program("check-wheel-contents"), built.wheel)


def check_metadata(built: Built) -> None:
    """What PyPI, pip and people read."""
    call(program("twine"), "check", "--strict", built.wheel, built.sdist)
    call(program("validate-pyproject"), ROOT / "pyproject.toml")
    call(program("pyroma"), "--min", str(WITHOUT_ADDRESSES), built.sdist)


def check_citation(built: Built) -> None:
    """CITATION.cff against its schema."""
    call(program("cffconvert"), "--validate", "--infile", ROOT / "CITATION.cff")


def check_workflows(built: Built) -> None:
    """The workflows: what they may do. Rules of zizmor that are off have their reason there."""
    call(program("zizmor"), "--offline", "--quiet", ROOT / ".github")


def check_syntax(built: Built) -> None:
    """The workflows: what they say."""
    call(program("actionlint"), *sorted((ROOT / ".github" / "workflows").glob("*.yml")))


def check_recipe(built: Built) -> None:
    """The recipe of conda-forge renders to the version of the wheel."""
    try:
        from rattler_build import Stage0Recipe
    except ImportError:
        message = "py-rattler-build is not installed"
        raise Missing(message) from None
    (rendered,) = Stage0Recipe.from_file(str(ROOT / "recipe" / "recipe.yaml")).render()
    version = built.wheel.name.split("-")[1]
    if f"version='{version}'" not in repr(rendered):
        message = f"the recipe is not of version {version}: {rendered!r}"
        raise Failed(message)


def check_image(built: Built) -> None:
    """The Dockerfile."""
    call(program("hadolint"), ROOT / "Dockerfile")


def check_core(built: Built) -> None:
    """The wheel alone: clustering works, the command line names its extra in one line."""
    python = environment(built.scratch / "core", built.wheel)
    quick_start(python, built.scratch)
    call(python, ROOT / "tools" / "core_only.py", cwd=built.scratch)


def check_types(built: Built) -> None:
    """The types that a user of the wheel sees, beside nothing but the core."""
    python = python_of(built.scratch / "core")
    used = shutil.copy(ROOT / "tests" / "user_file.py", built.scratch)
    nowhere = f"--cache-dir={built.scratch / 'mypy'}"
    mypy = (sys.executable, "-m", "mypy", "--strict", "--config-file=", nowhere)
    call(*mypy, "--python-executable", python, used, cwd=built.scratch)
    call(program("pyright"), "--pythonpath", python, used, cwd=built.scratch)


def check_extras(built: Built) -> None:
    """The wheel with the command line and the figures."""
    python = environment(built.scratch / "extras", f"{built.wheel}[cli,plot]")
    quick_start(python, built.scratch)
    table = built.scratch / "flowers.csv"
    written = "import sklearn.datasets as d; d.load_iris(as_frame=True).frame.to_csv({!r})"
    call(python, "-c", written.format(str(table)))
    labels = built.scratch / "labels.csv"
    call(python, "-m", "consensa", "cluster", table, "-k", "3", "--seed", "0", "-o", labels)
    if len(labels.read_text().splitlines()) != 151:
        message = f"{labels.name} has not one line for each flower"
        raise Failed(message)


def check_sdist(built: Built) -> None:
    """The sdist installs, works, and passes its own tests without the checkout."""
    python = environment(built.scratch / "from-sdist", built.sdist)
    quick_start(python, built.scratch)
    with tarfile.open(built.sdist) as packed:
        packed.extractall(built.scratch / "unpacked", filter="data")
    (folder,) = (built.scratch / "unpacked").iterdir()
    # This environment has the libraries of the tests; the sources are those of the sdist.
    tests = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *SDIST_TESTS)
    call("env", f"PYTHONPATH={folder / 'src'}", *tests, cwd=folder)


def check_site(built: Built) -> None:
    """The site, with every warning an error; every link, and the clicks to every page."""
    site = built.scratch / "site"
    sphinx = (sys.executable, "-m", "sphinx", "-b", "html", "-W", "--keep-going", "-q")
    call(*sphinx, "-j", "auto", ROOT / "docs", site)
    call(sys.executable, ROOT / "docs" / "_ext" / "check_links.py", site)


FAST = (
    check_wheel,
    check_metadata,
    check_citation,
    check_workflows,
    check_syntax,
    check_recipe,
    check_image,
    check_core,
    check_types,  # in the environment of the core
)
SLOW = (check_extras, check_sdist, check_site)


def environment(folder: Path, *requirements: str | Path) -> Path:
    """Python of a new environment that has these, and nothing of this one."""
    venv.create(folder, with_pip=True)
    call(python_of(folder), "-m", "pip", "install", "--quiet", *requirements)
    return python_of(folder)


def python_of(folder: Path) -> Path:
    """The interpreter of an environment."""
    return folder / ("Scripts" if os.name == "nt" else "bin") / "python"


def quick_start(python: Path, folder: Path) -> None:
    """Run the Python lines of the README."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", readme, flags=re.S)
    (folder / "quick_start.py").write_text(code, encoding="utf-8")
    if "'ari': 0." not in call(python, folder / "quick_start.py", cwd=folder):
        message = "the quick start printed no scores"
        raise Failed(message)


def unset() -> Iterator[str]:
    """Facts that a person has to set, and the files that wait for them."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    for name, value in project["tool"]["consensa"]["release"].items():
        if value == UNSET:
            yield f"pyproject.toml: {name}"
    for path in WAITING:
        file = ROOT / path
        if file.exists() and UNSET in file.read_text(encoding="utf-8"):
            yield path


def outcome(check: Callable[[Built], None], built: Built) -> str:
    """Run a check and print a line: "passed", "not run" or "failed"."""
    start = time.monotonic()
    word, reason = "passed", ""
    try:
        check(built)
    except Missing as error:
        word, reason = "not run", str(error)
    except Failed as error:
        word, reason = "failed", str(error)
    name = check.__name__.removeprefix("check_")
    print(f"{name:10} {time.monotonic() - start:4.0f} s  {word}  {reason}".rstrip(), flush=True)
    return word


def main() -> int:
    """Run the checks; 1 if one of them failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fast", action="store_true", help="leave out what takes minutes")
    checks = FAST if parser.parse_args().fast else FAST + SLOW
    with tempfile.TemporaryDirectory(prefix="consensa-release-") as scratch:
        built = build(Path(scratch))
        words = Counter(outcome(check, built) for check in checks)
    facts = list(unset())
    for fact in facts:
        print(f"{UNSET}: {fact}")
    counted = ", ".join(f"{count} {word}" for word, count in sorted(words.items()))
    print(f"release-check: {counted}; {len(facts)} facts are {UNSET}.")
    return 1 if words["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
