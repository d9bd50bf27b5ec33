"""The wheel that people install is whole."""

import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.packaging
ROOT = Path(__file__).parent.parent
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
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), str(ROOT))
    (built,) = folder.glob("*.whl")
    return built


def test_wheel_holds_every_module_and_nothing_else(wheel):
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    source = ROOT / "src"
    files = {
        str(path.relative_to(source))
        for path in (source / "consensa").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert packed == files
    assert "consensa/study/templates/study.html" in packed
    assert "consensa/report/templates/script/map.js" in packed
    data = [name for name in packed if name.endswith((".npz", ".csv", ".mat"))]
    assert data == ["consensa/study/paper.csv"]  # the values that the paper prints


def test_wheel_installs_and_works_outside_the_checkout(wheel, tmp_path):
    # The libraries it needs are borrowed from this environment: only the wheel is installed.
    venv.create(tmp_path / "env", with_pip=True, system_site_packages=False)
    python = str(tmp_path / "env" / "bin" / "python")
    run(python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", str(wheel))
    (here,) = {p for p in sys.path if p.endswith("site-packages")}
    (there,) = (tmp_path / "env" / "lib").glob("python*/site-packages")
    (there / "borrowed.pth").write_text(f"{here}\n")
    printed = run(python, "-c", SCRIPT, cwd=tmp_path)
    version, rest = printed.split(" ", 1)
    assert version in wheel.name
    assert "[0, 0, 1, 1]" in rest
    assert str(there) in rest
    assert "cluster" in run(python, "-m", "consensa", "--help", cwd=tmp_path)
