"""Small files of every format that is read, ways to damage them, and what reading them may do."""

from __future__ import annotations

import gzip
import io
import tempfile
import warnings
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import zarr
from hypothesis import strategies as st
from workbooks import ods, xlsx

from consensa import (
    EAC,
    Ensemble,
    RandomKMeans,
    load_model,
    open_features,
    open_labels,
    save_model,
)
from consensa.cli._columns import Roles, choose_columns, prepared_features
from consensa.datasets import load
from consensa.ensemble.missing import is_labeled
from consensa.exceptions import ConsensaError, ConsensaWarning
from consensa.tables.reading import PACKED, READERS, read_table
from consensa.tables.table import Request

LABELS = np.array([[0, 2], [0, -1], [1, 2], [1, 0], [0, 2]], np.int16)
POINTS = np.array([[0.5, -2.0], [1e3, 0.25], [3.0, 7.0], [0.0, 1.5]])
NAMES = np.array([["a", "x"], ["a", "-1"], ["b", "x"], ["b", "y"]])
FRAME = pd.DataFrame(
    {
        "p": pd.array([2**53 + 1, 2**53, None, 2**53], dtype="Int64"),
        "q": ["a", None, "-1", "ä"],
        "r": [0.0, 1.0, np.nan, 1.0],
        "s": [True, False, False, True],
    },
    index=pd.Index(["007", "NA", "x", "y"], name="cell"),
)
TEXTS = {
    "labels.csv": "p,q\n0,a\n0,-1\n1,b\n1,b\n",
    "names.csv": ",p,q\n007,1,a\nNA,,b\nx,9007199254740993,b\n",
    "index.csv": "p;q\nr1;1;2\nr2;1;NA\nr3;2;2\n",
    "quoted.csv": '"p","q ""r"""\r\n"a, b",1\r\n"a\nb",2\r\nc,1\r\n',
    "points.tsv": "x\ty\n0.5\t1e3\n-2\t7\n1\tinf\n",
    "labels.txt": "p q\n1 2\n1 2\n2 1\n",
    "comma.csv": "x;share;price\n1,5;10 %;1.234,50 €\n-2;7%;3 €\n;12%;\n",
    "days.csv": "day,x,y\n2026-01-02,1,a\n2026-01-03,,a\n2026-02-03,3,b\n",
}


ROWS = [["x", "y"], [1.5, "a"], [2.0, "a"], [3.0, None]]


def _binary(write):
    buffer = io.BytesIO()
    write(buffer)
    return buffer.getvalue()


def _folder(write):
    """Files below a folder, by their paths."""
    with tempfile.TemporaryDirectory() as parent:
        top = Path(parent) / "folder"
        write(top)
        files = sorted(path for path in top.rglob("*") if path.is_file())
        return {str(path.relative_to(top)): path.read_bytes() for path in files}


def _zarr(labels, **options):
    def write(path):
        array = zarr.create_array(
            path, shape=labels.shape, chunks=(2, 2), dtype=labels.dtype, fill_value=-1, **options
        )
        array[:] = labels

    return _folder(write)


def _saved():
    frame = pd.DataFrame(LABELS, columns=["p", "q"], index=list("abcde"))
    with tempfile.TemporaryDirectory() as folder:
        Ensemble.from_labels(frame).save(Path(folder) / "saved.npz")
        return (Path(folder) / "saved.npz").read_bytes()


def _model():
    X = pd.DataFrame(POINTS, columns=["x", "y"]).assign(z=["a", "b", "a", "b"])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.npz"
        fitted = EAC(2, generator=RandomKMeans(2, n_clusters=2), random_state=0).fit(X)
        save_model(fitted, path, X=X)
        return path.read_bytes()


def seeds():
    """Valid files: for each name, its files by their paths, {"": content} if it is one file.

    HDF5 is not among them: its library itself loops forever over some damaged files.
    """
    single = {name: text.encode() for name, text in TEXTS.items()}
    single |= {
        "labels.npy": _binary(lambda file: np.save(file, LABELS)),
        "points.npy": _binary(lambda file: np.save(file, POINTS)),
        "names.npy": _binary(lambda file: np.save(file, NAMES)),
        "set.npz": _binary(lambda file: np.savez(file, X=POINTS, y=[1, 2, 1, 2], members=NAMES)),
        "packed.npz": _binary(lambda file: np.savez_compressed(file, labels=LABELS)),
        "saved.npz": _saved(),
        "model.npz": _model(),
        "wide.csv": TEXTS["comma.csv"].encode("utf-16"),
        "packed.csv.gz": gzip.compress(TEXTS["labels.csv"].encode(), mtime=0),
        "packed.csv.zst": pa.compress(TEXTS["labels.csv"].encode(), codec="zstd", asbytes=True),
        "table.xlsx": xlsx({"Sheet1": ROWS}),
        "table.ods": ods({"Sheet1": ROWS}),
        "frame.feather": _binary(lambda file: FRAME.reset_index().to_feather(file)),
        "frame.parquet": _binary(lambda file: FRAME.to_parquet(file, row_group_size=3)),
        "points.parquet": _binary(
            lambda file: pd.DataFrame(POINTS).rename(columns=str).to_parquet(file, index=False)
        ),
    }
    found = {name: {"": content} for name, content in single.items()}
    found["three.zarr"] = _zarr(LABELS)
    found["two.zarr"] = _zarr(LABELS, zarr_format=2)
    parts = _folder(lambda path: (path.mkdir(), FRAME.to_parquet(path / "1.parquet")))
    found["parts"] = parts | {"2.parquet": parts["1.parquet"]}
    return found


