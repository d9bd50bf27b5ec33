"""AnnData objects in scanpy's manner: what is written where."""

from __future__ import annotations

import anndata
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import consensa as cs
from consensa.exceptions import InvalidInputError, InvalidParameterError


@pytest.fixture
def cells():
    rng = np.random.RandomState(0)
    truth = np.repeat([0, 1, 2], 30)
    X = rng.poisson(1.0, size=(90, 12)).astype(float)
    X[np.arange(90), truth] += 12
    adata = anndata.AnnData(
        sparse.csr_matrix(X), var=pd.DataFrame(index=[f"g{j}" for j in range(12)])
    )
    adata.obs_names = [f"cell{i}" for i in range(90)]
    adata.obsm["X_pca"] = X[:, :3] + rng.normal(size=(90, 3))
    for run in range(4):
        labels = np.where(rng.uniform(size=90) < 0.1, rng.randint(3, size=90), truth)
        adata.obs[f"leiden_{run}"] = pd.Categorical(labels.astype(str))
    return adata


def test_columns_of_obs_are_combined_as_by_combine(cells):
    keys = [f"leiden_{run}" for run in range(4)]
    assert cs.anndata.consensus(cells, 3, keys=keys) is None
    expected = cs.sample_table(cs.combine(cells.obs[keys], 3, random_state=0))
    obs = cells.obs
    assert isinstance(obs.consensus.dtype, pd.CategoricalDtype)
    assert obs.consensus.astype(int).tolist() == expected.cluster.tolist()
    np.testing.assert_array_equal(obs.consensus_confidence, expected.confidence)
    np.testing.assert_array_equal(obs.consensus_rival_share, expected.rival_share)
    assert obs.consensus_outlier.dtype == bool
    assert cells.uns["consensus"]["params"]["keys"] == keys
    assert cells.uns["consensus"]["linkage"].shape[1] == 4


def test_a_representation_is_clustered_and_another_copy_left_alone(cells):
    generator = cs.RandomKMeans(5)
    made = cs.anndata.consensus(
        cells, 3, use_rep="X_pca", generator=generator, key_added="k", store_matrix=True, copy=True
    )
    assert "k" not in cells.obs
    expected = cs.cluster(cells.obsm["X_pca"], 3, generator=generator, random_state=0)
    assert made.obs["k"].astype(int).tolist() == expected.labels.tolist()
    matrix = made.obsp["k_coassociation"]
    np.testing.assert_allclose(matrix, cs.coassociation(expected.ensemble))
    whole = cs.anndata.consensus(cells, 3, use_rep="X", generator=generator, copy=True)
    assert whole.obs.consensus.nunique() == 3  # sparse counts


def test_the_number_of_clusters_can_be_selected(cells):
    for run, fine in enumerate([3, 3, 4, 5]):  # partitions of one number cannot tell which it is
        parts = np.where(
            np.arange(90) < 60, np.repeat([0, 1, 2], 30), 2 + np.arange(90) % (fine - 2)
        )
        cells.obs[f"leiden_{run}"] = pd.Categorical(parts.astype(str))
    cs.anndata.consensus(cells, keys=[f"leiden_{run}" for run in range(4)])
    assert cells.obs.consensus.nunique() == 3
    assert "3 clusters" in cells.uns["consensus"]["finding"]


def test_what_is_written_survives_a_file(cells, tmp_path):
    cs.anndata.consensus(cells, 3, keys=["leiden_0", "leiden_1"])
    cells.write_h5ad(tmp_path / "cells.h5ad")
    again = anndata.read_h5ad(tmp_path / "cells.h5ad")
    assert again.obs.consensus.tolist() == cells.obs.consensus.tolist()
    assert again.uns["consensus"]["params"]["method"] == "tea"
    np.testing.assert_array_equal(
        again.uns["consensus"]["linkage"], cells.uns["consensus"]["linkage"]
    )


def test_markers_are_the_genes_of_each_cluster(cells):
    cs.anndata.consensus(cells, 3, keys=["leiden_0", "leiden_1"])
    found = cs.anndata.markers(cells, n_top=1)
    assert set(found.feature) == {"g0", "g1", "g2"}
    assert (found.effect > 2).all()


def test_leiden_runs_over_resolutions_are_a_generator(cells):
    pytest.importorskip("leidenalg")
    sweep = cs.LeidenSweep(6, resolution=(0.2, 0.6))
    cs.anndata.consensus(cells, 3, generator=sweep)
    truth = np.repeat([0, 1, 2], 30)
    assert cs.metrics.adjusted_rand_index(truth, cells.obs.consensus) > 0.9
    assert "LeidenSweep" in cells.uns["consensus"]["params"]["generator"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"keys": ["louvain"]}, "Not there: louvain"),
        ({"keys": []}, "at least one"),
        ({"use_rep": "X_umap"}, "use_rep must be 'X' or a key of .obsm"),
    ],
)
def test_what_is_not_there_is_named(cells, options, said):
    with pytest.raises(InvalidInputError, match=said):
        cs.anndata.consensus(cells, 3, **options)


def test_other_objects_and_numbers_are_refused(cells):
    with pytest.raises(InvalidInputError, match=r"must be an AnnData object\. Got ndarray"):
        cs.anndata.consensus(np.eye(3), 2)
    with pytest.raises(InvalidParameterError, match="'n_clusters' parameter of consensus"):
        cs.anndata.consensus(cells, "three")
    with pytest.raises(InvalidInputError, match="Call consensus first"):
        cs.anndata.markers(cells)
