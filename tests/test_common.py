"""What every consensus method must satisfy. Methods are found in `consensus.__all__`."""

from __future__ import annotations

import pickle
import warnings

import array_api_strict
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.testing import assert_array_equal
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks
from strategies import small_ensembles

import consensa
from consensa import Ensemble, RandomKMeans
from consensa.consensus._result_warnings import warn_if_thin
from consensa.consensus.base import BaseConsensus
from consensa.exceptions import (
    ConsensaWarning,
    EmptyClustersWarning,
    FewerClustersWarning,
    InvalidInputError,
    InvalidParameterError,
    ThinEvidenceWarning,
)
from consensa.metrics import adjusted_rand_index

ESTIMATORS = [
    obj()
    for name in consensa.consensus.__all__
    if isinstance(obj := getattr(consensa.consensus, name), type)
    and issubclass(obj, BaseConsensus)
]
every = pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: type(e).__name__)
order_free = pytest.mark.parametrize(
    "estimator", [e for e in ESTIMATORS if e.info.order_free], ids=lambda e: type(e).__name__
)
takes_missing = pytest.mark.parametrize(
    "estimator", [e for e in ESTIMATORS if e.info.missing], ids=lambda e: type(e).__name__
)
label_matrices = arrays(
    np.int64, st.tuples(st.integers(2, 12), st.integers(1, 5)), elements=st.integers(0, 3)
)

# The warnings of Consensa are part of right answers here; where one is the point, it is asked for.
pytestmark = pytest.mark.filterwarnings("ignore::consensa.exceptions.ConsensaWarning")


def on_labels(estimator, n_clusters, **params):
    model = clone(estimator)
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    return model.set_params(generator="precomputed", n_clusters=n_clusters, **params)


def same(a, b):
    return adjusted_rand_index(a, b) == 1.0


def quick(estimator):
    """The estimator with few base partitions, for checks that fit it dozens of times."""
    return clone(estimator).set_params(generator=RandomKMeans(5), random_state=0)


# Of all methods with a fast generator, and of one as it is, with the default one.
@parametrize_with_checks([*(quick(estimator) for estimator in ESTIMATORS), consensa.TEA()])
def test_sklearn(estimator, check):
    check(estimator)


@every
def test_every_parameter_is_declared_and_refused_when_bad(estimator):
    assert set(estimator._declared) == set(estimator.get_params(deep=False))
    for name, constraints in estimator._declared.items():
        bad = clone(estimator).set_params(**{name: constraints[0].refused()})
        with pytest.raises(InvalidParameterError, match=f"'{name}' parameter of"):
            bad.fit(np.zeros((4, 2)))


@every
@settings(deadline=None, max_examples=25)
@given(labels=label_matrices, seed=st.integers(0, 2**16))
def test_renaming_clusters_changes_nothing(estimator, labels, seed):
    rng = np.random.default_rng(seed)
    renamed = np.stack([rng.permutation(4)[column] for column in labels.T], axis=1)
    model = on_labels(estimator, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConsensaWarning)
        assert same(model.fit_predict(labels), model.fit_predict(renamed))


