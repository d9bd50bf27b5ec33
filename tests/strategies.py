"""What hypothesis draws: labels of every shape that the doors have to let in."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

any_integers = st.integers(-(2**63), 2**63 - 1) | st.integers(-5, 5)


@st.composite
def label_matrices(draw, most_samples=12, most_partitions=5):
    """Label matrices with missing entries, no row or column of which is missing everywhere."""
    n = draw(st.integers(2, most_samples))
    m = draw(st.integers(1, most_partitions))
    top = draw(st.sampled_from([0, 1, 3, 20]))
    column = st.lists(st.integers(-1, top), min_size=n, max_size=n)
    labels = np.array(draw(st.lists(column, min_size=m, max_size=m))).T
    labels[(labels == -1).all(axis=1)] = 0
    labels[:, (labels == -1).all(axis=0)] = 0
    return labels


@st.composite
def two_partitions(draw, most_samples=25, most_clusters=6):
    """Two partitions of the same samples; -1 is a label like the others."""
    n = draw(st.integers(1, most_samples))
    label = st.integers(-1, draw(st.integers(0, most_clusters - 2)))
    partition = st.lists(label, min_size=n, max_size=n)
    return draw(partition), draw(partition)


@st.composite
def small_ensembles(draw, missing):
    """Labels of 5 to 60 samples in 1 to 8 partitions: noise, planted, few and many ties."""
    n, m = draw(st.integers(5, 60)), draw(st.integers(1, 8))
    k = draw(st.integers(1, 6))
    noise = draw(st.sampled_from([0.0, 0.1, 0.3, 1.0]))
    rng = np.random.RandomState(draw(st.integers(0, 2**16)))
    classes = np.arange(n) % k if draw(st.booleans()) else rng.randint(0, k, n)
    names = rng.randint(0, draw(st.integers(1, 8)), (k, m))
    labels = np.where(rng.uniform(size=(n, m)) < noise, rng.randint(0, k, (n, m)), names[classes])
    if missing and draw(st.booleans()):
        labels[rng.uniform(size=(n, m)) < 0.2] = -1
        labels[(labels < 0).all(axis=1)] = 0
        labels[0] = np.maximum(labels[0], 0)
    return labels
