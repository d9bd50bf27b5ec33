"""Which slice of LTA's tensor gives the paper's Ours-SC: spectral partition of each.

The refined tensor has two slices: the co-association matrix, which LTA and the authors' demo
cut, and the coherent links. Draws and scores are those of `consensa study tables`. Needs
CONSENSA_DATA; a CUDA device makes minutes of hours.

    python benchmarks/lta_slices.py --device cuda
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np

from consensa import Ensemble, coassociation, coherent_links
from consensa._array import to_device
from consensa.datasets import SETS
from consensa.exceptions import ConsensaWarning
from consensa.partition import cut_by_spectrum
from consensa.study.draws import draw, load_with_pool, scores
from consensa.study.methods import PAPER_PENALTY
from consensa.study.paper import Printed, paper_values
from consensa.tensor import refine


def nmi_of_slices(dataset, order, number, device):
    """NMI of the spectral partition of each slice, and of their sum, on one draw."""
    drawn = draw(dataset, order, number, members=10, seed=0)
    ensemble = Ensemble(to_device(drawn.ensemble.labels, device))
    refined = refine(coassociation(ensemble), coherent_links(ensemble), penalty=PAPER_PENALTY)
    matrices = (refined.affinity, refined.links, refined.affinity + refined.links)
    found = []
    for matrix in matrices:
        labels = cut_by_spectrum(matrix, dataset.n_classes, random_state=drawn.random_state)
        found.append(scores(drawn.truth, labels)["nmi"])
    return found


def main():
    """Print a line for each set and order."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    given = parser.parse_args()
    warnings.simplefilter("ignore", ConsensaWarning)
    print("| set | order | paper | co-association slice | coherent links | both added |")
    print("|---|---|---|---|---|---|")
    for name in given.sets.split(","):
        dataset = load_with_pool(name)
        for order in ("stored", "shuffled"):
            found = [nmi_of_slices(dataset, order, k, given.device) for k in range(given.draws)]
            mean, deviation = np.mean(found, axis=0), np.std(found, axis=0, ddof=1)
            cells = [f"{m:.3f} ± {s:.3f}" for m, s in zip(mean, deviation, strict=True)]
            printed = paper_values()[Printed(name, "nmi", "Ours-SC")]
            print(f"| {name} | {order} | {printed:.3f} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
