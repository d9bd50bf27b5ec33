"""Time and memory of the LTA solver on a CUDA device, side by side in one run.

The fused kernels, the same steps in plain torch calls, and the readable engine in torch. The
bandwidth is that of the least bytes an iteration has to move (11 n × n arrays for the sweep, 14
for the transforms and the multiplication) over its time, beside a device copy in the same run.

    python benchmarks/solver_gpu.py --sizes 1000,1404,2000,5000,20000,50000
"""

from __future__ import annotations

import argparse
import datetime
import time

import numpy as np
import torch

import consensa as cs
from consensa.partition import spectral_embedding
from consensa.tensor import _cuda_calls, refine
from consensa.tensor._cuda import CudaEngine
from consensa.tensor._fourier import FourierDomain
from consensa.tensor._plain import PlainEngine

PENALTY = 0.002
SIZES = (1000, 1404, 2000, 5000, 20000, 50000)
LEAST_ARRAYS = 11 + 14  # read and written in an iteration
# n × n arrays that a comparison takes; it is left out where they would fill the memory.
ARRAYS = {"calls": 12, "readable": 20}


def planted(n, clusters=20, members=10, flips=0.3, seed=0):
    """Labels of `n` samples in planted clusters, rows sorted, some flipped; on the device."""
    rng = np.random.RandomState(seed)
    truth = np.sort(rng.randint(clusters, size=n))
    labels = np.stack([truth] * members, axis=1)
    flipped = rng.uniform(size=labels.shape) < flips
    labels[flipped] = rng.randint(clusters, size=flipped.sum())
    return cs.Ensemble.from_labels(torch.tensor(labels, device="cuda"))


def seconds(work, rounds=5):
    """Median wall time of `work`, the device waited for; and what it returned last."""
    times = []
    for _ in range(rounds):
        answer = None  # its memory is free for the next round
        torch.cuda.synchronize()
        start = time.perf_counter()
        answer = work()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return float(np.median(times)), answer


def copy_bandwidth():
    """Bytes a second of a copy on the device, read and written."""
    source = torch.rand(2**30, device="cuda")
    target = torch.empty_like(source)
    return 2 * source.nbytes / seconds(lambda: target.copy_(source), 11)[0]


def seconds_an_iteration(engine, rounds=9):
    """Median wall time of iterations at steps where everything is awake."""
    steps = iter(0.05 * 1.1 ** np.arange(2 + rounds))

    def iterate():
        step = next(steps)
        engine.iterate(step, 1.1 * step)

    seconds(iterate, 2)  # compile, plan
    return seconds(iterate, rounds)[0]


def times_as_long(kind, make, target, ours):
    """How many times as long another engine takes for an iteration, if it fits."""
    if ARRAYS[kind] * target.nbytes > 0.6 * torch.cuda.mem_get_info()[1]:
        return "–"
    return f"{seconds_an_iteration(make()) / ours:.1f}"


def solver_row(target, linked, dtype, copy):
    """Seconds of the solve, its answer, and its row of the table of iterations."""
    n = len(target)
    ours = seconds_an_iteration(CudaEngine(target, linked, PENALTY))
    calls = times_as_long(
        "calls", lambda: CudaEngine(target, linked, PENALTY, _cuda_calls), target, ours
    )
    readable = times_as_long(
        "readable",
        lambda: PlainEngine(target, linked, PENALTY, FourierDomain(target)),
        target,
        ours,
    )
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    whole, result = seconds(lambda: refine(target, linked, penalty=PENALTY), 3 if n < 9000 else 1)
    peak = torch.cuda.max_memory_allocated() - before
    bandwidth = LEAST_ARRAYS * target.nbytes / ours
    asleep = int((result.trace.n_survivors == 0).sum())
    row = (
        f"| {n} | {dtype} | {ours * 1e3:.2f} | {calls} | {readable} | {bandwidth / 1e12:.2f} "
        f"| {bandwidth / copy:.0%} | {result.trace.n_iter} ({asleep}) | {whole:.3f} "
        f"| {peak / target.nbytes:.2f} | {peak / 1e9:.1f} |"
    )
    return whole, result.affinity, row


def one_size(n, dtype, copy):
    """One row of the table of iterations, and one of the table of stages."""
    ensemble = planted(n)
    building, target = seconds(lambda: cs.coassociation(ensemble, dtype=dtype), 3)
    linking, linked = seconds(lambda: cs.coherent_links(ensemble), 3)
    whole, affinity, row = solver_row(target, linked, dtype, copy)
    seconds(lambda: spectral_embedding(affinity, 20, random_state=0), 1)
    embedding = seconds(lambda: spectral_embedding(affinity, 20, random_state=0), 1)[0]
    stages = " | ".join(f"{part * 1e3:.0f}" for part in (building, linking, whole, embedding))
    return row, f"| {n} | {dtype} | {stages} |"


def report(sizes=SIZES, largest_double=20000):
    """Print the tables in Markdown."""
    copy = copy_bandwidth()
    torch.cuda.empty_cache()
    print(
        f"{torch.cuda.get_device_name()}, torch {torch.__version__}, {datetime.date.today()}, "
        f"device copy {copy / 1e12:.2f} TB/s\n"
    )
    print(
        "| n | dtype | ms an iteration | calls / ours | readable / ours | TB/s | of the copy "
        "| iterations (asleep) | solve s | peak arrays | peak GB |\n" + "|---" * 11 + "|"
    )
    stages = []
    for dtype in ("float32", "float64"):
        for n in sizes:
            if dtype == "float32" or n <= largest_double:
                row, stage = one_size(n, dtype, copy)
                torch.cuda.empty_cache()
                stages.append(stage)
                print(row, flush=True)
    print(
        "\n| n | dtype | co-association ms | links ms | refinement ms | spectral embedding ms |\n"
        + "|---" * 6
        + "|"
    )
    print("\n".join(stages))


def main():
    """Read the options."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)))
    parser.add_argument("--largest-double", type=int, default=20000)
    arguments = parser.parse_args()
    report([int(size) for size in arguments.sizes.split(",")], arguments.largest_double)


if __name__ == "__main__":
    main()
