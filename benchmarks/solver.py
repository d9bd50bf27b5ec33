"""Time and memory of the LTA solver, side by side in one run.

The authors' recipe transcribed plainly in float64 (one SVD for each frequency, every step its own
NumPy expression, Fourier transforms on all cores), the readable engine of Consensa, and the
compiled one in float64 and float32, on one thread and on all. The solves take turns, iteration by
iteration, so that a busy machine is busy for all of them, and the work of their threads is counted
too, which hardly depends on it. Where torch sees a GPU its benchmark
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
import scipy.fft

import consensa as cs
from consensa._machine.threads import n_threads
from consensa.partition import linkage_tree, spectral_embedding
from consensa.partition.kmeans import kmeans_labels
from consensa.tensor import refine
from consensa.tensor._fourier import FourierDomain
from consensa.tensor._fused import FusedEngine
from consensa.tensor._plain import PlainEngine
from consensa.tensor.solver import Report

PENALTY = 0.002
TOL = {"float64": 1e-8, "float32": 3e-6}


class Transcription:
    """The published program's steps, as one would write them down in NumPy."""

    def __init__(self, target, linked, penalty):
        self.W, self.M, self.penalty = target, linked, penalty
        self.B = self.C = self.E = np.zeros_like(target)
        self.L1 = self.L2 = self.L3 = np.zeros_like(target)

    def iterate(self, mu, next_mu):
        """One iteration; the step size of the next is not needed here."""
        n = len(self.W)
        stack = np.stack(
            [self.B - self.L1 / mu, (self.W - self.E - self.L2 / mu + self.C - self.L3 / mu) / 2],
            axis=2,
        )  # (i, j, slice)
        spectrum = scipy.fft.rfft(stack, axis=0, workers=-1)
        u, s, vh = np.linalg.svd(spectrum, full_matrices=False)
        shrunk = np.maximum(s - 1 / mu, 0).astype(u.dtype)
        tensor = scipy.fft.irfft((u * shrunk[:, None, :]) @ vh, n=n, axis=0, workers=-1)
        A1, A2 = tensor[:, :, 0], tensor[:, :, 1]
        self.E = (self.W - A2 - self.L2 / mu) * (mu / (2 * self.penalty + mu))
        B = A1 + self.L1 / mu
        B = (B + B.T) / 2
        B[self.M] = 1
        self.B = np.clip(B, 0, 1)
        C = A2 + self.L3 / mu
        self.C = np.clip((C + C.T) / 2, 0, 1)
        gaps = [A1 - self.B, A2 + self.E - self.W, A2 - self.C]
        self.L1, self.L2, self.L3 = (
            multiplier + mu * gap
            for multiplier, gap in zip((self.L1, self.L2, self.L3), gaps, strict=True)
        )
        largest = tuple(float(np.abs(gap).max()) for gap in gaps)
        self.A2 = A2
        return Report(largest, 0.0, 0.0, 0)

    def result_arrays(self):
        """The refined matrix, symmetric and in [0, 1], and the completed links."""
        return np.clip((self.A2 + self.A2.T) / 2, 0, 1), self.B


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


def solves_of_one_size(n, dtypes, threads, whole):
    """Every solve, step by step in turns where all are whole, or else one after the other."""
    target, linked = evidence(n)

    def compiled(dtype, count):
        on_threads(count)
        given = target.astype(dtype)
        return Solve(lambda: FusedEngine(given, linked, PENALTY), TOL[dtype])

    most = 500 if whole else 3
    makers = {
        "transcription": lambda: Solve(
            lambda: Transcription(target, linked, PENALTY), TOL["float64"], most
        ),
        "readable": lambda: Solve(
            lambda: PlainEngine(target, linked, PENALTY, FourierDomain(target)),
            TOL["float64"],
            most=3,
        ),
    } | {(dtype, count): partial(compiled, dtype, count) for dtype in dtypes for count in threads}
    if whole:
        solves = {name: make() for name, make in makers.items()}
        while any([solve.advance() for solve in solves.values()]):
            pass
        return solves
    solves = {}
    for name, make in makers.items():
        solves[name] = make()
        while solves[name].advance():
            pass
    return solves


def one_size(n, arguments, threads):
    """Rows of the table for one size; the solves."""
    whole = n <= arguments.largest_whole
    solves = solves_of_one_size(n, arguments.dtypes, threads, whole)
    plain, readable = solves.pop("transcription"), solves.pop("readable")
    double = plain.iterations if whole else solves["float64", threads[0]].iterations
    taken = sum(plain.wall) if whole else plain.an_iteration * double
    worked = sum(plain.work) if whole else float(np.median(plain.work[1:-1])) * double
    about = "" if whole else "≈ "
    for (dtype, count), ours in solves.items():
        print(
            f"| {n} | {dtype} | {count} | {plain.an_iteration * 1e3:.0f} "
            f"| {readable.an_iteration * 1e3:.0f} | {ours.an_iteration * 1e3:.1f} "
            f"| {ours.iterations} of {double} | {about}{taken:.1f} | {sum(ours.wall):.2f} "
            f"| {about}{taken / sum(ours.wall):.1f} | {about}{worked:.1f} "
            f"| {sum(ours.work):.2f} | {about}{worked / sum(ours.work):.1f} "
            f"| {peak_arrays(*evidence(n, dtype)):.2f} |",
            flush=True,
        )
    return solves


def solver_table(arguments, threads):
    """The solver at every size, and how its time grows."""
    FusedEngine(*evidence(64), PENALTY).iterate(1.0, 1.1)  # compile
    FusedEngine(*evidence(64, "float32"), PENALTY).iterate(1.0, 1.1)
    print(
        "| n | dtype | threads | transcription ms/it | readable ms/it | ours ms/it "
        "| iterations, of the transcription's | transcription s | ours s | ratio "
        "| transcription CPU s | ours CPU s | ratio | peak arrays |\n" + "|---" * 14 + "|"
    )
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
    transform = "mkl_fft" if find_spec("mkl_fft") else "scipy.fft"
    return (
        f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores, "
        f"{memory:.0f} GiB, {transform}, NumPy {np.__version__}, {datetime.date.today()}\n"
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
        help="beyond, the transcription's solve is estimated from iterations",
    )
    parser.add_argument("--tables", default="solver,parts,path,gpu")
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
