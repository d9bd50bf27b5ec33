"""Models in files: what is saved predicts as before, and reading a file runs no code."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.cluster import Birch

import consensa as cs
from consensa.exceptions import InvalidInputError


@pytest.fixture(scope="module")
def samples():
    rng = np.random.RandomState(0)
    truth = rng.permutation(np.repeat([0, 1, 2], 30))
    X = rng.normal(size=(90, 3)) + 8 * truth[:, None]
    return pd.DataFrame(X, columns=["a", "b", "c"]), truth


@pytest.mark.parametrize(
    "generator",
    [
        cs.DiverseKinds(8),
        cs.RandomKMeans(4),
        cs.RandomSubspace(4),
        cs.RandomMetrics(4),
        cs.RandomProjection(4),
        cs.Bootstrap(4, n_clusters=3),
        cs.LandmarkSpectral(4),
    ],
    ids=lambda generator: type(generator).__name__,
)
def test_a_saved_model_predicts_what_the_fitted_one_predicts(samples, generator, tmp_path):
    X, _ = samples
    model = cs.LWEA(3, generator=generator, random_state=0).fit(X[:60])
    cs.save_model(model, tmp_path / "model.npz", X=X[:60])
    loaded = cs.load_model(tmp_path / "model.npz")
    np.testing.assert_array_equal(loaded.predict(X[60:]), model.predict(X[60:]))
    np.testing.assert_array_equal(loaded.result.labels, model.labels_)
    assert "LWEA: 3 clusters of 60 samples" in repr(loaded)


def test_text_columns_sparse_features_and_labels_are_saved_too(samples, tmp_path):
    X, truth = samples
    path = tmp_path / "model.npz"
    frame = X.assign(color=np.array(["red", "green", "blue"])[truth])
    for data, generator in (
        (frame, cs.RandomKMeans(4)),
        (sparse.csr_array(X.to_numpy()), cs.DiverseKinds(4)),
        (np.c_[truth, truth % 2].astype(str), "precomputed"),
    ):
        model = cs.EAC(3, generator=generator, random_state=0).fit(data)
        cs.save_model(model.result_, path)
        np.testing.assert_array_equal(cs.load_model(path).predict(data), model.predict(data))


def test_columns_are_found_by_name_and_missing_values_filled_as_in_the_fit(samples, tmp_path):
    X, _ = samples
    model = cs.EAC(3, generator=cs.RandomKMeans(4), random_state=0).fit(X)
    cs.save_model(model, tmp_path / "model.npz", X=X)
    loaded = cs.load_model(tmp_path / "model.npz")
    other = X[["c", "b", "a"]].assign(more="text")
    np.testing.assert_array_equal(loaded.predict(other), model.predict(X))
    assert loaded.columns.fills == tuple(X.median())
    gaps = X.copy()
    gaps.loc[5, "b"] = np.nan
    filled = X.copy()
    filled.loc[5, "b"] = X.b.median()
    np.testing.assert_array_equal(loaded.predict(gaps), model.predict(filled))
    with pytest.raises(InvalidInputError, match="Missing: b"):
        loaded.predict(X.drop(columns="b"))


def test_the_table_of_new_samples_has_confidence_rival_and_outliers(samples, tmp_path):
    X, _ = samples
    model = cs.TEA(3, generator=cs.RandomKMeans(6), random_state=0).fit(X)
    cs.save_model(model, tmp_path / "model.npz", X=X)
    new = pd.DataFrame([[0.1, 0.2, 0.0], [8.0, 8.0, 8.0], [90, -90, 50]], columns=["a", "b", "c"])
    table = cs.load_model(tmp_path / "model.npz").sample_table(new)
    assert list(table) == list(cs.sample_table(model))
    np.testing.assert_array_equal(table.cluster, model.predict(new))
    assert table.outlier.tolist() == [False, False, True]
    assert table.confidence.between(0, 1).all()
    # The support of a base cluster for a cluster is the share of its samples that are in it.
    codes, labels = model.result_.base_labels(new)[0], model.labels_
    shares = [np.mean(labels[column == code] == table.cluster[0]) for column, code
              in zip(model.ensemble_.codes.T, codes, strict=True)]  # fmt: skip
    assert table.confidence[0] == pytest.approx(np.mean(shares))


def test_models_of_other_libraries_are_refused_by_name(samples, tmp_path):
    X, _ = samples
    model = cs.EAC(3, generator=cs.Mixed([Birch(n_clusters=3)]), random_state=0).fit(X)
    with pytest.raises(InvalidInputError, match=r"object of sklearn.*Birch, which"):
        cs.save_model(model, tmp_path / "model.npz")
    assert not (tmp_path / "model.npz").exists()


class _Bomb:
    def __reduce__(self):
        return open, ("bomb went off", "w")


def test_reading_a_file_runs_no_code_of_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pickle.npz").write_bytes(pickle.dumps(_Bomb()))
    np.savez(tmp_path / "object.npz", content=np.array([_Bomb()], dtype=object))
    hostile = {"object": "system", "fields": {"command": "touch went"}}
    for name, content in (("class.npz", hostile), ("list.npz", [1]), ("number.npz", 7)):
        text = np.frombuffer(json.dumps(content).encode(), np.uint8)
        np.savez(tmp_path / name, content=text)
    for path in tmp_path.glob("*.npz"):
        with pytest.raises(InvalidInputError, match="must be a model written by"):
            cs.load_model(path)
    with pytest.raises(InvalidInputError, match="It has no 'system'"):
        cs.load_model(tmp_path / "class.npz")
    assert not (tmp_path / "bomb went off").exists()
    with pytest.raises(FileNotFoundError):
        cs.load_model(tmp_path / "none.npz")


def test_parts_that_do_not_belong_together_are_noticed(samples, tmp_path):
    X, _ = samples
    path = tmp_path / "model.npz"
    cs.save_model(cs.EAC(3, generator=cs.RandomKMeans(4), random_state=0).fit(X), path)
    arrays = dict(np.load(path))
    labels = json.loads(arrays["content"].tobytes())["fields"]["labels"]["array"]
    arrays[f"array{labels}"] = arrays[f"array{labels}"][:-1]
    np.savez(path, **arrays)
    with pytest.raises(InvalidInputError, match="do not belong together"):
        cs.load_model(path)
