"""U-SENC, a peer of `scale_features.py`: ultra-scalable ensemble clustering.

Written from the formulas of D. Huang, C.-D. Wang, J.-S. Wu, J.-H. Lai and C.-K. Kwoh,
"Ultra-scalable spectral clustering and ensemble clustering", IEEE TKDE 32(6), 2020, with the
parameters of its experiments: 1,000 representatives, of 10,000 drawn rows; 5 nearest of them; 20
base clusterings of 20 to 60 clusters.

    python benchmarks/usenc.py features.npy 10
"""

from __future__ import annotations

import sys
import time

import numpy as np
from scipy import linalg, sparse
from sklearn.cluster import KMeans

N_REPRESENTATIVES, DRAWN_FOR_EACH = 1000, 10
N_NEAREST, NEIGHBORS_FOR_EACH = 5, 10
N_BASE, CLUSTERS = 20, (20, 60)
BLOCK = 2**13


def k_means(rows: np.ndarray, k: int, seed: int, max_iter: int = 100) -> KMeans:
    """One run of k-means."""
    return KMeans(k, n_init=1, max_iter=max_iter, random_state=seed).fit(rows)


def squares(rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Squared distances of all pairs."""
    found = np.square(rows).sum(1)[:, None] - 2 * rows @ others.T + np.square(others).sum(1)
    return np.maximum(found, 0)


def representatives(X: np.ndarray, p: int, rng: np.random.RandomState) -> np.ndarray:
    """Centers of k-means of rows that are drawn: the hybrid selection."""
    drawn = rng.choice(len(X), min(len(X), DRAWN_FOR_EACH * p), replace=False)
    return k_means(X[drawn], p, rng.randint(2**31 - 1), max_iter=10).cluster_centers_


def nearest(X: np.ndarray, R: np.ndarray, rng: np.random.RandomState) -> tuple[np.ndarray, ...]:
    """The nearest representatives of each row, approximately, and their squared distances.

    First the nearest of about sqrt(p) groups of representatives, then the nearest representative
    of that group, then the nearest of those that are near to it.
    """
    groups = k_means(R, int(np.sqrt(len(R))), rng.randint(2**31 - 1))
    members = [np.flatnonzero(groups.labels_ == g) for g in range(groups.n_clusters)]
    around = np.argsort(squares(R, R), axis=1)[:, : NEIGHBORS_FOR_EACH * N_NEAREST + 1]
    numbers = np.empty((len(X), N_NEAREST), np.int64)
    found = np.empty((len(X), N_NEAREST), np.float32)
    for start in range(0, len(X), BLOCK):
        rows = X[start : start + BLOCK]
        group = squares(rows, groups.cluster_centers_).argmin(1)
        first = np.empty(len(rows), np.int64)
        for g in np.unique(group):
            own = group == g
            first[own] = members[g][squares(rows[own], R[members[g]]).argmin(1)]
        candidates = around[first]
        lengths = np.square(rows[:, None] - R[candidates]).sum(2)
        order = np.argpartition(lengths, N_NEAREST - 1, axis=1)[:, :N_NEAREST]
        numbers[start : start + BLOCK] = np.take_along_axis(candidates, order, 1)
        found[start : start + BLOCK] = np.take_along_axis(lengths, order, 1)
    return numbers, found


def transfer_cut(B: sparse.csr_array, k: int, seed: int) -> np.ndarray:
    """Partition the rows of a bipartite graph: eigenvectors of its smaller side, then k-means.

    With D the degrees of the rows, Bᵀ D⁻¹ B is a graph of the columns. If v is an eigenvector of
    its random-walk Laplacian, with eigenvalue γ (2 - γ), the rows have D⁻¹ B v / (1 - γ).
    """
    weights = 1 / np.maximum(B.sum(axis=1), 1e-300)
    graph = (B.T @ (sparse.diags_array(weights) @ B)).toarray()
    root = 1 / np.sqrt(np.maximum(graph.sum(axis=1), 1e-300))
    size = len(graph)
    values, vectors = linalg.eigh(
        root[:, None] * graph * root, subset_by_index=(max(0, size - k), size - 1)
    )
    # The values are 1 - γ (2 - γ) = (1 - γ)².
    columns = root[:, None] * vectors / np.sqrt(np.maximum(values, 1e-12))
    rows = (sparse.diags_array(weights) @ B) @ columns
    rows /= np.maximum(np.linalg.norm(rows, axis=0), 1e-300)
    return k_means(rows.astype(np.float32) * np.sqrt(len(rows)), k, seed).labels_


def u_spec(X: np.ndarray, k: int, rng: np.random.RandomState) -> np.ndarray:
    """Spectral clustering of a bipartite graph of rows and representatives."""
    R = representatives(X, min(N_REPRESENTATIVES, len(X) // 2), rng)
    numbers, found = nearest(X, R, rng)
    width = np.sqrt(found).mean()
    affinity = np.exp(-found / (2 * width**2)).astype(np.float64)
    ends = np.arange(0, affinity.size + 1, N_NEAREST)
    B = sparse.csr_array((affinity.ravel(), numbers.ravel(), ends), shape=(len(X), len(R)))
    return transfer_cut(B, k, rng.randint(2**31 - 1))


def u_senc(X: np.ndarray, k: int, seed: int = 0) -> np.ndarray:
    """Consensus of base clusterings by the bipartite graph of rows and base clusters."""
    rng = np.random.RandomState(seed)
    X = np.ascontiguousarray(X, np.float32)
    base = [u_spec(X, rng.randint(CLUSTERS[0], CLUSTERS[1] + 1), rng) for _ in range(N_BASE)]
    offsets = np.cumsum([0, *(labels.max() + 1 for labels in base)])
    columns = np.stack(base, axis=1) + offsets[:-1]
    ends = np.arange(0, columns.size + 1, N_BASE)
    B = sparse.csr_array((np.ones(columns.size), columns.ravel(), ends), (len(X), offsets[-1]))
    return transfer_cut(B, k, rng.randint(2**31 - 1))


if __name__ == "__main__":
    begun = time.perf_counter()
    found = u_senc(np.load(sys.argv[1]), int(sys.argv[2]))
    print(np.bincount(found), f"{time.perf_counter() - begun:.1f} s")
