"""One road from X: what is read once, checked once and kept, whatever the path."""

from __future__ import annotations

from collections import Counter

import array_api_strict as strict
import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.datasets import load_wine, make_blobs

import consensa as cs
from consensa._machine import memory
from consensa.consensus import base, method
from consensa.exceptions import InvalidParameterError
from consensa.features import _columns, _features, read_features
from consensa.generation import _neighborhood

X, TRUTH = make_blobs(60, centers=3, n_features=3, cluster_std=0.5, random_state=0)
NAMES = [f"sample {row}" for row in range(60)]
FRAME = pd.DataFrame(X, columns=list("xyz"), index=NAMES).assign(text=np.array(list("abc"))[TRUTH])


@pytest.fixture
def counts(monkeypatch):
    """How often each step of reading and checking is done."""
    counted = Counter()

    def count(module, name):
        plain = getattr(module, name)

        def counting(*args, **kwargs):
            counted[name] += 1
            return plain(*args, **kwargs)

        monkeypatch.setattr(module, name, counting)

    count(_features, "check_matrix")  # reads the numbers
    count(_columns, "is_text")  # looks at a column that is not numeric
    count(base, "check_fits")
    count(memory, "available_bytes")
    monkeypatch.setattr(method, "check_fits", base.check_fits)
    return counted


@pytest.mark.parametrize(
    "fit",
    [
        lambda: cs.cluster(FRAME, 3),
        lambda: cs.TEA(3).fit(FRAME),
        lambda: cs.cluster(FRAME, 3, generator=cs.Mixed([cs.RandomKMeans(3), KMeans(3)])),
        lambda: cs.cluster(FRAME, 3, generator=cs.Bootstrap(6)),
    ],
    ids=["cluster", "estimator", "mixed", "bootstrap"],
)
def test_x_is_read_once_and_k_is_checked_once(fit, counts):
    fit()
    assert counts["check_matrix"] == 1
    assert counts["is_text"] == 1  # the text column; the others have numeric types
    assert counts["check_fits"] == 1


def test_the_arrays_of_a_method_are_checked_once(counts):
    generator = cs.RandomKMeans(3)
    cs.EAC(3, generator=generator).fit(FRAME)
    assert counts["available_bytes"] == 1  # its two n × n arrays together
    counts.clear()
    cs.TEA(3, generator=generator).fit(FRAME)
    assert counts["available_bytes"] == 3  # its tables, the groups, the affinity of the samples


def test_a_step_alone_still_checks_its_array(counts):
    cs.coassociation(cs.RandomKMeans(3).generate(X))
    assert counts["available_bytes"] == 1


@pytest.mark.parametrize("many", [cs.TEA(61), cs.EAC(61, generator=cs.RandomKMeans())])
def test_too_many_clusters_are_refused_before_any_work(many, monkeypatch):
    monkeypatch.setattr(_neighborhood, "distinct_rows", lambda *_: pytest.fail("worked"))
    monkeypatch.setattr(KMeans, "fit", lambda *_: pytest.fail("worked"))
    name = type(many).__name__
    with pytest.raises(
        InvalidParameterError, match=f"of {name} must be at most the number of samples, 60. Got 61"
    ):
        many.fit(X)
    with pytest.raises(InvalidParameterError, match=r"of cluster must be at most .* 60\. Got 61"):
        cs.cluster(X, 61, method=many)
    with pytest.raises(InvalidParameterError, match=r"of combine must be at most .* 60\. Got 61"):
        cs.combine(np.zeros((60, 2), int), 61)


# Few partitions leave samples that could change places; these tests ask for more clusters.
splits_blobs = pytest.mark.filterwarnings("ignore::consensa.exceptions.UndecidedTieWarning")


class Halves:
    """A generator of one's own, which wants an array."""

    def generate(self, X, *, random_state=None):
        self.given = X
        halves = np.median(X, axis=0) < X
        return cs.Ensemble.from_labels(np.asarray(halves, dtype=int))


class Standardized(cs.RandomKMeans):
    """A generator of ours with a `generate` of its own."""

    def generate(self, X, *, n_clusters=None, random_state=None):
        return super().generate(X / X.std(axis=0), random_state=random_state)


class Some:
    def generate(self, X, *, random_state=None):
        return cs.Ensemble.from_labels(np.zeros((len(X) - 1, 2), int))


