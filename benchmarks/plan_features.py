"""`consensa plan` for features: calibrate it in a minute, and check it against measured runs.

``python benchmarks/plan_features.py calibrate`` measures the times and bytes of the steps from
features on this machine and writes them to ``src/consensa/distributed/costs.json``: a few loops,
and one whole run on 100,000 rows. All are processor seconds, so other processes do little harm.

``python benchmarks/plan_features.py run --sizes 1e5 1e6 1e7`` runs the default on simulated rows,
each in a process of its own, and stores what it took in ``benchmarks/plan_features_runs.json``.

``python benchmarks/plan_features.py check`` compares the plan with the stored runs. It fails if a
size is more than 30 % or a time more than a factor of 1.5 away.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np
from scale_costs import fastest
from scale_features import N_CLASSES, make_features, run_alone

from consensa.distributed import Cluster, plan
from consensa.distributed.planning.costs import Costs, load_costs

COLUMNS, POINTS, PARTITIONS = 20, 10_000, 48
WIDE = 50  # coordinates of points, the most that there are
WHOLE = 100_000  # rows of the run that measures the partitions and their memory
RUNS = Path(__file__).with_name("plan_features_runs.json")
MOST_MEMORY, MOST_TIME = 0.3, 1.5


def measure_loops(folder: Path) -> dict[str, float]:
    """The loops over rows: drawing them, their nearest points, and looking up labels."""
    os.environ["OMP_NUM_THREADS"] = "1"
    from consensa import open_features
    from consensa._machine.threads import one_thread
    from consensa.features.space import learn_space
    from consensa.generation._labels_of_points import LookedUpCodes
    from consensa.generation._nearest_point import NearestPoint
    from consensa.generation._neighborhood import nearest_neighbors
    from consensa.generation.landmarks import LocalPasses

    stored = open_features(make_features(folder, 100_000, COLUMNS))
    rows = np.asarray(stored.load().array)
    few, rng = rows[:POINTS], np.random.default_rng(0)
    near, others = rng.normal(size=(POINTS, WIDE)), rng.normal(size=(4096, WIDE))

    def nearest(columns: int) -> float:
        space = learn_space(near[:, :columns], scaling="none", metric="euclidean")
        find = NearestPoint(space.apply(near[:, :columns]), space)
        return fastest(lambda: find(others[:, :columns])) / (len(others) * POINTS)

    tables = [rng.integers(0, 20, (POINTS, PARTITIONS // 2)).astype(np.int32)] * 2
    codes = LookedUpCodes(tables, [rng.integers(0, POINTS, 2**16).astype(np.uint16)] * 2)
    with one_thread():
        narrow, wide = nearest(5), nearest(WIDE)
        product = max((wide - narrow) / (WIDE - 5), 1e-12)
        return {
            "value": fastest(lambda: LocalPasses(stored).draw(POINTS, 0)) / rows.size,
            "product": product,
            "compare": max(wide - (WIDE + 1) * product, 1e-12),
            "near": fastest(lambda: nearest_neighbors(few.astype(float), 30, 1), 1)
            / (POINTS**2 * COLUMNS),
            "look": fastest(lambda: codes.read(0, 2**16)) / (2**16 * PARTITIONS),
        }


def measure_whole(folder: Path, costs: Costs) -> dict[str, float]:
    """A partition of the points, and the bytes of a point, from a whole run."""
    spent, _ = run_alone("stored", make_features(folder, WHOLE, COLUMNS))
    known = planned(WHOLE, COLUMNS, os.cpu_count() or 1, costs._replace(point=0.0))
    alone = planned(WHOLE, COLUMNS, 1, costs._replace(member=0.0))
    each = (spent["cpu"] - alone.seconds) / (PARTITIONS * POINTS)
    kept = (spent["peak"] * 2**20 - known.worker_memory) / POINTS
    return {"member": max(each, 1e-9), "point": max(kept, 1.0)}


def planned(n: int, columns: int, cores: int, costs: Costs | None = None):
    """The plan of a run."""
    cluster = Cluster(1, cores)
    return plan(n, n_features=columns, n_clusters=N_CLASSES, cluster=cluster, costs=costs)


def calibrate(folder: Path) -> None:
    """Measure the costs of the steps from features, and write them beside the others."""
    costs = load_costs()._replace(**measure_loops(folder))
    costs = costs._replace(**measure_whole(folder, costs))
    path = Path(str(files("consensa.distributed").joinpath("costs.json")))
    rounded = {name: float(f"{value:.3g}") for name, value in costs._asdict().items()}
    path.write_text(json.dumps(rounded, indent=2) + "\n", encoding="utf-8")
    print({name: rounded[name] for name in ("value", "product", "compare", "near", "member",
                                            "look", "point")})  # fmt: skip


def run(folder: Path, sizes: list[float], columns: int) -> None:
    """Run the default on rows of these sizes, and store what it took."""
    stored = json.loads(RUNS.read_text()) if RUNS.exists() else []
    for n in map(int, sizes):
        spent, _ = run_alone("stored", make_features(folder, n, columns))
        one = {"n": n, "columns": columns, "cores": os.cpu_count() or 1}
        one |= {name: round(spent[name], 1) for name in ("seconds", "cpu", "peak")}
        stored = [old for old in stored if (old["n"], old["columns"]) != (n, columns)] + [one]
        lines = ",\n".join(map(json.dumps, stored))
        RUNS.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
        print(one, flush=True)


def check() -> int:
    """Print the plan beside each run; 1 if one of them is too far away."""
    worst = 0
    titles = ["n", "columns", "plan s", "measured s", "ratio", "plan MiB", "peak MiB", "ratio"]
    print(f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}")
    for one in json.loads(RUNS.read_text()):
        made = planned(one["n"], one["columns"], one["cores"])
        taken = one["cpu"] / one["cores"]  # other processes do not count
        time, memory = made.seconds / taken, made.worker_memory / 2**20 / one["peak"]
        far = not (1 / MOST_TIME <= time <= MOST_TIME) or abs(memory - 1) > MOST_MEMORY
        worst |= far
        print(
            f"| {one['n']:,} | {one['columns']} | {made.seconds:.1f} | {taken:.1f} | {time:.2f} "
            f"| {made.worker_memory / 2**20:.0f} | {one['peak']:.0f} | {memory:.2f} |"
        )
    return int(worst)


def main() -> int:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["calibrate", "run", "check"])
    parser.add_argument("--sizes", nargs="+", type=float, default=[1e5, 1e6])
    parser.add_argument("--columns", type=int, default=COLUMNS)
    parser.add_argument("--folder", type=Path, default=Path("out/scale"))
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    if given.what == "check":
        return check()
    if given.what == "calibrate":
        calibrate(given.folder)
    else:
        run(given.folder, given.sizes, given.columns)
    return 0


if __name__ == "__main__":
    sys.exit(main())
