"""``consensa cluster``: what it reads, what it writes, what it says."""

from __future__ import annotations

import io
import warnings

import dask
import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist, squareform
from sklearn.metrics import adjusted_rand_score

from consensa import EAC, DiverseKinds, cluster, consensus
from consensa._defaults import DEFAULT_METHOD
from consensa._result import ConsensusResult
from consensa.consensus.base import BaseConsensus
from consensa.consensus.catalogue import find_methods
from consensa.consensus.method import MethodInfo, consensus_method
from consensa.distributed import connection
from consensa.selection.automatic import chosen_number

COLUMNS = ["cluster", "confidence", "rival", "rival_share", "outlier"]


def read(text):
    return pd.read_csv(io.StringIO(text), dtype=str)


def test_labels_go_to_stdout_and_everything_else_to_stderr(consensa, blobs_csv, blobs):
    done = consensa("cluster", blobs_csv, "-k", 3, "--id", "code", "--truth", "group")
    table = read(done.out)
    assert done.status == 0
    assert list(table) == ["code", *COLUMNS]
    assert list(table.code) == list(blobs.code)  # 007 stays 007
    assert adjusted_rand_score(blobs.group, table.cluster) == 1
    for said in (
        "acc",
        "1.000",
        "30 samples",
        "48 partitions",
        "sizes 10, 10, 10",
        f"by {DEFAULT_METHOD}",
    ):
        assert said in done.err


@pytest.mark.parametrize(
    ("asked", "said"), [(1, "1 cluster of size 30"), (3, "3 clusters of sizes 10, 10, 10")]
)
def test_one_cluster_is_told_in_the_singular(consensa, blobs_csv, asked, said):
    done = consensa("cluster", blobs_csv, "-k", asked, "--id", "code", "--drop", "group")
    assert done.err.endswith(said)


@pytest.mark.filterwarnings("ignore::consensa.exceptions.UndecidedTieWarning")
def test_the_answer_is_that_of_the_library(consensa, blobs_csv):
    done = consensa(
        "cluster", blobs_csv, "-k", 5, "--drop", "code", "--drop", "group",
        "--seed", 7, "--partitions", 6, "--jobs", 1,
    )  # fmt: skip
    features = pd.read_csv(blobs_csv)[["x", "y"]]  # other last digits than those of blobs
    expected = cluster(features, 5, generator=DiverseKinds(6), random_state=7).labels
    np.testing.assert_array_equal(read(done.out).cluster.astype(int), expected)


def test_text_columns_are_taken_as_the_library_takes_them(consensa, blobs, blobs_csv):
    done = consensa("cluster", blobs_csv, "-k", 3, "--drop", "code")
    expected = cluster(blobs.drop(columns="code"), 3, random_state=0).labels
    np.testing.assert_array_equal(read(done.out).cluster.astype(int), expected)
    assert "partitions do" not in done.err
    # A column of classes that nobody named is not used in silence.
    assert "text columns, which are used as features: 'group'" in " ".join(done.err.split())
    assert (
        "words"
        not in consensa("cluster", blobs_csv, "-k", 3, "--truth", "group", "--drop", "code").err
    )


