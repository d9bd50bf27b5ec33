"""How many clusters: planted ones are found, noise has one, and what cannot be chosen."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.datasets import make_blobs

from consensa import (
    EAC,
    HBGF,
    Bootstrap,
    Ensemble,
    LandmarkSpectral,
    RandomKMeans,
    eac,
    select_n_clusters,
)
from consensa.exceptions import FewerClustersWarning, InvalidInputError, InvalidParameterError
from consensa.metrics import adjusted_rand_index
from consensa.selection._conclusion import p_value_of
from consensa.selection._references import (
    permuted_columns,
    permuted_partitions,
    uniform_along_axes,
)
from consensa.selection._resampling import consensus_of_draws

FIELDS = ("n_clusters", "evidence", "stability", "agreement", "eigengap", "pac", "area",
          "delta_area")  # fmt: skip


@pytest.fixture(scope="module")
def three():
    centers = [[0, 0], [10, 0], [0, 10]]
    return make_blobs(120, centers=centers, random_state=0)


@pytest.fixture(scope="module")
def chosen(three):
    return select_n_clusters(three[0], range(2, 8), random_state=0)


def test_three_blobs_are_three_clusters(chosen):
    assert chosen.n_clusters == 3
    assert chosen.ranking[0] == 3
    assert sorted(chosen.ranking) == [2, 3, 4, 5, 6, 7]
    assert chosen.p_value == 0.05
    assert chosen.clarity > 0.8
    assert chosen.favorites["eigengap"] == 3
    assert "3 clusters" in chosen.finding


def test_the_result_is_plain_and_complete(chosen, three):
    assert chosen.scores.dtype.names == FIELDS
    assert_array_equal(chosen.scores["n_clusters"], range(2, 8))
    four = [chosen.scores[name] for name in ("stability", "agreement", "eigengap")]
    assert_allclose(chosen.scores["evidence"], (sum(four) + 1 - chosen.scores["pac"]) / 4)
    assert chosen.labels.shape == (120, 6)
    assert adjusted_rand_index(chosen.labels[:, 1], three[1]) == 1
    assert_array_equal(chosen.labels.max(axis=0) + 1, range(2, 8))
    assert chosen.cdf.shape == (6, 101)
    assert_allclose(chosen.cdf[:, -1], 1)
    assert chosen.references.shape == (19, 6)
    assert_array_equal(chosen.samples, np.arange(120))
    frame = chosen.to_frame()
    assert list(frame.columns) == list(FIELDS[1:])
    assert frame.loc[3, "evidence"] == chosen.scores["evidence"][1]


@pytest.mark.parametrize("kind", ["uniform", "normal"])
def test_noise_is_one_cluster(kind):
    X = getattr(np.random.RandomState(3), kind)(size=(150, 3))
    found = select_n_clusters(X, range(2, 6), random_state=0)
    assert found.n_clusters == 1
    assert found.ranking[0] == 1
    assert found.p_value > 0.05
    assert found.clarity == found.p_value
    assert "No cluster structure found" in found.finding


def test_an_ensemble_and_its_label_matrix_give_the_same(three):
    ensemble = RandomKMeans(15).generate(three[0], random_state=0)
    one = select_n_clusters(ensemble, [2, 3, 4], random_state=0)
    two = select_n_clusters(ensemble.labels, [2, 3, 4], generator="precomputed",
                            random_state=0)  # fmt: skip
    assert one.n_clusters == two.n_clusters == 3
    assert_array_equal(one.scores, two.scores)
    assert_array_equal(one.references, two.references)


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
    draws = consensus_of_draws(EAC(), Ensemble.from_labels(labels), [2], 12,
                               np.random.RandomState(0))  # fmt: skip
    missing = draws[:, 0, 0] == -1
    assert missing.any()
    assert not missing.all()
    assert (draws[:, 1:, 0] >= 0).all()
    assert (draws[:, 1, 0] != draws[:, 5, 0]).all()


def test_methods_with_and_without_a_tree_and_their_options(three):
    X = three[0]
    for method in ("lwea", HBGF, EAC(linkage="single")):
        found = select_n_clusters(X, [2, 3, 4], method=method, n_draws=6, n_references=0,
                                  random_state=0)  # fmt: skip
        assert found.n_clusters == 3
    ensemble = RandomKMeans(30).generate(X, random_state=5)
    found = select_n_clusters(ensemble, [2, 3, 4], method=EAC(linkage="single"), n_draws=4,
                              n_references=0, random_state=0)  # fmt: skip
    assert_array_equal(found.labels[:, 2], eac(ensemble, 4, linkage="single").labels)


def test_units_of_the_features_do_not_matter(three):
    settings = {"generator": LandmarkSpectral(6), "n_draws": 4, "random_state": 0}
    plain = select_n_clusters(three[0], [2, 3, 4], **settings)
    other_units = select_n_clusters(three[0] * [2**-10, 2**17], [2, 3, 4], **settings)
    assert_array_equal(plain.scores, other_units.scores)
    assert_array_equal(plain.references, other_units.references)


def test_the_same_seed_gives_the_same_answer(three):
    settings = {"generator": RandomKMeans(6), "n_draws": 4, "random_state": 4}
    one = select_n_clusters(three[0], [2, 3], **settings)
    two = select_n_clusters(three[0], [3, 2, 3], **settings)
    assert_array_equal(one.scores, two.scores)
    assert_array_equal(one.references, two.references)


def test_of_many_samples_some_are_drawn(three):
    found = select_n_clusters(three[0], [2, 3, 4], max_samples=50, n_references=0, random_state=0)
    assert len(found.samples) == len(found.labels) == 50
    assert len(np.unique(found.samples)) == 50
    assert found.n_clusters == 3
    labels = RandomKMeans(9).generate(three[0], random_state=0)
    found = select_n_clusters(labels, [2, 3], max_samples=40, n_references=0, random_state=0)
    assert found.ensemble.n_samples == 40


def test_equal_partitions_allow_only_their_own_number_of_clusters():
    labels = np.stack([np.repeat([0, 1, 2], 10)] * 5, axis=1)
    with pytest.warns(FewerClustersWarning, match=r"3 microclusters of 30 .* above 3 are ignored"):
        found = select_n_clusters(labels, range(2, 8), generator="precomputed", random_state=0)
    assert found.n_clusters == 3
    assert found.clarity == 1
    assert_array_equal(found.scores["n_clusters"], [2, 3])
    assert_array_equal(found.scores["stability"], [1, 1])


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
    assert found.finding == "1 cluster: every partition has one cluster."
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
    [("n_draws", 1), ("n_references", -1), ("n_references", 18), ("reference", "gauss"),
     ("max_samples", 3), ("generator", "labels"), ("random_state", -1)],
)  # fmt: skip
def test_bad_parameters_are_refused(name, value):
    with pytest.raises(InvalidParameterError, match=f"'{name}' parameter of select_n_clusters"):
        select_n_clusters(np.zeros((9, 2)), [2], **{name: value})


def test_references_keep_what_they_should_and_lose_the_rest():
    rng = np.random.RandomState(0)
    X = np.repeat([[0.0, 0.0], [10.0, 10.0]], 100, axis=0) + rng.normal(size=(200, 2))
    box = uniform_along_axes(X, rng)
    assert box.shape == X.shape
    assert np.corrcoef(box.T)[0, 1] > 0.7  # as elongated as the data
    middle = np.abs(box.sum(axis=1) - 10) < 4
    assert middle.mean() > 0.1  # and filled where the data are not
    shuffled = permuted_columns(X, rng)
    assert_array_equal(np.sort(shuffled, axis=0), np.sort(X, axis=0))
    assert abs(np.corrcoef(shuffled.T)[0, 1]) < 0.2
    ensemble = Ensemble.from_labels([[0, 0], [0, None], [1, 1], [1, 1], [2, 1]])
    permuted = permuted_partitions(ensemble, rng)
    assert_array_equal(np.sort(permuted.cluster_sizes), np.sort(ensemble.cluster_sizes))
    assert_array_equal(permuted.labeled, ensemble.labeled)


def test_the_p_value_is_the_share_that_stands_out_as_much():
    references = np.random.RandomState(0).normal(size=(19, 3)) * [1, 1, 50]
    outstanding = references.mean(axis=0)
    outstanding[0] += 9  # where 9 is much; at the third number of clusters it would be little
    assert p_value_of(outstanding, references) == 1 / 20
    assert p_value_of(references.min(axis=0) - 9, references) == 1.0
    # Over noise it is uniform: 5 % of the time it is 1 in 20.
    rng = np.random.RandomState(1)
    many = [p_value_of(own[0], own[1:]) for own in rng.normal(size=(400, 20, 4))]
    assert abs(np.mean(np.array(many) <= 0.05) - 0.05) < 0.03
    assert abs(np.mean(many) - 0.525) < 0.04
