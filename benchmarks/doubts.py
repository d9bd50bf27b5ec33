"""How often a result doubts itself: on the development sets, and on data without clusters.

    python benchmarks/doubts.py [NAME ...]      # needs CONSENSA_DATA; about ten minutes

Sets are clustered into their number of classes, at most 2,500 samples of each; data without
clusters, into 2 to 8. A line for each case; the table of the user guide at the end.
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter, defaultdict

import numpy as np
from dev_sets import load_dev, names_of

import consensa as cs
from consensa.ensemble.details import AGREEMENT_OF_KINDS
from consensa.exceptions import DoubtWarning

MOST = 2500
COLUMNS = (3, 5, 10, 50)


def noise():
    """Uniform, normal, log-normal and correlated samples without clusters."""
    rng = np.random.RandomState(0)
    for d in COLUMNS:
        for n in (200, 600):
            mixing = rng.normal(size=(d, d)) / np.sqrt(d)
            shapes = {
                "uniform": rng.uniform(size=(n, d)),
                "normal": rng.normal(size=(n, d)),
                "lognormal": rng.lognormal(size=(n, d)),
                "correlated": rng.normal(size=(n, d)) @ mixing,
            }
            for name, X in shapes.items():
                for k in (2, 4, 8):
                    yield f"{d} columns", f"{name}, {n} samples", X, k


def sets():
    """The development sets, with the largest number of classes of their labelings."""
    for name in names_of("all"):
        data = load_dev(name).shuffled(0)
        yield "sets", name, data.X[:MOST], max(data.numbers())


def doubts(X, k):
    """Classes of the doubts, the agreement of the kinds and the mean confidence."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = cs.cluster(X, k, random_state=0)
    found = {w.category.__name__ for w in caught if issubclass(w.category, DoubtWarning)}
    return found, result.details[AGREEMENT_OF_KINDS], float(np.mean(result.confidence))


def main(only):
    """Print a line for each case and the counts of each group."""
    counts, sizes = defaultdict(Counter), Counter()
    for group, name, X, k in (*sets(), *noise()):
        if only and name not in only:
            continue
        found, agreement, confidence = doubts(X, k)
        counts[group].update(found)
        sizes[group] += 1
        print(
            f"{group:12} {name:28} k={k:<3} agreement {agreement:.2f} confidence {confidence:.2f}",
            *sorted(found),
            flush=True,
        )
    for warning in sorted(set().union(*counts.values())):
        shown = (f"{counts[group][warning]} of {sizes[group]}" for group in sizes)
        print("|", f"`{warning}`", "|", " | ".join(shown), "|")


if __name__ == "__main__":
    main(sys.argv[1:])
