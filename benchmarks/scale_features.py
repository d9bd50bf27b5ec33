"""The default from features on disk: time, peak memory, and what landmarks lose.

``python benchmarks/scale_features.py --sizes 1e5 1e6 1e7`` simulates rows of ten classes, writes
them to ``out/scale`` and clusters each file in a process of its own. The line of a size:

seconds, peak      of ``cluster(open_features(path), 10)``
memory             the same with the array in memory, where it fits (``--in-memory``)
dask               the same on two worker processes of Dask on this machine (``--dask``); their
                   start is not counted, and the memory and processor time are the client's
ARI, NMI           with the classes
exact              agreement (ARI) with the answer without landmarks, on a sample of 20,000 rows:
                   the labels of the large run beside those of a run on the sample in which every
                   distinct row is a point, and the ARI of both with the classes

``--columns 784 --sizes 7e4`` is the shape of MNIST. ``--peers`` adds MiniBatchKMeans, BIRCH and
U-SENC (`usenc.py`); ``--peers usenc`` only that one.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

N_CLASSES = 10
SAMPLE = 20_000
PEERS = ("minibatch", "birch", "usenc")


def make_features(folder: Path, n: int, columns: int) -> Path:
    """Rows of ten classes of different shapes and sizes, written block by block."""
    path = folder / f"features_{n}x{columns}.npy"
    if path.exists():
        return path
    rng = np.random.default_rng(0)
    centers = rng.normal(scale=1.6, size=(N_CLASSES, columns))
    spread = rng.uniform(0.6, 1.4, (N_CLASSES, columns))
    turns = rng.normal(scale=1 / math.sqrt(columns), size=(N_CLASSES, columns, 4))
    shares = np.sort(rng.dirichlet(np.full(N_CLASSES, 6.0)))
    partial = path.with_suffix(".partial.npy")
    rows = np.lib.format.open_memmap(partial, "w+", np.float32, (n, columns))
    classes = np.lib.format.open_memmap(_classes_of(path), "w+", np.uint8, (n,))
    for start in range(0, n, 2**16):
        stop = min(start + 2**16, n)
        own = rng.choice(N_CLASSES, stop - start, p=shares)
        block = centers[own] + spread[own] * rng.normal(size=(len(own), columns))
        hidden = rng.normal(scale=2.0, size=(len(own), 4))
        for number in range(N_CLASSES):
            block[own == number] += hidden[own == number] @ turns[number].T
        rows[start:stop], classes[start:stop] = block, own
    rows.flush()
    partial.rename(path)
    return path


def _classes_of(path: Path) -> Path:
    return path.with_suffix(".classes.npy")


ONE_RUN = """
import json, re, sys, time, warnings
warnings.simplefilter("ignore")
import numpy as np
import consensa as cs
what, path, out, memory = sys.argv[1:5]
X = None if what in ("stored", "dask") else np.load(path)
start, begun = time.perf_counter(), time.process_time()
details = {}
if what == "minibatch":
    from sklearn.cluster import MiniBatchKMeans
    labels = MiniBatchKMeans(10, n_init=3, random_state=0).fit_predict(X)
elif what == "birch":
    from sklearn.cluster import Birch
    labels = Birch(n_clusters=10).fit_predict(X)
elif what == "usenc":
    from usenc import u_senc
    labels = u_senc(X, 10)
elif what == "dask":
    import distributed
    from consensa.distributed import cluster
    cores = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(**cores) as workers, distributed.Client(workers):
        start, begun = time.perf_counter(), time.process_time()
        labels = cluster(cs.open_features(path), 10, random_state=0).labels.compute()
        seconds, cpu = time.perf_counter() - start, time.process_time() - begun
elif what == "exact":
    generator = cs.DiverseKinds(max_samples=len(X))
    labels = cs.cluster(X, 10, generator=generator, random_state=0).labels
else:
    stored = cs.open_features(path, memory=memory or None) if what == "stored" else X
    result = cs.cluster(stored, 10, random_state=0, verbose=True)
    labels, details = result.labels, result.details
if what != "dask":
    seconds, cpu = time.perf_counter() - start, time.process_time() - begun
np.save(out, labels.astype(np.uint8))
peak = int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1]) / 1024
print(json.dumps({"seconds": seconds, "cpu": cpu, "peak": peak,
                  "landmarks": details.get("landmarks"), "exact": details.get("exact")}))
