"""GTLEC's iterations with transforms in lanes and with SciPy's, in turns.

    OMP_NUM_THREADS=1 python benchmarks/members.py

Ensembles of `solver.py`, 10 partitions. Prints seconds and CPU seconds of the step of the tensor
and of whole iterations: means over some of them, without the first, which compiles.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from solver import planted

from consensa._machine.threads import n_threads
from consensa.tensor import _member_spectra
from consensa.tensor._members import _Solver


def solvers(n, dtype):
    """The same solver with both kinds of spectra."""
    labels, kinds = np.asarray(planted(n).codes), {"SciPy": 10**9, "lanes": 2}
    made = {}
    for name, lanes_from in kinds.items():
        _member_spectra._LANES_FROM = lanes_from
        made[name] = _Solver(labels, 20, 0.05, 7.0, dtype)
    return made


def measure(solver, found):
    """Do an iteration; add its times and those of its step of the tensor."""
    clocks = (time.perf_counter, time.process_time)
    step = solver._approximate

    def timed():
        start = [clock() for clock in clocks]
        answer = step()
        found["step"].append([clock() - at for clock, at in zip(clocks, start, strict=True)])
        return answer

    solver._approximate = timed
    start = [clock() for clock in clocks]
    solver.iterate()
    found["iteration"].append([clock() - at for clock, at in zip(clocks, start, strict=True)])
    solver._approximate = step


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sizes", type=lambda text: map(int, text.split(",")), default=[1404])
    parser.add_argument("--iterations", type=int, default=6)
    parser.add_argument("--dtypes", type=lambda text: text.split(","), default=["float64"])
    asked = parser.parse_args()
    print("| n | dtype | threads | | SciPy s | lanes s | ratio | CPU ratio |\n" + "|---" * 8 + "|")
    for n in asked.sizes:
        for dtype in asked.dtypes:
            both = solvers(n, dtype)
            found = {name: {"step": [], "iteration": []} for name in both}
            for _ in range(asked.iterations + 1):
                for name, solver in both.items():
                    measure(solver, found[name])
            for what in ("step", "iteration"):
                means = [np.mean(found[name][what][1:], axis=0) for name in ("SciPy", "lanes")]
                ratios = means[0] / means[1]
                numbers = (means[0][0], means[1][0], *ratios)
                shown = " | ".join(f"{number:.2f}" for number in numbers)
                print(f"| {n} | {dtype} | {n_threads()} | {what} | {shown} |", flush=True)


if __name__ == "__main__":
    main()
