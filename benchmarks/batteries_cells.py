"""What a cell of the batteries computes; in a module, so that workers find it."""

from __future__ import annotations

import ast
import hashlib
import resource
import warnings
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
from dev_sets import load_dev
from peers import ALL_PEERS, Peer, timed
from sklearn.datasets import make_blobs
from sklearn.preprocessing import StandardScaler

import consensa as cs
from consensa.generation._kind_weights import kind_weights
from consensa.metrics import adjusted_rand_index

N_ORDERS, N_SEEDS = 3, 5  # of the agreement of a method with itself
LEFT_OUT = 100  # one row in so many
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


def compute_ablations(cell, _):
    """The default without each of its kinds and weights in turn, from the same partitions."""
    data = load_dev(cell.dataset).shuffled(cell.draw)
    end_after(LIMIT)
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for k in data.numbers():
            made = cs.DiverseKinds().generate(data.X, n_clusters=k, random_state=cell.draw)
            for name, ensemble in ablated(made):
                labels = np.asarray(cs.combine(ensemble, k, random_state=cell.draw).labels)
                found.setdefault(name, {})[k] = labels
    return {"rows": {name: data.score(labels_of) for name, labels_of in found.items()}}


def ablated(made):
    """Names of the ablations, and the ensembles that are left."""
    kinds = np.array([name.rsplit(" ", 1)[0] for name in made.partition_names])
    say, shares = equal_say(made, kinds)
    yield "all kinds", made
    for words in dict.fromkeys([*kinds, *(kind.split(",")[0] for kind in kinds)]):
        own = np.array([kind.startswith(words) for kind in kinds])
        yield f"without {words}", weighted(made.select(np.flatnonzero(~own)), kinds[~own])
        yield f"{words} alone", weighted(made.select(np.flatnonzero(own)), kinds[own])
    yield "kinds without an equal say", replace(made, weights=made.weights * shares)
    yield "weights without the agreement", replace(made, weights=say / say.mean())
    yield "no weights", replace(made, weights=None)


def weighted(ensemble, kinds):
    """The ensemble with the weights of these kinds."""
    return replace(ensemble, weights=kind_weights(ensemble, list(kinds)))


def equal_say(made, kinds):
    """Weights by the equal say of all kinds alone, and the number of distinct ones of its kind."""
    keys = [
        (kind, np.unique(column, return_index=True, return_inverse=True)[1:])
        for kind, column in zip(kinds, made.codes.T, strict=True)
    ]
    keys = [(kind, np.argsort(np.argsort(first))[of].tobytes()) for kind, (first, of) in keys]
    duplicates = Counter(keys)
    distinct = Counter(kind for kind, _ in duplicates)
    shares = np.array([distinct[kind] for kind in kinds], float)
    return 1 / (np.array([duplicates[key] for key in keys]) * shares), shares


def compute_agreement(cell, _):
    """How far a method agrees with itself: in other orders of the rows, and with other seeds."""
    data = load_dev(cell.dataset)
    k = data.numbers()[0]
    end_after((N_ORDERS + N_SEEDS) * LIMIT)

    def labels(order, seed):
        rows = np.random.RandomState([2, order]).permutation(len(data.X))
        [(found, _)] = OURS[cell.method].run(data.X[rows], k, seed)
        return np.asarray(found)[np.argsort(rows)]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        by_seed = [labels(0, seed) for seed in range(N_SEEDS)]
        by_order = [labels(1 + order, 0) for order in range(N_ORDERS)]
    orders = [adjusted_rand_index(by_seed[0], other) for other in by_order]
    seeds = [adjusted_rand_index(*pair) for pair in combinations(by_seed, 2)]
    return {"orders": min(orders), "seeds": float(np.mean(seeds))}


def compute_left_out(cell, _):
    """How far answers agree that lack a few rows each, on the rows that both have."""
    data = load_dev(cell.dataset)
    n, k = len(data.X), data.numbers()[0]
    size = n - max(1, n // LEFT_OUT)
    end_after(N_SEEDS * LIMIT)
    answers = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for draw in range(N_SEEDS):
            rows = np.random.RandomState([3, draw]).permutation(n)[:size]
            [(found, _)] = OURS[cell.method].run(data.X[rows], k, 0)
            answers.append(dict(zip(rows, np.asarray(found), strict=True)))
    agreements = []
    for one, other in combinations(answers, 2):
        both = sorted(one.keys() & other.keys())
        pair = [[each[row] for row in both] for each in (one, other)]
        agreements.append(adjusted_rand_index(*pair))
    return {"left out": float(np.mean(agreements))}


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
