"""The times that `consensa plan` is made of: each from a step that the methods really take."""

from __future__ import annotations

import os
import time
from functools import partial
from pathlib import Path

import numpy as np
from scale_runs import N_CLASSES, N_PARTITIONS, PARTITION_CLUSTERS, make_labels, run_alone

from consensa.consensus.catalogue import methods_that
from consensa.distributed import Cluster, plan
from consensa.distributed.planning import Costs

N_STARTS, SAMPLE = 20, 20_000  # of k-means, and rows that it looks at
FEW = 100_000  # samples: enough for the compiled loops to be loaded
OF_A_ROW = ("scan", "number", "pair", "weigh", "entry", "distance", "meet", "confidence", "read")


def fastest(function, times: int = 3) -> float:
    """Seconds of the processor that the quickest of some calls takes, on one core."""
    spent = []
    for _ in range(times):
        start = time.process_time()
        function()
        spent.append(time.process_time() - start)
    return min(spent)


def measure_costs(folder: Path) -> dict[str, float]:
    """Seconds of one operation on one core, and bytes of a process."""
    os.environ["OMP_NUM_THREADS"] = "1"
    from consensa import Ensemble, open_labels

    path = make_labels(folder, 200_000)
    ensemble, rng = Ensemble.from_labels(open_labels(path)), np.random.RandomState(0)
    costs = {
        **measure_rows(ensemble, np.load(path)[:65_536], rng),
        "cube": measure_eigenvectors(rng),
        "walk": measure_walk(rng),
        "edge": measure_metis(ensemble),
        **measure_searches(ensemble, rng),
        **measure_tea(ensemble),
        "trajectory": measure_trajectories(ensemble),
        "read": measure_reading(path),
        "task": 1e-3,
        "fixed": 0.0,
        "process": 0.0,
    }
    costs["process"] = measure_process(folder, Costs(**costs))
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


def measure_tea(ensemble) -> dict[str, float]:
    """TEA's sample and its order, and the affinity and the tree of its representatives."""
    from consensa._machine.hashing import cluster_keys, hash_rows
    from consensa._machine.row_sample import sample_rows
    from consensa.consensus._tea_kernels import tempered_affinity
    from consensa.partition import sized_linkage
    from consensa.similarity import cluster_certainty

    size, ids = 4000, ensemble.cluster_ids  # representatives where 200,000 rows all differ
    certainty, weights = cluster_certainty(ensemble, theta=0.25), np.ones(size, np.int64)
    of_partitions, scale = np.ones(N_PARTITIONS), np.ones(size)
    tempered_affinity(ids[:2], certainty, of_partitions, scale, np.empty((2, 2)))  # compile
    sized_linkage(np.eye(3), np.ones(3, np.int64), size_exponent=0.1)
    keys, made = cluster_keys(ensemble.n_clusters, 0), []
    hash_of = partial(hash_rows, keys=keys)
    parts = [(start, ids[start : start + 2**14]) for start in range(0, len(ids), 2**14)]

    def work():
        made.append(np.empty((size, size)))  # new memory each time, as in a run
        tempered_affinity(ids[:size], certainty, of_partitions, scale, made[-1])

    spent = fastest(work)
    tree = fastest(lambda: sized_linkage(made.pop(), weights, size_exponent=0.1))
    return {
        "hash": fastest(lambda: sample_rows(parts, hash_of, SAMPLE, ids[:0])) / ids.size,
        "order": fastest(lambda: np.lexsort(ids.T[::-1])) / ids.size,
        "affinity": spent / (size**2 / 2 * N_PARTITIONS),
        "merge": tree / size**2,
    }


def measure_trajectories(ensemble) -> float:
    """PTGP's walks between the microclusters of its representatives: 20 neighbors, 20 steps."""
    from consensa import Ensemble
    from consensa.similarity import probability_trajectories

    few = Ensemble.from_labels(ensemble.codes[:2000])
    size = len(few.microclusters().sizes)
    spent = fastest(lambda: probability_trajectories(few), 1)
    return spent / (size**2 * (N_PARTITIONS + 20 * 20))


def planned(name: str, n: int, costs: Costs, cores: int = 1):
    """The plan of a run."""
    cluster = Cluster(1, cores)
    return plan(n, N_PARTITIONS, PARTITION_CLUSTERS, method=name, cluster=cluster, costs=costs)


def measure_process(folder: Path, costs: Costs) -> float:
    """Bytes of a process beside what the model counts, and beside the pages of the file."""
    path, cores = make_labels(folder, FEW), os.cpu_count() or 1

    def beyond(name):
        counted = planned(name, FEW, costs, cores).worker_memory
        return run_alone(name, path)["peak"] - path.stat().st_size - counted

    return float(np.mean([beyond("ECPCSMC"), beyond("MCLA")]))


def measure_reading(path: Path) -> float:
    """Seconds a byte of a memory-mapped file that the system has in its cache."""
    mapped = np.load(path, mmap_mode="r")
    return fastest(lambda: mapped[:].copy()) / mapped.nbytes


def measure_start(folder: Path, costs) -> tuple[float, float]:
    """What a run takes whatever its size (compiled code, small steps), and k-means beyond that.

    How many rounds k-means takes depends on the labels, so it is measured in whole runs.
    """
    path = make_labels(folder, FEW)

    def beyond(name):
        known = planned(name, FEW, costs).seconds
        return np.mean([run_alone(name, path)["cpu"] for _ in range(3)]) - known

    fixed = max(float(np.mean([beyond("ECPCSMC"), beyond("MCLA")])), 0.01)
    return fixed, max(float(np.mean([beyond("LWGP"), beyond("HBGF")])) - fixed, 0.0)


def measure_whole_runs(folder: Path, costs) -> float:
    """How much longer the work on rows takes in whole runs than by itself.

    Loops are measured alone, on one core; in a run all cores share the memory.
    """
    path = make_labels(folder, 10**6)
    ratios = []
    for name in methods_that("by_rows"):
        both = [planned(name, n, costs).seconds for n in (FEW, 10**6)]
        taken = run_alone(name, path)["cpu"] - run_alone(name, make_labels(folder, FEW))["cpu"]
        ratios.append(taken / (both[1] - both[0]))
    return float(np.median(ratios))