@pytest.mark.parametrize(
    ("text", "warned"),
    [
        ("p,q\n" + "0,1\n1,2\n2,1\n" * 3, True),
        ("p,q\n" + "0,a\n1,b\n2,-1\n" * 3, True),
        ("p,q\n" + "0,1\n1,0\n" * 4, False),  # present or absent
        ("p,q\n" + "0,1.5\n1,2\n2,1\n" * 3, False),
        ("p,q\n" + "0,1\n1,7\n2,1\n" * 3, False),
        ("p,q\n0,1\n1,2\n2,3\n3,4\n", False),
    ],
    ids=["numbers", "words", "binary", "fractions", "gaps", "many"],
)
def test_features_that_look_like_partitions_are_warned_of(consensa, write, text, warned):
    done = consensa("cluster", write("runs.csv", text), "-k", 2, "--partitions", 2)
    assert done.status == 0
    assert (
        "like a partition. The columns are read as features. If the columns are" in done.err
    ) == warned
    assert ("--labels" in done.err) == warned


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet"])
def test_the_ending_of_the_output_decides_its_form(consensa, blobs_csv, tmp_path, ending):
    target = tmp_path / f"labels{ending}"
    done = consensa(
        "cluster", blobs_csv, "-k", 3, "--id", "code", "--truth", "group", "-o", target
    )
    readers = {".csv": pd.read_csv, ".tsv": pd.read_table, ".parquet": pd.read_parquet}
    table = readers[ending](target)
    assert done.status == 0
    assert done.out == ""
    assert list(table) == ["code", *COLUMNS]
    assert len(table) == 30
    assert f"Labels written to {target}" in done.err


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".tab", ".txt", ".parquet", ".npy", ".npz"])
def test_every_kind_of_file_gives_the_same_answer(consensa, blobs, tmp_path, ending):
    features = blobs[["x", "y"]]
    path = tmp_path / f"blobs{ending}"
    if ending == ".npy":
        np.save(path, features.to_numpy())
    elif ending == ".npz":
        np.savez(path, X=features.to_numpy(), group=blobs.group.to_numpy(str))
    elif ending == ".parquet":
        features.to_parquet(path)
    else:
        separator = {".csv": ",", ".txt": " "}.get(ending, "\t")
        features.to_csv(path, sep=separator, index=False)
    table = read(consensa("cluster", path, "-k", 3).out)
    assert list(table["sample"].astype(int)) == list(range(30))
    assert adjusted_rand_score(blobs.group, table.cluster) == 1


@pytest.mark.parametrize("name", ["eac", "EAC", "lwea", "LtA"])
def test_methods_are_found_in_capitals_or_not(consensa, blobs_csv, name):
    if name.upper() not in find_methods():
        pytest.skip("this method is not there")
    done = consensa("cluster", blobs_csv, "-k", 3, "-m", name, "--id", "code", "--truth", "group")
    assert done.status == 0
    assert f"by {name.upper()} in" in done.err


def test_a_method_that_is_added_just_works(consensa, blobs_csv, monkeypatch):
    info = MethodInfo("Toy", 2000, "nobody", "1", "1", 0, order_free=False, missing=True)

    @consensus_method(info)
    def toy(ensemble, n_clusters):
        return ConsensusResult(np.arange(ensemble.n_samples) % n_clusters, ensemble)

    class Toy(BaseConsensus):
        _function = staticmethod(toy)

    monkeypatch.setattr(consensus, "Toy", Toy, raising=False)
    monkeypatch.setattr(consensus, "__all__", [*consensus.__all__, "Toy"])
    done = consensa("cluster", blobs_csv, "-k", 3, "-m", "toy", "--id", "code", "--drop", "group")
    assert list(read(done.out).cluster[:4]) == ["0", "1", "2", "0"]
    assert "Toy" in consensa("methods").out


def test_the_default_does_not_depend_on_the_order_of_the_rows():
    assert find_methods()[DEFAULT_METHOD].info.order_free


def test_parameters_of_a_method_are_options(consensa, blobs_csv, blobs):
    arguments = ("cluster", blobs_csv, "-k", 3, "--id", "code", "--drop", "group")
    done = consensa(*arguments, "-m", "eac", "--option", "linkage=single")
    model = EAC(3, linkage="single", generator=DiverseKinds(), random_state=0)
    expected = model.fit_predict(blobs[["x", "y"]].to_numpy())
    np.testing.assert_array_equal(read(done.out).cluster.astype(int), expected)


