"""Labels of LTA in float32 beside those in float64, on the seven sets of the paper.

One draw of ten members a set; each refined matrix is cut by the spectrum and by average linkage.
Agreement is the adjusted Rand index; the last column, as a yardstick, is that between two seeds of
k-means on one and the same matrix.
Needs the data sets: CONSENSA_DATA is their folder.

    python benchmarks/precision.py --sets binalpha,mf,semeion
"""

from __future__ import annotations

import argparse

import numpy as np
from sklearn.metrics import adjusted_rand_score

import consensa as cs
from consensa.datasets import SETS, load
from consensa.partition import cut_by_linkage, cut_by_spectrum
from consensa.tensor import refine

PENALTY = 0.002
STARTS = (20, 400)  # of k-means; the first is the default


def labels_of(affinity, n_clusters):
    """Partitions of one refined matrix: spectral with few and many starts of k-means, linkage."""
    return {
        **{n: cut_by_spectrum(affinity, n_clusters, n_init=n, random_state=0) for n in STARTS},
        "linkage": cut_by_linkage(affinity, n_clusters),
    }


def row(name, members, seed):
    """One line of the table."""
    data = load(name)
    chosen = np.random.RandomState(seed).choice(data.members.shape[1], members, replace=False)
    ensemble = cs.Ensemble.from_labels(np.asarray(data.members)[:, np.sort(chosen)])
    links, n_clusters = cs.coherent_links(ensemble), len(np.unique(data.y))
    double, single = (
        refine(cs.coassociation(ensemble, dtype=dtype), links, penalty=PENALTY)
        for dtype in ("float64", "float32")
    )
    of_double, of_single = (labels_of(r.affinity, n_clusters) for r in (double, single))
    agreement = [adjusted_rand_score(of_double[cut], of_single[cut]) for cut in of_double]
    other_seed = cut_by_spectrum(double.affinity, n_clusters, n_init=STARTS[0], random_state=1)
    agreement.append(adjusted_rand_score(of_double[STARTS[0]], other_seed))
    difference = float(np.abs(double.affinity - single.affinity).max())
    return (
        f"| {name} | {ensemble.n_samples} | {double.trace.n_iter} | {single.trace.n_iter} "
        f"| {difference:.1e} | {' | '.join(f'{value:.4f}' for value in agreement)} |"
    )


def main():
    """Print the table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--members", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    starts = " | ".join(f"spectral, {n} starts" for n in STARTS)
    print(
        f"| set | n | iterations float64 | float32 | largest difference | {starts} | linkage "
        "| float64, two seeds |\n" + "|---" * (7 + len(STARTS)) + "|"
    )
    for name in arguments.sets.split(","):
        print(row(name, arguments.members, arguments.seed), flush=True)


if __name__ == "__main__":
    main()
