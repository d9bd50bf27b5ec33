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
import time
import warnings
from pathlib import Path

import numpy as np

from consensa.distributed import Cluster, plan

METHODS = ["LWGP", "HBGF", "SEC", "ECPCSMC", "MCLA"]  # that have a plan
N_PARTITIONS, N_CLASSES = 20, 10
N_STARTS, SAMPLE = 20, 20_000  # of k-means, and rows that it looks at
OF_A_ROW = ("scan", "number", "pair", "weigh", "entry", "distance", "meet", "confidence", "read")
COSTS = Path(__file__).parent.parent / "src/consensa/distributed/costs.json"


def make_labels(folder: Path, n: int) -> Path:
    """Noisy partitions of planted classes, written block by block."""
    path = folder / f"labels_{n}.npy"
    if path.exists():
        return path
    rng = np.random.default_rng(0)
    counts = rng.integers(20, 51, N_PARTITIONS)
    classes = [rng.permutation(np.arange(count) % N_CLASSES) for count in counts]
    partial = path.with_suffix(".partial.npy")
    labels = np.lib.format.open_memmap(partial, "w+", np.int32, (n, N_PARTITIONS))
    for start in range(0, n, 2**18):
        truth = rng.integers(0, N_CLASSES, min(2**18, n - start))
        for j, of_cluster in enumerate(classes):
            seen = np.where(
                rng.uniform(size=len(truth)) < 0.15, rng.integers(0, N_CLASSES, len(truth)), truth
            )
            order = np.argsort(of_cluster, kind="stable")
            sizes = np.bincount(of_cluster, minlength=N_CLASSES)
            first = np.cumsum(sizes) - sizes
            pick = first[seen] + (rng.uniform(size=len(truth)) * sizes[seen]).astype(int)
            labels[start : start + len(truth), j] = order[pick]
    labels.flush()
    partial.rename(path)
    return path


# ---- the times of the plan -------------------------------------------------------------------


def fastest(function, times: int = 3) -> float:
    """Seconds of the processor that the quickest of some calls takes, on one core."""
    spent = []
    for _ in range(times):
        start = time.process_time()
        function()
        spent.append(time.process_time() - start)
    return min(spent)


def measure_costs(folder: Path) -> dict[str, float]:
    """Seconds of one operation on one core; each from a step that the methods really take."""
    os.environ["OMP_NUM_THREADS"] = "1"
    from consensa import Ensemble, open_labels
    from consensa.distributed._plan import Costs

    path = make_labels(folder, 200_000)
    ensemble, rng = Ensemble.from_labels(open_labels(path)), np.random.RandomState(0)
    costs = {
        **measure_rows(ensemble, np.load(path)[:65_536], rng),
        "cube": measure_eigenvectors(rng),
        "walk": measure_walk(rng),
        "edge": measure_metis(ensemble),
        **measure_searches(ensemble, rng),
        "read": measure_reading(path),
        "task": 1e-3,
        "fixed": 0.0,
    }
    costs["fixed"], kmeans = measure_start(folder, Costs(**costs))
    costs["start"] += kmeans / (N_STARTS * SAMPLE * N_CLASSES**2)
    slower = measure_whole_runs(folder, Costs(**costs))
    costs |= {name: slower * costs[name] for name in OF_A_ROW}
    return {name: float(f"{value:.3g}") for name, value in costs.items()}


