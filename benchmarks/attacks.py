"""Label matrices that break programs, given to Consensa and to two peers if they can be imported.

    python benchmarks/attacks.py

`ensembleclustering` is on PyPI, but asks for a scikit-learn of 2022; install it with ``--no-deps``
beside a current one. `pce` (py-cluster-ensemble) is not on PyPI; put its ``src`` on PYTHONPATH.
"""

from __future__ import annotations

import functools
import importlib
import warnings

import numpy as np
from sklearn.metrics import adjusted_rand_score

N, M, K = 60, 5, 3


def attacks():
    """Name, label matrix and number of clusters."""
    rng = np.random.RandomState(0)
    clear = np.repeat(np.arange(K), N // K)[:, None] * np.ones((1, M), int)
    hole = rng.uniform(size=(N, M)) < 0.1
    yield "10 % NaN", np.where(hole, np.nan, clear.astype(float)), K
    yield "10 % -1", np.where(hole, -1, clear), K
    yield "text", clear.astype(str), K
    yield "labels from 2**53", clear.astype(np.int64) + 2**53, K
    yield "k > n", clear, 200
    yield "k = 1", clear, 1
    yield "one partition", clear[:, :1], K
    yield "one cluster each", np.zeros((N, M), int), K


def programs():
    """Name and function of the programs that are installed."""
    import consensa

    for method in ("tea", "hbgf", "mcla", "cspa"):
        yield (
            f"Consensa {method.upper()}",
            lambda labels, k, method=method: (
                consensa.combine(labels, k, method=method, random_state=0).labels
            ),
        )
    if (peer := _module("ensembleclustering")) is not None:
        for solver in ("hbgf", "mcla", "cspa", "nmf"):
            yield (
                f"ensembleclustering {solver}",
                lambda labels, k, solver=solver: peer.cluster_ensembles(
                    np.asarray(labels).T, nclass=k, solver=solver, random_state=0
                ),
            )
    for name in ("lwea", "ptgp", "ecpcs_mc", "drec"):
        if (peer := _module(f"pce.consensus.{name}")) is not None:
            yield f"pce {name}", functools.partial(_by_pce, getattr(peer, name))


def _by_pce(method, labels, k):
    table = np.asarray(labels)
    return method(table, nClusters=k, nBase=table.shape[1], nRepeat=1)[0][0]


def _module(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


def outcome(call, labels, k):
    """What came back, in a few words."""
    try:
        found = np.asarray(call(labels, k)).ravel()
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0][:60]}"
    return f"{len(set(found.tolist()))} clusters"


def same_after_shuffles(call, times=10):
    """How often a shuffle of the rows changes nothing."""
    rng = np.random.RandomState(1)
    clear, same = np.repeat(np.arange(K), N // K)[:, None], 0
    for _ in range(times):
        noisy = np.where(rng.uniform(size=(N, M)) < 0.3, rng.randint(0, K, (N, M)), clear)
        order = rng.permutation(N)
        try:
            first, second = (np.asarray(call(rows, K)).ravel() for rows in (noisy, noisy[order]))
        except Exception:
            return "fails"
        same += adjusted_rand_score(first[order], second) == 1
    return f"{same} of {times}"


def main():
    """Print a line for each program and attack."""
    warnings.simplefilter("ignore")
    for name, call in programs():
        for attack, labels, k in attacks():
            print(f"{name:24} {attack:20} {outcome(call, labels, k)}")
        print(f"{name:24} {'same when shuffled':20} {same_after_shuffles(call)}")


if __name__ == "__main__":
    main()
