"""Where the energy of the seven files is in the Fourier spectrum, for the note on the order.

Printed, with the rows as stored and shuffled:

- how much of the energy of the co-association matrix of ten partitions is at frequencies up to
  twice the number of classes;
- how much of the energy of LTA's refined matrix is at frequency 0;
- for ISOLET, which goes through the alphabet in turns of 52 or 26 rows, how much of the energy of
  its class indicators, without their means, is near the multiples of n/52.

The partitions are the first draw of `consensa study tables`. Needs CONSENSA_DATA.

    python benchmarks/file_spectrum.py
"""

from __future__ import annotations

import argparse
import warnings

import numpy as np

from consensa import coassociation, coherent_links
from consensa.datasets import SETS, load
from consensa.exceptions import ConsensaWarning
from consensa.study.draws import draw, load_with_pool
from consensa.study.methods import PAPER_PENALTY
from consensa.study.protocol import ORDERS
from consensa.tensor import refine

PERIODIC = "isolet"
TURN = 52  # rows of the alphabet, each letter twice
NEAR = 6  # frequencies on either side of a multiple


def energy_by_frequency(columns):
    """Energy at the frequencies 0 to n − 1 of vectors along the file, one in each column."""
    return (np.abs(np.fft.fft(columns, axis=0)) ** 2).sum(axis=1)


def share_of_low(matrix, highest):
    """Share of the energy at the frequencies −highest to highest."""
    energy = energy_by_frequency(matrix)
    low = np.abs(np.fft.fftfreq(len(energy), 1 / len(energy))) <= highest
    return energy[low].sum() / energy.sum()


def near_multiples(n):
    """Which of the frequencies 1 to n − 1 are near a multiple of n/52 other than 0."""
    frequencies = np.arange(1, n)
    turns = np.rint(frequencies * TURN / n)
    inner = (turns > 0) & (turns < TURN)
    return inner & (np.abs(frequencies - turns * n / TURN) <= NEAR)


def print_isolet():
    """Print how much of the energy of the classes of ISOLET is near a few frequencies."""
    classes = load(PERIODIC).y
    near = near_multiples(len(classes))
    print(f"{near.sum()} of {len(near)} frequencies are within {NEAR} of a multiple of n/{TURN}")
    shuffled = np.random.RandomState(0).permutation(classes)
    for order, rows in (("as stored", classes), ("shuffled", shuffled)):
        energy = energy_by_frequency(np.equal.outer(rows, np.unique(rows)))[1:]
        print(f"{order}: {energy[near].sum() / energy.sum():.1%} of the energy")


def matrices(dataset, order):
    """Co-association matrix and coherent links of the first draw."""
    ensemble = draw(dataset, order, 0, members=10, seed=0).ensemble
    return coassociation(ensemble), coherent_links(ensemble)


def print_sets(names, refined):
    """Print a line for each set: shares of the co-association matrix and of the refined one."""
    for name in names:
        dataset = load_with_pool(name)
        shares = []
        for order in ORDERS:
            given, links = matrices(dataset, order)
            low = share_of_low(given, 2 * dataset.n_classes)
            found = f"{low:.0%} of the energy up to frequency {2 * dataset.n_classes}"
            if name in refined:
                best = refine(given, links, penalty=PAPER_PENALTY).affinity
                found += f", {share_of_low(best, 0):.1%} of that of LTA at frequency 0"
            shares.append(f"{order} {found}")
        print(f"{name}: {'; '.join(shares)}", flush=True)


def main():
    """Print the shares."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default=",".join(each for each in SETS if each != PERIODIC))
    parser.add_argument("--refined", default="binalpha,mf,semeion", help="sets for LTA")
    given = parser.parse_args()
    warnings.simplefilter("ignore", ConsensaWarning)
    print_isolet()
    print_sets(given.sets.split(","), given.refined.split(","))


if __name__ == "__main__":
    main()