def measure_rows(ensemble, raw, rng) -> dict[str, float]:
    """The loops over rows: labels that come in are checked, numbered, counted and assigned."""
    from consensa.ensemble.numbering import Numbering
    from consensa.ensemble.overlap_sum import OverlapSum, balance
    from consensa.ensemble.rows import (
        add_rows_of_table,
        cluster_ids,
        count_meetings,
        nearest_centers,
    )
    from consensa.metrics.certainty import _Confidence
    from consensa.partition.membership_embedding import NearestEmbedded, membership_embedding

    counts, c, K = ensemble.cluster_counts, ensemble.n_clusters, N_CLASSES
    numbering = Numbering(ensemble.label_names)
    ids = cluster_ids(numbering.codes(raw), counts)
    table = rng.standard_normal((c, K))
    points = add_rows_of_table(ids, table)
    labels = nearest_centers(points, points[:K])
    met = count_meetings(ids, labels, (c + 1, K))
    weigh, _ = balance(np.ones(c), 10**6)
    confident = _Confidence(met, np.bincount(ids.ravel(), minlength=c), met[-1] == 1)
    embedding = membership_embedding(ensemble, K, rng)
    assign = NearestEmbedded(embedding, embedding.points(ids[:K]))
    total, weights = OverlapSum(c, compiled=True), np.ones(2**14, np.int64)
    parts = [ids[start : start + 2**14] for start in range(0, len(ids), 2**14)]
    total.add(parts[0], weights)  # compile

    def each(function):
        return fastest(lambda: [function(part) for part in parts])

    adding = each(lambda part: add_rows_of_table(part, table))
    n_pairs = len(raw) * N_PARTITIONS * (N_PARTITIONS + 1) / 2
    return {
        "scan": fastest(lambda: numbering.scan_known(raw, 0)) / ids.size,
        "number": fastest(lambda: cluster_ids(numbering.codes(raw), counts)) / ids.size,
        "pair": each(lambda part: total.add(part, weights)) / n_pairs,
        "weigh": each(weigh) / ids.size,
        "entry": adding / (ids.size * K),
        "distance": (each(assign) - adding) / (len(raw) * K * K),
        "meet": fastest(lambda: count_meetings(ids, labels, met.shape)) / ids.size,
        "confidence": fastest(lambda: confident(ids, labels)) / ids.size,
    }


def measure_searches(ensemble, rng) -> dict[str, float]:
    """k-means in the sample of rows: of an embedding, and SEC's of the memberships."""
    from consensa.partition._weighted_kmeans import weighted_kmeans
    from consensa.partition.kmeans import best_kmeans
    from consensa.partition.membership_embedding import membership_embedding

    sample = membership_embedding(ensemble, N_CLASSES, rng).points(ensemble.cluster_ids[:SAMPLE])
    membership = ensemble.membership()[:SAMPLE]
    membership = membership / (membership @ ensemble.cluster_sizes)[:, None]
    options = {"n_init": N_STARTS}
    return {
        "start": fastest(
            lambda: best_kmeans(sample, N_CLASSES, rng=np.random.RandomState(0), **options), 2
        ) / (N_STARTS * SAMPLE * N_CLASSES**2),
        "search": fastest(
            lambda: weighted_kmeans(
                membership, np.ones(SAMPLE), N_CLASSES, random_state=0, **options
            ), 1
        ) / (N_STARTS * SAMPLE * N_PARTITIONS * N_CLASSES),
    }  # fmt: skip


def measure_eigenvectors(rng) -> float:
    """Leading eigenvectors of a table of clusters."""
    from consensa.partition._eigenvectors import leading_eigenvectors

    size = 1500
    square = rng.standard_normal((size, size))
    square = square @ square.T
    return fastest(lambda: leading_eigenvectors(square, N_CLASSES)) / size**3


def measure_walk(rng) -> float:
    """Groups of c clusters: walks between them, and their cut."""
    from consensa.partition import cut_by_discretization
    from consensa.similarity import trajectory_similarity

    size = 700
    links = rng.uniform(size=(size, size))
    links = (links + links.T) / 2

    def work():
        cut_by_discretization(trajectory_similarity(links), 10, random_state=0)

    return fastest(work) / size**3


def measure_metis(ensemble) -> float:
    """Groups of c clusters by METIS."""
    from consensa.partition import cut_by_metis
    from consensa.similarity import cluster_jaccard

    links = cluster_jaccard(ensemble)
    return fastest(lambda: cut_by_metis(links, 10, random_state=0)) / len(links) ** 2


def measure_reading(path: Path) -> float:
    """Seconds a byte of a memory-mapped file that the system has in its cache."""
    mapped = np.load(path, mmap_mode="r")
    return fastest(lambda: mapped[:].copy()) / mapped.nbytes


