"""Profiles: what sets a cluster apart, checked against SciPy and by hand."""

from __future__ import annotations

import anndata
import numpy as np
import pandas as pd
import pytest
from scipy import sparse, stats

import consensa as cs
from consensa.exceptions import InvalidInputError


@pytest.fixture
def measured():
    rng = np.random.RandomState(0)
    labels = np.repeat([0, 1, 2], [12, 20, 8])
    frame = pd.DataFrame(rng.normal(size=(40, 3)) + labels[:, None], columns=["a", "b", "c"])
    frame["color"] = np.where(labels == 1, "red", rng.choice(["red", "blue", "green"], 40))
    frame["smoker"] = rng.uniform(size=40) < 0.5
    return frame, labels


def row(profiles, cluster, feature, value=None):
    found = profiles[(profiles.cluster == cluster) & (profiles.feature == feature)]
    return (found if value is None else found[found["value"] == value]).iloc[0]


def test_the_effect_of_numbers_is_hedges_g_and_its_interval_holds_it(measured):
    X, labels = measured
    found = row(cs.cluster_profiles(X, labels), 0, "b")
    inside, outside = X.b[labels == 0], X.b[labels != 0]
    spread = np.sqrt((11 * inside.var() + 27 * outside.var()) / 38)
    expected = (inside.mean() - outside.mean()) / spread * (1 - 3 / (4 * 40 - 9))
    error = np.sqrt(40 / (12 * 28) + expected**2 / 80)
    assert found.inside == pytest.approx(inside.mean())
    assert found.outside == pytest.approx(outside.mean())
    assert found.effect == pytest.approx(expected)
    assert (found.low, found.high) == pytest.approx(
        (expected - 1.959964 * error, expected + 1.959964 * error), rel=1e-6
    )


def test_p_values_are_those_of_scipy_corrected_over_the_whole_table(measured):
    X, labels = measured
    profiles = cs.cluster_profiles(X, labels)
    raw = []
    for cluster, feature, value in zip(
        profiles.cluster, profiles.feature, profiles["value"], strict=True
    ):
        column = X[feature] if isinstance(value, float) else X[feature] == value
        inside, outside = column[labels == cluster], column[labels != cluster]
        if column.dtype == bool:
            table = [[group.sum(), (~group).sum()] for group in (inside, outside)]
            less, more = (stats.fisher_exact(table, side).pvalue for side in ("less", "greater"))
            raw.append(min(1, 2 * min(less, more)))
        else:
            raw.append(stats.ttest_ind(inside, outside, equal_var=False).pvalue)
    np.testing.assert_allclose(profiles.p_value, stats.false_discovery_control(raw))


def test_the_effect_of_a_text_value_is_cohens_h(measured):
    X, labels = measured
    found = row(cs.cluster_profiles(X, labels), 1, "color", "red")
    rest = (X.color[labels != 1] == "red").mean()
    assert (found.inside, found.outside) == (1, rest)
    assert found.effect == pytest.approx(np.pi - 2 * np.arcsin(np.sqrt(rest)))


def test_the_largest_effects_of_each_cluster_come_first_and_may_be_few(measured):
    X, labels = measured
    profiles = cs.cluster_profiles(X, labels)
    for _, own in profiles.groupby("cluster"):
        assert own.effect.abs().is_monotonic_decreasing
        assert len(own) == 3 + 3 + 1
    few = cs.cluster_profiles(X, labels, n_top=2)
    assert few.groupby("cluster").size().tolist() == [2, 2, 2]
    pd.testing.assert_frame_equal(few, profiles.groupby("cluster").head(2).reset_index(drop=True))


def test_the_order_of_the_rows_changes_nothing(measured):
    X, labels = measured
    order = np.random.RandomState(1).permutation(len(X))
    pd.testing.assert_frame_equal(
        cs.cluster_profiles(X.iloc[order], labels[order]), cs.cluster_profiles(X, labels)
    )


