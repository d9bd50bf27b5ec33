"""Time and peak memory of every method, beside public packages that have the same one.

Each cell runs in a process of its own, which reports its wall time and its peak memory; methods
that make no n × n matrix are also run on 200,000 samples. With `--public PYTHON`, an interpreter
that has `ensembleclustering` or `ccHBGF`, their methods run on the same labels, and the agreement
with ours is shown. With `--port FOLDER`, the folder that holds the package `pce` (PCE, the
py-cluster-ensemble repository's `src`), its SPCE and EC-CMS run beside ours with equal
parameters, on the digits and on the sizes up to 2000. Consensa needs none of them.

    python benchmarks/methods.py --sizes 2000,5000,200000 --public other-env/bin/python
    python benchmarks/methods.py --sizes 2000 --methods none --port py-cluster-ensemble/src
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_digits

import consensa
from consensa.consensus.base import BaseConsensus
from consensa.metrics import adjusted_rand_index, normalized_mutual_information

LINEAR = {
    "CDEC",
    "CDKM",
    "CumulativeVoting",
    "ECPCSMC",
    "EMConsensus",
    "HBGF",
    "KCC",
    "LWGP",
    "MCLA",
    "NMFConsensus",
    "SEC",
    "TEA",
    "Voting",
}  # any size
CLUSTERS = 20
CLOCKS = {"wall": "perf_counter", "cpu": "process_time"}
MEASURED = """
import json, resource, sys, time, warnings
import numpy as np
warnings.simplefilter("ignore")
labels = np.load(sys.argv[1])
{prepare}
base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.{clock}()
answer = {call}
seconds = time.{clock}() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
np.save(sys.argv[2], np.asarray(answer))
print(json.dumps([seconds, (peak - base) / 1024]))
"""
OURS = """import consensa as cs
function = getattr(cs, "{name}")
options = {{"random_state": 0}} if "random_state" in function.declared else {{}}
ensemble = cs.Ensemble.from_labels(labels)
tiny = cs.Ensemble.from_labels(np.arange(40).reshape(-1, 1) % 4)
function(tiny, 2, **options)  # imports and compiles"""
ENSEMBLECLUSTERING = {"cspa", "hgpa", "mcla", "hbgf", "nmfconsensus"}
# Parts of PCE alone are imported: the package itself asks for torch and much else.
PORT = """import importlib, types
for name in ("pce", "pce.consensus", "pce.consensus.methods"):
    part = types.ModuleType(name)
    part.__path__ = ["/".join([{folder!r}, *name.split(".")])]
    sys.modules[name] = part
function = importlib.import_module("pce.consensus.{name}").{name}"""
# The parameters of PCE and of Consensa that are equal: our defaults where PCE can have them.
PORTED = {
    "spce": ("gamma=(0.1 * labels.shape[1]) ** 2", "threshold=0.1"),
    "eccms": ("alpha=0.8, lamb=0.4", "threshold=0.8, penalty=0.4, theta=0.4"),
}


class How(NamedTuple):
    """How a cell is measured."""

    limit: int  # seconds that it may take
    clock: str  # function of `time`


def planted(n, seed=0):
    """20 partitions of 2 to 50 clusters that follow 20 planted groups, with noise."""
    rng = np.random.RandomState(seed)
    truth = rng.randint(CLUSTERS, size=n)
    columns = []
    for _ in range(20):
        k = rng.randint(2, 51)
        split = truth + CLUSTERS * rng.randint(2, size=n)
        column = rng.randint(k, size=CLUSTERS)[truth] if k < CLUSTERS else split % k
        noise = rng.uniform(size=n) < 0.2
        column[noise] = rng.randint(k, size=noise.sum())
        columns.append(column)
    return np.stack(columns, axis=1), truth


def run(python, prepare, call, folder, how):
    """Seconds, MiB and labels of one process, or the reason why there are none."""
    code = MEASURED.format(prepare=prepare, call=call, clock=how.clock)
    command = [python, "-c", code, str(folder / "labels.npy"), str(folder / "answer.npy")]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=how.limit, check=False
        )
    except subprocess.TimeoutExpired:
        return f"over {how.limit} s"
    if done.returncode:
        return done.stderr.strip().splitlines()[-1][:60] if done.stderr.strip() else "killed"
    seconds, mib = json.loads(done.stdout.splitlines()[-1])
    return seconds, mib, np.load(folder / "answer.npy")


def run_ours(name, folder, how, clusters=CLUSTERS, parameters=""):
    """Run a method of Consensa."""
    call = f"function(ensemble, {clusters}, **options, {parameters}).labels"
    return run(sys.executable, OURS.format(name=name), call, folder, how)


