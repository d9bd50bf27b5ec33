"""Time and peak memory of every method, beside public packages that have the same one.

Each cell runs in a process of its own, which reports its wall time and its peak memory; linear
methods are also run on 200,000 samples. Public packages (`ensembleclustering`, `ccHBGF`) are run
in the same way if they are installed; none is needed.

    python benchmarks/methods.py --sizes 2000,5000,200000
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys

import consensa
from consensa.consensus._base import BaseConsensus

LINEAR = {"LWGP", "HBGF", "SEC", "ECPCSMC", "MCLA", "Voting"}  # run on any number of samples
LIMIT = 600  # seconds a cell may take
WORK = """
import json, resource, sys, time, warnings
import numpy as np
warnings.simplefilter("ignore")
name, n, seed = sys.argv[1], int(sys.argv[2]), 0
rng = np.random.RandomState(seed)
truth = rng.randint(20, size=n)
columns = []
for _ in range(20):  # 20 partitions of 2 to 50 clusters that follow 20 planted groups, with noise
    k = rng.randint(2, 51)
    split = truth + 20 * rng.randint(2, size=n)
    column = rng.randint(k, size=20)[truth] if k < 20 else split % k
    noise = rng.uniform(size=n) < 0.2
    column[noise] = rng.randint(k, size=noise.sum())
    columns.append(column)
labels = np.stack(columns, axis=1)
import consensa as cs
ensemble = cs.Ensemble.from_labels(labels)
base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.perf_counter()
if name.startswith("public:"):
    package, method = name.removeprefix("public:").split(".")
    if package == "ensembleclustering":
        import ensembleclustering as public
        answer = getattr(public, method)(labels.T, 20)
    else:
        from ccHBGF import find_consensus
        answer = find_consensus(labels, n_clusters=20, random_state=0)
else:
    function = getattr(cs, name)
    options = {"random_state": 0} if "random_state" in function.declared else {}
    answer = function(ensemble, 20, **options).labels
seconds = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
nmi = cs.metrics.normalized_mutual_information(truth, np.asarray(answer))
print(json.dumps({"seconds": seconds, "mib": (peak - base) / 1024, "nmi": nmi}))
"""
PUBLIC = {
    "cspa": "public:ensembleclustering.cspa",
    "hgpa": "public:ensembleclustering.hgpa",
    "mcla": "public:ensembleclustering.mcla",
    "hbgf": "public:ccHBGF.find_consensus",
    "nmfconsensus": "public:ensembleclustering.nmf",
}


def run(name, n):
    """One cell: what the process printed, or why it did not."""
    command = [sys.executable, "-c", WORK, name, str(n)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT, check=False)
    except subprocess.TimeoutExpired:
        return f"over {LIMIT} s"
    if done.returncode:
        return done.stderr.strip().splitlines()[-1][:60] if done.stderr else "failed"
    return json.loads(done.stdout.splitlines()[-1])


def methods(n):
    """Functions to run at this size: beyond 10,000 samples only those that make no n × n."""
    for name in consensa.consensus.__all__:
        estimator = getattr(consensa.consensus, name)
        if not (isinstance(estimator, type) and issubclass(estimator, BaseConsensus)):
            continue
        if n <= 10_000 or name in LINEAR:
            yield name.lower()


def main():
    """Print one Markdown row a method and size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="2000,5000,200000")
    parser.add_argument("--methods", default="")
    arguments = parser.parse_args()
    wanted = set(arguments.methods.lower().split(",")) - {""}
    print(
        "| n | method | seconds | peak MiB | NMI | public package: seconds | MiB | NMI | ratio |"
    )
    print("|---" * 9 + "|")
    for n in (int(size) for size in arguments.sizes.split(",")):
        for name in methods(n):
            if wanted and name not in wanted:
                continue
            ours, theirs = run(name, n), None
            if name in PUBLIC and importlib.util.find_spec(PUBLIC[name][7:].split(".")[0]):
                theirs = run(PUBLIC[name], n)
            print(row(n, name, ours, theirs), flush=True)


def row(n, name, ours, theirs):
    """One line of the table."""
    cells = [cell(ours), cell(theirs) if theirs is not None else "| |"]
    ratio = ""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        ratio = f"{theirs['seconds'] / ours['seconds']:.1f}"
    return f"| {n} | {name} | {cells[0]} | {cells[1]} | {ratio} |"


def cell(result):
    """Seconds, MiB and NMI, or the reason why there are none."""
    if isinstance(result, dict):
        return f"{result['seconds']:.2f} | {result['mib']:.0f} | {result['nmi']:.3f}"
    return f"{result} | |"


if __name__ == "__main__":
    main()
