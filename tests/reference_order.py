"""Between our numbers of clusters and microclusters and those of the reference vectors."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose


def our_clusters(ensemble, labels):
    """Our number of each cluster of the reference; its labels are 1-based, without gaps."""
    sizes = labels.max(axis=0)
    theirs = labels - 1 + np.cumsum(sizes) - sizes
    ours = np.empty(sizes.sum(), int)
    ours[theirs.ravel()] = ensemble.cluster_ids.ravel()
    return ours


def our_groups(ensemble, micro_of_object):
    """Our number of each microcluster of the reference."""
    ours = np.empty(micro_of_object.max() + 1, int)
    ours[micro_of_object] = ensemble.microclusters().labels
    return ours


def assert_entries(matrix, stored, atol=1e-9):
    """Compare a matrix with the shape, norm, sum and entries that the reference keeps of it."""
    rows, columns = np.transpose(stored["idx"])
    assert list(matrix.shape) == stored["shape"]
    assert_allclose(matrix[rows, columns], np.array(stored["val"], float), rtol=0, atol=atol)
    assert_allclose(np.linalg.norm(matrix), float(stored["fro"]), rtol=1e-9)
    assert_allclose(matrix.sum(), float(stored["sum"]), rtol=1e-9)