def test_a_warning_of_consensa_is_a_paragraph(consensa, write):
    path = write("same.csv", "x,y\n" + "1,1\n" * 5 + "2,2\n" * 5)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        done = consensa("cluster", path, "-k", 4)
    assert done.status == 0
    assert f"Warning: {DEFAULT_METHOD.lower()} returns 2 clusters instead of 4" in done.err
    assert "FewerClustersWarning" not in done.err


def test_distances_are_clustered_as_the_library_does(consensa, blobs, tmp_path):
    distances = squareform(pdist(blobs[["x", "y"]]))
    path = tmp_path / "distances.csv"
    pd.DataFrame(distances).assign(code=blobs.code).to_csv(path, index=False)
    done = consensa("cluster", path, "-k", 3, "--metric", "precomputed", "--id", "code")
    assert done.status == 0
    assert "Space: distances as given" in done.err
    assert adjusted_rand_score(blobs.group, read(done.out).cluster) == 1
    done = consensa("cluster", path, "-k", 3, "--metric", "precomputed", "--drop", "0")
    assert done.status == 2
    assert "must be a matrix of distances" in done.err
    done = consensa("cluster", path, "-k", "2-3", "--metric", "precomputed", "--id", "code")
    assert (done.status, "needs features" in done.err) == (2, True)
    done = consensa("cluster", path, "-k", 3, "--metric", "manhattan")
    assert (done.status, "euclidean, cosine, precomputed" in done.err) == (2, True)


def test_what_is_doubted_is_said_after_the_result(consensa, blobs, write):
    numbered = blobs.drop(columns=["code", "group"]).assign(number=np.arange(30))
    shuffled = numbered.sample(frac=1, random_state=0)
    for frame in (numbered, shuffled):
        path = write("numbered.csv", frame.to_csv(index=False))
        done = consensa("cluster", path, "-k", 3, "--keep", "number")
        assert done.status == 0
        assert "Space: columns as they are; Euclidean distance" in done.err
        assert "clusters of sizes 10, 10, 10 Warning: Column 'number' looks like" in done.err
        assert done.err.count("looks like") == 1


def test_names_of_samples_that_are_not_said_to_be_names_are_doubted(consensa, blobs_csv):
    done = consensa("cluster", blobs_csv, "-k", 3, "--drop", "group", "--keep", "code")
    assert done.status == 0
    assert "Column 'code' looks like" in done.err
    left_out = consensa("cluster", blobs_csv, "-k", 3, "--drop", "group")
    assert "are left out: 'code'" in left_out.err


def test_a_first_column_without_a_name_holds_the_names_of_the_rows(consensa, blobs, tmp_path):
    named = blobs[["x", "y"]].set_axis([f"row{i}" for i in range(30)])
    for name, text in {
        "pandas.csv": named.to_csv(),
        "r.txt": named.to_csv(sep=" ", header=False).join(["x y\n", ""]),
    }.items():
        (tmp_path / name).write_text(text)
        table = read(consensa("cluster", tmp_path / name, "-k", 3).out)
        assert list(table["sample"]) == list(named.index), name


def test_truth_and_names_may_lie_beside_the_matrix_in_an_npz_file(consensa, blobs, tmp_path):
    path = tmp_path / "blobs.npz"
    np.savez(path, X=blobs[["x", "y"]], y=blobs.group.to_numpy(str), other=np.ones((2, 2)))
    done = consensa("cluster", path, "-k", 3, "--truth", "y")
    assert done.status == 0
    assert "1.000" in done.err


def test_a_file_without_names_is_read_when_one_says_so(consensa, write):
    path = write("plain.csv", "1,1\n1,2\n9,9\n9,8\n")
    assert len(read(consensa("cluster", path, "-k", 2, "--no-header").out)) == 4
    assert len(read(consensa("cluster", path, "-k", 2, "--header").out)) == 3


def test_a_semicolon_separates_where_it_is_the_separator(consensa, write):
    path = write("european.csv", "x;y\n1;1\n1;2\n9;9\n9;8\n")
    assert list(read(consensa("cluster", path, "-k", 2).out).cluster) == ["0", "0", "1", "1"]


