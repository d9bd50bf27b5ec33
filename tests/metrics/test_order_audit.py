"""The effect of the order of the rows, told from the effect of the seed."""

from __future__ import annotations

import itertools
import threading

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, ClusterMixin

from consensa import EAC, Ensemble
from consensa._machine.progress import reporting
from consensa.exceptions import InvalidInputError, InvalidParameterError
from consensa.metrics import OrderAudit, adjusted_rand_index, audit_order

TRUTH = np.repeat([0, 1, 2], 40)
ROWS = TRUTH[:, None].astype(float)


class Fake(ClusterMixin, BaseEstimator):
    """The class that its one column holds, spoilt by position, by seed or by neither."""

    def __init__(self, flips_by_position=0, flips_by_seed=0, random_state=None):
        self.flips_by_position = flips_by_position
        self.flips_by_seed = flips_by_seed
        self.random_state = random_state

    def fit(self, X, y=None):
        labels = np.asarray(X)[:, 0].astype(int)
        labels[: self.flips_by_position] = 3
        rng = np.random.RandomState(self.random_state)
        spoilt = rng.choice(len(labels), self.flips_by_seed, replace=False)
        labels[spoilt] = 3
        self.labels_ = labels
        return self


class Seedless(Fake):
    def __init__(self, flips_by_position=0, flips_by_seed=0):
        super().__init__(flips_by_position, flips_by_seed)
        del self.random_state

    def fit(self, X, y=None):
        self.random_state = 0
        return super().fit(X)


def test_a_method_that_reads_neither_is_cleared():
    audit = audit_order(Fake(), ROWS)
    assert audit.finding == "none"
    assert audit.p_value == 1
    assert audit.between_orders.tolist() == [1.0] * 10
    assert audit.verdict.startswith("The result does not depend on the order of the rows: 10 ")


def test_a_method_that_reads_the_order_is_convicted():
    audit = audit_order(Fake(flips_by_position=40), ROWS)
    assert audit.finding == "strong"
    assert audit.p_value == 0  # the seed changes nothing, so every difference is the order's
    assert "The result depends on the order of the rows: mean" in audit.verdict
    assert "1.00 with another seed" in audit.verdict


def test_seed_noise_is_not_taken_for_an_effect_of_the_order():
    # Positions that the seed draws hit other samples after a shuffle: the answer changes, but
    # just as it changes with another seed.
    audit = audit_order(Fake(flips_by_seed=30), ROWS)
    assert audit.between_orders.max() < 0.9
    assert audit.finding == "chance"
    assert audit.p_value > 0.05
    # A weak effect may be missed: the verdict does not say that there is none.
    assert "No effect of the order of the rows was found beyond that" in audit.verdict


def test_an_effect_of_the_order_is_found_in_the_noise_of_the_seed():
    audit = audit_order(Fake(flips_by_position=40, flips_by_seed=5), ROWS)
    assert audit.between_seeds.max() < 1
    assert audit.finding == "strong"
    assert 0 < audit.p_value < 0.01


def test_a_small_effect_is_called_small():
    audit = audit_order(Fake(flips_by_position=1), ROWS)
    assert audit.finding == "slight"
    assert "depends slightly" in audit.verdict
    assert f"shuffles is {audit.between_orders.min():.2f}" in audit.verdict


def test_labels_are_in_the_given_order_and_agreements_are_theirs():
    audit = audit_order(Fake(flips_by_position=10, flips_by_seed=4), ROWS, n_shuffles=4, n_seeds=3)
    assert audit.shuffled_labels.shape == (4, 120)
    assert audit.reseeded_labels.shape == (3, 120)
    for answers, agreement in (
        (audit.shuffled_labels, audit.between_orders),
        (audit.reseeded_labels, audit.between_seeds),
    ):
        for labels, value in zip(answers, agreement, strict=True):
            untouched = labels != 3
            np.testing.assert_array_equal(labels[untouched], TRUTH[untouched])
            assert value == adjusted_rand_index(audit.labels, labels)


