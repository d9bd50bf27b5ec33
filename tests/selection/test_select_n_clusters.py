"""How many clusters: planted ones are found, noise has one, and what cannot be chosen."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs

import consensa as cs
from consensa import (
    EAC,
    TEA,
    Bootstrap,
    DiverseKinds,
    Ensemble,
    RandomKMeans,
    select_n_clusters,
)
from consensa.exceptions import FewerClustersWarning, InvalidInputError, InvalidParameterError
from consensa.metrics import adjusted_rand_index
from consensa.selection._candidates import Candidates
from consensa.selection._one_cluster import OneClusterTest, p_value_of
from consensa.selection._resampling import Trial, consensus_of_draws
from consensa.selection._rule import VOTES, Verdict, decide, evidence_of, shares_of
from consensa.selection._words import answer_of, feature_finding

SMALL = {"generator": DiverseKinds(8, n_jobs=1), "n_references": 0, "random_state": 0}


@pytest.fixture(scope="module")
def three():
    centers = [[0, 0], [10, 0], [0, 10]]
    return make_blobs(75, centers=centers, random_state=0)


@pytest.fixture(scope="module")
def chosen(three):
    return select_n_clusters(three[0], range(2, 6), **SMALL | {"n_references": 39})


def test_three_blobs_are_three_clusters(chosen):
    assert chosen.n_clusters == 3
    assert chosen.ranking[0] == 3
    assert sorted(chosen.ranking) == [2, 3, 4, 5]
    assert chosen.answer == "clear"
    assert chosen.good == (3,)
    assert chosen.p_value == 1 / 40
    assert set(chosen.p_values) >= {"copula", "axes"}
    assert set(chosen.p_values.values()) == {1 / 40}
    assert chosen.favorites["eigengap"] == chosen.favorites["merge_gap"] == 3
    assert chosen.finding == (
        f"3 clusters, and this is clear: {chosen.clarity:.0%} of the evidence "
        f"(p ≤ 0.025 against 39 references of {len(chosen.p_values)} kinds)."
    )


def test_the_result_is_plain_and_complete(chosen, three):
    assert_array_equal(chosen.scores["n_clusters"], range(2, 6))
    assert chosen.scores["evidence"].sum() == pytest.approx(1)
    assert chosen.scores["evidence"].max() == chosen.clarity
    assert chosen.labels.shape == (75, 4)
    assert adjusted_rand_index(chosen.labels[:, 1], three[1]) == 1
    assert chosen.cdf.shape == (4, 101)
    assert chosen.references.shape == (39, len(chosen.tested))
    assert chosen.observed.shape == chosen.tested.shape
    assert_array_equal(chosen.samples, np.arange(75))
    assert chosen.to_frame().loc[3, "stability"] == 1


def test_the_answer_is_that_of_the_measured_partitions(chosen):
    assert_array_equal(chosen.result.labels, chosen.labels[:, 1])
    assert chosen.result.ensemble is chosen.ensemble
    assert_array_equal(TEA(3, generator="precomputed").fit(chosen.ensemble).labels_,
                       chosen.labels[:, 1])  # fmt: skip


@pytest.mark.parametrize("kind", ["uniform", "exponential", "lognormal"])
def test_noise_is_one_cluster(kind):
    X = getattr(np.random.RandomState(4), kind)(size=(80, 3))
    found = select_n_clusters(X, [2, 3], **SMALL | {"n_references": 39})
    assert found.n_clusters == 1
    assert found.ranking[0] == 1
    assert found.answer == "one"
    assert found.p_value > 0.05
    assert found.clarity == found.p_value
    assert "do not stand out from data without clusters" in found.finding
    assert_array_equal(found.result.labels, np.zeros(80))


def test_of_one_cluster_no_larger_numbers_are_tried(monkeypatch):
    def never(*_):
        pytest.fail("the range was widened")

    monkeypatch.setattr(Candidates, "wider", never)
    X = np.random.RandomState(4).lognormal(size=(60, 3))
    found = select_n_clusters(X, "auto", **SMALL | {"n_references": 39})
    assert found.answer == "one"
    assert found.scores["n_clusters"].max() <= 20


@pytest.mark.parametrize(
    ("p_value", "answer", "words"),
    [
        (0.5, "one", "One cluster: the data do not stand out"),
        (0.08, "unclear", "No clear number of clusters: one cannot be ruled out (p = 0.080"),
        (0.02, "clear", "3 clusters, and this is clear"),
    ],
)
def test_one_cluster_is_not_a_clear_answer_if_few_references_deviate_as_much(
    p_value, answer, words
):
    nothing = np.empty(0)
    test = OneClusterTest(p_value, {"axes": p_value}, 99, nothing, nothing, nothing, 500)
    verdict = Verdict((3, 2), 0.9, "clear", (3,))
    assert answer_of(verdict, test) == answer
    candidates = Candidates((2, 3), 3)
    assert feature_finding(verdict, test, candidates, np.array([2, 3])).startswith(words)


def test_estimators_choose_the_number_as_the_function_does(three):
    X = three[0]
    model = EAC("auto", generator=DiverseKinds(6, n_jobs=1), random_state=0).fit(X)
    assert model.n_clusters_ == 3
    assert model.n_clusters == "auto"
    assert adjusted_rand_index(model.labels_, three[1]) == 1
    assert model.selection_.n_clusters == 3
    assert model.result_.parameters["n_clusters"] == 3
    assert_array_equal(model.predict(X), model.labels_)
    assert model.n_features_in_ == 2
    model.set_params(n_clusters=3).fit(X)
    assert model.n_clusters_ == 3
    assert not hasattr(model, "selection_")


def test_one_call_and_a_label_matrix_choose_it_too(three):
    result = cs.cluster(three[0], range(2, 5), generator=DiverseKinds(6, n_jobs=1), random_state=0)
    assert result.n_clusters == 3
    labels = RandomKMeans(12).generate(three[0], random_state=0).labels
    assert cs.combine(labels, [2, 3, 4], random_state=0).n_clusters == 3


def test_partitions_with_one_number_of_clusters_cannot_tell():
    X = np.random.RandomState(0).normal(size=(90, 2))
    sliced = RandomKMeans(9, n_clusters=5).generate(X, random_state=0)
    found = select_n_clusters(sliced, range(2, 6), n_draws=4, random_state=0)
    assert found.answer == "unknown"
    assert found.n_clusters == 1
    assert "all have 5 clusters, so they cannot tell how many" in found.finding
    equal = np.stack([np.repeat([0, 1, 2], 10)] * 5, axis=1)
    with pytest.warns(FewerClustersWarning, match="3 microclusters"):
        found = select_n_clusters(equal, [2, 3, 4], generator="precomputed", random_state=0)
    assert found.answer == "unknown"
    assert found.n_clusters == 3


def test_auto_widens_the_range_if_the_best_number_is_near_its_end():
    numbers = np.arange(2, 21)
    auto, given = Candidates(None, 60), Candidates(tuple(range(2, 21)), 20)
    near, far = (numbers == 20).astype(float), (numbers == 5).astype(float)
    assert auto.first_range() == list(numbers)
    assert auto.wider(numbers, near) == list(range(2, 41))
    assert auto.wider(numbers, far) is None
    assert given.wider(numbers, near) is None
    more = np.arange(2, 41)
    assert auto.wider(more, (more == 40).astype(float))[-1] == 60


def test_a_given_range_is_kept_and_its_end_is_named():
    X = make_blobs(90, centers=[[0, 0], [9, 0], [0, 9], [9, 9], [4, 20]], random_state=0)[0]
    found = select_n_clusters(X, [2, 3, 4], **SMALL)
    assert found.n_clusters <= 4
    if found.n_clusters == 4:
        assert "the largest number that was tried" in found.finding


def test_evidence_is_the_mean_of_scaled_votes_by_hand():
    flat = np.zeros(3)
    columns = {vote.criterion: flat for vote in VOTES} | {
        "eigengap": np.array([0.2, 0.4, 0.3]), "silhouette": np.array([0.5, 0.5, 0.1])
    }  # fmt: skip
    # The silhouette votes, and so does its advance over the next number: 0, 0.4 and 0.
    assert_allclose(evidence_of(columns), [1 / 7, 3 / 7, 0.5 / 7])
    agreed = {vote.criterion: flat for vote in VOTES} | {"agreement": np.array([0.1, 0.1, 0.6])}
    assert_allclose(evidence_of(agreed), [0, 0, 3 / 7])
    shares = shares_of(np.array([0.0, 1.0]))
    assert_allclose(shares, [1 / (1 + np.exp(12)), 1 / (1 + np.exp(-12))])


def test_the_answer_is_clear_or_several_or_not():
    numbers = np.array([2, 3, 4, 5, 6])
    assert decide(numbers, np.array([0.1, 0.7, 0.1, 0.1, 0])).answer == "clear"
    several = decide(numbers, np.array([0.1, 0.4, 0.05, 0.05, 0.4]))
    assert several.answer == "several"
    assert several.good == (3, 6)
    assert decide(numbers, np.array([0.3, 0.19, 0.18, 0.17, 0.16])).answer == "unclear"


def test_a_single_candidate_is_not_clear():
    assert decide(np.array([3]), np.ones(1)).answer == "unclear"
    found = select_n_clusters(np.arange(20.0)[:, None] ** 2, [3], **SMALL)
    assert found.n_clusters == 3
    assert found.finding == "3 clusters is the only candidate."


def test_partitions_that_have_nothing_in_common_are_one_cluster():
    labels = np.random.RandomState(1).randint(4, size=(60, 9))
    found = select_n_clusters(labels, [2, 3], generator="precomputed", random_state=0)
    assert found.n_clusters == 1


def test_missing_labels_are_borne(three):
    codes = RandomKMeans(16).generate(three[0], random_state=0).codes.copy()
    hidden = np.random.RandomState(0).uniform(size=codes.shape) < 0.3
    codes[hidden] = -1
    found = select_n_clusters(codes, range(2, 6), generator="precomputed", random_state=0,
                              n_references=0)  # fmt: skip
    assert found.n_clusters == 3
    assert found.p_value is None
    assert found.observed is None


def test_a_sample_that_a_draw_does_not_label_is_missing_there():
    labels = np.zeros((6, 4), int)
    labels[3:] = 1
    labels[0, 1:] = -1
    trial = Trial(EAC(), [2], np.random.RandomState(0))
    draws = consensus_of_draws(trial, Ensemble.from_labels(labels), 12)
    missing = draws[:, 0, 0] == -1
    assert missing.any()
    assert not missing.all()
    assert (draws[:, 1:, 0] >= 0).all()
    assert (draws[:, 1, 0] != draws[:, 5, 0]).all()


def test_partitions_into_single_samples_are_one_cluster():
    labels = np.stack([np.arange(20)] * 4, axis=1)
    found = select_n_clusters(labels, [2, 3], generator="precomputed", random_state=0)
    assert found.n_clusters == 1


@pytest.mark.parametrize("generator", [None, RandomKMeans(5), Bootstrap(n_partitions=5)])
def test_constant_features_are_one_cluster(generator):
    # Samples that a bootstrap does not draw have missing labels: the rows are not all equal.
    found = select_n_clusters(np.ones((30, 3)), [2, 3], generator=generator, random_state=0)
    assert found.n_clusters == found.clarity == 1
    assert found.ranking == (1,)
    assert found.finding == "One cluster: all samples are equal."
    assert_array_equal(found.scores["n_clusters"], [1])
    assert_array_equal(found.labels, np.zeros((30, 1)))


def test_candidates_beyond_the_evidence_are_refused():
    labels = np.stack([np.repeat([0, 1], 5)] * 4, axis=1)
    with pytest.raises(InvalidInputError, match="has 2 microclusters of 10 samples, too few"):
        select_n_clusters(labels, [5, 6], generator="precomputed")


def test_two_partitions_are_too_few():
    with pytest.raises(InvalidInputError, match=r"at least 3 of them. Got 2"):
        select_n_clusters([[0, 0], [1, 1], [0, 1]], [2], generator="precomputed")


@pytest.mark.parametrize("bad", [[], [1], [0, 2], 1.5, ["2"], [2, True]])
def test_bad_candidates_are_refused(bad):
    with pytest.raises(InvalidParameterError, match=r"such as range\(2, 11\)"):
        select_n_clusters(np.zeros((9, 2)), bad)


@pytest.mark.parametrize(
    ("name", "value"),
    [("n_draws", 1), ("n_references", -1), ("n_references", 18),
     ("max_samples", 3), ("generator", "labels"), ("random_state", -1)],
)  # fmt: skip
def test_bad_parameters_are_refused(name, value):
    with pytest.raises(InvalidParameterError, match=f"'{name}' parameter of select_n_clusters"):
        select_n_clusters(np.zeros((9, 2)), [2], **{name: value})


def test_the_p_value_is_the_share_that_stands_out_as_much():
    references = np.random.RandomState(0).normal(size=(19, 3)) * [1, 1, 50]
    drawn = [(own,) for own in references]
    outstanding = references.mean(axis=0)
    outstanding[0] += 9  # where 9 is much; at the third number of clusters it would be little
    assert p_value_of((outstanding,), drawn) == 1 / 20
    assert p_value_of((references.min(axis=0) - 9,), drawn) == 1.0
    # Over noise it is uniform: 5 % of the time it is 1 in 20.
    rng = np.random.RandomState(1)
    many = [p_value_of((own[0],), [(each,) for each in own[1:]])
            for own in rng.normal(size=(400, 20, 4))]  # fmt: skip
    assert abs(np.mean(np.array(many) <= 0.05) - 0.05) < 0.03
    assert abs(np.mean(many) - 0.525) < 0.04


def test_standing_out_by_one_of_several_statistics_is_enough():
    drawn = [(np.array([k]), np.array([100.0 * k])) for k in np.linspace(-1, 1, 39)]
    assert p_value_of((np.array([0.0]), np.array([900.0])), drawn) == 1 / 40
    assert p_value_of((np.array([9.0]), np.array([0.0])), drawn) == 1 / 40
    assert p_value_of((np.array([0.0]), np.array([0.0])), drawn) == 21 / 40


def test_a_selection_prints_its_finding_and_no_arrays():
    labels = np.stack([np.arange(30) % k for k in (2, 3, 3, 4, 6, 6)], axis=1)
    found = select_n_clusters(labels, range(2, 10), generator="precomputed", random_state=0)
    first, last = str(found).splitlines()
    assert first == found.finding
    assert last.startswith(f"The best first: {found.ranking[0]}, ")
    assert "array" not in repr(found)