@splits_blobs
def test_a_generator_of_ones_own_receives_a_plain_array():
    own = Halves()
    for fit in (lambda X: cs.cluster(X, 2, generator=own), cs.EAC(2, generator=own).fit):
        fit(pd.DataFrame(X, index=NAMES))
        assert type(own.given) is np.ndarray
        assert_array_equal(own.given, X)
        fit(FRAME)
        assert_array_equal(own.given, read_features(FRAME).array)
    assert cs.cluster(X, 3, generator=Standardized(4), random_state=0).ensemble.n_partitions == 4


def test_a_generator_that_leaves_samples_out_is_refused():
    with pytest.raises(InvalidParameterError, match=r"of all 60 samples\. Some.generate returned"):
        cs.cluster(X, 2, generator=Some())


@pytest.mark.parametrize(
    "generator",
    [
        None,
        cs.RandomKMeans(3),
        cs.Bootstrap(6),
        cs.RandomProjection(3),
        cs.RandomSubspace(3),
        cs.Mixed([cs.RandomKMeans(2), KMeans(3), Halves()]),
        Halves(),
        Standardized(3),
    ],
    ids=lambda generator: type(generator).__name__,
)
@pytest.mark.parametrize("frame", [FRAME, FRAME[["x", "y"]]], ids=["text", "numbers"])
@splits_blobs
@pytest.mark.filterwarnings("ignore::consensa.exceptions.LowConfidenceWarning")  # of Halves
def test_the_index_of_a_frame_survives_every_path(generator, frame):
    model = cs.EAC(3, generator=generator, random_state=0).fit(frame)
    assert list(model.result_.to_series().index) == NAMES
    result = cs.cluster(frame, 3, generator=generator, random_state=0)
    assert list(result.to_series().index) == NAMES


@pytest.mark.parametrize("kind", [np.asarray, strict.asarray, sparse.csr_array, pd.DataFrame])
def test_features_that_were_read_give_the_same_as_x(kind):
    given = kind(X)
    read = read_features(given)
    assert_array_equal(
        cs.cluster(read, 3, random_state=0).labels, cs.cluster(given, 3, random_state=0).labels
    )
    model = cs.TEA(3, random_state=0).fit(read)
    assert model.n_features_in_ == 3
    assert_array_equal(model.predict(given), model.labels_)
    assert_array_equal(model.predict(read), model.labels_)


def test_columns_of_which_only_some_have_a_string_as_name_are_taken():
    frame = pd.DataFrame(X).assign(extra=X[:, 0])
    model = cs.TEA(3, random_state=0).fit(frame)
    assert not hasattr(model, "feature_names_in_")
    assert_array_equal(model.predict(frame), model.labels_)


@pytest.mark.parametrize("given", ["lwea", cs.LWEA, cs.LWEA(7)], ids=["name", "class", "object"])
def test_cluster_and_combine_take_a_method(given):
    wine = load_wine().data
    wanted = cs.LWEA(3, random_state=0).fit(wine)
    result = cs.cluster(wine, 3, method=given, random_state=0)
    assert_array_equal(result.labels, wanted.labels_)
    assert_array_equal(cs.combine(wanted.ensemble_, 3, method=given).labels, wanted.labels_)


def test_a_method_keeps_its_own_options_generator_and_seed():
    model = cs.EAC(linkage="single", generator=cs.RandomKMeans(4), random_state=3)
    result = cs.cluster(X, 3, method=model)
    assert result.ensemble.n_partitions == 4
    assert result.parameters["linkage"] == "single"
    wanted = cs.EAC(3, linkage="single", generator=cs.RandomKMeans(4), random_state=3).fit(X)
    assert_array_equal(result.labels, wanted.labels_)
    assert model.n_clusters == 2  # it is not changed
    assert cs.cluster(X, 3, method=model, generator=cs.RandomKMeans(5)).ensemble.n_partitions == 5
    with pytest.raises(InvalidParameterError, match=r"'method' parameter of cluster.*'LWEA'"):
        cs.cluster(X, 3, method="lweaa")
    with pytest.raises(InvalidParameterError, match="'linkage' parameter of EAC"):
        cs.cluster(X, 3, method=cs.EAC(linkage="none"))
