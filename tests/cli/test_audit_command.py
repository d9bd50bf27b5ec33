"""consensa audit: verdict, report and picture."""

from __future__ import annotations

import json
import struct
import sys

import numpy as np
import pandas as pd
import pytest

from consensa import LTA, Ensemble, coassociation
from consensa.metrics import order_information, order_sensitivity


@pytest.fixture
def sorted_csv(tmp_path):
    """Noisy partitions of 90 samples in 3 classes, the rows sorted by class."""
    rng = np.random.RandomState(0)
    truth = np.repeat([0, 1, 2], 30)
    labels = np.stack([truth] * 5, axis=1)
    flipped = rng.uniform(size=labels.shape) < 0.55
    labels[flipped] = rng.randint(3, size=flipped.sum())
    frame = pd.DataFrame(labels, columns=[f"run{i}" for i in range(5)])
    frame["truth"] = truth
    path = tmp_path / "partitions.csv"
    frame.to_csv(path, index=False)
    return path


def test_a_method_that_reads_the_order_is_found_out(consensa, sorted_csv, tmp_path):
    folder = tmp_path / "deep" / "audit"
    done = consensa("audit", sorted_csv, "-k", 3, "--labels", "--truth", "truth", "-m", "lta",
                    "--option", "penalty=0.3", "--shuffles", 4, "-o", folder)  # fmt: skip
    assert done.status == 0
    assert "The result depends on the order of the rows: mean agreement" in done.out
    assert "LTA uses the order of the rows" in done.out
    assert "rows shuffled" in done.out
    assert "[bold]" not in done.out
    report = json.loads((folder / "audit.json").read_text())
    assert report["finding"] == "strong"
    assert report["method"] == "LTA"
    assert len(report["between_orders"]) == len(report["between_seeds"]) == 4
    assert report["scores"]["as given"]["ari"] > report["scores"]["rows shuffled"]["ari"]
    data = pd.read_csv(sorted_csv).drop(columns="truth")
    evidence = coassociation(Ensemble.from_labels(data))
    information = report["order_information"]
    assert information["as_given"] == pytest.approx(order_information(evidence), abs=1e-5)
    assert information["shuffled"] < information["as_given"]


def test_the_agreements_are_those_of_order_sensitivity(consensa, sorted_csv, tmp_path):
    consensa("audit", sorted_csv, "-k", 3, "--labels", "--drop", "truth", "-m", "LTA",
             "--option", "penalty=0.3", "--shuffles", 3, "-o", tmp_path / "out")  # fmt: skip
    report = json.loads((tmp_path / "out" / "audit.json").read_text())
    model = LTA(3, generator="precomputed", penalty=0.3, random_state=0)
    data = pd.read_csv(sorted_csv).drop(columns="truth")
    with pytest.warns(UserWarning, match="order"):
        expected = order_sensitivity(model, data, 3, random_state=0)
    np.testing.assert_allclose(report["between_orders"], expected)
    assert "scores" not in report


def test_pictures_are_whole_and_the_same_twice(consensa, sorted_csv, tmp_path):
    def pictures(folder):
        consensa("audit", sorted_csv, "-k", 3, "--labels", "--shuffles", 3, "-o", folder)
        return [(folder / f"audit.{kind}").read_bytes() for kind in ("png", "svg", "json")]

    first, again = pictures(tmp_path / "a"), pictures(tmp_path / "b")
    assert first == again
    png, svg, _ = first
    assert png.startswith(b"\x89PNG")
    assert struct.unpack(">I", png[16:20])[0] > 1000  # two panels
    assert b"</svg>" in svg


def test_a_method_without_randomness_is_not_asked_for_other_seeds(consensa, sorted_csv, tmp_path):
    consensa("audit", sorted_csv, "-k", 3, "--labels", "--shuffles", 3, "-o", tmp_path / "out")
    assert json.loads((tmp_path / "out" / "audit.json").read_text())["between_seeds"] == []


def test_features_are_audited_with_their_base_partitions(consensa, blobs_csv):
    done = consensa("audit", blobs_csv, "-k", 3, "--truth", "group", "--id", "code",
                    "--shuffles", 3)  # fmt: skip
    assert done.status == 0
    assert "does not depend on the order of the rows: 3 shuffled orders" in done.out
    assert "Written" not in done.err


def test_partitions_without_saying_so_are_warned_of_and_words_are_taken(consensa, write):
    path = write("runs.csv", "p,q\n" + "0,a\n1,b\n2,c\n" * 3)
    done = consensa("audit", path, "-k", 2, "--shuffles", 3, "--partitions", 2)
    assert done.status == 0
    assert "If the columns are partitions, say --labels." in done.err