def test_missing_values_are_left_out_of_both_groups(measured):
    X, labels = measured
    X.loc[[0, 3, 30], "a"] = np.nan
    X.loc[5, "color"] = None
    found = row(cs.cluster_profiles(X, labels), 0, "a")
    assert found.inside == pytest.approx(X.a[labels == 0].mean())  # pandas skips missing values
    red = row(cs.cluster_profiles(X, labels), 0, "color", "red")
    assert red.inside == pytest.approx((X.color[labels == 0].dropna() == "red").mean())


def test_sparse_features_dense_ones_and_an_anndata_object_have_the_same_profiles():
    rng = np.random.RandomState(0)
    X = np.where(rng.uniform(size=(30, 6)) < 0.5, 0, rng.poisson(5, (30, 6)) + 2.0)
    labels = rng.randint(3, size=30)
    names = [f"gene{j}" for j in range(6)]
    dense = cs.cluster_profiles(pd.DataFrame(X, columns=names), labels)
    adata = anndata.AnnData(sparse.csr_array(X), var=pd.DataFrame(index=names))
    of_adata = cs.cluster_profiles(adata, labels)
    assert list(dense.feature) == list(of_adata.feature)
    np.testing.assert_allclose(dense.effect, of_adata.effect)
    np.testing.assert_allclose(dense.p_value, of_adata.p_value)
    assert set(cs.cluster_profiles(sparse.csr_matrix(X), labels).feature) == set("012345")


@pytest.mark.filterwarnings("ignore::consensa.exceptions.DoubtWarning")
def test_a_result_an_estimator_and_plain_labels_are_read_alike(measured):
    X, _ = measured
    model = cs.EAC(3, random_state=0).fit(X[["a", "b", "c"]])
    expected = cs.cluster_profiles(X, model.labels_)
    for given in (model, model.result_):
        pd.testing.assert_frame_equal(cs.cluster_profiles(X, given), expected)
    assert set(cs.cluster_profiles(X, np.array(list("xyz"))[model.labels_]).cluster) == set("xyz")


@pytest.mark.filterwarnings("ignore::consensa.exceptions.DoubtWarning")
def test_pure_noise_shows_why_the_test_is_called_descriptive():
    X = np.random.RandomState(0).normal(size=(300, 2))
    profiles = cs.cluster_profiles(X, cs.cluster(X, 2, random_state=0))
    assert profiles.p_value.min() < 1e-6  # although there are no clusters
    assert "descriptive" in profiles.attrs["note"]


@pytest.mark.parametrize("column", [[5.0] * 4, [1.0, 1.0, 2.0, 2.0], [0, 0, 1, 1]])
def test_features_without_a_spread_have_a_profile(column):
    profiles = cs.cluster_profiles(np.c_[column, [1.0, 4.0, 2.0, 3.0]], [0, 0, 1, 1])
    found = row(profiles, 1, "0")
    assert {0: 0, 1: np.inf}.get(np.ptp(column)) == found.effect or column == [0, 0, 1, 1]
    assert found.low <= found.effect <= found.high


def test_a_cluster_of_one_sample_has_effects_and_no_p_value():
    profiles = cs.cluster_profiles([[1.0], [2.5], [3.0], [9.0]], [0, 0, 0, 1])
    found = row(profiles, 1, "0")
    assert found.effect > 3
    assert np.isnan(found.p_value)


@pytest.mark.parametrize(
    ("X", "level", "said"),
    [
        ([[1.0], [2.0]], 0.95, "row for each of the 3 samples"),
        ([[1.0], [2.0], [3.0]], 1.5, "level must be between 0 and 1"),
        ([["a"], ["b"], ["c"]], 0.9, "text columns in a frame"),
    ],
)
def test_what_cannot_be_described_is_named(X, level, said):
    with pytest.raises(InvalidInputError, match=said):
        cs.cluster_profiles(X, [0, 0, 1], level=level)
