"""Prints the labels of every method, computed here or in a process that this one starts.

``python labels_of_every_method.py {here,fork,spawn} [names of methods]``; `test_same_labels.py`
compares what it prints.
"""

from __future__ import annotations

import json
import multiprocessing
import sys
import warnings

import numpy as np

from consensa import Ensemble, cluster
from consensa.consensus.catalogue import find_methods


def ensembles():
    """Forty samples with many ties, and a few hundred with more components than clusters."""
    rng = np.random.RandomState(0)
    noisy = rng.uniform(size=(40, 5)) < 0.4
    yield np.where(noisy, rng.randint(0, 4, (40, 5)), np.arange(40)[:, None] % 4), 4
    noisy = rng.uniform(size=(300, 4)) < 0.02
    yield np.where(noisy, rng.randint(0, 100, (300, 4)), rng.randint(0, 100, (300, 1))), 6


def labels(names):
    """Labels of these methods, and from features."""
    warnings.simplefilter("ignore")
    answers = {}
    for name in names:
        function = find_methods()[name]._function
        options = {"random_state": 0} if "random_state" in function.declared else {}
        answers[name] = [
            function(Ensemble.from_labels(matrix), n_clusters, **options).labels.tolist()
            for matrix, n_clusters in ensembles()
        ]
    features = np.random.RandomState(0).normal(size=(200, 5))
    return answers | {"cluster": cluster(features, 5, random_state=0).labels.tolist()}


def main(where, *names):
    names = names or list(find_methods())
    if where == "here":
        answers = labels(names)
    else:
        labels(["HBGF"])  # uses BLAS and OpenMP before the other process starts
        with multiprocessing.get_context(where).Pool(1) as pool:
            answers = pool.apply(labels, [names])
    sys.stdout.write(json.dumps(answers))


if __name__ == "__main__":
    main(*sys.argv[1:])