def measure_start(folder: Path, costs) -> tuple[float, float]:
    """What a run takes whatever its size (compiled code, small steps), and k-means beyond that.

    How many rounds k-means takes depends on the labels, so it is measured in whole runs.
    """
    path = make_labels(folder, 20_001)

    def beyond(name):
        known = plan(20_001, N_PARTITIONS, 35, method=name, cluster=Cluster(1, 1), costs=costs)
        return np.mean([run_alone(name, path)["cpu"] for _ in range(3)]) - known.seconds

    fixed = max(float(np.mean([beyond("ECPCSMC"), beyond("MCLA")])), 0.01)
    return fixed, max(float(np.mean([beyond("LWGP"), beyond("HBGF")])) - fixed, 0.0)


def measure_whole_runs(folder: Path, costs) -> float:
    """How much longer the work on rows takes in whole runs than by itself.

    Loops are measured alone, on one core; in a run all cores share the memory.
    """
    path = make_labels(folder, 10**6)
    ratios = []
    for name in METHODS:
        both = [
            plan(n, N_PARTITIONS, 35, method=name, cluster=Cluster(1, 1), costs=costs).seconds
            for n in (20_001, 10**6)
        ]
        taken = run_alone(name, path)["cpu"] - run_alone(name, make_labels(folder, 20_001))["cpu"]
        ratios.append(taken / (both[1] - both[0]))
    return float(np.median(ratios))


# ---- runs ------------------------------------------------------------------------------------

ONE_RUN = """
import json, resource, sys, time, warnings
warnings.simplefilter("ignore")
import numpy as np
import consensa
from consensa import open_labels
name, path, engine = sys.argv[1:4]
start, begun = time.perf_counter(), time.process_time()
if engine == "dask":
    import distributed
    from consensa import distributed as twins
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    client = distributed.Client(cluster)
    client.wait_for_workers(2)
    client.run(__import__, "consensa")
    start = time.perf_counter()
    model = getattr(twins, name)(10, generator="precomputed", random_state=0)
    model.fit(open_labels(path))
    labels = model.labels_.compute()
else:
    model = getattr(consensa, name)(10, generator="precomputed", random_state=0)
    labels = model.fit(open_labels(path)).labels_
seconds, cpu = time.perf_counter() - start, time.process_time() - begun
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
workers = []
if engine == "dask":
    def used():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    workers = list(client.run(used).values())
    client.close(); cluster.close()
print(json.dumps({"seconds": seconds, "cpu": cpu, "peak": peak, "workers": workers}))
"""


def run_alone(name: str, path: Path, engine: str = "local") -> dict[str, float]:
    """One run in a process of its own."""
    every_core = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    with tempfile.NamedTemporaryFile("w", suffix=".py") as script:
        script.write(f"if __name__ == '__main__':\n    exec({ONE_RUN!r})\n")
        script.flush()
        done = subprocess.run(
            [sys.executable, script.name, name, str(path), engine],
            capture_output=True, text=True, check=True, env=every_core,
        )  # fmt: skip
    return json.loads(done.stdout.strip().splitlines()[-1])


def run_all(folder: Path, sizes: list[int], methods: list[str], engine: str) -> None:
    """Print a table of every method at every size."""
    print("| method | n | s | processor s | plan | plan / processor | peak MiB |", flush=True)
    print("|---|---|---|---|---|---|---|")
    for name in methods:
        found = []
        for n in sizes:
            done = run_alone(name, make_labels(folder, n), engine)
            found.append((n, done["seconds"], done["cpu"]))
            # The processor's time, all cores together, is the same on a machine that is shared.
            known = name in METHODS
            foretold = (
                plan(n, N_PARTITIONS, 35, method=name, cluster=Cluster(1, 1)).seconds
                if known
                else float("nan")
            )
            peaks = [done["peak"], *done["workers"]]
            print(
                f"| {name} | {n:,} | {done['seconds']:.2f} | {done['cpu']:.2f} | {foretold:.2f} | "
                f"{foretold / done['cpu']:.2f} | "
                f"{' + '.join(f'{peak / 2**20:.0f}' for peak in peaks)} |",
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
    parser.add_argument("--methods", nargs="+", default=[*METHODS, "TEA", "PTGP"])
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
