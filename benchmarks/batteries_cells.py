"""What a cell of the batteries computes; in a module, so that workers find it."""

from __future__ import annotations

import ast
import hashlib
import resource
import warnings
from functools import cache
from pathlib import Path

import numpy as np
from dev_sets import load_dev
from peers import ALL_PEERS, Peer, timed
from sklearn.datasets import make_blobs
from sklearn.preprocessing import StandardScaler

import consensa as cs

ROOMS = ("generation", "features", "partition", "similarity", "consensus", "ensemble")
LIMIT = 600  # seconds of processor time of a cell
_LARGE = 4096  # from here on UMAP searches neighbors in another way, compiled by itself


def _own(name, generator=None):
    def run(X, k, seed):
        return [timed(lambda: cs.cluster(X, k, generator=generator, random_state=seed).labels)]

    return Peer((name,), run, library="consensa")


OURS = {
    "default": _own("Consensa"),
    "older": _own("Consensa, LandmarkSpectral + TEA", cs.LandmarkSpectral(n_partitions=20)),
}
SCALINGS = {"raw": lambda X: X, "standardized": lambda X: StandardScaler().fit_transform(X)}


def compute(cell, _):
    """Scores and seconds of the rows of a method, on one set in one order."""
    scaling, _, name = cell.method.partition(":")
    data = load_dev(cell.dataset).shuffled(cell.draw)
    method = (OURS | ALL_PEERS)[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compile_first(name, len(data.X) >= _LARGE)
        end_after(LIMIT)
        X = SCALINGS[scaling](data.X)
        found = {k: method.run(X, k, cell.draw) for k in data.numbers()}
    rows = {row: {k: found[k][i] for k in found} for i, row in enumerate(method.rows)}
    return {
        "rows": {
            row: data.score({k: np.asarray(labels) for k, (labels, _) in answers.items()})
            for row, answers in rows.items()
        },
        "details": {
            row: round(float(np.mean([seconds for _, seconds in answers.values()])), 3)
            for row, answers in rows.items()
        },
    }


def end_after(seconds):
    """Let the system end this process after so many further seconds of processor time."""
    spent = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(spent.ru_utime + spent.ru_stime + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.getrlimit(resource.RLIMIT_CPU)[1]))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


@cache
def compile_first(name, large):
    """Run a method once in this process, so that no time contains that of a compiler."""
    X, _ = make_blobs(_LARGE if large else 200, 5, centers=3, random_state=0)
    (OURS | ALL_PEERS)[name].run(X, 3, 0)


@cache
def own_code():
    """Hash of what our rows depend on, so that they are computed again when it has changed.

    Comments, docstrings and the layout of the code do not count.
    """
    digest = hashlib.sha256()
    folder = Path(cs.__file__).parent
    for path in sorted(path for room in ROOMS for path in (folder / room).glob("*.py")):
        tree = ast.parse(path.read_text())
        for node in ast.walk(tree):
            body = getattr(node, "body", None)
            if isinstance(body, list) and body and _is_text(body[0]):
                body[0] = ast.Pass()
        digest.update(ast.dump(tree).encode())
    return {"code": digest.hexdigest()[:12]}


def _is_text(statement):
    value = getattr(statement, "value", None)
    return isinstance(statement, ast.Expr) and isinstance(getattr(value, "value", None), str)