def test_warnings_come_once_a_kind_and_none_about_the_order(consensa, sorted_csv):
    done = consensa("audit", sorted_csv, "-k", 3, "--labels", "-m", "lta", "--shuffles", 3,
                    "--option", "max_iter=2", "--option", "penalty=0.3")  # fmt: skip
    assert done.err.count("max_iter=2 iterations") == 1
    assert "order of the rows" not in done.err


def test_a_matrix_that_does_not_fit_is_left_out_with_the_reason(
    consensa, blobs_csv, tmp_path, monkeypatch
):
    from consensa.exceptions import NotEnoughMemoryError
    from consensa.study import audit as _audit

    def too_small(*args, **kwargs):
        message = "The co-association matrix needs more."
        raise NotEnoughMemoryError(message)

    monkeypatch.setattr(_audit, "require_square", too_small)
    done = consensa("audit", blobs_csv, "-k", 3, "--drop", "group", "--id", "code", "-m", "sec",
                    "--shuffles", 3, "-o", tmp_path / "out")  # fmt: skip
    assert done.status == 0
    assert "Order information was not computed. The co-association matrix needs more." in done.out
    report = json.loads((tmp_path / "out" / "audit.json").read_text())
    assert report["order_information"] == {"reason": "The co-association matrix needs more."}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--shuffles", "2"), "an integer of at least 3 is expected. Got '2'"),
        (("--method", "ltaa"), "Did you mean 'LTA'?"),
        (("-k", "99"), "-k must be at most the number of samples"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_computed(
    consensa, sorted_csv, arguments, message
):
    done = consensa("audit", sorted_csv, "-k", 3, "--labels", *arguments)
    assert done.status == 2
    assert message in done.err


@pytest.mark.parametrize("name", ["a$b^{_$名\x1b[2J.csv", "caf\udce9.csv"])
def test_names_of_files_are_no_formulas(consensa, sorted_csv, tmp_path, name):
    path = sorted_csv.rename(tmp_path / name)
    done = consensa("audit", path, "-k", 3, "--labels", "--drop", "truth", "-m", "eac",
                    "--shuffles", 3, "-o", tmp_path / "out")  # fmt: skip
    assert done.status == 0, done.err
    assert json.loads((tmp_path / "out" / "audit.json").read_text())["file"] == name
    assert (tmp_path / "out" / "audit.svg").stat().st_size > 0


@pytest.fixture
def functions(tmp_path, monkeypatch):
    """A module of the user in the current folder, and another one that it needs later."""
    (tmp_path / "mine_of_audit.py").write_text(
        "import os\n"
        "import sys\n"
        "import numpy as np\n"
        "def by_place(labels, n_clusters):\n"
        "    return np.arange(len(labels)) * n_clusters // len(labels)\n"
        "def first(labels, n_clusters):\n"
        "    return labels[:, 0]\n"
        "def most_frequent(labels, n_clusters):\n"
        "    print('counting')\n"
        "    return [int(np.bincount(row).argmax()) for row in labels]\n"
        "def broken(labels, n_clusters):\n"
        "    return labels[:, 99]\n"
        "def empty(labels, n_clusters):\n"
        "    assert False\n"
        "def leaves(labels, n_clusters):\n"
        "    sys.exit(0)\n"
        "def large(labels, n_clusters):\n"
        "    raise MemoryError\n"
        "def pair(labels, n_clusters):\n"
        "    return labels[:, 0], 0.3\n"
        "def one(labels, n_clusters):\n"
        "    return np.zeros(len(labels))\n"
        "def partly(labels, n_clusters):\n"
        "    return np.where(np.arange(len(labels)) == 3, np.nan, 0)\n"
        "def by_name(labels, *, n_clusters):\n"
        "    return labels[:, 0]\n"
        "def elsewhere(labels, n_clusters):\n"
        "    import needed_later_by_audit\n"
        "    os.chdir('/')\n"
        "    return needed_later_by_audit.first(labels)\n"
        "number = 3\n"
        "class Clusterer:\n"
        "    def fit_predict(self, X):\n"
        "        return X[:, 0]\n"
    )
    (tmp_path / "needed_later_by_audit.py").write_text("def first(x):\n    return x[:, 0]\n")
    (tmp_path / "leaves_audit.py").write_text("print('done')\nraise SystemExit(0)\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", sys.path.copy())
    for name in ("mine_of_audit", "needed_later_by_audit"):
        monkeypatch.delitem(sys.modules, name, raising=False)


@pytest.mark.parametrize(
    ("name", "finding"),
    [
        ("by_place", "strong"),
        ("first", "none"),
        ("most_frequent", "none"),  # the numbers of the clusters stay, whatever the order
        ("elsewhere", "none"),  # imports when it is called, and goes to another folder
    ],
)
def test_a_function_of_the_user_is_audited(
    consensa, sorted_csv, tmp_path, functions, name, finding
):
    done = consensa("audit", sorted_csv, "-k", 3, "--labels", "--truth", "truth", "--shuffles", 3,
                    "--function", f"mine_of_audit:{name}", "-o", "out")  # fmt: skip
    assert done.status == 0, done.err
    assert "Runs of equal classes along the file: 3; in random order 61, sorted by class 3." in (
        done.out
    )
    assert "5 partitions: " in done.err
    report = json.loads((tmp_path / "out" / "audit.json").read_text())
    assert report["finding"] == finding
    assert report["method"] == f"mine_of_audit:{name}"
    assert report["order_free_by_design"] is None
    assert report["class_runs"]["sortedness"] == 1
    assert report["n_clusters_found"] == 3
    assert ("Other seeds changed nothing. If mine_of_audit:by_place fixes a seed" in done.out) == (
        finding == "strong"
    )
    assert ("counting" in done.err) == (name == "most_frequent")
    assert "counting" not in done.out


def test_a_function_that_gives_another_number_of_clusters_is_told(consensa, sorted_csv, functions):
    done = consensa("audit", sorted_csv, "-k", 3, "--labels", "--shuffles", 3,
                    "--function", "mine_of_audit:one")  # fmt: skip
    assert done.status == 0, done.err
    assert "mine_of_audit:one returned 1 cluster; 3 were asked for." in done.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("mine_of_audit",), "--function must be MODULE:NAME"),
        (("pkg/mine.py:run",), "with the name of a module, not its file"),
        (("pkg/mine.py:run",), "say pkg.mine:run"),
        ((".:f",), "not its file or folder. Got '.:f'."),
        (("../:f",), "not its file or folder. Got '../:f'."),
        (("nowhere_at_all:f",), "'nowhere_at_all' cannot: ModuleNotFoundError"),
        (("leaves_audit:f",), "'leaves_audit' cannot: it called sys.exit(0) (leaves_audit.py, li"),
        (("mine_of_audit:number",), "mine_of_audit:number is int."),
        (("mine_of_audit:Clusterer",), "is the class Clusterer; call its fit_predict"),
        (("mine_of_audit:absent",), "mine_of_audit.py) has no function 'absent'"),
        (("consensa:eac",), "is a method of Consensa: say --method eac"),
        (("mine_of_audit:broken",), "mine_of_audit:broken failed: IndexError: index 99 is out of"),
        (("mine_of_audit:broken",), "(mine_of_audit.py, line 12)."),
        (("mine_of_audit:empty",), "failed: AssertionError (mine_of_audit.py, line 14)."),
        (("mine_of_audit:leaves",), "failed: it called sys.exit(0) (mine_of_audit.py, line 16)."),
        (("mine_of_audit:by_name",), "It must take two arguments by position"),
        (("mine_of_audit:large",), "Out of memory. mine_of_audit:large needs more than there is."),
        (("mine_of_audit:pair",), "mine_of_audit:pair must return one label for each of the 90"),
        (("mine_of_audit:pair",), "Got a tuple of 2."),
        (("mine_of_audit:partly",), "mine_of_audit:partly must label every sample. Sample 3 has"),
        (("mine_of_audit:first", "-m", "eac"), "takes the place of --method"),
    ],
)
def test_a_function_that_cannot_be_audited_is_told(
    consensa, sorted_csv, functions, arguments, message
):
    done = consensa("audit", sorted_csv, "-k", 3, "--labels", "--function", *arguments)
    assert done.status == 2
    assert message in done.err.replace("\n", " ")


def test_one_partition_is_counted_as_one(consensa, write):
    path = write("one.csv", "run\n0\n0\n1\n1\n")
    done = consensa("audit", path, "-k", 2, "--labels", "-m", "eac", "--shuffles", 3)
    assert done.status == 0, done.err
    assert "1 partition: run" in done.err


def test_a_function_needs_labels(consensa, sorted_csv, functions):
    done = consensa("audit", sorted_csv, "-k", 3, "--function", "mine_of_audit:first")
    assert done.status == 2
    assert "say --labels" in done.err