def run_public(name, python, folder, how):
    """Run the same method of `ensembleclustering`."""
    solver = name.removesuffix("consensus")
    prepare = "import ensembleclustering as public"
    call = f"public.cluster_ensembles(labels.T, {CLUSTERS}, random_state=0, solver='{solver}')"
    return run(python, prepare, call, folder, how)


def run_port(name, package, folder, how, clusters, parameters):
    """Run the same method of PCE, once, on all partitions."""
    prepare = PORT.format(name=name, folder=str(Path(package).resolve()))
    chosen = f"nClusters={clusters}, nBase=labels.shape[1], nRepeat=1, {parameters}"
    return run(sys.executable, prepare, f"function(labels, {chosen})[0][0]", folder, how)


def inputs_of_the_port(sizes):
    """Name, labels, truth and number of clusters of the inputs on which PCE is run."""
    X, digits = load_digits(return_X_y=True)
    ensemble = consensa.RandomKMeans(n_partitions=10).generate(X, random_state=0)
    yield "digits, 10 partitions", np.asarray(ensemble.labels), digits, 10
    for n in sizes:
        if n <= 2000:
            yield f"planted, n = {n}", *planted(n), CLUSTERS


def compare_with_port(package, sizes, how):
    """Print one Markdown row for each method that PCE has as well, and input."""
    print("\n| input | method | seconds | MiB | NMI | PCE s | MiB | NMI | ratio | ARI |")
    print("|---" * 10 + "|")
    for title, labels, truth, clusters in inputs_of_the_port(sizes):
        with tempfile.TemporaryDirectory() as name_of_folder:
            folder = Path(name_of_folder)
            np.save(folder / "labels.npy", labels)
            for name, (theirs, ours) in PORTED.items():
                results = (
                    run_ours(name, folder, how, clusters, ours),
                    run_port(name, package, folder, how, clusters, theirs),
                )
                print(f"| {title} | {name} | {side_by_side(*results, truth)} |", flush=True)


def methods(n):
    """Names of the functions to run at this size."""
    for name in consensa.consensus.__all__:
        estimator = getattr(consensa.consensus, name)
        method = isinstance(estimator, type) and issubclass(estimator, BaseConsensus)
        if method and (n <= 10_000 or name in LINEAR):
            yield name.lower()


def cells(result, truth):
    """Seconds, MiB and NMI for the table, or the reason why there are none."""
    if isinstance(result, str):
        return f"{result} | | "
    seconds, mib, labels = result
    return f"{seconds:.2f} | {mib:.0f} | {normalized_mutual_information(truth, labels):.3f}"


def side_by_side(ours, theirs, truth):
    """Cells of both, how many times longer theirs took, and how far they agree."""
    compared = " | "
    if not isinstance(ours, str) and not isinstance(theirs, str):
        agreement = adjusted_rand_index(ours[2], theirs[2])
        compared = f"{theirs[0] / ours[0]:.1f} | {agreement:.3f}"
    return f"{cells(ours, truth)} | {cells(theirs, truth)} | {compared}"


def main():
    """Print one Markdown row a method and size."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="2000,5000,200000")
    parser.add_argument("--methods", default="")
    parser.add_argument("--limit", type=int, default=600, help="seconds that a cell may take")
    parser.add_argument("--public", metavar="PYTHON", default="")
    parser.add_argument("--port", metavar="FOLDER", default="", help="that holds the package pce")
    parser.add_argument("--clock", choices=CLOCKS, default="wall", help="cpu: on a busy machine")
    arguments = parser.parse_args()
    how = How(arguments.limit, CLOCKS[arguments.clock])
    sizes = [int(size) for size in arguments.sizes.split(",")]
    wanted = set(arguments.methods.lower().split(",")) - {""}
    print("| n | method | seconds | MiB | NMI | ensembleclustering s | MiB | NMI | ratio | ARI |")
    print("|---" * 10 + "|")
    for n in sizes:
        labels, truth = planted(n)
        with tempfile.TemporaryDirectory() as folder:
            np.save(Path(folder) / "labels.npy", labels)
            for name in methods(n):
                if wanted and name not in wanted:
                    continue
                ours, theirs = run_ours(name, Path(folder), how), ""
                if arguments.public and name in ENSEMBLECLUSTERING and n <= 10_000:
                    theirs = run_public(name, arguments.public, Path(folder), how)
                print(f"| {n} | {name} | {side_by_side(ours, theirs, truth)} |", flush=True)
    if arguments.port:
        compare_with_port(arguments.port, sizes, how)


if __name__ == "__main__":
    main()