def test_the_p_value_is_that_of_every_exchange_of_orders_and_seeds():
    orders, seeds = np.array([0.3, 0.5, 0.6, 0.85]), np.array([0.7, 0.8, 0.9])
    nothing = np.zeros((0, 2), int)
    audit = OrderAudit(np.zeros(2, int), nothing, nothing, orders, seeds)
    every = np.concatenate([seeds, orders])
    observed = seeds.mean() - orders.mean()
    differences = []
    for chosen in itertools.combinations(range(7), 3):
        rest = [i for i in range(7) if i not in chosen]
        differences.append(every[list(chosen)].mean() - every[rest].mean())
    expected = np.mean(np.array(differences) >= observed - 1e-12)
    assert audit.p_value == pytest.approx(expected)


def test_a_method_without_a_seed_is_compared_with_itself():
    audit = audit_order(Seedless(flips_by_position=40), ROWS, n_shuffles=3)
    assert len(audit.between_seeds) == 0
    assert audit.finding == "strong"
    assert "nothing else was changed" in audit.verdict


class Drawing(ClusterMixin, BaseEstimator):
    """Random clusters, from a generator without a parameter for its seed."""

    own = np.random.default_rng(0)  # of all objects: each fit goes on where the last one ended

    def __init__(self, from_global=False):
        self.from_global = from_global

    def fit(self, X, y=None):
        draw = np.random.randint if self.from_global else Drawing.own.integers
        self.labels_ = draw(3, size=len(X))
        return self


@pytest.mark.parametrize("from_global", [False, True])
def test_draws_of_a_method_without_a_seed_are_no_effect_of_the_order(monkeypatch, from_global):
    monkeypatch.setattr(Drawing, "own", np.random.default_rng(1))  # one seed in twenty fails
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    audit = audit_order(Drawing(from_global), ROWS, n_shuffles=5)
    assert audit.finding == "chance"
    assert len(audit.between_seeds) == 5
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002
    assert len(audit_order(Drawing(from_global), ROWS, n_seeds=2).between_seeds) == 2


def test_a_method_that_draws_from_the_global_generator_gives_the_same_audit_again():
    first, again = (audit_order(Drawing(True), ROWS, n_shuffles=3) for _ in range(2))
    np.testing.assert_array_equal(first.shuffled_labels, again.shuffled_labels)
    np.testing.assert_array_equal(first.reseeded_labels, again.reseeded_labels)


def test_the_estimator_is_left_as_it_was_and_the_seed_decides():
    model = Fake(flips_by_position=20, flips_by_seed=20, random_state=77)
    first, again = (audit_order(model, ROWS, n_shuffles=3, random_state=5) for _ in range(2))
    other = audit_order(model, ROWS, n_shuffles=3, random_state=6)
    assert model.random_state == 77
    assert not hasattr(model, "labels_")
    np.testing.assert_array_equal(first.shuffled_labels, again.shuffled_labels)
    np.testing.assert_array_equal(first.reseeded_labels, again.reseeded_labels)
    assert (first.labels != other.labels).any()


def test_the_last_seed_is_followed_by_the_first():
    audit = audit_order(
        Fake(flips_by_seed=5), ROWS, n_shuffles=1, n_seeds=1, random_state=2**32 - 1
    )
    expected = Fake(flips_by_seed=5, random_state=0).fit_predict(ROWS)
    np.testing.assert_array_equal(audit.reseeded_labels[0], expected)


def test_ensembles_are_taken(planted):
    ensemble = Ensemble.from_labels(planted[0])
    assert audit_order(EAC(3), ensemble, n_shuffles=3, n_seeds=0).finding == "none"


def test_progress_is_reported():
    told = []

    class Reporter:
        def __init__(self, description, total):
            told.append((description, total))

        def __enter__(self):
            return lambda: None

        def __exit__(self, *error):
            return None

    with reporting(Reporter):
        audit_order(Fake(), ROWS, n_shuffles=3, n_seeds=2)
    assert told == [("shuffled orders", 3), ("other seeds", 2)]


class Named(Fake):
    """Names the clusters by their first rows."""

    def fit(self, X, y=None):
        first = {value: f"row {np.flatnonzero(X[:, 0] == value)[0]}" for value in X[:, 0]}
        self.labels_ = np.array([first[value] for value in X[:, 0]])
        return self