"""


def run_alone(what: str, path: Path, memory: str = "") -> tuple[dict[str, float], np.ndarray]:
    """One run in a process of its own, and its labels."""
    out = path.with_suffix(f".{what}.labels.npy")
    every_core = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    paths = str(Path(__file__).parent), every_core.get("PYTHONPATH", "")
    every_core["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    done = subprocess.run(
        [sys.executable, "-c", ONE_RUN, what, str(path), str(out), memory],
        stdout=subprocess.PIPE, text=True, check=True, env=every_core,
    )  # fmt: skip
    return json.loads(done.stdout.strip().splitlines()[-1]), np.load(out)


def scores(classes: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    """ARI and NMI, on at most a million rows."""
    from consensa.metrics import adjusted_rand_index, normalized_mutual_information

    rows = np.random.default_rng(0).permutation(len(labels))[:1_000_000]
    return {
        "ARI": adjusted_rand_index(classes[rows], labels[rows]),
        "NMI": normalized_mutual_information(classes[rows], labels[rows]),
    }


def compare_with_exact(path: Path, labels: np.ndarray, size: int) -> dict[str, float]:
    """The labels of a sample of rows beside those of a run without landmarks on it."""
    from consensa.metrics import adjusted_rand_index

    rows = np.sort(np.random.default_rng(1).permutation(len(labels))[:size])
    small = path.with_suffix(".sample.npy")
    np.save(small, np.load(path, mmap_mode="r")[rows])
    spent, exact = run_alone("exact", small)
    classes = np.load(_classes_of(path))[rows]
    return {
        "seconds": spent["seconds"],
        "ARI with the exact answer": adjusted_rand_index(exact, labels[rows]),
        "ARI with landmarks": adjusted_rand_index(classes, labels[rows]),
        "ARI exact": adjusted_rand_index(classes, exact),
    }


def tell(size: str, what: str, spent: dict[str, float], found: dict[str, float]) -> None:
    """One line of the table."""
    scored = " | ".join(f"{value:.3f}" for value in found.values())
    print(
        f"| {size} | {what} | {spent['seconds']:.1f} | {spent['cpu']:.1f} | {spent['peak']:.0f} "
        f"| {scored} |",
        flush=True,
    )


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", nargs="+", type=float, default=[1e5, 1e6])
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--folder", type=Path, default=Path("out/scale"))
    parser.add_argument("--memory", default="", help="limit, such as 4G")
    parser.add_argument(
        "--sample", type=int, default=SAMPLE, help="rows of the exact run; 0: none"
    )
    parser.add_argument("--in-memory", action="store_true")
    parser.add_argument("--dask", action="store_true")
    parser.add_argument("--peers", nargs="*", choices=PEERS, help="no names: all of them")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    peers = () if given.peers is None else given.peers or PEERS
    ours = ["memory"] * given.in_memory + ["dask"] * given.dask
    seconds = []
    print("| rows × columns | run | seconds | processor s | peak MiB | ARI | NMI |")
    print("|---|---|---|---|---|---|---|")
    for n in map(int, given.sizes):
        path, size = make_features(given.folder, n, given.columns), f"{n:,} × {given.columns}"
        classes = np.load(_classes_of(path))
        spent, labels = run_alone("stored", path, given.memory)
        seconds.append(spent["seconds"])
        tell(size, "cluster, from disk", spent, scores(classes, labels))
        for what in (*ours, *peers):
            try:
                there, own = run_alone(what, path)
            except subprocess.CalledProcessError:  # its message is above
                print(f"| {size} | {what} | failed |", flush=True)
                continue
            tell(size, what, there, scores(classes, own))
            if what in ours:
                print("same labels as from disk:", bool((own == labels).all()), file=sys.stderr)
        if given.sample:
            found = compare_with_exact(path, labels, min(given.sample, n))
            print(size, {name: round(value, 3) for name, value in found.items()}, flush=True)
    if len(seconds) > 1:
        ends = given.sizes[0], given.sizes[-1]
        exponent = math.log(seconds[-1] / seconds[0]) / math.log(ends[1] / ends[0])
        print(f"exponent from {ends[0]:g} to {ends[1]:g} rows: {exponent:.2f}")


if __name__ == "__main__":
    main()