@every
@settings(deadline=None, max_examples=25)
@given(labels=label_matrices, n_clusters=st.integers(1, 12))
def test_any_label_matrix_gets_labels_numbered_by_first_appearance(estimator, labels, n_clusters):
    n_clusters = min(n_clusters, len(labels))
    n_groups = len(np.unique(labels, axis=0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConsensaWarning)
        answer = on_labels(estimator, n_clusters).fit_predict(labels)
    assert answer.shape == (len(labels),)
    assert answer.dtype.kind == "i"
    _, first = np.unique(answer, return_index=True)
    assert_array_equal(answer[np.sort(first)], np.arange(len(first)))
    assert len(first) == min(n_clusters, n_groups)


@every
@settings(deadline=None, max_examples=8)
@given(data=st.data(), n_clusters=st.integers(1, 60))
def test_as_many_clusters_come_back_as_asked_for_or_as_rows_differ(estimator, data, n_clusters):
    labels = data.draw(small_ensembles(estimator.info.missing))
    n_clusters = min(n_clusters, len(labels))
    answer = on_labels(estimator, n_clusters).fit_predict(labels)
    rows, row = np.unique(labels, axis=0, return_inverse=True)
    assert len(np.unique(answer)) == min(n_clusters, len(rows))
    if estimator.info.order_free:  # equal rows are not separated
        assert len(np.unique(np.column_stack([row.ravel(), answer]), axis=0)) == len(rows)


@every
def test_unanimous_ensemble_is_returned(estimator):
    truth = np.array([0, 0, 1, 1, 2, 2])
    answer = on_labels(estimator, 3).fit_predict(np.stack([truth] * 4, axis=1))
    assert_array_equal(answer, truth)


@order_free
def test_permuting_the_rows_permutes_the_answer(estimator, planted):
    labels, truth = planted
    order = np.random.RandomState(1).permutation(len(labels))
    model = on_labels(estimator, 3)
    given = model.fit_predict(labels)
    assert adjusted_rand_index(truth, given) > 0.8
    assert same(given[order], model.fit_predict(labels[order]))


@order_free
def test_permuting_the_rows_permutes_the_answer_where_many_merges_tie(estimator):
    # Three clusters in four partitions: 81 different rows at most, and as many equal distances.
    rng = np.random.RandomState(0)
    noise = rng.randint(0, 3, size=(60, 4))
    labels = np.where(rng.random_sample(noise.shape) < 0.6, np.arange(60)[:, None] % 3, noise)
    model = on_labels(estimator, 3)
    given = model.fit_predict(labels)
    for _ in range(2):
        order = rng.permutation(60)
        assert same(given[order], model.fit_predict(labels[order]))


@order_free
@pytest.mark.parametrize("seed", [3, 23])  # of thirty, those on which most methods can go wrong
def test_permuting_the_rows_permutes_the_answer_where_clusters_overlap_alike(estimator, seed):
    rng = np.random.RandomState(seed)
    truth = rng.randint(0, 6, 60)
    labels = np.stack(
        [
            np.where(
                rng.random_sample(60) < 0.3, rng.randint(0, k, 60), rng.randint(0, k, 6)[truth]
            )
            for k in rng.randint(2, 12, size=6)
        ],
        axis=1,
    )
    order = rng.permutation(60)
    model = on_labels(estimator, 6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConsensaWarning)
        assert same(model.fit_predict(labels)[order], model.fit_predict(labels[order]))


@every
def test_input_is_left_unmodified(estimator, planted):
    labels = planted[0]
    before = labels.copy()
    on_labels(estimator, 3).fit(labels)
    assert_array_equal(labels, before)
    features = np.random.RandomState(0).normal(size=(20, 3))
    features.flags.writeable = False
    quick(estimator).fit(features)


@every
def test_global_random_state_is_untouched(estimator, planted):
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    on_labels(estimator, 3).fit(planted[0])
    quick(estimator).set_params(random_state=None).fit(np.arange(24.0).reshape(12, 2))
    assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002


@every
def test_same_seed_gives_the_same_answer(estimator, planted):
    model = on_labels(estimator, 3)
    assert_array_equal(model.fit_predict(planted[0]), clone(model).fit_predict(planted[0]))
    features = np.random.RandomState(0).normal(size=(30, 3))
    model = quick(estimator)
    assert_array_equal(model.fit_predict(features), clone(model).fit_predict(features))


@every
@pytest.mark.parametrize("integer", [np.int32, np.int64, np.uint8])
def test_n_clusters_may_be_a_numpy_integer(estimator, integer, planted):
    model = on_labels(estimator, 3)
    assert_array_equal(
        model.fit_predict(planted[0]),
        clone(model).set_params(n_clusters=integer(3)).fit_predict(planted[0]),
    )


@every
def test_more_clusters_in_the_ensemble_than_samples(estimator):
    truth = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    fine = np.array([0, 0, 1, 1, 2, 2, 3, 3])
    labels = np.stack([truth, fine, truth, fine, fine], axis=1)
    assert sum(len(np.unique(column)) for column in labels.T) > len(labels)
    assert_array_equal(on_labels(estimator, 2).fit_predict(labels), truth)


@every
def test_label_matrix_stays_in_its_array_library(estimator):
    labels = array_api_strict.asarray(np.stack([[0, 0, 1, 1]] * 3, axis=1))
    model = on_labels(estimator, 2).fit(labels)
    assert isinstance(model.ensemble_.labels, type(labels))
    if getattr(model, "affinity_matrix_", None) is not None:
        assert isinstance(model.affinity_matrix_, type(labels))
    assert isinstance(model.labels_, np.ndarray)
    assert_array_equal(model.labels_, [0, 0, 1, 1])


@every
def test_more_clusters_than_the_ensemble_separates_come_back_as_its_groups(estimator):
    labels = np.stack([[0, 0, 0, 1, 1, 1]] * 3, axis=1)
    with pytest.warns(FewerClustersWarning, match="returns 2 clusters instead of 4"):
        answer = on_labels(estimator, 4).fit_predict(labels)
    assert_array_equal(answer, [0, 0, 0, 1, 1, 1])


@every
def test_one_cluster_and_as_many_clusters_as_samples(estimator):
    labels = np.stack([np.arange(6), [0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1]], axis=1)
    assert_array_equal(on_labels(estimator, 1).fit_predict(labels), np.zeros(6))
    assert_array_equal(on_labels(estimator, 6).fit_predict(labels), np.arange(6))


@every
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("times", [1, 2])
def test_as_many_clusters_as_rows_differ_are_these_rows_without_a_remedy(estimator, seed, times):
    rows = np.unique(np.random.RandomState(seed).randint(3, size=(12, 4)), axis=0)
    labels = np.repeat(rows, times, axis=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConsensaWarning)
        warnings.simplefilter("error", EmptyClustersWarning)
        answer = on_labels(estimator, len(rows)).fit_predict(labels)
    if estimator.info.order_free or times == 1:
        assert_array_equal(answer, np.repeat(np.arange(len(rows)), times))


@every
def test_more_clusters_than_samples_is_refused(estimator):
    with pytest.raises(InvalidParameterError, match=r"at most the number of samples, 4\. Got 5"):
        on_labels(estimator, 5).fit([[0], [1], [2], [3]])


@every
def test_function_and_estimator_agree(estimator, planted):
    function = type(estimator)._function
    options = {"random_state": 0} if "random_state" in function.declared else {}
    ensemble = Ensemble.from_labels(planted[0])
    result = function(ensemble, 3, **options)
    assert_array_equal(result.labels, on_labels(estimator, 3).fit_predict(planted[0]))
    assert result.ensemble is ensemble


@every
def test_function_refuses_what_is_not_an_ensemble_and_bad_options(estimator):
    function = type(estimator)._function
    with pytest.raises(InvalidParameterError, match="needs an Ensemble"):
        function([[0, 0], [1, 1]], 2)
    ensemble = Ensemble.from_labels([[0, 0], [1, 1]])
    with pytest.raises(InvalidParameterError, match="'n_clusters' parameter"):
        function(ensemble, 0)
    with pytest.raises(InvalidParameterError, match="'n_clusters' parameter"):
        function(ensemble, 1.5)


@takes_missing
@pytest.mark.parametrize(("share", "least"), [(0.1, 0.9), (0.3, 0.85), (0.5, 0.4)])
def test_missing_labels_cost_little_and_are_not_one_more_cluster(estimator, planted, share, least):
    labels, truth = planted
    hidden = np.random.RandomState(2).uniform(size=labels.shape) < share
    hidden[hidden.all(axis=1), 0] = False
    answer = on_labels(estimator, 3).fit_predict(np.where(hidden, -1, labels))
    assert len(np.unique(answer)) == 3
    assert adjusted_rand_index(truth, answer) > least


@takes_missing
def test_a_warning_says_when_too_many_labels_are_missing(estimator, planted):
    labels, _ = planted
    hidden = np.random.RandomState(2).uniform(size=labels.shape) < 0.8
    hidden[hidden.all(axis=1), 0] = False
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        on_labels(estimator, 3).fit(np.where(hidden, -1, labels))
    (said,) = [str(w.message) for w in caught if w.category is ThinEvidenceWarning]
    assert "% of the labels are missing: on average 0." in said


def test_a_warning_says_when_gaps_made_one_cluster_of_nearly_all():
    labels = np.repeat(np.arange(32)[:, None] % 4, 4, axis=1)
    labels[::5, 1] = -1
    ensemble = Ensemble.from_labels(labels)
    answer = np.zeros(len(labels), dtype=np.int64)
    answer[0] = 1
    with pytest.warns(ThinEvidenceWarning, match=r"EAC puts 97% of the samples into one cluster"):
        warn_if_thin("EAC", ensemble, answer)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_if_thin("EAC", ensemble, np.arange(len(labels)) % 2)


def test_one_coarse_partition_does_not_hide_that_gaps_made_one_cluster_of_nearly_all():
    labels = np.repeat(np.arange(40)[:, None] % 8, 5, axis=1)
    labels[:, 0] = np.arange(40) < 18  # a cluster of 55 %; the others have 12 %
    labels[::5, 1] = -1
    answer = (np.arange(40) < 10).astype(np.int64)  # 75 % in one cluster
    with pytest.warns(ThinEvidenceWarning, match=r"in half of the partitions no .* than 12%"):
        warn_if_thin("WEAC", Ensemble.from_labels(labels), answer)


def test_a_cluster_of_nearly_all_is_no_surprise_if_partitions_have_it_too():
    labels = np.repeat((np.arange(40)[:, None] < 8).astype(int), 5, axis=1)
    labels[::5, 1] = -1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_if_thin("WEAC", Ensemble.from_labels(labels), np.asarray(labels[:, 0]))


@takes_missing
def test_samples_that_share_only_their_gaps_are_not_brought_together(estimator):
    # Two groups; in each, one half is missing in the first partitions, the other in the last.
    truth = np.repeat([0, 1], 12)
    labels = np.stack([truth] * 8, axis=1)
    early = np.arange(24) % 2 == 0
    labels[np.ix_(early, range(3))] = -1
    labels[np.ix_(~early, range(5, 8))] = -1
    assert_array_equal(on_labels(estimator, 2).fit_predict(labels), truth)


@every
def test_missing_labels_are_taken_or_refused_as_declared(estimator):
    labels = [[0, 0, 0], [0, -1, 0], [1, 1, 1], [1, 1, -1]]
    model = on_labels(estimator, 2)
    if estimator.info.missing:
        assert_array_equal(model.fit_predict(labels), [0, 0, 1, 1])
    else:
        with pytest.raises(InvalidInputError, match=r"does not accept missing labels.*EAC"):
            model.fit(labels)


@every
def test_fitted_estimator_survives_pickling(estimator, planted):
    model = on_labels(estimator, 3).fit(planted[0])
    assert_array_equal(pickle.loads(pickle.dumps(model)).labels_, model.labels_)


@every
def test_fitted_attributes_are_read_from_the_result_and_kept_nowhere_else(estimator, planted):
    model = on_labels(estimator, 3)
    for name in ("labels_", "confidence_", "ensemble_", "n_iter_"):
        assert not hasattr(model, name)
    result = model.fit(planted[0]).result_
    made = {
        "labels": result.labels,
        "confidence": result.confidence,
        "ensemble": result.ensemble,
        "affinity_matrix": result.affinity,
        "linkage_matrix": result.linkage_matrix,
        "leaf_of_sample": result.leaf_of_sample,
        "trace": result.trace,
        **result.details,
    }
    for name, value in made.items():
        assert getattr(model, f"{name}_", None) is value, name
        assert hasattr(model, f"{name}_") == (value is not None)
    own = {name for name in vars(model) if name not in model.get_params()}
    assert own <= {"result_", "n_features_in_"}
    with pytest.raises(AttributeError, match="labels_ is read from result_"):
        model.labels_ = result.labels


@every
def test_a_result_says_what_made_it(estimator, planted):
    result = on_labels(estimator, 3).fit(planted[0]).result_
    again = result.made_by(**result.parameters).fit(planted[0])
    assert_array_equal(again.labels_, result.labels)
    assert result.info is estimator.info
    by_function = result.made_by._function(result.ensemble, 3)
    assert by_function.made_by is type(estimator)._function
    assert by_function.info is estimator.info
    lines = repr(result).splitlines()
    assert lines[:2] == [f"{estimator.info.name}: 3 clusters of 60 samples", "Sizes: 20, 20, 20"]
    copy = pickle.loads(pickle.dumps(result))
    assert repr(copy) == repr(result)


@every
def test_every_estimator_says_how_sure_it_is(estimator, planted):
    labels, truth = planted
    model = on_labels(estimator, 3).fit(labels)
    assert model.confidence_.shape == (60,)
    assert (model.confidence_ >= 0).all()
    assert (model.confidence_ <= 1).all()
    unanimous = on_labels(estimator, 3).fit(np.stack([truth] * 3, axis=1))
    assert_array_equal(unanimous.confidence_, np.ones(60))
    flipped = (labels != truth[:, None]).mean(axis=1)
    assert model.confidence_[flipped == 0].mean() > model.confidence_[flipped > 0.2].mean()


@every
def test_every_estimator_places_samples_again_and_new_ones(estimator, planted):
    labels, truth = planted
    model = on_labels(estimator, 3).fit(labels)
    assert_array_equal(model.predict(labels), model.labels_)
    new = np.stack([[0, 1, 2]] * 8, axis=1)
    assert len(set(model.predict(new))) == 3
    features = np.random.RandomState(0).normal(size=(60, 2)) + 9 * np.eye(3)[truth][:, :2]
    assert quick(estimator).set_params(n_clusters=3).fit(features).predict(features[:1]) == [0]


@every
def test_docstring_has_formula_reference_and_example(estimator):
    text = type(estimator).__doc__
    for part in (".. math::", "References", "Examples", ">>>", "See Also", "Notes"):
        assert part in text, f"{type(estimator).__name__} lacks {part}"