SEEDS = seeds()


@st.composite
def damaged(draw):
    """Name of a file, and its content after a few bytes were changed."""
    name = draw(st.sampled_from(sorted(SEEDS)))
    files = dict(SEEDS[name])
    for _ in range(draw(st.integers(1, 3))):
        part = draw(st.sampled_from(sorted(files)))
        files[part] = _damage(draw, files[part])
    return name, files


def _damage(draw, content):
    place = draw(st.integers(0, max(len(content) - 1, 0)))
    length = draw(st.integers(1, 8))
    before, cut, after = (
        content[:place],
        content[place : place + length],
        content[place + length :],
    )
    return {
        "flip": lambda: (
            before + bytes(b ^ draw(st.integers(1, 255)) for b in cut[:1]) + content[place + 1 :]
        ),
        "delete": lambda: before + after,
        "insert": lambda: before + draw(st.binary(min_size=1, max_size=8)) + content[place:],
        "say": lambda: before + draw(st.sampled_from(WORDS)) + after,
        "cut": lambda: before,
        "repeat": lambda: before + cut + cut + after,
    }[draw(st.sampled_from(["flip", "delete", "insert", "say", "cut", "repeat"]))]()


WORDS = [
    b"-1", b"-2", b"+1", b"1e999", b"nan", b"NA", b"\0", b"\xff", b'"', b"\n", b"\r", b",", b";",
    b"9" * 20, b"9" * 400, b"\xef\xbb\xbf", b"\xe2\x88\x921", b"True", b"|O", b"(9999999999, 9)",
]  # fmt: skip


def write(folder, name, files):
    """Write a file or a folder; returns its path."""
    path = Path(folder) / name
    for part, content in files.items():
        target = path / part if part else path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return path


def read_everywhere(path):
    """Read a file by every reader that takes it; all must succeed, or say what is wrong."""
    for reader in _readers(path):
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            with suppress(ConsensaError):
                _telling(reader, path)
        foreign = [w.message for w in warned if not issubclass(w.category, ConsensaWarning)]
        assert not foreign, foreign


def _telling(reader, path):
    """Call a reader; what it raises must be one paragraph, and about the file."""
    try:
        reader(path)
    except ConsensaError as error:
        said = str(error)
        complete = said.strip() and "\n" not in said and len(said) < 1500
        # The guard of the files takes whatever a library raises, and a slip of ours with it.
        if not complete or isinstance(error.__cause__, (NameError, AssertionError)):
            raise AssertionError(said) from error
        raise


def _readers(path):
    if path.suffix in READERS or path.suffix in PACKED:
        yield from (_read_labels, _read_points, _read_without_header)
    if path.is_dir() or path.suffix in (".npy", ".parquet"):
        yield from (_open_labels, _open_features)
    if path.suffix == ".npz":
        yield from (_load_ensemble, _load_dataset, _load_model)


def _read_labels(path, header=None):
    table = read_table(path, Request.of(header, None, labels=True, truth=None, row_id="p"))
    chosen = choose_columns(table, Roles())
    _check_ensemble(Ensemble.from_labels(chosen.data))
    assert len(chosen.row_names) == len(chosen.data)


def _read_without_header(path):
    _read_labels(path, header=False)


def _read_points(path):
    table = read_table(path, Request.of(None, None, labels=False, truth=None, row_id=None))
    chosen = choose_columns(table, Roles())
    read, left = prepared_features(table, chosen, {}, partitions="")
    found = read.array
    assert len(left.row_names) == len(found)
    assert found.ndim == 2
    assert np.isfinite(found).all()


def _open_labels(path):
    stored = open_labels(path)
    _check_ensemble(Ensemble.from_labels(stored))
    names = stored.row_names()
    assert names is None or len(names) == stored.shape[0]


def _open_features(path):
    stored = open_features(path)
    found = stored.load()
    assert found.array.shape == (stored.n_samples, stored.width)
    assert np.isfinite(found.array).all()
    names = stored.row_names()
    assert names is None or len(names) == stored.n_samples


def _load_ensemble(path):
    _check_ensemble(Ensemble.load(path))


def _load_model(path):
    result = load_model(path).result
    _check_ensemble(result.ensemble)
    assert len(result.labels) == result.ensemble.n_samples


def _load_dataset(path):
    found = load(path.stem, folder=path.parent)
    assert len(found.y) == found.n_samples


def _check_ensemble(ensemble):
    labeled = is_labeled(ensemble.codes)
    assert ensemble.codes.min() >= -1
    assert labeled.any(axis=0).all()
    assert labeled.any(axis=1).all()
