"""How many clusters: false positives on noise, and how often the number is right.

Noise without clusters of eleven distributions, in 2, 10 and 100 columns and of 100 to 2000
samples, and data sets with known numbers: iris, wine, breast cancer, digits, simulated blobs,
shapes and counts, and those in CONSENSA_DATA, if it is set; of larger sets, 500 rows drawn with
the seed 0. Other ways to choose the number run on the same rows. The battery `fresh` was simulated
when the rule was fixed, and nothing was chosen on it. One line each in a store; a run goes on
where the last one stopped.

    python benchmarks/number_of_clusters.py noise --seconds 600
    python benchmarks/number_of_clusters.py sets --seconds 600
    python benchmarks/number_of_clusters.py fresh --seconds 600
    python benchmarks/number_of_clusters.py rivals --seconds 600
    python benchmarks/number_of_clusters.py calibrate
    python benchmarks/number_of_clusters.py timing
    python benchmarks/number_of_clusters.py table > docs/results/number_of_clusters.md
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from itertools import islice
from pathlib import Path
from unittest.mock import patch

import numpy as np
from number_calibration import calibrate
from number_data import MOST_ROWS, fresh_sets, noise, sets
from number_rivals import rivals
from scipy.stats import beta

import consensa as cs
from consensa.selection import one_cluster_test
from consensa.selection._one_cluster import is_plain
from consensa.selection._rule import VOTES, decide, evidence_of, shares_of

NOISE = (
    "uniform", "normal", "correlated", "t3", "t3 jointly", "lognormal", "exponential", "gamma",
    "poisson", "ring", "sheet",
)  # fmt: skip
SHAPES = tuple((n, d) for n in (100, 300, 1000, 2000) for d in (2, 10, 100))
SEEDS = 5  # of each shape: 60 runs a distribution


def read(store):
    """Lines of a store by their names."""
    lines = map(json.loads, store.read_text().splitlines()) if store.exists() else ()
    return {line["name"]: line for line in lines}


def keep(store, line):
    """Append a line."""
    with store.open("a") as file:
        file.write(json.dumps(line) + "\n")
    shown = {key: value for key, value in line.items() if key != "criteria"}
    print(shown, file=sys.stderr, flush=True)


def of_noise(kind, n, d, seed):
    """A line of the store of noise."""
    begun = time.process_time()
    found = one_cluster_test(noise(kind, n, d, seed), random_state=seed)
    return {"name": f"{kind}, {n} × {d}, seed {seed}", "kind": kind, "rows": n, "columns": d,
            "one": found.is_one, "p": found.p_value, "p_values": dict(found.p_values),
            "references": found.n_references,
            "cpu_seconds": round(time.process_time() - begun, 1)}  # fmt: skip


def _found(title):
    """Battery and function of a data set."""
    known = {name: (battery, make) for battery, name, make in (*sets(), *fresh_sets())}
    return known[title]


def of_set(title, seed):
    """A line of the store of data sets with known numbers."""
    battery, make = _found(title)
    X, known = make()
    begun = time.process_time()
    found = cs.select_n_clusters(X, random_state=seed)
    # Of further seeds, only what the rule reads.
    wanted = {"n_clusters", *(vote.criterion for vote in VOTES)}
    criteria = {field: np.round(found.scores[field], 4).tolist()
                for field in found.scores.dtype.names if seed == 0 or field in wanted}  # fmt: skip
    return {"name": f"{title}, seed {seed}", "set": title, "battery": battery, "known": known,
            "rows": len(X), "seed": seed, "chosen": found.n_clusters,
            "ranking": list(found.ranking[:4]), "answer": found.answer,
            "clarity": round(found.clarity, 3), "p_values": dict(found.p_values),
            "cpu_seconds": round(time.process_time() - begun, 1),
            "criteria": criteria}  # fmt: skip


def of_rivals(title):
    """A line of the store of other ways to choose the number."""
    X, known = _found(title)[1]()
    begun = time.process_time()
    return {"name": title, "known": known, "chosen": rivals(X),
            "cpu_seconds": round(time.process_time() - begun, 1)}  # fmt: skip


def jobs_of(part, seeds):
    """Name, function and arguments of each line of a store."""
    if part == "noise":
        # A run that stops early has seen shapes of all sizes.
        mixed = [(kind, *SHAPES[(5 * step + place) % len(SHAPES)], seed) for seed in range(SEEDS)
                 for step in range(len(SHAPES)) for place, kind in enumerate(NOISE)]  # fmt: skip
        return [(f"{kind}, {n} × {d}, seed {seed}", of_noise, (kind, n, d, seed))
                for kind, n, d, seed in mixed]  # fmt: skip
    titles = [name for _, name, _ in (fresh_sets() if part == "fresh" else sets())]
    if part == "rivals":
        titles += [name for _, name, _ in fresh_sets()]
        return [(title, of_rivals, (title,)) for title in titles]
    return [(f"{title}, seed {seed}", of_set, (title, seed))
            for seed in range(seeds) for title in titles]  # fmt: skip


def fill(store, jobs, seconds, workers):
    """Run the jobs that the store does not hold yet, until the time is over."""
    started, done = time.perf_counter(), read(store)
    wanted = iter([job for job in jobs if job[0] not in done])
    with ProcessPoolExecutor(workers, max_tasks_per_child=50) as pool:
        running = {pool.submit(make, *given) for _, make, given in islice(wanted, workers)}
        while running:
            ended, running = wait(running, return_when=FIRST_COMPLETED)
            for one in ended:
                keep(store, one.result())
            if time.perf_counter() - started < seconds:
                running |= {pool.submit(make, *given)
                            for _, make, given in islice(wanted, len(ended))}  # fmt: skip


def error(chosen, known):
    """Smallest absolute logarithm of the ratio to a right number."""
    return min(abs(np.log(max(chosen, 1) / k)) for k in known)


def interval(hits, runs):
    """The exact 95 % interval of a proportion."""
    low = beta.ppf(0.025, hits, runs - hits + 1) if hits else 0.0
    high = beta.ppf(0.975, hits + 1, runs - hits) if hits < runs else 1.0
    return f"{low:.0%} to {high:.0%}"


def decided(line):
    """First number, answer and clarity by the rule, from the criteria and the test of a line.

    A store outlives changes of the weights: only the criteria and the test are read from it.
    """
    columns = {name: np.array(values) for name, values in line["criteria"].items()}
    verdict = decide(columns["n_clusters"].astype(int), shares_of(evidence_of(columns)))
    if line["chosen"] == 1:
        return 1, line["answer"], verdict.clarity
    return verdict.ranking[0], verdict.answer, verdict.clarity


def noise_table(lines):
    """False positives, for each distribution and number of columns."""
    print("| without clusters | runs | more than one cluster | 95 % interval |")
    print("|---|---|---|---|")
    groups = {kind: [line for line in lines if line["kind"] == kind] for kind in NOISE}
    groups |= {f"{d} columns": [line for line in lines if line["columns"] == d]
               for d in (2, 10, 100)}  # fmt: skip
    for name, own in (groups | {"**all**": lines}).items():
        if own:
            hits = sum(not line["one"] for line in own)
            print(f"| {name} | {len(own)} | {hits} ({hits / len(own):.0%}) | "
                  f"{interval(hits, len(own))} |")  # fmt: skip


def number_table(lines, others):
    """How often each way to choose the number is right, on the sets that all of them have seen."""
    both = [line for line in lines if line["set"] in others]
    if not both:
        return
    picks = {"Consensa": [decided(line)[0] for line in both]}
    for rival in next(iter(others.values()))["chosen"]:
        picks[rival] = [others[line["set"]]["chosen"][rival] for line in both]
    for name in both[0]["criteria"]:
        if name not in ("n_clusters", "evidence", "area", "delta_area"):
            picks[f"{name} alone"] = [_favorite(line["criteria"], name) for line in both]
    print("| chosen by | sets | exact | within one | mean abs. log ratio |\n|---|---|---|---|---|")
    for name, own in picks.items():
        known = [line["known"] for line in both]
        errors = np.array([error(k, right) for k, right in zip(own, known, strict=True)])
        near = [min(abs(k - one) for one in right) <= 1
                for k, right in zip(own, known, strict=True)]  # fmt: skip
        print(f"| {name} | {len(both)} | {np.mean(errors < 1e-9):.2f} | {np.mean(near):.2f} | "
              f"{np.mean(errors):.2f} |")  # fmt: skip


def _favorite(criteria, name):
    values = np.array(criteria[name])
    best = np.argmin(values) if name in ("bic", "pac") else np.argmax(values)
    return int(criteria["n_clusters"][best])


def clarity_table(lines):
    """Answers and how often they are right, and the same for limits of the share."""
    found = [(*decided(line), error(decided(line)[0], line["known"]) < 1e-9) for line in lines]
    print("| answer | share of the runs | right |\n|---|---|---|")
    for answer in ("clear", "several", "unclear", "one"):
        own = [right for _, given, _, right in found if given == answer]
        if own:
            print(f"| {answer} | {len(own) / len(found):.0%} | {np.mean(own):.0%} of {len(own)} |")
    print("\n| share of the first number at least | share of the runs | right |\n|---|---|---|")
    for limit in np.arange(3, 10) / 10:
        own = [right for first, _, share, right in found if first > 1 and share >= limit]
        if own:
            print(
                f"| {limit:.1f} | {len(own) / len(found):.0%} | {np.mean(own):.0%} of {len(own)} |"
            )


def seed_table(lines):
    """On how many sets all seeds give the same first answer."""
    by_set = {}
    for line in lines:
        by_set.setdefault(line["set"], []).append(decided(line)[0])
    several = [own for own in by_set.values() if len(own) > 1]
    if several:
        same = np.mean([len(set(own)) == 1 for own in several])
        lengths = [len(own) for own in several]
        seeds = " to ".join(map(str, sorted({min(lengths), max(lengths)})))
        print(f"\nOf {len(several)} sets with {seeds} seeds, {same:.0%} have one first answer.")


def table(noise_store, set_store, rival_store, fresh_store):
    """Print all tables."""
    lines, others = list(read(set_store).values()), read(rival_store)
    first = [line for line in lines if line["seed"] == 0]
    print("# How many clusters: results\n\n## Noise without clusters\n")
    noise_table(list(read(noise_store).values()))
    print(f"\n## Data sets with known numbers\n\nAt most {MOST_ROWS} rows of each, seed 0.\n")
    number_table(first, others)
    print()
    clarity_table(first)
    seed_table(lines)
    fresh = list(read(fresh_store).values())
    if fresh:
        print("\n## Simulations on which nothing was chosen\n")
        number_table(fresh, others)
        print()
        clarity_table(fresh)
    print("\n## Weights and limit fitted without each battery\n")
    calibrate(first)
    print("\n## Each set\n")
    print("| set | right | first | answer | share | p | CPU s |\n|---|---|---|---|---|---|---|")
    for line in lines + fresh:
        chosen, answer, share = decided(line)
        p = max(line["p_values"].values(), default=1)
        right = " or ".join(str(k) for k in sorted(set(line["known"])))
        print(f"| {line['name']} | {right} | {chosen} | {answer} | {share:.2f} | {p:.3f} | "
              f"{line['cpu_seconds']} |")  # fmt: skip


def timing(rows=2000, columns=50, clusters=8):
    """Time to choose among 2 to 20 clusters, with a result that is plain early, and never."""
    rng = np.random.RandomState(0)
    X = 6 * np.eye(clusters, columns)[rng.randint(clusters, size=rows)]
    X += rng.normal(size=X.shape)
    print("| references | of each kind | first | wall s | CPU s |\n|---|---|---|---|---|")
    for name, stop in (("until plain", is_plain), ("all 199", lambda *_: False)):
        with patch("consensa.selection._one_cluster.is_plain", stop):
            begun = time.perf_counter(), time.process_time()
            found = cs.select_n_clusters(X, range(2, 21), random_state=0)
            took = time.perf_counter() - begun[0], time.process_time() - begun[1]
        print(f"| {name} | {len(found.references)} | {found.n_clusters} | {took[0]:.0f} | "
              f"{took[1]:.0f} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "part", choices=("noise", "sets", "fresh", "rivals", "table", "calibrate", "timing")
    )
    parser.add_argument("--store", type=Path, default=Path("docs/results"))
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    asked = parser.parse_args()
    stores = {
        part: asked.store / f"number_{part}.jsonl" for part in ("noise", "sets", "rivals", "fresh")
    }
    if asked.part == "table":
        table(*stores.values())
    elif asked.part == "timing":
        timing()
    elif asked.part == "calibrate":
        calibrate([line for line in read(stores["sets"]).values() if "criteria" in line])
    else:
        fill(stores[asked.part], jobs_of(asked.part, asked.seeds), asked.seconds, asked.workers)