def test_the_space_of_text_columns_is_not_called_unscaled(consensa, blobs, write):
    path = write("text.csv", blobs.drop(columns="code").to_csv(index=False))
    done = consensa("cluster", path, "-k", 3)
    assert done.status == 0
    assert "Space: columns of numbers divided by their range, and indicators of text;" in done.err


@pytest.fixture(scope="module")
def many_rows(tmp_path_factory):
    """A folder of Parquet: three classes, a column of text, and an empty file."""
    rng = np.random.default_rng(0)
    place = rng.integers(0, 3, 300)
    points = rng.standard_normal((3, 4))[place] * 4 + rng.standard_normal((300, 4))
    frame = pd.DataFrame(points, columns=list("abcd")).assign(
        color=np.array(["red", "blue", "green"])[place], name=[f"n{i}" for i in range(300)]
    )
    folder = tmp_path_factory.mktemp("data") / "rows"
    folder.mkdir()
    for number, (start, stop) in enumerate([(0, 200), (200, 200), (200, 300)]):
        frame[start:stop].to_parquet(folder / f"part.{number}.parquet")
    return folder


def test_a_folder_is_clustered_on_dask_as_on_one_machine(consensa, many_rows, tmp_path):
    page = tmp_path / "page.html"
    asked = ("cluster", many_rows, "-k", 3, "--id", "name", "--partitions", 6)
    here = consensa(*asked)
    with dask.config.set(scheduler="synchronous"):
        there = consensa(*asked, "--engine", "dask", "--report", page)
    assert here.status == there.status == 0, here.err + there.err
    assert there.out == here.out
    assert there.out.count("\n") == 301
    text = page.read_text()
    assert "3 clusters in 300 samples" in text
    assert "drawn by a hash of their values" in text
    assert "color" in text


def test_the_number_is_chosen_on_dask_as_on_one_machine(
    consensa, many_rows, tmp_path, monkeypatch
):
    monkeypatch.setitem(chosen_number.__kwdefaults__, "n_references", 0)  # it takes long
    asked = ("cluster", many_rows, "-k", "2-3", "--id", "name", "--partitions", 6)
    here = consensa(*asked)
    with dask.config.set(scheduler="synchronous"):
        there = consensa(*asked, "--engine", "dask", "--resume", tmp_path / "state")
    assert here.status == there.status == 0, here.err + there.err
    assert there.out == here.out
    chosen = [done.err.partition("Number of clusters")[2] for done in (here, there)]
    assert chosen[0] == chosen[1] != ""


def test_a_table_goes_to_dask_too(consensa, blobs_csv, tmp_path):
    page = tmp_path / "page.html"
    asked = ("cluster", blobs_csv, "-k", 3, "--partitions", 6)
    here = consensa(*asked)
    with dask.config.set(scheduler="synchronous"):
        there = consensa(*asked, "--engine", "dask", "--report", page)
    assert there.status == 0, there.err
    assert there.out == here.out
    assert "drawn by a hash" not in page.read_text()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["-k", "3", "--save", "model.npz"], "--save is not available"),
        (["-k", "3", "-m", "eac"], "--engine dask has 'ECPCSMC'"),
        (["-k", "3", "--scheduler", "tcp://127.0.0.1:1"], "address of a Dask scheduler"),
    ],
    ids=["save", "method", "scheduler"],
)
@pytest.mark.filterwarnings("ignore")  # of Dask's own, on a connection that fails
def test_what_dask_cannot_do_is_said(consensa, many_rows, options, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(connection, "_ANSWER_WITHIN", 0.3)
    with dask.config.set(scheduler="synchronous"):
        done = consensa("cluster", many_rows, "--engine", "dask", *options)
    assert done.status == 2
    assert said in done.err
