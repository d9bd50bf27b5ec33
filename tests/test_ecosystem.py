"""At home in pandas, scikit-learn, joblib, skops and AnnData."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from joblib import Parallel, delayed
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import HDBSCAN, AgglomerativeClustering, KMeans
from sklearn.datasets import make_blobs
from sklearn.metrics import make_scorer, pairwise_distances
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import consensa as cs
from consensa.exceptions import InvalidParameterError
from consensa.metrics import adjusted_rand_index


@pytest.fixture(scope="module")
def blobs():
    centers = [[0, 0, 0], [9, 0, 0], [0, 9, 9]]
    return make_blobs(90, centers=centers, random_state=0)


def quick(n_clusters=3):
    return cs.EAC(n_clusters, generator=cs.RandomKMeans(6), random_state=0)


def test_a_pipeline_fits_and_predicts(blobs):
    X, y = blobs
    steps = make_pipeline(StandardScaler(), quick())
    assert adjusted_rand_index(steps.fit_predict(X), y) == 1
    assert adjusted_rand_index(steps.predict(X[::2]), y[::2]) == 1


def test_grid_search_with_a_score_of_ours_finds_the_number_of_clusters(blobs):
    X, y = blobs
    search = GridSearchCV(
        quick(),
        {"n_clusters": [2, 3, 5], "generator__n_partitions": [6]},
        scoring=make_scorer(adjusted_rand_index),
        cv=2,
    )
    search.fit(X, y)
    assert search.best_params_["n_clusters"] == 3
    assert search.best_score_ == 1


def test_fits_in_parallel_processes_are_those_of_one(blobs):
    X, _ = blobs
    here = [quick(k).fit_predict(X) for k in (2, 3)]
    there = Parallel(n_jobs=2)(delayed(_labels)(k, X) for k in (2, 3))
    assert_array_equal(here, there)


def _labels(n_clusters, X):
    return quick(n_clusters).fit_predict(X)


def test_a_copy_in_a_pickle_predicts_the_same(blobs):
    X, _ = blobs
    model = quick().fit(X)
    again = pickle.loads(pickle.dumps(model))
    assert_array_equal(again.predict(X), model.predict(X))
    assert_array_equal(again.confidence_, model.confidence_)
    assert not hasattr(clone(model), "labels_")


def test_skops_stores_a_fitted_model_with_types_of_ours_only(blobs):
    io = pytest.importorskip("skops.io", reason="needs skops")
    X, _ = blobs
    model = quick().fit(X)
    stored = io.dumps(model)
    foreign = io.get_untrusted_types(data=stored)
    assert all(name.startswith("consensa.") for name in foreign), foreign
    again = io.loads(stored, trusted=foreign)
    assert_array_equal(again.labels_, model.labels_)
    assert_array_equal(again.predict(X), model.predict(X))


def test_a_frame_of_labels_gives_a_series_with_its_index():
    frame = pd.DataFrame({"one": [0, 0, 1, 1], "two": list("aabb")}, index=list("wxyz"))
    series = cs.combine(frame, 2).to_series()
    assert list(series.index) == list("wxyz")
    assert list(series) == [0, 0, 1, 1]
    frame["consensus"] = series  # aligned by the index
    assert list(frame.consensus) == [0, 0, 1, 1]


def test_columns_of_an_anndata_are_combined(blobs):
    anndata = pytest.importorskip("anndata", reason="needs anndata")
    X, y = blobs
    codes = cs.RandomKMeans(5, n_clusters=(3, 6)).generate(X, random_state=0).codes
    obs = pd.DataFrame(
        {f"run{j}": pd.Categorical(codes[:, j].astype(str)) for j in range(5)},
        index=[f"cell{i}" for i in range(90)],
    )
    adata = anndata.AnnData(X.astype(np.float32), obs=obs)
    runs = [name for name in adata.obs if name.startswith("run")]
    adata.obs["consensus"] = cs.combine(adata.obs[runs], 3).to_series().astype("category")
    assert adjusted_rand_index(adata.obs["consensus"].to_numpy(), y) == 1
    adata.obsm["X_pca"] = X
    assert adjusted_rand_index(quick().fit_predict(adata.obsm["X_pca"]), y) == 1
    assert adjusted_rand_index(quick().fit_predict(adata.X), y) == 1


def test_sparse_features_of_an_anndata_are_clustered(blobs):
    anndata = pytest.importorskip("anndata", reason="needs anndata")
    X, y = blobs
    adata = anndata.AnnData(sparse.csr_matrix(np.maximum(X, 0).astype(np.float32)))
    assert sparse.issparse(adata.X)
    assert adjusted_rand_index(cs.cluster(adata.X, 3, random_state=0).labels, y) == 1


def test_precomputed_distances_go_to_clusterers_that_take_them(blobs):
    X, y = blobs
    by_distance = [
        AgglomerativeClustering(k, metric="precomputed", linkage=linkage)
        for k in (3, 4, 5)
        for linkage in ("average", "complete")
    ]
    mixed = cs.Mixed([*by_distance, HDBSCAN(metric="precomputed", copy=True)])
    distances = pairwise_distances(X)
    as_it_was = distances.copy()
    result = cs.cluster(distances, 3, generator=mixed, random_state=0)
    assert adjusted_rand_index(result.labels, y) == 1
    assert result.ensemble.n_partitions == 7
    assert_array_equal(distances, as_it_was)


class _Halves:
    """A generator of one's own, without parameters."""

    def generate(self, X, *, random_state=None):
        half = np.arange(len(X)) < len(X) // 2
        return cs.Ensemble.from_labels(np.c_[half, half].astype(int))


def test_every_estimator_takes_the_number_of_threads():
    X = make_blobs(90, random_state=0)[0]
    own = cs.RandomKMeans(6, n_clusters=4)
    for generator in (cs.DiverseKinds(8), own, cs.Mixed([own, KMeans(3, n_init=1)])):
        alone = cs.LWGP(3, generator=generator, random_state=0).fit(X)
        model = cs.LWGP(3, generator=generator, n_jobs=2, random_state=0).fit(X)
        assert_array_equal(model.labels_, alone.labels_)
        assert model.result_.generator.n_jobs == 2
        assert generator.n_jobs != 2  # the user's is left alone
    assert cs.TEA(3).set_params(n_jobs=2).get_params()["n_jobs"] == 2
    labels = np.c_[X[:, 0] > 0, X[:, 1] > 0].astype(int)
    assert cs.EAC(2, generator="precomputed", n_jobs=2).fit(labels).n_clusters_ == 2
    assert cs.EAC(2, generator=_Halves()).fit(X).n_clusters_ == 2


@pytest.mark.parametrize(
    ("n_jobs", "generator", "said"),
    [
        (0, None, "'n_jobs' parameter of TEA must be an integer other than 0"),
        (2, _Halves(), "'n_jobs' parameter of TEA needs a generator that has it"),
    ],
    ids=["zero", "generator without it"],
)
def test_a_number_of_threads_that_cannot_be_used_is_named(n_jobs, generator, said):
    with pytest.raises(InvalidParameterError, match=said):
        cs.TEA(2, n_jobs=n_jobs, generator=generator).fit([[0.0], [0.1], [5.0], [5.1]])
