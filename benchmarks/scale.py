"""Time and memory from 10^5 to 10^7 samples, and the times that `consensa plan` is made of.

scale.py costs    measure the times, write src/consensa/distributed/costs.json
scale.py run      every method at every size: seconds, peak memory, exponent, plan
scale.py dask     the same on a local cluster of two worker processes
scale.py peers    what public packages do at the same sizes, if they are installed

Each run is a process of its own. ``--sizes 1e5 1e6`` and ``--methods lwgp sec`` choose;
``--folder`` is where label matrices are written and kept (20 partitions of 20 to 50 clusters, 10
classes).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
from scale_costs import measure_costs
from scale_runs import N_PARTITIONS, PARTITION_CLUSTERS, make_labels, run_alone

from consensa.consensus.catalogue import methods_that
from consensa.distributed import Cluster, plan

COSTS = Path(__file__).parent.parent / "src/consensa/distributed/costs.json"


def run_all(folder: Path, sizes: list[int], methods: list[str], engine: str) -> None:
    """Print a table of every method at every size."""
    print(
        "| method | n | s | processor s | plan s | ratio | peak MiB | plan MiB | ratio |",
        flush=True,
    )
    print("|---" * 9 + "|")
    for name in methods:
        found = []
        for n in sizes:
            path = make_labels(folder, n)
            done = run_alone(name, path, engine)
            found.append((n, done["seconds"], done["cpu"]))
            # The processor's time, all cores together, is the same on a machine that is shared.
            shape = (n, N_PARTITIONS, PARTITION_CLUSTERS)
            seconds = plan(*shape, method=name, cluster=Cluster(1, 1)).seconds
            memory = plan(*shape, method=name, cluster=Cluster(1, os.cpu_count())).worker_memory
            # The system takes back the pages of the file that is mapped when it needs them.
            peaks = [done["peak"] - path.stat().st_size, *done["workers"]]
            print(
                f"| {name} | {n:,} | {done['seconds']:.2f} | {done['cpu']:.2f} | {seconds:.2f} | "
                f"{seconds / done['cpu']:.2f} | "
                f"{' + '.join(f'{peak / 2**20:.0f}' for peak in peaks)} | {memory / 2**20:.0f} | "
                f"{memory / peaks[0]:.2f} |",
                flush=True,
            )
        if len(found) > 1:
            n, wall, cpu = np.log(np.array(found)).T
            slopes = [np.polyfit(n, spent, 1)[0] for spent in (wall, cpu)]
            print(f"{name}: exponent {slopes[0]:.2f}, of the processor's time {slopes[1]:.2f}")


PEER = """
import json, resource, sys, time, warnings
warnings.simplefilter("ignore")
import numpy as np
labels = np.load(sys.argv[2])[: int(sys.argv[3])]
resource.setrlimit(resource.RLIMIT_AS, (8 * 2**30, 8 * 2**30))
start = time.perf_counter()
try:
    if sys.argv[1].startswith("ensembleclustering"):
        import ensembleclustering as ec
        ec.cluster_ensembles(labels.T, nclass=10, solver=sys.argv[1].split(".")[1])
    elif sys.argv[1] == "ccHBGF":
        from ccHBGF import find_consensus
        find_consensus(labels, n_clusters=10)
    else:
        from sklearn.cluster import AgglomerativeClustering
        apart = np.zeros((len(labels), len(labels)))
        for column in labels.T:
            apart += column[:, None] != column
        AgglomerativeClustering(10, metric="precomputed", linkage="average").fit(apart)
    what = f"{time.perf_counter() - start:.1f} s"
except MemoryError:
    what = "out of 8 GiB"
except Exception as error:
    what = f"{type(error).__name__}: {str(error)[:60]}"
print(what, f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB", sep=" | ")
"""


def run_peers(folder: Path, sizes: list[int], limit: float, python: str) -> None:
    """Print what public packages do, each with 8 GiB and a limit of time."""
    path = make_labels(folder, 10**6)
    print("| package | n | seconds | peak |\n|---|---|---|---|")
    for name in ("co-association + scikit-learn", "ensembleclustering.hbgf",
                 "ensembleclustering.mcla", "ccHBGF"):  # fmt: skip
        for n in sizes:
            try:
                done = subprocess.run(
                    [python, "-c", PEER, name, str(path), str(n)],
                    capture_output=True, text=True, timeout=limit, check=False,
                )  # fmt: skip
                told = done.stdout.strip() or f"ended by signal {-done.returncode} | "
            except subprocess.TimeoutExpired:
                told = f"over {limit:.0f} s | "
            print(f"| {name} | {n:,} | {told} |", flush=True)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=["costs", "run", "dask", "peers"])
    parser.add_argument(
        "--folder", type=Path, default=Path(tempfile.gettempdir()) / "consensa-scale"
    )
    parser.add_argument("--sizes", nargs="+", type=float, default=[1e5, 1e6, 1e7])
    parser.add_argument("--methods", nargs="+", default=list(methods_that("by_rows")))
    parser.add_argument("--limit", type=float, default=60)
    parser.add_argument("--python", default=sys.executable, help="where the peers are installed")
    given = parser.parse_args()
    given.folder.mkdir(exist_ok=True)
    warnings.simplefilter("ignore")
    sizes = [int(size) for size in given.sizes]
    if given.what == "costs":
        costs = measure_costs(given.folder)
        COSTS.write_text(json.dumps(costs, indent=2) + "\n")
        print(COSTS.read_text())
    elif given.what == "peers":
        run_peers(given.folder, sizes, given.limit, given.python)
    else:
        methods = [name.upper() for name in given.methods]
        run_all(given.folder, sizes, methods, "dask" if given.what == "dask" else "local")


if __name__ == "__main__":
    main()
