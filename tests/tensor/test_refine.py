"""The paper's solver: by history, by optimality, by its constraints."""

import tracemalloc

import array_api_strict
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_allclose, assert_array_equal

from consensa import Ensemble, coassociation, coherent_links
from consensa._machine.progress import reporting
from consensa.exceptions import (
    ConvergenceWarning,
    InvalidInputError,
    InvalidParameterError,
    NotEnoughMemoryError,
)
from consensa.tensor import _refine, refine, tensor_nuclear_norm

PENALTIES = ["0.002", "0.05", "0.5"]


def evidence(labels):
    ensemble = Ensemble.from_labels(labels)
    return coassociation(ensemble), coherent_links(ensemble)


def random_evidence(n, seed=0, m=4):
    return evidence(np.random.RandomState(seed).randint(3, size=(n, m)))


def iterates(labels, penalty):
    states = {}
    result = refine(
        *evidence(labels), penalty=penalty, callback=lambda s: states.update({s.iteration: s})
    )
    return result, states


@pytest.mark.parametrize("penalty", PENALTIES)
def test_iterates_are_those_of_the_authors_program(reference_small, penalty):
    stored = {k.split("_", 2)[2]: v for k, v in reference_small.items() if f"lam{penalty}_" in k
              and k.startswith("lta_")}  # fmt: skip
    result, states = iterates(reference_small["labels"], float(penalty))
    for k in (1, 2, 3, 10, 50):
        assert_allclose(states[k].links, stored[f"A1_after_{k}"], rtol=0, atol=1e-10)
        assert_allclose(states[k].affinity, stored[f"A2_after_{k}"], rtol=0, atol=1e-10)
    assert result.trace.n_iter == stored["iterations"]
    assert result.trace.converged
    last = states[result.trace.n_iter]
    assert_allclose(last.links, stored["A1"], rtol=0, atol=1e-10)
    assert_allclose(last.affinity, stored["A2"], rtol=0, atol=1e-10)
    assert_allclose(last.error, stored["E"], rtol=0, atol=1e-10)
    assert_allclose(result.links, stored["B"], rtol=0, atol=1e-10)
    assert_allclose(result.affinity, (stored["A2"] + stored["A2"].T) / 2, rtol=0, atol=1e-10)
    assert_allclose(result.trace.residual, stored["residual"], rtol=0, atol=1e-10)
    gaps = np.stack([stored["d1"], stored["d2"], stored["d3"]], axis=1)
    assert_allclose(result.trace.gaps, gaps, rtol=0, atol=1e-10)
    assert_allclose(result.trace.step, stored["mu"], rtol=1e-12)


