"""The wheel that people install is whole."""

import os
import runpy
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.packaging
ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
UNSET = "to be set"
SCRIPT = """
import consensa
ensemble = consensa.Ensemble.from_labels([[0, 1], [0, 1], [1, 0], [1, 0]])
print(consensa.__version__, consensa.eac(ensemble, 2).labels.tolist(), consensa.__file__)
"""


def run(*command, **kwargs):
    done = subprocess.run(command, capture_output=True, text=True, check=False, **kwargs)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Folder of the sdist and of the wheel that is built from it."""
    folder = tmp_path_factory.mktemp("built")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT))
    return folder


@pytest.fixture(scope="module")
def wheel(built):
    (found,) = built.glob("*.whl")
    return found


def test_wheel_holds_every_module_and_nothing_else(wheel):
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    source = ROOT / "src"
    files = {
        path.relative_to(source).as_posix()
        for path in (source / "consensa").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert packed == files
    assert "consensa/study/templates/study.html" in packed
    assert "consensa/report/templates/script/map.js" in packed
    data = [name for name in packed if name.endswith((".npz", ".csv", ".mat"))]
    assert data == ["consensa/study/paper.csv"]  # the values that the paper prints


def test_wheel_is_small_and_typed(wheel):
    assert wheel.stat().st_size < 2 * 2**20
    packed = zipfile.ZipFile(wheel)
    assert "consensa/py.typed" in packed.namelist()
    (metadata,) = [name for name in packed.namelist() if name.endswith(".dist-info/METADATA")]
    said = packed.read(metadata).decode()
    assert "\nLicense-Expression: BSD-3-Clause\n" in said
    assert UNSET not in said  # an address that nobody has set is left out


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Python of an environment with the wheel, whose libraries are those of this one."""
    folder = tmp_path_factory.mktemp("installed") / "env"
    venv.create(folder, with_pip=True, system_site_packages=False)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    run(python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", str(wheel))
    (here,) = {p for p in sys.path if p.endswith("site-packages")}
    there = Path(
        run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    )
    (there / "borrowed.pth").write_text(f"{here}\n")
    return python


def test_wheel_installs_and_works_outside_the_checkout(wheel, installed, tmp_path):
    printed = run(installed, "-c", SCRIPT, cwd=tmp_path)
    version, rest = printed.split(" ", 1)
    assert version in wheel.name
    assert "[0, 0, 1, 1]" in rest
    assert str(installed.parent.parent) in rest
    assert "cluster" in run(installed, "-m", "consensa", "--help", cwd=tmp_path)


def test_a_file_of_a_user_has_the_types_of_the_wheel(installed, tmp_path):
    used = shutil.copy(ROOT / "tests" / "user_file.py", tmp_path)
    mypy = ["-m", "mypy", "--strict", "--config-file=", f"--cache-dir={tmp_path / 'cache'}"]
    run(sys.executable, *mypy, "--python-executable", installed, used, cwd=tmp_path)


def test_a_file_of_a_user_has_the_types_of_the_wheel_for_pyright_too(installed, tmp_path):
    pyright = shutil.which("pyright", path=Path(sys.executable).parent) or shutil.which("pyright")
    if pyright is None:
        pytest.skip("needs pyright: pip install 'consensa[release]'")
    used = shutil.copy(ROOT / "tests" / "user_file.py", tmp_path)
    run(pyright, "--pythonpath", installed, used, cwd=tmp_path)


def test_links_of_the_readme_work_on_pypi_once_the_repository_has_an_address():
    code = runpy.run_path(str(ROOT / "tools" / "project_metadata.py"))["with_addresses"]
    text = "![a](docs/a.png) [b](docs/b.md#c) [d](#here) [e](https://example.org/e)"
    assert code(text, UNSET) == text
    assert code(text, "https://example.org/r") == (
        "![a](https://example.org/r/raw/HEAD/docs/a.png) "
        "[b](https://example.org/r/raw/HEAD/docs/b.md#c) [d](#here) [e](https://example.org/e)"
    )


def test_files_that_repeat_the_version_have_that_of_the_project():
    version = PROJECT["version"]
    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text()
    assert f"\n## [{version}]" in (ROOT / "CHANGELOG.md").read_text()
    assert f'\n  version: "{version}"\n' in (ROOT / "recipe" / "recipe.yaml").read_text()


def test_the_recipe_needs_what_the_project_needs():
    recipe = (ROOT / "recipe" / "recipe.yaml").read_text()
    run_time = recipe.partition("  run:\n")[2].partition("\ntests:")[0]
    needed = {line.strip(" -").replace(" ", "") for line in run_time.splitlines() if "- " in line}
    extras = PROJECT["optional-dependencies"]
    wanted = {*PROJECT["dependencies"], *extras["cli"], *extras["plot"]}
    assert {line.replace("matplotlib-base", "matplotlib") for line in needed} == {
        *wanted,
        "python>=${{python_min}}",
    }
    assert PROJECT["requires-python"] == ">=3.11"


def test_the_sdist_has_what_its_tests_need(built):
    (packed,) = built.glob("*.tar.gz")
    with tarfile.open(packed) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    for folder in ("src", "tests", "docs", "examples", "tools", "benchmarks", "typings"):
        for path in (ROOT / folder).rglob("*.py"):
            assert path.relative_to(ROOT).as_posix() in names or "generated" in path.parts
    assert {"conftest.py", "Makefile", "README.md", "CITATION.cff"} <= names
    assert packed.stat().st_size < 10 * 2**20
