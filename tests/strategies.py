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
