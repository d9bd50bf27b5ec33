"""Other ways to choose the number of clusters, on the sets of `number_of_clusters.py`.

Columns are divided by their standard deviation if there are more than three. At most 300 rows,
drawn with the seed 0, are used by the two consensus criteria. The candidates are 2 to 20, and the
even numbers up to 40.
"""

from __future__ import annotations

import warnings

import numpy as np
from scipy.cluster.hierarchy import linkage
from scipy.spatial.distance import pdist, squareform
from sklearn import metrics
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import StandardScaler

from consensa.partition import Dendrogram

MOST_ROWS_OF_CONSENSUS = 300
REPEATS = 30  # of the resampled clusterings of a consensus matrix
REFERENCES = 10


def rivals(X):
    """The number that each of them chooses."""
    rng = np.random.RandomState(0)
    rows = rng.permutation(len(X))
    points = X if X.shape[1] <= 3 else StandardScaler().fit_transform(X)
    few = points[rows[:MOST_ROWS_OF_CONSENSUS]]
    numbers = candidates(len(points))
    by_means = [KMeans(k, n_init=2, random_state=0).fit_predict(points) for k in numbers]
    by_ward = cuts(linkage(points, "ward"), numbers)
    scored = {
        "silhouette, k-means": _best(numbers, metrics.silhouette_score, points, by_means),
        "silhouette, Ward": _best(numbers, metrics.silhouette_score, points, by_ward),
        "Calinski–Harabasz": _best(numbers, metrics.calinski_harabasz_score, points, by_means),
        "Davies–Bouldin": _best(
            numbers, lambda *given: -metrics.davies_bouldin_score(*given), points, by_means
        ),
        "BIC of Gaussian mixtures": _by_bic(points, numbers),
        "gap statistic, Ward": _by_gap(points, numbers, rng),
        "HDBSCAN, smallest cluster of 5": _by_density(points),
    }
    numbers = candidates(len(few))
    real = ambiguous(few, numbers, "average", rng)
    scored["PAC, as ConsensusClusterPlus"] = int(numbers[np.argmin(real)])
    scored["relative cluster stability, as M3C"] = _by_stability(few, numbers, rng)
    return scored


def candidates(n):
    """2 to 20 and even numbers up to 40, at most a fifth of the rows."""
    return np.array([k for k in range(2, 41) if (k <= 20 or k % 2 == 0) and k <= max(2, n // 5)])


def cuts(tree, numbers):
    """Partitions of a tree into each number of clusters."""
    dendrogram = Dendrogram(tree, np.arange(len(tree) + 1))
    return [dendrogram.cut(int(k)) for k in numbers]


def _best(numbers, score, points, partitions):
    return int(numbers[np.argmax([score(points, codes) for codes in partitions])])


def _by_bic(points, numbers):
    """Full covariances, in at most ten principal components."""
    centered = points - points.mean(axis=0)
    axes = np.linalg.svd(centered, full_matrices=False)[2][:10]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        found = [GaussianMixture(int(k), reg_covar=1e-4, max_iter=50, random_state=0)
                 .fit(centered @ axes.T).bic(centered @ axes.T) for k in numbers]  # fmt: skip
    return int(numbers[np.argmin(found)])


def _by_density(points):
    return max(1, int(HDBSCAN(copy=True).fit_predict(points).max()) + 1)


def _log_dispersions(points, most):
    """Logarithm of the sum of squares within 1 to `most` clusters of Ward's method."""
    growth = linkage(points, "ward")[:, 2] ** 2 / 2
    return np.log([max(growth[: len(growth) - k].sum(), 1e-12) for k in range(most)])


def _by_gap(points, numbers, rng):
    """The smallest k whose gap is at least that of k + 1 less its standard error (Tibshirani)."""
    most = min(int(numbers.max()) + 1, len(points) - 1)
    centered = points - points.mean(axis=0)
    axes = np.linalg.svd(centered, full_matrices=False)[2]
    scores = centered @ axes.T
    low, high = scores.min(axis=0), scores.max(axis=0)
    drawn = [_log_dispersions(rng.uniform(low, high, scores.shape), most)
             for _ in range(REFERENCES)]  # fmt: skip
    gap = np.mean(drawn, axis=0) - _log_dispersions(scores, most)
    error = np.std(drawn, axis=0) * np.sqrt(1 + 1 / REFERENCES)
    enough = np.flatnonzero(gap[:-1] >= gap[1:] - error[1:])
    return int(enough[0]) + 1 if len(enough) else int(gap.argmax()) + 1


def ambiguous(points, numbers, method, rng):
    """PAC of each number: hierarchical clusterings of 80 % of the rows (Monti's scheme)."""
    n = len(points)
    distances = squareform(pdist(points))
    codes = np.zeros((len(numbers), n, REPEATS), np.int16)  # 0: not drawn
    for repeat in range(REPEATS):
        rows = rng.permutation(n)[: int(0.8 * n)]
        tree = linkage(squareform(distances[np.ix_(rows, rows)], checks=False), method)
        codes[:, rows, repeat] = 1 + np.array(cuts(tree, numbers))
    pairs = np.triu_indices(n, 1)
    drawn = _together(codes[0] > 0, 1)[pairs]
    shares = [_together(own, k)[pairs] / drawn for own, k in zip(codes, numbers, strict=True)]
    return np.array([np.mean((own > 0.1) & (own < 0.9)) for own in shares])


def _together(codes, k):
    """How often each pair of rows is in one of k clusters."""
    inside = (codes[:, :, None] == 1 + np.arange(k)).reshape(len(codes), -1).astype(np.float32)
    return inside @ inside.T


def _by_stability(points, numbers, rng):
    """The largest log PAC of references less that of the data; references are normal."""
    centered = points - points.mean(axis=0)
    axes = np.linalg.svd(centered, full_matrices=False)[2]
    spread = (centered @ axes.T).std(axis=0)
    drawn = [ambiguous(rng.normal(size=(len(points), len(spread))) * spread @ axes, numbers,
                       "ward", rng) for _ in range(REFERENCES)]  # fmt: skip
    real = np.log(np.maximum(ambiguous(points, numbers, "ward", rng), 1e-4))
    index = np.log(np.maximum(drawn, 1e-4)).mean(axis=0) - real
    return int(numbers[index.argmax()])