def test_names_of_any_length_are_kept():
    rare_first = np.repeat([0.0, 1.0], [2, 118])[:, None]
    audit = audit_order(Named(), rare_first, n_shuffles=8, n_seeds=0)
    assert audit.finding == "none"
    assert {len(label) for label in audit.labels} == {len("row 0")}
    assert max(len(label) for label in audit.shuffled_labels.ravel()) > len("row 0")


@pytest.mark.parametrize(
    ("lost", "finding"), [(0.0499, "slight"), (0.05, "slight"), (0.0501, "strong")]
)
def test_an_effect_of_up_to_five_hundredths_is_slight(lost, finding):
    nothing = np.zeros((0, 2), int)
    orders = np.full(5, 1 - lost)  # 1 - 0.95 is above 0.05 by rounding
    audit = OrderAudit(np.zeros(2, int), nothing, nothing, orders, np.ones(5))
    assert audit.finding == finding


def test_an_effect_is_what_is_lost_beside_another_seed():
    nothing, zeros = np.zeros((0, 2), int), np.zeros(2, int)
    orders, seeds = np.linspace(0.59, 0.61, 9), np.linspace(0.62, 0.64, 9)
    audit = OrderAudit(zeros, nothing, nothing, orders, seeds)
    assert audit.finding == "slight"
    assert "0.60 after shuffling, 0.63 with another seed; the lowest agreement of" in audit.verdict
    assert OrderAudit(zeros, nothing, nothing, orders, seeds[:0]).finding == "strong"
    even = OrderAudit(zeros, nothing, nothing, orders, orders + 0.001)
    assert even.verdict.endswith(f"0.60 with another seed (p = {even.p_value:.3f}).")


@pytest.mark.parametrize("bad", [{"n_shuffles": 0}, {"n_seeds": -1}, {"random_state": None}])
def test_bad_parameters_are_refused(bad):
    with pytest.raises(InvalidParameterError, match="parameter of audit_order"):
        audit_order(Fake(), ROWS, **bad)


def by_position(labels, n_clusters):
    """Clusters of neighboring rows, whatever the labels say."""
    return np.arange(len(labels)) * n_clusters // len(labels)


def by_first_label(labels, n_clusters):
    return labels[:, 0] % n_clusters


def by_draw(labels, n_clusters, random_state=None):
    return np.random.RandomState(random_state).randint(n_clusters, size=len(labels))


def by_global_draw(labels, n_clusters):
    return np.random.randint(n_clusters, size=len(labels))  # noqa: NPY002


@pytest.mark.parametrize(
    ("function", "finding"),
    [(by_position, "strong"), (by_first_label, "none"), (by_draw, "chance"),
     (by_global_draw, "chance")],
)  # fmt: skip
def test_a_function_is_audited_like_an_estimator(function, finding):
    labels = np.column_stack([TRUTH, TRUTH[::-1]])
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    found = audit_order(function, Ensemble.from_labels(labels), n_clusters=3, n_shuffles=5)
    assert found.finding == finding
    assert len(found.between_seeds) == 5
    again = audit_order(function, labels, n_clusters=3, n_shuffles=5)  # an array as it is
    np.testing.assert_array_equal(again.between_orders, found.between_orders)
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002


@pytest.mark.parametrize(
    "column", [np.asmatrix(TRUTH).T, np.asmatrix(TRUTH), pd.DataFrame(TRUTH), TRUTH[:, None]]
)
def test_labels_may_be_a_column_of_any_kind(column):
    found = audit_order(lambda rows, n_clusters: column, ROWS, n_clusters=3, n_shuffles=1)
    assert adjusted_rand_index(found.labels, TRUTH) == 1


@pytest.mark.parametrize("kind", [Ensemble.from_labels, np.asarray, pd.DataFrame, csr_array, list])
def test_a_function_gets_a_copy_of_the_rows_and_may_answer_with_a_column(kind):
    def spoil(labels, n_clusters):
        labels = getattr(labels, "values", labels)
        labels = labels.toarray() if hasattr(labels, "toarray") else labels
        answer = labels[:, :1].copy()
        labels[:] = 0
        return answer.tolist()

    given = np.column_stack([TRUTH, TRUTH])
    rows = kind(given)
    found = audit_order(spoil, rows, n_clusters=3, n_shuffles=3)
    assert found.finding == "none"
    assert len(np.unique(found.labels)) == 3
    assert given.any()


