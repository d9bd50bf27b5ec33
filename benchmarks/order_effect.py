"""How much of LTA's score comes from the order of the rows, on the paper's data sets.

For each set: partitions drawn from the published pool of 100, the paper's penalty 0.002, the
rows as stored and shuffled, beside spectral clustering of the unrefined co-association matrix
and EAC, which do not read the order. Needs CONSENSA_DATA.

    python benchmarks/order_effect.py --sets binalpha,mf --draws 2
"""

from __future__ import annotations

import argparse
import os
import warnings
from pathlib import Path

import numpy as np

import consensa as cs
from consensa.exceptions import ConsensaWarning
from consensa.metrics import clustering_scores
from consensa.partition import cut_by_spectrum

SMALL = "binalpha,mf,semeion,caltech20"


def scores(truth, labels):
    """ACC and NMI; the NMI over the larger entropy, as the authors' program reports it."""
    found = clustering_scores(truth, labels, normalization="max")
    return found["acc"], found["nmi"]


def one_draw(labels, truth, seed):
    """Scores of the four columns of the table for one draw of partitions."""
    k = len(np.unique(truth))
    shuffle = np.random.RandomState(seed).permutation(len(truth))
    stored, shuffled = cs.Ensemble.from_labels(labels), cs.Ensemble.from_labels(labels[shuffle])
    options = {"penalty": 0.002, "dtype": "float32", "random_state": seed}
    return [
        scores(truth, cs.lta(stored, k, **options).labels),
        scores(truth[shuffle], cs.lta(shuffled, k, **options).labels),
        scores(truth, cut_by_spectrum(cs.coassociation(stored), k, random_state=seed)),
        scores(truth, cs.eac(stored, k).labels),
    ]


def main():
    """Print one Markdown row a set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=SMALL)
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--members", type=int, default=10)
    arguments = parser.parse_args()
    folder = Path(os.environ["CONSENSA_DATA"])
    print(
        "| set | LTA as stored | LTA shuffled | spectral, unrefined | EAC |\n|---|---|---|---|---|"
    )
    for name in arguments.sets.split(","):
        data = np.load(folder / f"{name}.npz")
        rows = []
        for draw in range(arguments.draws):
            rng = np.random.RandomState(draw)
            members = rng.choice(data["members"].shape[1], arguments.members, replace=False)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConsensaWarning)
                rows.append(one_draw(data["members"][:, members], data["y"], draw))
        means = np.mean(rows, axis=0)
        cells = " | ".join(f"{acc:.3f} / {nmi:.3f}" for acc, nmi in means)
        print(f"| {name} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
