"""Nearest-neighbor libraries beside the exact search: time, recall, and what changes the answer.

    python benchmarks/neighbors.py [--sizes 20000 100000] [--only exact hnswlib]

Needs the libraries that are compared: pynndescent, hnswlib, usearch and faiss-cpu. Those that are
not installed are left out. Points are 20 clusters of 50 columns; landmarks, of 20. Times are
processor seconds of one thread, building the index included. Recall is the share of the true
neighbors, of 1000 points. With `--check` (20,000 points or fewer) the answer of a second run, of
shuffled rows and of two threads is compared with that of the first: the share of points with
the same neighbors.
"""

from __future__ import annotations

import argparse
import importlib
import time
from collections.abc import Callable

import numpy as np
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from consensa.generation._exact_search import ExactSearch

COUNT = 30
N_QUERIES = 1000  # whose true neighbors are known
BLOCK = 512


def clusters(n: int, columns: int, seed: int) -> np.ndarray:
    """Points of 20 clusters that overlap a little."""
    rng = np.random.default_rng(seed)
    centers = np.random.default_rng(0).normal(size=(20, columns))
    return centers[rng.integers(20, size=n)] * 2 + rng.normal(size=(n, columns))


def exact(points, queries, count, threads):
    """Ours."""
    search = ExactSearch(points, count)
    return np.concatenate(
        [search(queries[i : i + BLOCK])[0] for i in range(0, len(queries), BLOCK)]
    )


def scikit_learn(points, queries, count, threads):
    """All distances, by scikit-learn's own loops."""
    search = NearestNeighbors(n_neighbors=count, algorithm="brute").fit(points)
    with threadpool_limits(threads):
        return search.kneighbors(queries, return_distance=False)


def faiss_flat(points, queries, count, threads):
    """All distances, in single precision."""
    faiss = importlib.import_module("faiss")
    faiss.omp_set_num_threads(threads)
    index = faiss.IndexFlatL2(points.shape[1])
    index.add(points.astype(np.float32))
    return index.search(queries.astype(np.float32), count)[1]


def faiss_hnsw(points, queries, count, threads):
    """Navigable graphs."""
    faiss = importlib.import_module("faiss")
    faiss.omp_set_num_threads(threads)
    index = faiss.IndexHNSWFlat(points.shape[1], 16)
    index.hnsw.efConstruction = 100
    index.hnsw.efSearch = 100
    index.add(points.astype(np.float32))
    return index.search(queries.astype(np.float32), count)[1]


def hnswlib(points, queries, count, threads):
    """Navigable graphs."""
    library = importlib.import_module("hnswlib")
    index = library.Index("l2", points.shape[1])
    index.init_index(len(points), M=16, ef_construction=100, random_seed=0)
    index.add_items(points.astype(np.float32), num_threads=threads)
    index.set_ef(100)
    return index.knn_query(queries.astype(np.float32), count, num_threads=threads)[0]


def usearch(points, queries, count, threads):
    """Navigable graphs."""
    library = importlib.import_module("usearch.index")
    index = library.Index(
        ndim=points.shape[1], metric="l2sq", dtype="f32", connectivity=16, expansion_add=100,
        expansion_search=100,
    )  # fmt: skip
    index.add(np.arange(len(points)), points.astype(np.float32), threads=threads)
    return np.asarray(index.search(queries.astype(np.float32), count, threads=threads).keys)


def pynndescent(points, queries, count, threads):
    """Neighbors of neighbors, from trees."""
    library = importlib.import_module("pynndescent")
    wide = max(count, COUNT)  # the nearest one alone is hardly ever found
    index = library.NNDescent(
        points.astype(np.float32), n_neighbors=wide, random_state=0, n_jobs=threads
    )
    if queries is points:
        return index.neighbor_graph[0]
    return index.query(queries.astype(np.float32), k=wide)[0][:, :count]


LIBRARIES: dict[str, Callable] = {
    "exact": exact,
    "scikit-learn": scikit_learn,
    "faiss flat": faiss_flat,
    "faiss HNSW": faiss_hnsw,
    "hnswlib": hnswlib,
    "usearch": usearch,
    "pynndescent": pynndescent,
}


def recall(found, wanted) -> float:
    """Share of the true neighbors that were found."""
    return float(
        np.mean([len(set(a) & set(b)) / len(b) for a, b in zip(found, wanted, strict=True)])
    )


def same(found, other) -> float:
    """Share of the points with the same neighbors, in any order."""
    return float((np.sort(found, axis=1) == np.sort(other, axis=1)).all(axis=1).mean())


def compared(name, find, points, queries, count, check) -> str:
    """A row of the table."""
    sample = queries[:: max(1, len(queries) // N_QUERIES)]
    wanted = exact(points, sample, count, 1)
    few = points[: 50 * count + 1000]
    find(few, few if queries is points else queries[:1000], count, 1)  # load, compile
    start = time.process_time()
    found = find(points, queries, count, 1)
    seconds = time.process_time() - start
    cells = [
        f"{seconds:.1f}",
        f"{recall(found[:: max(1, len(queries) // N_QUERIES)], wanted):.4f}",
    ]
    if check:
        order = np.random.default_rng(1).permutation(len(points))
        of_own = queries is points
        shuffled = points[order]
        again = find(shuffled, shuffled if of_own else queries, count, 1)
        back = order[again.astype(np.int64)]
        if of_own:
            back = back[np.argsort(order)]
        cells += [
            f"{same(found, find(points, queries, count, 1)):.3f}",
            f"{same(found, back):.3f}",
            f"{same(found, find(points, queries, count, 2)):.3f}",
        ]
    return f"| {name} | " + " | ".join(cells) + " |"


def main() -> None:
    """Print a table for each size, and one for landmarks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="*", default=[20_000, 100_000])
    parser.add_argument("--landmarks", type=int, default=200_000, help="rows; 0 leaves them out")
    parser.add_argument("--only", nargs="*", default=list(LIBRARIES), choices=list(LIBRARIES))
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args()
    tasks = []
    for n in asked.sizes:
        points = clusters(n, 50, 1)
        tasks.append((f"{n:,} x 50, {COUNT} neighbors", points, points, COUNT + 1))
    if asked.landmarks:
        rows, landmarks = clusters(asked.landmarks, 20, 1), clusters(10_000, 20, 2)
        tasks.append((f"{asked.landmarks:,} x 20, nearest of 10,000", landmarks, rows, 1))
    for title, points, queries, count in tasks:
        print(f"\n{title}\n\n| search | processor s | recall | again | shuffled | 2 threads |")
        print("|---|---|---|---|---|---|", flush=True)
        for name in asked.only:
            try:
                with threadpool_limits(1):
                    row = compared(name, LIBRARIES[name], points, queries, count, asked.check)
            except ImportError as error:
                row = f"| {name} | not installed: {error.name} |"
            print(row, flush=True)


if __name__ == "__main__":
    main()
