"""Time and memory of the LTA solver on the processor, side by side in one run.

The authors' recipe transcribed plainly (one SVD for each frequency, every step its own NumPy
expression, Fourier transforms on all cores), the readable engine of Consensa, and the compiled
one. All three do the same iterations; the whole solve is timed to convergence.

    python benchmarks/solver.py --sizes 1000,1404,2000
"""

from __future__ import annotations

import argparse
import os
import platform
import time
import tracemalloc

import numpy as np
import scipy.fft

import consensa as cs
from consensa.tensor import refine
from consensa.tensor._fourier import FourierTransform
from consensa.tensor._fused import FusedEngine
from consensa.tensor._plain import PlainEngine
from consensa.tensor._solver import Report


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
        return Report(largest, 0.0, 0.0, 0)


def planted(n, clusters=20, members=10, flips=0.3, seed=0):
    """Ensemble of `n` samples in planted clusters, rows sorted, some labels flipped."""
    rng = np.random.RandomState(seed)
    truth = np.sort(rng.randint(clusters, size=n))
    labels = np.stack([truth] * members, axis=1)
    flipped = rng.uniform(size=labels.shape) < flips
    labels[flipped] = rng.randint(clusters, size=flipped.sum())
    return cs.Ensemble.from_labels(labels)


def seconds_an_iteration(engine, rounds):
    """Median wall time of iterations at steps where everything is awake."""
    step, times = 0.05, []
    for _ in range(rounds):
        start = time.perf_counter()
        engine.iterate(step, 1.1 * step)
        times.append(time.perf_counter() - start)
        step *= 1.1
    return float(np.median(times))


def peak_arrays(target, linked):
    """Peak of a short solve in n × n arrays of its dtype, besides what it is given."""
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    refine(target, linked, tol=1.0, max_iter=200)
    peak = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    return peak / target.nbytes


def one_size(n, dtype, rounds):
    """One row of the table."""
    ensemble = planted(n)
    target, linked = cs.coassociation(ensemble, dtype=dtype), cs.coherent_links(ensemble)
    double = target.astype(np.float64)
    engines = {
        "transcription": Transcription(double, linked, 0.002),
        "readable": PlainEngine(double, linked, 0.002, FourierTransform(double)),
        "compiled": FusedEngine(target, linked, 0.002),
    }
    engines["compiled"].iterate(1.0, 1.1)  # compile
    engines["compiled"] = FusedEngine(target, linked, 0.002)
    each = {name: seconds_an_iteration(engine, rounds) for name, engine in engines.items()}
    del engines
    start = time.perf_counter()
    trace = refine(target, linked).trace
    whole = time.perf_counter() - start
    reference_iterations = refine(double, linked).trace.n_iter
    transcribed = each["transcription"] * reference_iterations
    print(
        f"| {n} | {dtype} | {each['transcription'] * 1e3:.0f} | {each['readable'] * 1e3:.0f} "
        f"| {each['compiled'] * 1e3:.1f} | {each['transcription'] / each['compiled']:.1f} "
        f"| {each['readable'] / each['compiled']:.1f} | {trace.n_iter} | {whole:.2f} "
        f"| {transcribed / whole:.1f} | {each['readable'] * reference_iterations / whole:.1f} "
        f"| {peak_arrays(target, linked):.2f} |",
        flush=True,
    )
    return whole


def main():
    """Print the table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default="1000,1404,2000,5000")
    parser.add_argument("--dtypes", default="float64,float32")
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    sizes = [int(size) for size in arguments.sizes.split(",")]
    threads = os.environ.get("OMP_NUM_THREADS", "all")
    machine = platform.processor() or platform.machine()
    print(f"{machine}, {os.cpu_count()} cores, threads: {threads}\n")
    print(
        "| n | dtype | transcription (float64) ms/it | readable (float64) ms/it | compiled ms/it "
        "| ratio | ratio to readable | iterations | solve s | solve ratio | to readable "
        "| peak arrays |\n" + "|---" * 12 + "|"
    )
    for dtype in arguments.dtypes.split(","):
        whole = [one_size(n, dtype, arguments.rounds) for n in sizes]
        if len(sizes) > 1:
            slope = np.polyfit(np.log(sizes), np.log(whole), 1)[0]
            print(f"\n{dtype}: time grows as n^{slope:.2f}\n")


if __name__ == "__main__":
    main()
