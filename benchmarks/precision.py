"""Labels of LTA in float32 beside those in float64, on the seven sets of the paper.

One draw of ten members a set; each refined matrix is cut by the spectrum and by average linkage.
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


def labels_of(affinity, n_clusters):
    """Both partitions of one refined matrix."""
    return {
        "spectral": cut_by_spectrum(affinity, n_clusters, random_state=0),
        "linkage": cut_by_linkage(affinity, n_clusters),
    }


def row(name, members, seed):
    """One line of the table."""
    data = load(name)
    chosen = np.random.RandomState(seed).choice(data.members.shape[1], members, replace=False)
    ensemble = cs.Ensemble.from_labels(np.asarray(data.members)[:, np.sort(chosen)])
    links, n_clusters = cs.coherent_links(ensemble), len(np.unique(data.y))
    refined = {
        dtype: refine(cs.coassociation(ensemble, dtype=dtype), links, penalty=PENALTY)
        for dtype in ("float64", "float32")
    }
    double, single = (refined[dtype] for dtype in ("float64", "float32"))
    labels = {dtype: labels_of(r.affinity, n_clusters) for dtype, r in refined.items()}
    agreement = " | ".join(
        f"{adjusted_rand_score(labels['float64'][cut], labels['float32'][cut]):.4f}"
        for cut in ("spectral", "linkage")
    )
    difference = float(np.abs(double.affinity - single.affinity).max())
    return (
        f"| {name} | {ensemble.n_samples} | {double.trace.n_iter} | {single.trace.n_iter} "
        f"| {difference:.1e} | {agreement} |"
    )


def main():
    """Print the table in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--members", type=int, default=10)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    print(
        "| set | n | iterations float64 | float32 | largest difference | agreement (adjusted "
        "Rand), spectral | linkage |\n" + "|---" * 7 + "|"
    )
    for name in arguments.sets.split(","):
        print(row(name, arguments.members, arguments.seed), flush=True)


if __name__ == "__main__":
    main()
