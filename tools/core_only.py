"""The library without its extras: clustering works, and the command line says what it lacks.

``python tools/core_only.py`` in an environment that has nothing but ``pip install consensa``.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys

from sklearn.datasets import load_iris
from sklearn.metrics import adjusted_rand_score

import consensa as cs

_WRONG_INPUT = 2  # status of the command line


def main() -> None:
    """Cluster, combine, save nothing; fail with a traceback if anything is not as it should be."""
    X, truth = load_iris(return_X_y=True)
    result = cs.cluster(X, 3, random_state=0)
    assert adjusted_rand_score(truth, result.labels) > 0.5
    assert cs.combine(result.ensemble, 3, method="lwgp").n_clusters == 3
    asked = [sys.executable, "-m", "consensa", "methods"]
    said = subprocess.run(asked, capture_output=True, text=True, check=False)
    if importlib.util.find_spec("typer") is None:
        assert said.returncode == _WRONG_INPUT
        assert said.stdout == ""
        assert said.stderr.count("\n") == 1
        assert "pip install 'consensa[cli]'" in said.stderr
    print(f"Consensa {cs.__version__} works, on Python {sys.version.split()[0]}.")


if __name__ == "__main__":
    main()
