"""What generators compute on a device is what they compute with NumPy, or agrees with it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import load_wine, make_blobs, make_moons

from consensa import DiverseKinds, GaussianMixtures, GraphCuts, NeighborEmbedding, tea
from consensa.exceptions import InvalidParameterError, MissingExtraError
from consensa.generation import (
    _device_mixture,
    _device_neighbors,
    _neighbor_embedding,
    neighborhood_generator,
)
from consensa.generation._device_embedding import _pull, _push, lay_out_on_device
from consensa.generation._device_neighbors import search_among
from consensa.generation._embedding_kernels import A, B, lay_out
from consensa.generation._exact_search import ExactSearch
from consensa.generation._gaussian_mixtures import fit_mixtures
from consensa.generation._neighborhood import nearest_neighbors
from consensa.metrics import adjusted_rand_index


def torch_or_skip():
    return pytest.importorskip("torch", reason="needs torch, the extra 'gpu'")


@pytest.fixture(params=["cpu", "cuda"])
def device(request):
    torch = torch_or_skip()
    if request.param == "cuda" and not torch.cuda.is_available():
        pytest.skip("needs a CUDA device")
    return torch.device(request.param)


@pytest.fixture
def computed_there(device, monkeypatch):
    """All generators compute with torch, also on its CPU, which no parameter asks for."""
    monkeypatch.setattr(neighborhood_generator, "torch_device", lambda name, like: device)
    return device


def clumps(n, columns, far=0.0, seed=0):
    points = np.random.default_rng(seed).normal(size=(n, columns))
    points[n // 2 :] += far
    return points


POINTS = {
    "few columns": clumps(700, 3),
    "many columns": clumps(700, 20),
    "far clumps": clumps(700, 20, 1e8),
    "equal distances": np.random.default_rng(0).integers(0, 2, (300, 9)).astype(float),
}


@pytest.mark.parametrize("name", POINTS)
def test_neighbors_are_those_of_the_processor(device, name, monkeypatch):
    monkeypatch.setattr(_device_neighbors, "_BLOCK_BYTES", 8 * 700 * 100)  # of about 100 rows
    points = POINTS[name]
    there, here = nearest_neighbors(points, 30, 2, device), nearest_neighbors(points, 30, 1)
    assert_array_equal(there[0], here[0])
    assert_array_equal(there[1], here[1])


@pytest.mark.parametrize("name", POINTS)
@pytest.mark.parametrize("count", [1, 5])
def test_landmarks_are_those_of_the_processor(device, name, count):
    points, landmarks = POINTS[name][::3] + 0.25, POINTS[name][1::3]
    here, there = (search_among(landmarks, count, own)(points) for own in (None, device))
    assert_array_equal(there[0], here[0])
    assert_array_equal(there[1], here[1])


def test_only_rows_that_rounding_leaves_open_are_searched_again(device, monkeypatch):
    monkeypatch.setattr(ExactSearch, "_of_block", None)
    points = clumps(700, 20)
    numbers, _ = search_among(points, 3, device)(points)
    assert_array_equal(numbers[:, 0], np.arange(700))
    with pytest.raises(TypeError):
        search_among(POINTS["equal distances"], 3, device)(POINTS["equal distances"])
    few = search_among(points[:5], 9, device)(points[:5])[0]
    assert_array_equal(np.sort(few, axis=1), np.tile(np.arange(5), (5, 1)))


@pytest.mark.parametrize("n_components", [2, 5, 12])
def test_mixtures_are_those_of_the_processor(device, n_components, monkeypatch):
    monkeypatch.setattr(_device_mixture, "_BLOCK_BYTES", 8 * 500 * 6 * 2)  # two components
    points = make_blobs(500, 6, centers=5, cluster_std=3.0, random_state=1)[0]
    sizes = np.arange(500) % 3 + 1
    for seed in range(3):
        there = fit_mixtures(points, sizes, n_components, [seed], device)
        assert_array_equal(there, fit_mixtures(points, sizes, n_components, [seed]))


def test_a_mixture_of_as_many_components_as_points_has_one_for_each(device):
    assert_array_equal(fit_mixtures(clumps(3, 2), np.ones(3, int), 4, [0], device), [[0, 1, 2]])


def two_cliques(n=20):
    first, second = np.divmod(np.arange(n * n), n)
    inside = (first // (n // 2) == second // (n // 2)) & (first != second)
    return first[inside], second[inside], np.ones(inside.sum())


def test_the_layout_pulls_neighbors_together_and_pushes_others_away(device):
    start = np.random.default_rng(1).normal(size=(20, 2))
    given = start.copy()
    points = lay_out_on_device(start, *two_cliques(), 100, 3, device)
    apart = np.linalg.norm(points[:10].mean(axis=0) - points[10:].mean(axis=0))
    within = max(
        np.linalg.norm(part - part.mean(axis=0), axis=1).max()
        for part in (points[:10], points[10:])
    )
    assert apart > 3 * within
    assert_array_equal(start, given)
    assert_array_equal(lay_out_on_device(start, *two_cliques(), 100, 3, device), points)
    assert not np.array_equal(lay_out_on_device(start, *two_cliques(), 100, 4, device), points)


def test_the_pulls_are_those_of_the_processor(device):
    """So far apart that the random points, which differ, push by nothing."""
    edge = (np.array([0]), np.array([1]), np.ones(1))
    for n_epochs in (1, 2, 7):
        points = np.array([[0.0, 0.0], [3e5, 4e5]])
        there = lay_out_on_device(points, *edge, n_epochs, 0, device)
        lay_out(points, *edge, n_epochs, 0)
        assert_allclose(there, points, rtol=0, atol=1e-10)
        assert (there[0, 0] > 1e-7) == (n_epochs > 1)


def test_pulls_and_pushes_are_the_slopes_of_the_cross_entropy(device):
    torch = torch_or_skip()
    apart = torch.tensor([[0.5, 1.0], [-3.0, 2.0]], dtype=torch.float64, device=device)
    apart.requires_grad_()
    alike = 1 / (1 + A * torch.square(apart).sum(1).pow(B))
    for step, logarithm in ((_pull, alike.log()), (_push, (1 - alike).log())):
        (slope,) = torch.autograd.grad(logarithm.sum(), apart, retain_graph=True)
        made = step(torch, apart.detach())
        assert_allclose(made.cpu(), slope.cpu(), rtol=2e-3)  # a push is bounded by 0.001


@pytest.fixture
def embedded_there(monkeypatch):
    """Embeddings of few points, too, are computed on the device."""
    monkeypatch.setattr(_neighbor_embedding, "_ON_DEVICE_FROM", 0)


def test_partitions_are_those_of_the_processor(computed_there, monkeypatch):
    X = make_blobs(400, 20, centers=5, cluster_std=5.0, random_state=0)[0]
    there = DiverseKinds(24).generate(X, n_clusters=5, random_state=0)
    monkeypatch.undo()
    here = DiverseKinds(24).generate(X, n_clusters=5, random_state=0)
    for name, mine, theirs in zip(
        here.partition_names, there.labels.T, here.labels.T, strict=True
    ):
        assert_array_equal(mine, theirs, err_msg=name)


def test_embeddings_of_many_points_differ_and_the_consensus_agrees(
    computed_there, embedded_there, monkeypatch
):
    X, truth = make_blobs(400, 20, centers=5, cluster_std=3.0, random_state=0)
    there = DiverseKinds(24).generate(X, n_clusters=5, random_state=0)
    monkeypatch.undo()
    here = DiverseKinds(24).generate(X, n_clusters=5, random_state=0)
    for name, mine, theirs in zip(
        here.partition_names, there.labels.T, here.labels.T, strict=True
    ):
        if not name.startswith("embedding"):
            assert_array_equal(mine, theirs, err_msg=name)
    labels = [tea(ensemble, 5).labels for ensemble in (there, here)]
    assert adjusted_rand_index(*labels) == 1
    assert adjusted_rand_index(labels[0], truth) > 0.95


def test_embeddings_on_the_device_find_clusters_of_any_shape(computed_there, embedded_there):
    X, truth = make_moons(300, noise=0.05, random_state=0)
    made = NeighborEmbedding(4).generate(X, n_clusters=2, random_state=0)
    assert adjusted_rand_index(made.labels[:, 0], truth) == 1
    again = NeighborEmbedding(4, n_jobs=2).generate(X, n_clusters=2, random_state=0)
    assert_array_equal(again.labels, made.labels)


def test_the_order_of_the_rows_has_no_effect_there(computed_there, embedded_there):
    X = load_wine().data
    order = np.random.RandomState(0).permutation(len(X))
    made = DiverseKinds(12).generate(X, n_clusters=3, random_state=0)
    shuffled = DiverseKinds(12).generate(X[order], n_clusters=3, random_state=0)
    for mine, theirs in zip(made.labels[order].T, shuffled.labels.T, strict=True):
        assert adjusted_rand_index(mine, theirs) == 1


@pytest.mark.parametrize("kind", [DiverseKinds, GraphCuts, GaussianMixtures, NeighborEmbedding])
def test_a_device_that_is_not_there_is_refused_with_what_is_needed(kind):
    try:
        import torch
    except ImportError:
        torch = None
    if torch is not None and torch.cuda.is_available():
        pytest.skip("there is a CUDA device")
    X = clumps(30, 4)
    with pytest.raises((MissingExtraError, InvalidParameterError), match="device='cuda' needs"):
        kind(3, device="cuda").generate(X, n_clusters=2, random_state=0)
    with pytest.raises(InvalidParameterError, match=f"'device' parameter of {kind.__name__}"):
        kind(3, device="tpu").generate(X, n_clusters=2)
    here = kind(3, device="cpu").generate(X, n_clusters=2, random_state=0)
    usual = kind(3).generate(X, n_clusters=2, random_state=0)
    assert_array_equal(here.labels, usual.labels)


def test_a_tensor_on_the_device_is_clustered_there_unless_the_processor_is_asked_for():
    torch = torch_or_skip()
    if not torch.cuda.is_available():
        pytest.skip("needs a CUDA device")
    X = make_blobs(300, 20, centers=4, random_state=0)[0]
    tensor = torch.tensor(X, device="cuda")
    made = DiverseKinds(12).generate(tensor, n_clusters=4, random_state=0)
    asked = DiverseKinds(12, device="cuda").generate(X, n_clusters=4, random_state=0)
    assert made.labels.is_cuda
    assert isinstance(asked.labels, np.ndarray)
    assert_array_equal(made.labels.cpu().numpy(), asked.labels)
    host = DiverseKinds(12, device="cpu").generate(tensor, n_clusters=4, random_state=0)
    usual = DiverseKinds(12).generate(X, n_clusters=4, random_state=0)
    assert_array_equal(host.labels.cpu().numpy(), usual.labels)
