"""Time and memory of the LTA solver, side by side in one run.

Two baselines, with the same iterations (`solver_baselines.py`): vectorised NumPy (real Fourier
transforms on all cores, 2 × 2 Gram matrices of all frequencies and `eigh`, in place) in float64
and float32, and the authors' recipe transcribed plainly in float64 (one SVD for each frequency,
every step its own NumPy expression). Beside them the compiled engine in float64 and float32, on
one thread and on all. The solves take turns, ten iterations each, so that a busy machine is busy
for all of them, and the work of their threads is counted too. Where torch sees a GPU its benchmark
follows.

    python benchmarks/solver.py --sizes 1000,1404,2000
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import time
import tracemalloc
from functools import partial
from importlib.util import find_spec

import numpy as np
import psutil
from solver_baselines import Transcription, Vectorised

import consensa as cs
from consensa._machine.threads import n_threads
from consensa.partition import linkage_tree, spectral_embedding
from consensa.partition.kmeans import kmeans_labels
from consensa.tensor import refine
from consensa.tensor._fused import FusedEngine

PENALTY = 0.002
TOL = {"float64": 1e-8, "float32": 3e-6}
TURN = 10  # iterations of a solve before the next one takes its turn; the caches are its own then


def planted(n, clusters=20, members=10, flips=0.3, seed=0):
    """Ensemble of `n` samples in planted clusters, rows sorted, some labels flipped."""
    rng = np.random.RandomState(seed)
    truth = np.sort(rng.randint(clusters, size=n))
    labels = np.stack([truth] * members, axis=1)
    flipped = rng.uniform(size=labels.shape) < flips
    labels[flipped] = rng.randint(clusters, size=flipped.sum())
    return cs.Ensemble.from_labels(labels)


def evidence(n, dtype="float64"):
    """Co-association matrix and coherent links of a planted ensemble."""
    ensemble = planted(n)
    return cs.coassociation(ensemble, dtype=dtype), cs.coherent_links(ensemble)


def on_threads(threads):
    """Let what is made from now on use so many threads."""
    os.environ["OMP_NUM_THREADS"] = str(threads)


def seconds(work, rounds=5, clock=time.perf_counter):
    """Shortest time of `work`, by the wall's clock or the processor's."""
    times = []
    for _ in range(rounds):
        start = clock()
        work()
        times.append(clock() - start)
    return min(times)


class Solve:
    """A solve that can be stepped: its wall time, and the work of its threads together.

    The second hardly depends on what else the machine is doing.
    """

    def __init__(self, make, tol, most=500):
        self.tol, self.most = tol, most
        self.wall, self.work, self.iterations = [], [], 0
        self.step, self.gap = 1e-4, 1.0
        self.engine = self._timed(make)

    def _timed(self, act):
        wall, work = time.perf_counter(), time.process_time()
        answer = act()
        self.wall.append(time.perf_counter() - wall)
        self.work.append(time.process_time() - work)
        return answer

    def advance(self):
        """Do one iteration; whether there was one to do."""
        if self.engine is None:
            return False
        step, self.step = self.step, min(1.1 * self.step, 1e8)
        self.gap = max(self._timed(lambda: self.engine.iterate(step, self.step)).gaps)
        self.iterations += 1
        if self.gap < self.tol or self.iterations == self.most:
            self._timed(self.engine.result_arrays)
            self.engine = None
        return True

    def finish(self, step):
        """Do all iterations, from this step size."""
        self.step = step
        while self.advance():
            pass

    @property
    def an_iteration(self):
        """Median wall time of an iteration."""
        return float(np.median(self.wall[1:-1]))


def peak_arrays(target, linked):
    """Peak of a solve in n × n arrays of its dtype, besides what it is given."""
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    refine(target, linked, penalty=PENALTY, tol=0.5)
    peak = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    return peak / target.nbytes


def solves_of_one_size(n, arguments, threads, whole):
    """Baselines and our solves; in turns of some iterations."""
    target, linked = evidence(n)

    def solve(engine, dtype, most=500):
        given = target.astype(dtype)
        return Solve(lambda: engine(given, linked, PENALTY), TOL[dtype], most)

    for dtype in arguments.dtypes:
        solve(FusedEngine, dtype, most=2).finish(step=1.0)  # compile
    on_threads(threads[-1])
    most = 500 if whole else TURN
    baselines = {
        ("vectorised", dtype): solve(Vectorised, dtype, most) for dtype in arguments.dtypes
    }
    if "transcription" in arguments.tables:
        baselines["transcription", "float64"] = solve(Transcription, "float64", most)
    ours = {}
    for count in threads:
        on_threads(count)
        ours |= {(dtype, count): solve(FusedEngine, dtype) for dtype in arguments.dtypes}
    going = [*baselines.values(), *ours.values()]
    while going:
        going = [some for some in going if any([some.advance() for _ in range(TURN)])]
    return baselines, ours


def against(baseline, ours, iterations):
    """Seconds of a baseline, estimated if it is not whole; how many times ours; of CPU time."""
    if baseline is None:
        return "– | – | –"
    whole = baseline.gap < baseline.tol
    scale, about = (1, "") if whole else (iterations / baseline.iterations, "≈ ")
    wall, work = sum(baseline.wall) * scale, sum(baseline.work) * scale
    ratios = wall / sum(ours.wall), work / sum(ours.work)
    return f"{about}{wall:.1f} | {about}{ratios[0]:.1f} | {about}{ratios[1]:.1f}"


def one_size(n, arguments, threads):
    """Rows of the table for one size; our solves."""
    baselines, ours = solves_of_one_size(n, arguments, threads, n <= arguments.largest_whole)
    for (dtype, count), solve in ours.items():
        keys = ("vectorised", "float64"), ("vectorised", dtype), ("transcription", "float64")
        cells = [
            against(baselines.get(key), solve, ours.get((key[1], count), solve).iterations)
            for key in keys
        ]
        print(
            f"| {n} | {dtype} | {count} | {solve.an_iteration * 1e3:.1f} | {solve.iterations} "
            f"| {sum(solve.wall):.2f} | {sum(solve.work):.2f} | {' | '.join(cells)} "
            f"| {peak_arrays(*evidence(n, dtype)):.2f} |",
            flush=True,
        )
    return ours


def solver_table(arguments, threads):
    """The solver at every size, and how its time grows."""
    columns = ["n", "dtype", "threads", "ms/it", "iterations", "s", "CPU s"]
    for name in ("vectorised float64", "vectorised, same dtype", "transcription"):
        columns += [f"{name} s", "ratio", "CPU ratio"]
    columns.append("peak arrays")
    print("| " + " | ".join(columns) + " |\n" + "|---" * len(columns) + "|")
    found = [one_size(n, arguments, threads) for n in arguments.sizes]
    if len(arguments.sizes) > 1:
        print()
        for dtype, count in found[0]:
            an_iteration = [np.median(solves[dtype, count].work[1:-1]) for solves in found]
            slope = np.polyfit(np.log(arguments.sizes), np.log(an_iteration), 1)[0]
            print(f"{dtype}, threads: {count}: the CPU time of an iteration is n^{slope:.2f}")


def parts_table(arguments):
    """Where an iteration spends its time, one thread, and the bytes that it has to move."""
    least = partial(seconds, rounds=15, clock=time.process_time)
    print("\n| n | dtype | part | arrays moved | CPU ms | GB/s | of a copy |\n" + "|---" * 7 + "|")
    on_threads(1)
    for dtype in arguments.dtypes:
        for n in arguments.sizes:
            engine = FusedEngine(*evidence(n, dtype), PENALTY)
            engine.iterate(1.0, 1.1)
            other = np.empty_like(engine.target)
            copy = 2 * other.nbytes / least(lambda o=other, e=engine: np.copyto(o, e.target))
            for name, arrays, work in (
                ("transform, Gram sums", 4, engine._transform),
                ("multiply, transform back", 4, lambda e=engine: e._transform_back(e.tensor)),
                ("sweep", 10.5, lambda e=engine: e._sweep(1.0, 1.1)),
            ):
                taken = least(work)
                rate = arrays * other.nbytes / taken
                print(
                    f"| {n} | {dtype} | {name} | {arrays} | {taken * 1e3:.1f} "
                    f"| {rate / 1e9:.1f} | {rate / copy:.0%} |",
                    flush=True,
                )


def path_table(n, threads):
    """The stages around the solver, in float32, and the time of only writing the matrix."""
    on_threads(threads)
    ensemble = planted(n)
    target = cs.coassociation(ensemble, dtype="float32")
    embedding = spectral_embedding(target, 20, random_state=0)
    print(f"\n| stage, n = {n}, float32, threads: {threads} | ms |\n|---|---|")
    for name, work in {
        "write an n × n matrix": lambda: np.empty((n, n), np.float32).fill(0.5),
        "co-association": lambda: cs.coassociation(ensemble, dtype="float32"),
        "coherent links": lambda: cs.coherent_links(ensemble),
        "20 eigenvectors": lambda: spectral_embedding(target, 20, random_state=0),
        "k-means, 20 starts": lambda: kmeans_labels(embedding, 20, n_init=20, random_state=0),
        "average linkage": lambda: linkage_tree(target),
    }.items():
        print(f"| {name} | {seconds(work, 3) * 1e3:.0f} |", flush=True)


def machine():
    """What the figures were measured on."""
    memory = psutil.virtual_memory().total / 2**30
    return (
        f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, "
        f"{memory:.0f} GiB, NumPy {np.__version__}, {datetime.date.today()}\n"
    )


def main():
    """Print the tables in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    listed = lambda kind: lambda text: [kind(part) for part in text.split(",")]  # noqa: E731
    parser.add_argument("--sizes", type=listed(int), default=[1000, 1404, 2000, 5000])
    parser.add_argument("--dtypes", type=listed(str), default=["float64", "float32"])
    parser.add_argument("--threads", type=listed(int), default=None, help="1 and all")
    parser.add_argument(
        "--largest-whole",
        type=int,
        default=2000,
        help="beyond, the baselines are estimated from some iterations",
    )
    parser.add_argument("--tables", default="solver,transcription,parts,path,gpu")
    arguments = parser.parse_args()
    threads = arguments.threads or sorted({1, n_threads()})
    print(machine())
    if "solver" in arguments.tables:
        solver_table(arguments, threads)
    if "parts" in arguments.tables:
        parts_table(arguments)
    if "path" in arguments.tables:
        path_table(max(arguments.sizes), threads[-1])
    if "gpu" in arguments.tables and find_spec("torch"):
        import torch

        if torch.cuda.is_available():
            import solver_gpu

            print()
            solver_gpu.report()


if __name__ == "__main__":
    main()