def test_a_function_sees_the_same_numbers_of_clusters_in_every_order():
    # Labels that are numbered anew by appearance would give other majorities.
    labels = np.random.RandomState(0).randint(3, size=(60, 4))

    def majority(labels, n_clusters):
        return [int(np.bincount(row).argmax()) for row in labels]

    assert audit_order(majority, labels, n_clusters=3, n_shuffles=5).finding == "none"
    ensemble = Ensemble.from_labels(labels)
    assert audit_order(majority, ensemble, n_clusters=3, n_shuffles=5).finding == "none"


def test_clusters_may_have_names_of_any_length_and_kind():
    first = np.arange(60) % 10

    def named_by_first_row(labels, n_clusters):
        names = [f"row {np.flatnonzero(labels[:, 0] == label)[0]}" for label in labels[:, 0]]
        return names if labels[0, 0] % 2 else labels[:, 0]  # text or numbers, by the order

    found = audit_order(named_by_first_row, first[:, None], n_clusters=10, n_shuffles=8)
    assert found.finding == "none"


@pytest.mark.parametrize("answer", [[0, -1, 1, -1], ["a", "-1", "b", "-1"]])
def test_minus_one_among_the_answers_is_a_cluster(answer):
    found = audit_order(lambda labels, n_clusters: answer, np.eye(4), n_clusters=3, n_shuffles=3)
    assert len(np.unique(found.labels)) == 3
    assert found.labels[1] == found.labels[3]


