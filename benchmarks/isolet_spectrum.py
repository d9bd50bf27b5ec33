"""Where the classes of ISOLET are in the Fourier spectrum of the file, for the note on the order.

ISOLET goes through the alphabet in turns of 52 or 26 rows. Printed: how much of the energy of its
class indicators, without their means, is near the multiples of n/52, with the rows as stored and
shuffled. Needs CONSENSA_DATA.

    python benchmarks/isolet_spectrum.py
"""

from __future__ import annotations

import numpy as np

from consensa.datasets import load

TURN = 52  # rows of the alphabet, each letter twice
NEAR = 6  # frequencies on either side of a multiple


def energy_by_frequency(classes):
    """Energy of the class indicators at the frequencies 1 to n − 1."""
    indicators = np.equal.outer(np.unique(classes), classes).astype(float)
    return (np.abs(np.fft.fft(indicators, axis=1)) ** 2).sum(axis=0)[1:]


def near_multiples(n):
    """Which of the frequencies 1 to n − 1 are near a multiple of n/52 other than 0."""
    frequencies = np.arange(1, n)
    turns = np.rint(frequencies * TURN / n)
    inner = (turns > 0) & (turns < TURN)
    return inner & (np.abs(frequencies - turns * n / TURN) <= NEAR)


def main():
    """Print the shares."""
    classes = load("isolet").y
    near = near_multiples(len(classes))
    print(f"{near.sum()} of {len(near)} frequencies are within {NEAR} of a multiple of n/{TURN}")
    shuffled = np.random.RandomState(0).permutation(classes)
    for order, rows in (("as stored", classes), ("shuffled", shuffled)):
        energy = energy_by_frequency(rows)
        print(f"{order}: {energy[near].sum() / energy.sum():.1%} of the energy")


if __name__ == "__main__":
    main()
