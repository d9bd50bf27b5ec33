"""The t-SVD toolbox, against the block-circulant definition."""

import array_api_strict
import numpy as np
import pytest
from numpy.testing import assert_allclose

from consensa.exceptions import InvalidInputError
from consensa.tensor import (
    prox_tensor_nuclear_norm,
    t_product,
    t_transpose,
    tensor_nuclear_norm,
    tsvd,
)

SHAPES = [(3, 4, 5), (4, 3, 6), (2, 2, 1), (5, 1, 2), (1, 1, 7), (6, 6, 3)]
shapes = pytest.mark.parametrize("shape", SHAPES, ids=str)


def random_tensor(shape, seed=0):
    return np.random.RandomState(seed).normal(size=shape)


def block_circulant(a):
    """The (n1 n3, n2 n3) matrix whose block (i, j) is frontal slice (i - j) mod n3."""
    depth = a.shape[2]
    return np.block([[a[:, :, (i - j) % depth] for j in range(depth)] for i in range(depth)])


def unfold(a):
    """Frontal slices below each other."""
    return np.concatenate([a[:, :, k] for k in range(a.shape[2])], axis=0)


def identity(n, depth):
    eye = np.zeros((n, n, depth))
    eye[:, :, 0] = np.eye(n)
    return eye


@shapes
def test_product_is_that_of_the_block_circulant_matrix(shape):
    a, b = random_tensor(shape), random_tensor((shape[1], 3, shape[2]), seed=1)
    assert_allclose(unfold(t_product(a, b)), block_circulant(a) @ unfold(b), atol=1e-12)


@shapes
def test_transpose_is_that_of_the_block_circulant_matrix(shape):
    a = random_tensor(shape)
    assert_allclose(block_circulant(t_transpose(a)), block_circulant(a).T)


@shapes
def test_svd_rebuilds_the_tensor_from_orthogonal_factors(shape):
    a = random_tensor(shape)
    u, s, v = tsvd(a)
    rank, depth = min(shape[:2]), shape[2]
    assert u.shape == (shape[0], rank, depth)
    assert v.shape == (shape[1], rank, depth)
    assert_allclose(t_product(t_product(u, s), t_transpose(v)), a, atol=1e-12)
    assert_allclose(t_product(t_transpose(u), u), identity(rank, depth), atol=1e-12)
    assert_allclose(t_product(t_transpose(v), v), identity(rank, depth), atol=1e-12)
    off_diagonal = s * (1 - np.eye(rank))[:, :, None]
    assert_allclose(off_diagonal, 0, atol=1e-12)


@shapes
def test_nuclear_norm_is_that_of_the_block_circulant_matrix_over_its_depth(shape):
    a = random_tensor(shape)
    expected = np.linalg.norm(block_circulant(a), ord="nuc") / shape[2]
    assert tensor_nuclear_norm(a) == pytest.approx(expected, rel=1e-12)


def test_the_sum_of_absolute_entries_of_s_is_another_number():
    a = random_tensor((3, 4, 5))
    paper_equation_2 = np.abs(tsvd(a).s).sum()
    assert paper_equation_2 > 1.05 * tensor_nuclear_norm(a)


@shapes
@pytest.mark.parametrize("threshold", [0.0, 0.3, 2.0, 100.0])
def test_prox_shrinks_the_singular_values_of_the_block_circulant_matrix(shape, threshold):
    a = random_tensor(shape)
    u, s, vh = np.linalg.svd(block_circulant(a), full_matrices=False)
    expected = (u * np.maximum(s - threshold, 0)) @ vh
    assert_allclose(block_circulant(prox_tensor_nuclear_norm(a, threshold)), expected, atol=1e-11)


@shapes
def test_no_random_nearby_point_has_a_lower_prox_objective(shape):
    a, threshold = random_tensor(shape), 0.7
    rng = np.random.RandomState(2)

    def objective(x):
        return threshold * tensor_nuclear_norm(x) + 0.5 * ((x - a) ** 2).sum()

    best = prox_tensor_nuclear_norm(a, threshold)
    for scale in (1e-3, 1e-2, 0.1):
        for _ in range(20):
            assert objective(best + scale * rng.normal(size=shape)) > objective(best)


@shapes
def test_another_array_library_gives_the_same(shape):
    a = random_tensor(shape)
    strict = array_api_strict.asarray(a)
    shrunk = prox_tensor_nuclear_norm(strict, 0.5)
    assert isinstance(shrunk, type(strict))
    assert_allclose(np.asarray(shrunk), prox_tensor_nuclear_norm(a, 0.5), atol=1e-12)
    assert tensor_nuclear_norm(strict) == pytest.approx(tensor_nuclear_norm(a))
    assert_allclose(
        np.asarray(t_product(strict, t_transpose(strict))),
        t_product(a, t_transpose(a)),
        atol=1e-12,
    )
    rebuilt = t_product(t_product(*tsvd(strict)[:2]), t_transpose(tsvd(strict).v))
    assert_allclose(np.asarray(rebuilt), a, atol=1e-12)


def test_single_precision_stays_single():
    a = random_tensor((3, 3, 4)).astype(np.float32)
    assert prox_tensor_nuclear_norm(a, 0.1).dtype == np.float32
    assert t_product(a, a).dtype == np.float32


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tsvd(np.zeros((2, 2))), "three axes"),
        (lambda: tsvd(np.zeros((2, 0, 2))), "none empty"),
        (lambda: tensor_nuclear_norm(np.zeros((2, 2, 2), complex)), "must be real"),
        (lambda: t_product(np.zeros((2, 3, 2)), np.zeros((2, 3, 2))), "n2, n4, n3"),
        (lambda: prox_tensor_nuclear_norm(np.zeros((2, 2, 2)), -1), "threshold"),
        (lambda: prox_tensor_nuclear_norm(np.zeros((2, 2, 2)), float("nan")), "threshold"),
    ],
)
def test_bad_tensors_are_refused(call, message):
    with pytest.raises(InvalidInputError, match=message):
        call()
