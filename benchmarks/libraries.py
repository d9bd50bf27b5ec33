"""Libraries that could do a step of the path, side by side, on one thread each.

Fourier transforms of a block of rows, there and back: of a complex matrix (both slices at once)
and of two real ones; ours (complex only), SciPy, NumPy, and mkl_fft, pyFFTW and ducc0 where they
are installed. Average linkage: SciPy, and fastcluster where it is installed. Times are CPU times,
the shortest of some.

    OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 python benchmarks/libraries.py
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from multiprocessing import get_context

import numpy as np
import scipy.fft
from scipy.cluster.hierarchy import linkage
from solver import planted

import consensa as cs
from consensa.tensor._lane_fft import lane_transform
from consensa.tensor._lane_kernels import transform
from consensa.tensor._lanes import aligned_zeros

ROWS = 64


def work_of(act, rounds=7):
    """Shortest CPU time."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        act()
        times.append(time.process_time() - start)
    return min(times)


def fftw_plans(shape, kind, real):
    """Transforms there and back, planned by measuring."""
    pyfftw = import_module("pyfftw")
    n = shape[1]
    pair = np.result_type(kind, np.complex64)
    rows = pyfftw.empty_aligned(shape, kind if real else pair)
    spectra = pyfftw.empty_aligned((shape[0], n // 2 + 1 if real else n), pair)
    there = pyfftw.FFTW(rows, spectra, axes=(1,))
    back = pyfftw.FFTW(spectra, rows, axes=(1,), direction="FFTW_BACKWARD")
    rows[:] = np.random.RandomState(0).uniform(size=shape)  # planning overwrites
    return there.execute, back.execute


def transforms(n, dtype):
    """Name of each library to its work there and back: (one complex matrix, two real ones)."""
    rng = np.random.RandomState(0)
    real = rng.uniform(size=(ROWS, n)).astype(dtype)
    half, both = scipy.fft.rfft(real), real.astype(np.result_type(dtype, np.complex64))

    def like_numpy(fft):
        return (
            (lambda: fft.fft(both, axis=1), lambda: fft.ifft(both, axis=1)),
            (lambda: fft.rfft(real, axis=1), lambda: fft.irfft(half, n=n, axis=1)),
        )

    def ducc0():
        fft = import_module("ducc0").fft
        return (
            (lambda: fft.c2c(both, axes=[1]), lambda: fft.c2c(both, axes=[1], forward=False)),
            (lambda: fft.r2c(real, axes=[1]), lambda: fft.c2r(half, axes=[1], lastsize=n)),
        )

    def ours():
        plan, blocks = lane_transform(n, dtype), aligned_zeros(2 * ROWS * n, dtype)
        scratch, size = aligned_zeros(plan.scratch_size, dtype), n * plan.width

        def all_blocks(back):
            transform(plan, blocks, 0, blocks.size, size, scratch, back)

        return (lambda: all_blocks(False), lambda: all_blocks(True)), None

    return {
        "ours": ours,
        "scipy.fft": lambda: like_numpy(scipy.fft),
        "numpy.fft": lambda: like_numpy(np.fft),
        "mkl_fft": lambda: like_numpy(import_module("mkl_fft")),
        "pyFFTW": lambda: tuple(fftw_plans((ROWS, n), dtype, kind) for kind in (False, True)),
        "ducc0": ducc0,
    }


def cells(library, rows):
    """The column of one library; "–" where it is not installed."""
    column = []
    for dtype, n in rows:
        try:
            pairs = transforms(n, dtype)[library]()
        except ImportError:
            return ["–"] * len(rows)
        both, real = (pair and sum(work_of(act) for act in pair) / ROWS * 1e6 for pair in pairs)
        column.append(f"{both:.1f} / {2 * real:.1f}" if real else f"{both:.1f}")
    return column


def transform_table(sizes):
    """Microseconds for a row of both slices, there and back: complex / two real.

    Each library runs in a process of its own, so that none finds the other's threads or settings.
    """
    rows = [(dtype, n) for dtype in ("float64", "float32") for n in sizes]
    names, columns = list(transforms(8, "float64")), []
    for name in names:
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
            columns.append(alone.submit(cells, name, rows).result())
    print("| dtype | n | " + " | ".join(names) + " |\n" + "|---" * (2 + len(names)) + "|")
    for (dtype, n), line in zip(rows, zip(*columns, strict=True), strict=True):
        print(f"| {dtype} | {n} | " + " | ".join(line) + " |")


def linkage_table(sizes):
    """Seconds of a tree: of a co-association matrix, full of ties, and of numbers without any."""
    print("\n| n | distances | method | SciPy | fastcluster | same tree |\n" + "|---" * 6 + "|")
    fastcluster = import_module("fastcluster")
    for n in sizes:
        ties = 1 - cs.coassociation(planted(n))[np.triu_indices(n, 1)]
        free = np.random.RandomState(0).uniform(size=len(ties))
        for name, distances in (("co-association", ties), ("no ties", free)):
            for method in ("average", "complete", "single"):
                trees, times = [], []
                for library in (linkage, fastcluster.linkage):
                    trees.append(library(distances, method=method))
                    times.append(work_of(partial(library, distances, method=method), 3))
                same = np.array_equal(*(np.sort(tree[:, :2], axis=1) for tree in trees))
                print(
                    f"| {n} | {name} | {method} | {times[0]:.3f} | {times[1]:.3f} "
                    f"| {'yes' if same else 'no'} |",
                    flush=True,
                )


def main():
    """Print both tables in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--lengths", default="1000,1404,1593,1797,1999,2000,5000")
    parser.add_argument("--sizes", default="1404,5000", help="of the trees")
    arguments = parser.parse_args()
    transform_table([int(n) for n in arguments.lengths.split(",")])
    if find_spec("fastcluster"):
        linkage_table([int(n) for n in arguments.sizes.split(",")])


if __name__ == "__main__":
    main()
