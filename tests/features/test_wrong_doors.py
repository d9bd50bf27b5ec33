"""Data that are no features get one helpful sentence at once."""

from __future__ import annotations

import anndata
import numpy as np
import pandas as pd
import polars as pl
import pytest

import consensa
from consensa.exceptions import InvalidInputError, LabelColumnsWarning, TransposedLabelsWarning
from consensa.features.partitions import like_partitions

LABELS = pd.DataFrame({"a": [0, 0, 0, 1, 1, 2, 2, 2], "b": [1, 1, 1, 2, 2, 2, 1, 1]})


@pytest.mark.parametrize(
    "call",
    [
        lambda cells: consensa.cluster(cells, 2),
        lambda cells: consensa.select_n_clusters(cells, [2, 3]),
        lambda cells: consensa.TEA(2).fit(cells),
        lambda cells: consensa.DiverseKinds().generate(cells),
    ],
    ids=["cluster", "select_n_clusters", "estimator", "generator"],
)
def test_anndata_is_answered_with_its_matrices(call):
    cells = anndata.AnnData(np.eye(5), obsm={"X_pca": np.eye(5, 2), "X_umap": np.eye(5, 2)})
    with pytest.raises(
        InvalidInputError, match=r"AnnData object of 5 cells and 5 genes"
    ) as caught:
        call(cells)
    assert "adata.obsm['X_pca'], adata.X; or" in str(caught.value)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.from_pandas])
def test_label_columns_given_as_features_are_noticed_before_the_work(make, monkeypatch):
    monkeypatch.setattr("consensa.generation.base.AnyGenerator._generate", None)
    for call in (consensa.cluster, lambda X, k: consensa.select_n_clusters(X, [k, 3])):
        with (
            pytest.warns(LabelColumnsWarning, match=r"use consensa\.combine"),
            pytest.raises(TypeError),  # the work, which is switched off
        ):
            call(make(LABELS), 2)


def test_other_frames_and_label_matrices_are_not_warned_of():
    consensa.combine(LABELS, 2)
    consensa.cluster(LABELS, 2, generator="precomputed")
    measured = LABELS.assign(x=np.linspace(0, 1, 8))
    assert not like_partitions(measured)
    assert not like_partitions(LABELS.to_numpy())
    assert not like_partitions(pd.DataFrame({"a": [[1], [2]], "b": [0, 1]}))


def test_labels_whose_samples_seem_to_be_columns_are_questioned():
    labels = np.tile(np.repeat([[0], [1]], 2, axis=0), 60) + np.arange(60)
    with pytest.warns(TransposedLabelsWarning, match="has 4 rows and 60 columns"):
        consensa.combine(labels, 2)
    with pytest.warns(TransposedLabelsWarning, match=r"labels\.T"):
        consensa.EAC(2, generator="precomputed").fit(labels)
    consensa.combine(consensa.Ensemble.from_labels(labels), 2)  # an ensemble is what it is
    consensa.combine(labels[:, :20], 2)