def threshold_middle_pair_again(shrink):
    """What the authors' program does for odd n: the middle pair of frequencies once more."""

    def shrink_twice(self, links, affinity, threshold):
        once = shrink(self, links, affinity, threshold)
        n = self.n_samples
        spectra = [np.fft.fft(part, axis=0) for part in (once.links, once.affinity)]
        for f in ((n - 1) // 2, (n + 1) // 2):
            u, s, vh = np.linalg.svd(
                np.stack([spectrum[f] for spectrum in spectra], axis=1), full_matrices=False
            )
            pair = (u * np.maximum(s - threshold, 0)) @ vh
            spectra[0][f], spectra[1][f] = pair.T
        links, affinity = (np.fft.ifft(spectrum, axis=0).real for spectrum in spectra)
        return once._replace(links=links, affinity=affinity)

    return shrink_twice


@pytest.mark.parametrize("penalty", PENALTIES)
def test_for_odd_n_ours_thresholds_once_and_the_authors_program_twice(
    reference_small59, penalty, monkeypatch
):
    from consensa.tensor._fourier import FourierDomain

    stored = {k: v for k, v in reference_small59.items() if k.startswith(f"lta_lam{penalty}_")}
    key = f"lta_lam{penalty}_"
    once, _ = iterates(reference_small59["labels"], float(penalty))
    twice_shrink = threshold_middle_pair_again(FourierDomain.shrink)
    monkeypatch.setattr(FourierDomain, "shrink", twice_shrink)
    twice, states = iterates(reference_small59["labels"], float(penalty))
    assert twice.trace.n_iter == stored[key + "iterations"]
    last = states[twice.trace.n_iter]
    assert_allclose(last.affinity, stored[key + "A2"], rtol=0, atol=1e-10)
    assert_allclose(last.links, stored[key + "A1"], rtol=0, atol=1e-10)
    # At the smallest penalty the answer is constant and has no middle frequency to differ in.
    difference = np.abs(once.affinity - twice.affinity).max()
    assert difference < 1e-10 if penalty == "0.002" else difference > 1e-3


def solve_at_constant_step(target, linked, penalty, step=1.0, max_iter=6000):
    """Run with the step held constant; give the tensor and the three multipliers at the end."""
    multipliers = [np.zeros_like(target) for _ in range(3)]
    last = {}

    def follow(state):
        copy1 = np.clip(symmetric(state.links + multipliers[0] / step), 0, 1)
        copy1[linked] = 1
        copy2 = np.clip(symmetric(state.affinity + multipliers[2] / step), 0, 1)
        multipliers[0] += step * (state.links - copy1)
        multipliers[1] += step * (state.affinity + state.error - target)
        multipliers[2] += step * (state.affinity - copy2)
        last.update(state=state)

    result = refine(
        target, linked, penalty=penalty, step_size=step, step_growth=1.0, tol=1e-11,
        max_iter=max_iter, callback=follow,
    )  # fmt: skip
    assert result.trace.converged
    return last["state"], multipliers


def symmetric(matrix):
    return (matrix + matrix.T) / 2


def fourier_norm(links, affinity):
    return tensor_nuclear_norm(np.stack([links.T, affinity.T], axis=1))


@pytest.mark.parametrize(("n", "penalty"), [(8, 2.0), (9, 0.5), (12, 0.4)])
def test_fixed_points_solve_the_stated_problem_with_half_the_penalty(n, penalty):
    target, linked = random_evidence(n, seed=n)
    state, (first, second, third) = solve_at_constant_step(target, linked, penalty)
    # From the E-step: the multiplier of P2 + E = A is the gradient of the error term.
    assert_allclose(second, -2 * penalty * state.error, atol=1e-9)
    # Subgradient of the norm at P: G = -(Λ1, (Λ2 + Λ3)/2). It is one if it has spectral norm
    # at most 1 in the Fourier domain and meets the norm: <G, P> = ||P||.
    subgradient = np.stack([-first.T, -(second + third).T / 2], axis=1)
    spectral = np.linalg.svd(
        np.moveaxis(np.fft.fft(subgradient, axis=2), 2, 0), compute_uv=False
    ).max()
    assert spectral <= 1 + 1e-7
    tensor = np.stack([state.links.T, state.affinity.T], axis=1)
    norm = fourier_norm(state.links, state.affinity)
    assert (subgradient * tensor).sum() == pytest.approx(norm, abs=1e-6)
    # Λ1 and Λ3 push against active bounds only (where an entry may still move, both directions
    # of the symmetric multiplier vanish), with the sign that keeps the entry at its bound.
    for multiplier, copy, free in (
        (symmetric(first), state.links, ~linked),
        (symmetric(third), state.affinity, np.ones_like(linked)),
    ):
        inside = free & (copy > 1e-7) & (copy < 1 - 1e-7)
        assert_allclose(multiplier[inside], 0, atol=1e-7)
        assert (multiplier[free & (copy < 1e-7)] < 1e-7).all()
        assert (multiplier[free & (copy > 1 - 1e-7)] > -1e-7).all()


def test_no_feasible_neighbor_has_a_lower_objective_with_half_the_penalty():
    n, penalty = 9, 0.5
    target, linked = random_evidence(n, seed=n)
    state, _ = solve_at_constant_step(target, linked, penalty)
    rng = np.random.RandomState(0)

    def objective(links, affinity, weight):
        return fourier_norm(links, affinity) + weight * ((target - affinity) ** 2).sum()

    links, affinity = symmetric(state.links), symmetric(state.affinity)
    best = objective(links, affinity, penalty / 2)
    better_for_the_stated_penalty = False
    for scale in (1e-4, 1e-3, 1e-2):
        for _ in range(200):
            near1 = np.clip(links + scale * symmetric(rng.normal(size=(n, n))), 0, 1)
            near1[linked] = 1
            # Towards the target as well as at random: where the stated penalty wants to go.
            move = symmetric(rng.normal(size=(n, n))) + rng.uniform(0, 3) * (target - affinity)
            near2 = np.clip(affinity + scale * move, 0, 1)
            assert objective(near1, near2, penalty / 2) >= best - 1e-9
            kept = objective(links, near2, penalty) < objective(links, affinity, penalty) - 1e-9
            better_for_the_stated_penalty |= bool(kept)
    assert better_for_the_stated_penalty


@pytest.mark.parametrize("penalty", [0.01, 1.0, 100.0])
def test_with_the_domain_along_the_slices_the_answer_is_the_coassociation_itself(penalty):
    target, linked = random_evidence(10)
    result = refine(
        target, linked, penalty=penalty, domain="slices", step_size=2 * penalty**0.5,
        step_growth=1.0, max_iter=20000, tol=1e-8,
    )  # fmt: skip
    assert_allclose(result.affinity, target, atol=1e-4)
    # The lower bound: ‖P‖ ≥ ‖P1‖_* ≥ tr P1 = n, reached at P1 = P2 = A, which is positive
    # semidefinite with a unit diagonal, without any error.
    assert result.trace.objective[-1] == pytest.approx(len(target), abs=1e-4)


label_matrices = arrays(
    np.int64, st.tuples(st.integers(2, 9), st.integers(1, 4)), elements=st.integers(0, 2)
)


@settings(deadline=None, max_examples=30)
@given(labels=label_matrices, domain=st.sampled_from(["fourier", "graph"]))
def test_refined_matrices_meet_their_constraints(labels, domain):
    target, linked = evidence(labels)
    result = refine(target, linked, penalty=5.0, domain=domain)
    assert result.trace.converged
    assert result.trace.residual[-1] < 1e-8
    for matrix in (result.affinity, result.links):
        assert_array_equal(matrix, matrix.T)
        assert matrix.min() >= 0
        assert matrix.max() <= 1
    assert_array_equal(result.links[linked], 1)


def test_trace_has_one_entry_an_iteration():
    target, linked = random_evidence(12)
    trace = refine(target, linked, penalty=0.5).trace
    n_iter = trace.n_iter
    assert trace.gaps.shape == (n_iter, 3)
    for part in (trace.residual, trace.step, trace.objective, trace.n_survivors):
        assert part.shape == (n_iter,)
    assert_allclose(trace.step, 1e-4 * 1.1 ** np.arange(n_iter), rtol=1e-12)
    assert (trace.residual[:-1] >= 1e-8).all()


def test_objective_and_survivors_are_those_of_the_iterate():
    target, linked = random_evidence(11)
    expected = []

    def follow(state):
        norm = fourier_norm(state.links, state.affinity)
        expected.append(norm + 0.5 * (state.error**2).sum())

    trace = refine(target, linked, penalty=0.5, callback=follow).trace
    assert_allclose(trace.objective, expected, rtol=1e-9, atol=1e-9)


def test_step_size_stops_growing_at_its_maximum():
    target, linked = random_evidence(8)
    trace = refine(target, linked, penalty=0.5, max_step_size=50.0, tol=1e-6).trace
    assert trace.step.max() == 50.0


def test_running_out_of_iterations_is_said():
    target, linked = random_evidence(10)
    with pytest.warns(ConvergenceWarning, match=r"max_iter=3 iterations with a gap"):
        result = refine(target, linked, max_iter=3)
    assert not result.trace.converged
    assert result.trace.n_iter == 3


def test_callback_can_stop_the_solver_without_a_warning():
    target, linked = random_evidence(10)
    result = refine(target, linked, callback=lambda state: state.iteration == 5)
    assert result.trace.n_iter == 5
    assert not result.trace.converged


@pytest.mark.parametrize("domain", ["fourier", "graph"])
def test_another_array_library_gives_the_same(domain):
    target, linked = random_evidence(13)
    expected = refine(target, linked, penalty=0.5, domain=domain)
    strict = refine(
        array_api_strict.asarray(target),
        array_api_strict.asarray(linked),
        penalty=0.5,
        domain=domain,
    )
    assert isinstance(strict.affinity, type(array_api_strict.asarray(target)))
    assert strict.trace.n_iter == expected.trace.n_iter
    assert_allclose(np.asarray(strict.affinity), expected.affinity, atol=1e-10)


def test_single_precision_computes_and_stops_in_single_precision():
    target, linked = random_evidence(40)
    double = refine(target, linked, penalty=2.0)
    single = refine(target.astype(np.float32), linked, penalty=2.0)
    assert single.affinity.dtype == np.float32
    assert single.trace.converged
    assert 1e-8 < single.trace.residual[-1] < 3e-6
    assert_allclose(single.affinity, double.affinity, atol=1e-4)


def test_input_is_left_alone_and_links_may_be_numbers():
    target, linked = random_evidence(10)
    target.flags.writeable = linked.flags.writeable = False
    result = refine(target, linked, penalty=1.0)
    assert_array_equal(refine(target, linked.astype(float), penalty=1.0).affinity, result.affinity)
    assert_array_equal(
        refine(target.tolist(), linked.tolist(), penalty=1.0).affinity, result.affinity
    )


def test_graph_domain_does_not_depend_on_the_order_of_the_rows():
    target, linked = random_evidence(24, m=6)
    order = np.random.RandomState(1).permutation(24)
    shuffle = np.ix_(order, order)
    given_order = refine(target, linked, penalty=1.0, domain="graph").affinity
    shuffled = refine(target[shuffle], linked[shuffle], penalty=1.0, domain="graph").affinity
    assert_allclose(shuffled, given_order[shuffle], atol=1e-8)


def test_progress_is_reported_each_iteration():
    from contextlib import contextmanager

    seen = []

    @contextmanager
    def reporter(description, total):
        yield lambda: seen.append(description)

    target, linked = random_evidence(6)
    with reporting(reporter):
        result = refine(target, linked, penalty=5.0)
    assert seen == ["low-rank refinement"] * result.trace.n_iter


def test_peak_memory_of_the_readable_engine_is_what_is_stated():
    n = 250
    target, linked = random_evidence(n)
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    refine(target, linked, penalty=1.0, callback=lambda state: state.iteration == 3)
    peak = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    assert 0.9 < peak / (8 * n * n * _refine._SQUARE_ARRAYS["plain"]) <= 1


def test_too_large_a_problem_is_refused_before_it_starts(monkeypatch):
    monkeypatch.setattr("consensa._machine.memory.available_bytes", lambda: 10_000)
    target, linked = random_evidence(30)
    with pytest.raises(NotEnoughMemoryError, match="refinement of n = 30 samples"):
        refine(target, linked)


@pytest.mark.parametrize(
    ("target", "links", "message"),
    [
        (np.ones((2, 3)), np.ones((2, 3), bool), "square"),
        (np.ones((1, 1)), np.ones((1, 1), bool), "at least 2"),
        (np.ones(3), np.ones(3, bool), "square"),
        (2 * np.ones((2, 2)), np.ones((2, 2), bool), r"\[0, 1\]"),
        (np.full((2, 2), np.nan), np.ones((2, 2), bool), r"\[0, 1\]"),
        (np.ones((2, 2)), np.ones((3, 3), bool), "shape of coassociation"),
    ],
)
def test_bad_matrices_are_refused(target, links, message):
    with pytest.raises(InvalidInputError, match=message):
        refine(target, links)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("penalty", 0.0),
        ("penalty", "auto"),
        ("domain", "wavelet"),
        ("tol", -1.0),
        ("max_iter", 0),
        ("step_growth", 0.9),
    ],
)
def test_bad_parameters_are_refused(name, value):
    with pytest.raises(InvalidParameterError, match=f"'{name}' parameter of refine"):
        refine(np.eye(3), np.eye(3, dtype=bool), **{name: value})
