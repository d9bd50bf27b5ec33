"""The smoothest functions on a graph."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse
from scipy.linalg import subspace_angles

import consensa.partition.graph_spectrum as spectrum_module
from consensa.partition.graph_spectrum import graph_spectrum


def random_graph(n, degree, seed=0):
    rng = np.random.default_rng(seed)
    first, second = np.repeat(np.arange(n), degree), rng.integers(n, size=n * degree)
    edges = sparse.csr_array((rng.uniform(0.5, 2, n * degree), (first, second)), shape=(n, n))
    ring = sparse.csr_array((np.ones(n), (np.arange(n), (np.arange(n) + 1) % n)), shape=(n, n))
    return sparse.csr_array(edges + edges.T + ring + ring.T)


def ring(n):
    edges = sparse.csr_array((np.ones(n), (np.arange(n), (np.arange(n) + 1) % n)), shape=(n, n))
    return sparse.csr_array(edges + edges.T)


def with_faint_bridges(n_parts, size):
    """Random graphs in a row, each joined to the next by one faint edge."""
    parts = sparse.block_diag([random_graph(size, 4, seed) for seed in range(n_parts)], "lil")
    for part in range(1, n_parts):
        parts[part * size, part * size - 1] = parts[part * size - 1, part * size] = 1e-3
    return sparse.csr_array(parts)


def exactly(graph, count):
    dense = graph.toarray()
    root = 1 / np.sqrt(dense.sum(axis=1))
    values, vectors = np.linalg.eigh(root[:, None] * dense * root)
    return values[::-1], vectors[:, ::-1][:, :count], root


@pytest.mark.parametrize(
    ("graph", "count"),
    [
        (random_graph(60, 3), 4),  # dense
        (random_graph(500, 3), 5),
        (random_graph(400, 2), 1),
        (with_faint_bridges(4, 120), 4),
        (with_faint_bridges(3, 30), 3),
        (random_graph(310, 3), 200),  # most of all
        (ring(3), 3),
    ],
    ids=["small", "middle", "one", "bridges", "small bridges", "most", "triangle"],
)
def test_they_span_the_leading_eigenvectors(graph, count):
    found = graph_spectrum(graph, count, np.random.RandomState(0))
    values, wanted, root = exactly(graph, count)
    assert found.shape == wanted.shape
    vectors = found / root[:, None]
    assert_allclose(vectors.T @ vectors, np.eye(count), atol=1e-6)
    if count < len(values):
        assert values[count - 1] - values[count] > 1e-6, "the subspace is not determined"
    assert np.sin(subspace_angles(vectors, wanted)).max() < 2e-3
    # The first is constant.
    assert np.ptp(found[:, 0]) < 1e-2 * np.abs(found[:, 0]).max()


def test_a_long_ring_has_smooth_eigenvectors():
    # Pairs of equal eigenvalues, all close to 1: Lanczos iteration may return one of a pair only.
    graph = ring(2000)
    found = graph_spectrum(graph, 5, np.random.RandomState(0))
    values = np.einsum("ij,ij->j", found, graph @ found / 2) / np.square(found).sum(axis=0)
    assert np.linalg.norm(graph @ found / 2 - found * values, axis=0).max() < 1e-6
    assert np.ptp(found[:, 0]) < 1e-6
    assert (values > np.cos(2 * np.pi * 5 / 2000)).all()  # none has more than four waves


def test_more_vectors_than_vertices_are_all():
    found = graph_spectrum(ring(5), 9, np.random.RandomState(0))
    assert found.shape == (5, 5)


def test_faint_bridges_separate_the_parts():
    found = graph_spectrum(with_faint_bridges(2, 200), 2, np.random.RandomState(0))[:, 1]
    assert len(set(np.sign(found[:200]))) == len(set(np.sign(found[200:]))) == 1
    assert np.sign(found[0]) != np.sign(found[-1])


def test_the_same_seed_gives_the_same_vectors():
    for graph in (ring(700), with_faint_bridges(4, 120)):
        one, two = (graph_spectrum(graph, 4, np.random.RandomState(7)) for _ in range(2))
        assert_allclose(one, two, rtol=0, atol=0)


def test_rounding_does_not_decide_the_sign(monkeypatch):
    # On a line every other vector has its largest entry at both ends, with opposite signs.
    line = sparse.diags_array([np.ones(99)] * 2, offsets=[-1, 1]).tocsr()
    wanted = graph_spectrum(line, 6, np.random.RandomState(0))
    exact, rng = spectrum_module.eigenpairs, np.random.default_rng(0)

    def elsewhere(*given):
        values, vectors = exact(*given)
        signs = rng.choice([-1, 1], size=vectors.shape[1])
        return values, vectors * signs * (1 + 1e-13 * rng.normal(size=vectors.shape))

    monkeypatch.setattr(spectrum_module, "eigenpairs", elsewhere)
    for _ in range(5):
        found = graph_spectrum(line, 6, np.random.RandomState(0))
        assert_allclose(found, wanted, atol=1e-10)
