"""The Python lines of a report make the same thing again."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.cluster import DBSCAN

import consensa as cs
from consensa.report._repeat import python_lines

X = np.concatenate([np.arange(12.0), 50 + np.arange(12.0)])[:, None]
PARTITIONS = np.stack([np.repeat([0, 1], 12), np.tile([0, 1, 2], 8), np.repeat([0, 1, 2], 8)], 1)


def lines_of(model, **known):
    """Lines of a result of this estimator, whatever it was fitted on."""
    result = cs.ConsensusResult(
        np.zeros(2, int),
        cs.Ensemble.from_labels([[0], [0]]),
        made_by=type(model),
        parameters=model.get_params(deep=False),
    )
    return python_lines(result, **known)


def executed(lines, **known):
    exec(lines, known)
    return known["labels"]


@pytest.mark.parametrize(
    "model",
    [
        cs.TEA(2, generator=cs.LandmarkSpectral(5, n_clusters=(2, 4)), random_state=3),
        cs.EAC(3, linkage="single", generator=cs.RandomKMeans(4), random_state=np.int64(1)),
        cs.LWEA(
            2, generator=cs.Mixed([cs.RandomKMeans(3), DBSCAN(eps=2.0, min_samples=2)]),
            random_state=0,
        ),
        cs.EAC(2, random_state=7),
    ],
    ids=["landmarks", "options", "mixed with scikit-learn", "defaults"],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore::consensa.exceptions.UndecidedTieWarning")  # X is symmetric
def test_the_lines_of_an_estimator_give_its_labels(model):
    labels = model.fit_predict(X)
    np.testing.assert_array_equal(executed(python_lines(model.result_), X=X), labels)


def test_parameters_stand_in_the_order_of_the_signature():
    line = "consensa.EAC(n_clusters=2, linkage='single', random_state=0)"
    assert line in lines_of(cs.EAC(2, linkage="single", random_state=0))


def test_the_lines_of_a_result_give_its_labels():
    ensemble = cs.Ensemble.from_labels(PARTITIONS)
    result = cs.sec(ensemble, 3, n_init=2, random_state=5)
    lines = python_lines(result)
    assert lines.endswith(
        "labels = consensa.sec(ensemble, n_clusters=3, n_init=2, random_state=5).labels"
    )
    np.testing.assert_array_equal(executed(lines, ensemble=ensemble), result.labels)


def test_lines_before_are_kept_and_imports_come_first_and_once():
    before = "import numpy as np\nimport consensa\nX = np.eye(4)"
    lines = lines_of(cs.EAC(2), before=before).splitlines()
    assert lines[:4] == ["import numpy as np", "import consensa", "", "X = np.eye(4)"]
    assert lines[4:] == ["model = consensa.EAC(n_clusters=2)", "labels = model.fit_predict(X)"]


def test_a_long_call_stands_on_several_lines():
    generator = cs.LandmarkSpectral(7, n_neighbors=(3, 9), n_landmarks=500, scaling="standard")
    lines = lines_of(cs.TEA(2, generator=generator, random_state=0)).splitlines()
    assert "    n_clusters=2," in lines
    assert max(map(len, lines)) < 130


def test_words_in_parameters_stay_words():
    model = cs.EAC(2, generator=cs.RandomKMeans(3))
    model.linkage = "'''\n__import__('os').abort()"
    assert repr(model.linkage) in lines_of(model)
    assert "\n__import__" not in lines_of(model)


@pytest.mark.parametrize("state", [np.random.RandomState(0), object()])
def test_what_no_line_can_make_is_refused(state):
    said = lines_of(cs.EAC(2, random_state=state))
    assert said.startswith("# The lines cannot be written: a ")


def test_a_class_that_cannot_be_imported_is_refused():
    class Local:
        def get_params(self, deep=False):
            return {}

    assert "cannot be imported" in lines_of(cs.EAC(2, generator=Local()))
