"""Features on disk, in blocks and in memory have the same landmarks and the same labels."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

import consensa as cs
from consensa._machine.hashing import hash_features
from consensa.description.sample_table import result_columns
from consensa.ensemble.stored_labels import StoredCodes
from consensa.features import (
    _drawn_frame,
    _features,
    read_features,
    stored_features,
    table_features,
)
from consensa.features._drawn_frame import drawn_frame
from consensa.features.stored import open_features
from consensa.generation._neighborhood import find_neighborhood
from consensa.generation.landmarks import LocalPasses, in_order
from consensa.metrics import adjusted_rand_index
from consensa.selection import automatic

SMALL = cs.DiverseKinds(12, max_samples=150, n_jobs=1)


@pytest.fixture(scope="module")
def X():
    """Rows around four centers, some of them several times."""
    rng = np.random.default_rng(0)
    rows = rng.normal(scale=3, size=(4, 5))[rng.integers(0, 4, 900)] + rng.normal(size=(900, 5))
    rows[:120] = rows[120:240]
    rows[240:300] = rows[300]
    return rows


@pytest.fixture(scope="module")
def in_memory(X):
    return cs.cluster(X, 4, generator=SMALL, random_state=0)


def short_blocks(monkeypatch, rows=64):
    monkeypatch.setattr(stored_features, "_MOST_ROWS", rows)
    monkeypatch.setattr(stored_features, "_MULTIPLE", 1)
    monkeypatch.setattr(_features, "_PART", rows)


def written(X, folder, kind):
    path = folder / f"x.{kind}"
    if kind == "npy":
        np.save(path, X)
    elif kind == "parquet":
        pd.DataFrame(X, columns=list("abcde")).to_parquet(path, row_group_size=100)
    elif kind == "zarr":
        zarr = pytest.importorskip("zarr")
        zarr.open_array(path, mode="w", shape=X.shape, chunks=(77, 5), dtype="f8")[:] = X
    else:
        path.mkdir()
        for number, part in enumerate(np.array_split(X, 11)):
            frame = pd.DataFrame(part, columns=list("abcde"))
            frame.to_parquet(path / f"part.{number}.parquet")
    return path


def same(result, other):
    assert_array_equal(result.labels, other.labels)
    assert_array_equal(result.confidence, other.confidence)
    assert_array_equal(np.asarray(result.ensemble.labels), np.asarray(other.ensemble.labels))
    assert_array_equal(result.ensemble.weights, other.ensemble.weights)


@pytest.mark.parametrize("kind", ["npy", "parquet", "zarr", "folder"])
def test_features_on_disk_have_the_labels_of_those_in_memory(
    X, in_memory, tmp_path, monkeypatch, kind
):
    path = written(X, tmp_path, kind)
    short_blocks(monkeypatch)
    result = cs.cluster(open_features(path), 4, generator=SMALL, random_state=0)
    same(result, in_memory)
    named = kind in ("parquet", "folder")
    new = pd.DataFrame(X[:50], columns=list("abcde")) if named else X[:50]
    assert_array_equal(result.predict(new), in_memory.predict(X[:50]))
    assert result.ensemble.partition_names == in_memory.ensemble.partition_names


@pytest.mark.parametrize("rows", [50, 333, 10_000])
def test_blocks_and_threads_do_not_matter(X, in_memory, monkeypatch, rows):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    short_blocks(monkeypatch, rows)
    same(cs.cluster(X, 4, generator=SMALL, random_state=0), in_memory)


def test_the_order_of_the_rows_does_not_matter(X, in_memory):
    order = np.random.default_rng(1).permutation(len(X))
    result = cs.cluster(X[order], 4, generator=SMALL, random_state=0)
    assert adjusted_rand_index(result.labels, in_memory.labels[order]) == 1


def test_few_distinct_rows_are_all_points_on_disk_too(tmp_path):
    rng = np.random.default_rng(2)
    rows = rng.integers(0, 2, (400, 4)) + 6.0 * np.eye(4)[rng.integers(0, 3, 400)]
    np.save(tmp_path / "x.npy", rows)
    model = cs.cluster(rows, 3, generator=SMALL, random_state=0)
    same(cs.cluster(open_features(tmp_path / "x.npy"), 3, generator=SMALL, random_state=0), model)
    assert "landmarks" not in model.details


def test_the_sample_has_the_rows_of_the_smallest_hashes_with_exact_counts(X, monkeypatch):
    short_blocks(monkeypatch)
    drawn = in_order(LocalPasses(read_features(X)).draw(100, 5), 5)
    rows, counts = np.unique(X, axis=0, return_counts=True)
    smallest = np.argsort(hash_features(rows, 5))[:100]
    found = {tuple(row): count for row, count in zip(drawn.rows, drawn.counts, strict=True)}
    assert found == {tuple(rows[i]): counts[i] for i in smallest}
    assert not drawn.complete


def test_drawn_rows_at_one_place_of_a_space_are_one_point():
    rng = np.random.default_rng(0)
    directions = rng.normal(size=(40, 3))
    rows = directions[rng.integers(0, 40, 600)] * 2.0 ** rng.integers(0, 9, (600, 1))
    found = find_neighborhood(
        read_features(rows),
        scaling="none",
        metric="cosine",
        max_samples=100,
        n_jobs=1,
        rng=np.random.RandomState(0),
    )
    assert found.n_landmarks == 100
    assert found.n_points == len(np.unique(found.points, axis=0)) <= 40
    assert found.sizes.min() > 0
    assert found.sizes.sum() == 600


def test_equal_values_have_equal_hashes_whatever_their_type():
    whole = np.array([[0, 1, 2], [3, 0, 5]])
    wanted = hash_features(whole)
    assert_array_equal(hash_features(whole.astype(np.float32)), wanted)
    assert_array_equal(hash_features(np.where(whole == 0, -0.0, whole)), wanted)
    assert len(set(wanted.tolist())) == 2
    assert (hash_features(whole, 1) != wanted).all()


def test_the_result_says_how_many_landmarks_there_were(X, in_memory):
    assert in_memory.details["landmarks"] == 150
    assert in_memory.details["exact"] is False
    assert "computed on 150 samples" in repr(in_memory)
    few = cs.cluster(X[:100], 4, generator=SMALL, random_state=0)
    assert "landmarks" not in few.details
    assert few.details["exact"] is True


def test_text_columns_on_disk_have_the_labels_of_those_in_memory(tmp_path, monkeypatch):
    for module in (_drawn_frame, table_features):
        monkeypatch.setattr(module, "SAMPLED_ROWS", 150)
    monkeypatch.setattr(drawn_frame, "__defaults__", (150,))
    rng = np.random.default_rng(0)
    group = rng.integers(0, 3, 500)
    frame = pd.DataFrame(
        {
            "x": rng.normal(size=500) + 3 * group,
            "word": np.array(["u", "v", "w"])[np.where(rng.random(500) < 0.2, 0, group)],
            "kind": pd.Categorical(np.array(["a", "b", "rare"])[group]),
            "number": rng.integers(0, 5, 500).astype(str),
        }
    )
    frame.to_parquet(tmp_path / "x.parquet", row_group_size=170)
    stored = open_features(tmp_path / "x.parquet")
    wanted = cs.cluster(frame, 3, generator=SMALL, random_state=0)
    result = cs.cluster(stored, 3, generator=SMALL, random_state=0)
    same(result, wanted)
    assert result.details["text columns"] == wanted.details["text columns"]
    assert_array_equal(result.predict(frame[:20]), result.labels[:20])
    shuffled = frame.sample(frac=1, random_state=0)
    again = cs.cluster(shuffled, 3, generator=SMALL, random_state=0)
    assert adjusted_rand_index(again.labels, wanted.labels[shuffled.index]) == 1


def test_other_generators_read_everything(X, tmp_path):
    np.save(tmp_path / "x.npy", X.astype(np.float32))
    stored = open_features(tmp_path / "x.npy")
    generator = cs.RandomKMeans(4)
    wanted = cs.cluster(X.astype(np.float32), 4, generator=generator, random_state=0)
    assert_array_equal(
        cs.cluster(stored, 4, generator=generator, random_state=0).labels, wanted.labels
    )
    assert_array_equal(read_features(stored).array, X.astype(np.float32))


def test_generators_take_features_on_disk(X, tmp_path):
    np.save(tmp_path / "x.npy", X)
    graph = cs.GraphCuts(4, max_samples=150)
    wanted = graph.generate(X, n_clusters=3, random_state=0)
    made = graph.generate(open_features(tmp_path / "x.npy"), n_clusters=3, random_state=0)
    assert isinstance(made.labels, StoredCodes)
    assert_array_equal(made.codes, wanted.codes)
    assert made.n_missing == 0


def test_the_number_of_clusters_is_chosen_from_drawn_rows(X, in_memory, tmp_path, monkeypatch):
    np.save(tmp_path / "x.npy", X)
    seen = []

    def choose(rows, numbers, **options):
        seen.append(rows.array)
        return SimpleNamespace(n_clusters=4, result="of the drawn rows")

    monkeypatch.setattr(automatic, "chosen_number", choose)
    monkeypatch.setattr(stored_features.StoredFeatures.sampled, "__defaults__", (200,))
    stored = open_features(tmp_path / "x.npy")
    model = cs.TEA("auto", generator=SMALL, random_state=0).fit(stored)
    assert_array_equal(model.labels_, in_memory.labels)
    (rows,) = seen
    assert len(rows) == 200
    assert {tuple(row) for row in rows} < {tuple(row) for row in X}


def test_labels_on_disk_are_never_read_at_once(X, in_memory, tmp_path, monkeypatch):
    np.save(tmp_path / "x.npy", X)

    def refuse(self, dtype=None, copy=None):
        raise AssertionError

    monkeypatch.setattr(StoredCodes, "__array__", refuse)
    stored = open_features(tmp_path / "x.npy")
    result = cs.cluster(stored, 4, generator=SMALL, random_state=0)
    assert_array_equal(result.labels, in_memory.labels)
    result_columns(result)
    repr(result)