def by_row_numbers(rows, n_clusters):
    """Cuts the file in pieces by the numbers that pandas gave its rows."""
    return pd.Series(np.asarray(rows.index) * n_clusters // len(rows))


def sorted_by_value(rows, n_clusters):
    """The classes of rows that are numbered anew and sorted."""
    return rows.reset_index(drop=True).sort_values("a")["a"]


@pytest.mark.parametrize("n_seeds", [0, 3])
@pytest.mark.parametrize(
    ("function", "finding"), [(by_row_numbers, "strong"), (sorted_by_value, "none")]
)
def test_rows_that_pandas_numbered_do_not_tell_their_first_places(function, finding, n_seeds):
    rows = pd.DataFrame({"a": TRUTH})
    found = audit_order(function, rows, n_clusters=3, n_shuffles=5, n_seeds=n_seeds)
    assert found.finding == finding
    assert adjusted_rand_index(found.labels, TRUTH) == 1
    assert rows.index.equals(pd.RangeIndex(120))


def test_names_of_rows_stay_with_their_rows():
    rows = pd.DataFrame({"a": TRUTH}, index=[f"s{i}" for i in range(120)])

    def by_name(rows, n_clusters):
        assert (rows["a"] == TRUTH[[int(name[1:]) for name in rows.index]]).all()
        return rows["a"]

    assert audit_order(by_name, rows, n_clusters=3, n_shuffles=3).finding == "none"


@pytest.mark.parametrize(
    "rows",
    [
        pd.DataFrame({"a": TRUTH}, index=[f"s{i}" for i in range(120)]),
        pd.DataFrame({"a": TRUTH}, index=np.random.RandomState(1).permutation(120)),
        pd.DataFrame({"a": TRUTH}),
        TRUTH[:, None],
    ],
    ids=["names", "numbers as names", "numbered by pandas", "array"],
)
def test_a_series_is_read_by_its_index(rows):
    def in_another_order(labels, n_clusters):
        column = pd.Series(np.asarray(labels)[:, 0], index=getattr(labels, "index", None))
        return column.iloc[np.random.RandomState(0).permutation(len(column))]

    def numbered_anew(labels, n_clusters):
        return pd.Series(np.asarray(labels)[:, 0])

    for function in (in_another_order, numbered_anew):
        found = audit_order(function, rows, n_clusters=3, n_shuffles=3)
        assert found.finding == "none"
        assert adjusted_rand_index(found.labels, TRUTH) == 1


def test_lists_keep_what_is_no_number():
    rows = [["a", None], ["a", 1.0], ["b", 2.0], ["b", 2.0]]

    def by_type(rows, n_clusters):
        assert rows.shape == (4, 2)
        assert {type(value) for value in rows[:, 1]} == {float, type(None)}
        return rows[:, 0]

    assert audit_order(by_type, rows, n_clusters=2, n_shuffles=3).finding == "none"


class Counting:
    """Callable, with something that cannot be copied."""

    def __init__(self):
        self.calls, self.lock = 0, threading.Lock()

    def __call__(self, labels, n_clusters):
        self.calls += 1
        return labels[:, 0]


def test_the_function_itself_is_called():
    function = Counting()
    audit_order(function, TRUTH[:, None], n_clusters=3, n_shuffles=3, n_seeds=2)
    assert function.calls == 6


def test_one_shuffle_has_the_p_value_of_its_rank():
    nothing, zeros = np.zeros((0, 2), int), np.zeros(2, int)
    seeds = np.linspace(0.5, 0.9, 19)
    one_order = OrderAudit(zeros, nothing, nothing, np.array([0.1]), seeds)
    assert one_order.p_value == pytest.approx(1 / 20)
    assert one_order.finding == "strong"
    one_seed = OrderAudit(zeros, nothing, nothing, seeds, np.array([0.7]))
    assert one_seed.p_value == pytest.approx(11 / 20)
    assert one_seed.finding == "chance"


@pytest.mark.parametrize(
    ("given", "n_clusters", "said"),
    [
        (by_position, None, "must be given with a function"),
        (by_position, 0, "'n_clusters' parameter of audit_order"),
        (EAC(2, generator="precomputed"), 3, "None for an estimator"),
        ("EAC", None, "must be an estimator with fit_predict and get_params, or a function"),
        (EAC, None, "Got the class EAC, not an object of it"),
    ],
)
def test_what_cannot_be_audited_is_refused(given, n_clusters, said):
    with pytest.raises(InvalidParameterError, match=said):
        audit_order(given, ROWS, n_clusters=n_clusters)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ([0, 1], "Got a list of 2"),
        ((TRUTH, 0.3), "Got a tuple of 2"),
        (np.zeros((120, 2)), r"Got an array of shape \(120, 2\)"),
        (np.asmatrix(np.zeros((120, 2))), r"Got an array of shape \(120, 2\)"),
        (pd.DataFrame(np.zeros((120, 2))), r"Got an array of shape \(120, 2\)"),
        (pd.DataFrame(np.zeros((120, 2)), columns=["a", "a"]), r"an array of shape \(120, 2\)"),
        (None, "Got an object of type NoneType"),
        (iter(TRUTH), "Got an object of type"),
        ({"labels": TRUTH}, "Got an object of type dict"),
        (np.where(TRUTH == 2, np.nan, 0), "must label every sample. Sample 80 has nan"),
        (["a"] * 119 + [None], "must label every sample. Sample 119 has None"),
    ],
)
def test_a_function_that_does_not_label_every_row_is_told_so(answer, said):
    with pytest.raises(InvalidInputError, match=said):
        audit_order(lambda rows, n_clusters: answer, ROWS, n_clusters=2)


@pytest.mark.parametrize("rows", [None, "text", 5, [], [[1, 2], [3]], np.zeros((0, 3))])
def test_what_are_no_rows_is_refused(rows):
    with pytest.raises(InvalidInputError, match=r"rows must (be|have)"):
        audit_order(lambda rows, n_clusters: [0], rows, n_clusters=2)


@pytest.mark.parametrize("audited", [Fake(), lambda rows, n_clusters: rows.iloc[:, 0]])
def test_columns_of_one_name_are_refused(audited):
    rows = pd.DataFrame(np.zeros((120, 2)), columns=["a", "a"])
    n_clusters = None if isinstance(audited, Fake) else 2
    with pytest.raises(InvalidInputError, match="rows must be a frame with distinct column names"):
        audit_order(audited, rows, n_clusters=n_clusters)
