"""A range of eigenvalues, where LAPACK finds all of them and where it does not."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from consensa import Ensemble, hbgf, lwgp
from consensa.partition import eigenpairs as module
from consensa.partition.eigenpairs import eigenpairs, eigenvalues
from consensa.selection import eigengap

SQUARE = (lambda half: half @ half.T)(np.random.default_rng(0).normal(size=(9, 9)))


def troubled(solver, outcome):
    """The solver where eigenvalues are equal: a range of them fails, and a triangle is lost."""

    def solve(matrix, *, subset_by_index=None, **options):
        if subset_by_index is None:
            return solver(matrix, **options)
        if options.get("overwrite_a"):
            matrix[np.tril_indices(len(matrix))] = np.nan
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    return solve


@pytest.mark.parametrize("overwrite", [True, False])
@pytest.mark.parametrize("lapack", ["finds all", "finds too few", "fails"])
def test_the_range_is_complete(lapack, overwrite, monkeypatch):
    if lapack != "finds all":
        error = module.LinAlgError("Internal Error.")
        pairs = error if lapack == "fails" else (np.empty(1), np.empty((9, 1)))
        values = error if lapack == "fails" else np.empty(1)
        monkeypatch.setattr(module, "eigh", troubled(module.eigh, pairs))
        monkeypatch.setattr(module, "eigvalsh", troubled(module.eigvalsh, values))
    values = np.linalg.eigvalsh(SQUARE)[5:8]
    matrix = np.asfortranarray(SQUARE.copy())
    found, vectors = eigenpairs(matrix, 5, 7, overwrite=overwrite)
    assert_allclose(found, values)
    assert_allclose(SQUARE @ vectors, vectors * values)
    assert overwrite or (matrix == SQUARE).all()
    assert_allclose(eigenvalues(SQUARE, 5, 7), values)


@pytest.mark.filterwarnings("ignore::consensa.exceptions.UndecidedTieWarning")
@pytest.mark.parametrize("method", [hbgf, lwgp])
@pytest.mark.parametrize("seed", [0, 8, 30])
def test_a_graph_with_more_components_than_clusters_is_cut(method, seed):
    rng = np.random.RandomState(seed)
    own = rng.randint(0, 60, (200, 1))  # nearly all of them a component
    labels = np.where(rng.uniform(size=(200, 2)) < 0.02, rng.randint(0, 60, (200, 2)), own)
    answer = method(Ensemble.from_labels(labels), 2, n_init=1, random_state=0).labels
    assert answer.max() == 1


def test_the_gaps_between_equal_eigenvalues_are_zero():
    rng = np.random.RandomState(1)
    noisy = rng.uniform(size=(180, 2)) < 0.05
    labels = np.where(noisy, rng.randint(0, 60, (180, 2)), np.arange(180)[:, None] % 60)
    together = (labels[:, None] == labels).mean(axis=2)
    assert_allclose(eigengap(together, [1, 2, 3]), 0, atol=1e-9)
