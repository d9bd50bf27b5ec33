"""The hot paths in a minute or two, as ratios to a fixed loop, beside a stored baseline.

Ratios rather than seconds: a machine that is twice as fast runs both the path and the loop twice
as fast. Every number is the least processor time of several rounds on one thread; the loop is
timed beside every round. What became slower than the baseline by more than a third is named, and
the exit status is 1.

    make bench-quick                                # compare
    make bench-quick QUICK_OPTIONS=--write          # store the baseline, on a quiet machine
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.datasets import make_blobs

import consensa as cs
from consensa.partition import linkage_tree
from consensa.similarity import cluster_certainty
from consensa.tensor import refine

BASELINE = Path(__file__).with_name("quick_baseline.json")
SLOWER = 4 / 3
ROUNDS = 5


def calibration() -> None:
    """A fixed amount of work: a matrix product, a sort and plain Python."""
    rng = np.random.RandomState(0)
    matrix = rng.uniform(size=(400, 400))
    for _ in range(5):
        matrix = matrix @ matrix
        matrix /= matrix.max()
    np.sort(rng.uniform(size=500_000))
    sum(number * number for number in range(300_000))


def seconds_here(work: Callable[[], object]) -> float:
    """Processor time of one call in this process."""
    start = time.process_time()
    work()
    return time.process_time() - start


def seconds_of_import() -> float:
    """Processor time of a new process that imports everything."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", "from consensa import *"], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def planted(n_samples: int, n_partitions: int) -> cs.Ensemble:
    """Ten clusters; a fifth of the labels of each partition are changed at random."""
    rng = np.random.RandomState(0)
    labels = np.stack([np.arange(n_samples) % 10] * n_partitions, axis=1)
    changed = rng.uniform(size=labels.shape) < 0.2
    labels[changed] = rng.randint(10, size=changed.sum())
    return cs.Ensemble.from_labels(labels)


def paths() -> dict[str, Callable[[], float]]:
    """What is watched: the seconds of one round of each."""
    small, large = planted(600, 20), planted(2000, 20)
    affinity = cs.coassociation(large)
    together, links = cs.coassociation(small), cs.coherent_links(small)
    X, _ = make_blobs(500, centers=5, n_features=8, random_state=0)
    work: dict[str, Callable[[], object]] = {
        "10 co-associations, 2000 × 20": lambda: [cs.coassociation(large) for _ in range(10)],
        "average linkage, 2000": lambda: linkage_tree(affinity),
        "30 certainties, 2000 × 20": lambda: [cluster_certainty(large) for _ in range(30)],
        "LTA, 60 iterations, 600": lambda: refine(together, links, penalty=0.01, max_iter=60),
        "default from labels, 2000 × 20": lambda: cs.combine(large, 10),
        "default from features, 500 × 8": lambda: cs.cluster(X, 5, random_state=0),
    }
    timed = {name: lambda act=act: seconds_here(act) for name, act in work.items()}
    return timed | {"import of everything": seconds_of_import}


def ratios(rounds: int) -> dict[str, float]:
    """Least seconds of each path, in units of the least seconds of the loop beside it."""
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cs.exceptions.ConsensaWarning)
        for name, measure in paths().items():
            measure()  # compiles, or reads the compiled code
            loops, times = [], []
            for _ in range(rounds):
                loops.append(seconds_here(calibration))
                times.append(measure())
            found[name] = min(times) / min(loops)
    return found


def main() -> int:
    """Print the comparison; 1 if something became slower."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="store what is measured")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args()
    now = ratios(options.rounds)
    if options.write:
        stored = {name: round(ratio, 3) for name, ratio in now.items()}
        BASELINE.write_text(json.dumps(stored, indent=1) + "\n", encoding="utf-8")
    before = json.loads(BASELINE.read_text(encoding="utf-8"))
    slower = [name for name, ratio in now.items() if ratio > SLOWER * before.get(name, np.inf)]
    print(f"{'path, in calibration loops':34}{'now':>8}{'baseline':>10}{'change':>9}")
    for name, ratio in now.items():
        change = f"{ratio / before[name] - 1:+.0%}" if name in before else "new"
        mark = "  slower" if name in slower else ""
        print(f"{name:34}{ratio:8.2f}{before.get(name, np.nan):10.2f}{change:>9}{mark}")
    print(f"bench-quick: {len(slower)} of {len(now)} paths became slower.")
    return 1 if slower else 0


if __name__ == "__main__":
    sys.exit(main())
