"""Methods that say order-free: neither rows, partitions nor names can change their answers.

The one exception is a tie that the ensemble itself does not decide, which a warning says.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from strategies import small_ensembles
from threadpoolctl import threadpool_limits

import consensa
from consensa import Ensemble
from consensa.consensus import _ptgp
from consensa.consensus.base import BaseConsensus
from consensa.exceptions import ConsensaWarning, UndecidedTieWarning
from consensa.metrics import adjusted_rand_index

METHODS = {
    name: obj._function
    for name in consensa.consensus.__all__
    if isinstance(obj := getattr(consensa.consensus, name), type)
    and issubclass(obj, BaseConsensus)
    and obj.info.order_free
}
every = pytest.mark.parametrize("name", METHODS)
linear = [name for name, function in METHODS.items() if not function.info.square_arrays]
# The others are given few distinct rows: their cost grows with the square of these.
BEAR_MANY_ROWS = {"ECPCSMC", "HBGF", "LWGP", "MCLA", "PTGP", "SEC", "TEA", "Voting"}


def combined(name, labels, n_clusters, **options):
    """The labels, and whether a warning said that a tie was not decided."""
    function = METHODS[name]
    options |= {"random_state": 0} if "random_state" in function.declared else {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConsensaWarning)
        answer = function(Ensemble.from_labels(labels), n_clusters, **options).labels
    return answer, any(warning.category is UndecidedTieWarning for warning in caught)


def disguised(labels, rng):
    """The same ensemble in another order, with other names, and which samples the rows are."""
    rows, columns = rng.permutation(len(labels)), rng.permutation(labels.shape[1])
    top = labels.max() + 1
    renamed = np.stack([np.append(rng.permutation(top), -1)[c] for c in labels.T], axis=1)
    return renamed[rows][:, columns], rows


@every
@settings(deadline=None, max_examples=25, print_blob=True)
@given(data=st.data(), n_clusters=st.integers(1, 20), seed=st.integers(0, 2**16))
def test_any_small_ensemble_has_one_answer_in_every_order(name, data, n_clusters, seed):
    labels = data.draw(small_ensembles(METHODS[name].info.missing))
    n_clusters = min(n_clusters, len(labels))
    here, open_here = combined(name, labels, n_clusters)
    other, rows = disguised(labels, np.random.RandomState(seed))
    there, open_there = combined(name, other, n_clusters)
    assert open_here or open_there or adjusted_rand_index(here[rows], there) == 1
    for answer, given_labels in ((here, labels), (there, other)):
        _, group = np.unique(given_labels, axis=0, return_inverse=True)
        pairs = np.unique(np.column_stack([group.ravel(), answer]), axis=0)
        assert len(pairs) == group.max() + 1, "equal rows were separated"


def test_few_labels_have_one_answer_in_every_order():
    # Half of the labels are missing: the cut of the base clusters has nothing but ties.
    labels = np.full((21, 3), -1)
    labels[:, 0] = [2, 2, 0, -1, 0, 1, -1, 2, -1, 0, 3, 2, 2, 1, 2, 1, -1, 3, 2, -1, -1]
    labels[[7, 8, 10, 16, 17, 19, 20], 1] = [2, 1, 0, 3, 5, 2, 0]
    labels[[3, 4, 5, 6, 10, 13, 16], 2] = [0, 3, 1, 0, 3, 0, 3]
    here, undecided = combined("ECPCSMC", labels, 5)
    assert not undecided
    for seed in range(20):
        other, rows = disguised(labels, np.random.RandomState(seed))
        assert adjusted_rand_index(here[rows], combined("ECPCSMC", other, 5)[0]) == 1


@pytest.fixture(scope="module")
def twenty_five_thousand():
    """25,000 samples in 6 classes: 5 partitions with few distinct rows, 10 with many."""
    rng = np.random.RandomState(0)
    classes = rng.randint(0, 6, 25_000)
    noise = rng.randint(0, 6, (25_000, 15))
    noisy = rng.uniform(size=noise.shape) < np.repeat([0.02, 0.5], [5, 10])
    labels = np.where(noisy, noise, classes[:, None])
    return labels[:, :5], labels[:, 5:]


@pytest.mark.parametrize("name", linear)
def test_so_have_25_000_samples(name, twenty_five_thousand, monkeypatch):
    monkeypatch.setattr(_ptgp, "_REPRESENTATIVES", 500)
    few, many = twenty_five_thousand
    labels = many if name in BEAR_MANY_ROWS else few
    if name not in BEAR_MANY_ROWS:  # a hundred distinct rows, the most frequent ones
        rows, group, sizes = np.unique(labels, axis=0, return_inverse=True, return_counts=True)
        frequent = np.argsort(-sizes)[:100]
        labels = np.where(np.isin(group.ravel(), frequent)[:, None], labels, rows[frequent[0]])
    assert (len(np.unique(labels, axis=0)) > 20_000) == (name in BEAR_MANY_ROWS)
    options = {"max_groups": 1000} if name == "TEA" else {}
    here, _ = combined(name, labels, 6, **options)
    other, rows = disguised(labels, np.random.RandomState(1))
    there, _ = combined(name, other, 6, **options)
    assert adjusted_rand_index(here[rows], there) == 1


def test_so_have_210_000_samples_of_tea():
    rng = np.random.RandomState(0)
    classes = rng.randint(0, 6, 210_000)
    noise = rng.randint(0, 9, (210_000, 8))
    labels = np.where(rng.uniform(size=noise.shape) < 0.3, noise, classes[:, None])
    ensemble = Ensemble.from_labels(labels)
    here = consensa.tea(ensemble, 6, max_groups=1000).labels
    other, rows = disguised(labels, rng)
    there = consensa.tea(Ensemble.from_labels(other), 6, max_groups=1000).labels
    assert adjusted_rand_index(here[rows], there) == 1
    assert adjusted_rand_index(here, classes) > 0.8


@every
def test_what_a_method_returns_is_numbered_as_the_samples_were_given(name, planted):
    labels, _ = planted
    order = np.random.RandomState(1).permutation(len(labels))
    function = METHODS[name]
    options = {"random_state": 0} if "random_state" in function.declared else {}
    here, there = (
        function(Ensemble.from_labels(x), 3, **options) for x in (labels, labels[order])
    )
    if here.affinity is not None:
        assert_allclose(here.affinity[np.ix_(order, order)], there.affinity)
    if here.tree is not None:
        for count in (2, 3, 7):
            assert adjusted_rand_index(here.cut(count)[order], there.cut(count)) == 1
        assert_array_equal(here.cut(3), here.labels)
    for detail in ("votes", "factor"):
        if detail in here.details:
            rows = np.sort(here.details[detail], axis=1)
            assert_allclose(rows[order], np.sort(there.details[detail], axis=1))


@pytest.mark.parametrize("name", ["EAC", "LWGP", "Voting"])
def test_a_tie_that_the_ensemble_does_not_decide_is_said(name):
    labels = np.repeat(np.arange(4), 2)[:, None]  # four clusters that nothing tells apart
    with pytest.warns(UndecidedTieWarning, match="not determined by the partitions"):
        METHODS[name](Ensemble.from_labels(labels), 3)
    _, undecided = combined(name, labels, 4)
    assert not undecided  # each has its own cluster: exchanging them changes nothing


# The clusters of the answers are alike, and so are all samples within them at first sight.
RING_OF_TWELVE = [[2, 5], [0, 5], [0, 0], [0, 0], [0, 1], [1, 1], [1, 2], [1, 2], [1, 3]]
RING_OF_TWELVE += [[2, 3], [2, 4], [2, 4]]
THREE_PARTITIONS = [[0, 3, 0], [1, 3, 1], [3, 4, 1], [4, 4, 1], [1, 0, 1], [2, 0, 2], [4, 1, 2]]
THREE_PARTITIONS += [[0, 1, 2], [2, 2, 2], [3, 2, 3]]
SIX_SAMPLES = [[0, 0, 0], [0, 1, 0], [0, 2, 0], [1, 2, 0], [1, 3, 0], [1, 0, 0]]


@pytest.mark.parametrize(
    ("name", "n_clusters", "labels"),
    [("TEA", 3, RING_OF_TWELVE), ("KCC", 2, THREE_PARTITIONS), ("MCLA", 2, SIX_SAMPLES)],
)
def test_a_tie_between_alike_clusters_is_said_in_every_order(name, n_clusters, labels):
    rng = np.random.RandomState(0)
    for _ in range(8):
        other, _ = disguised(np.array(labels), rng)
        assert combined(name, other, n_clusters)[1]


def symmetric(rng):
    """Labels of at most 16 samples: rings, sums modulo a number, or copies of a pattern."""
    kind, copies, n = rng.randint(3), rng.randint(1, 4), 2 * rng.randint(2, 6)
    if kind == 0:
        around = np.repeat(np.arange(n), rng.randint(1, 3, n // 2).repeat(2))
        labels = np.stack([around // 2, (around + 1) % n // 2], axis=1)
    elif kind == 1:
        i, j = np.divmod(np.arange(n * copies), copies)
        labels = np.stack([i, j, (i + j) % n, i // 2], axis=1)[:, : rng.randint(2, 5)]
    else:
        pattern = rng.randint(0, 3, (4, 3))
        labels = np.concatenate([pattern + 3 * copy for copy in range(copies + 1)])
    return labels[:16]


@pytest.mark.parametrize("name", ["EAC", "MCLA", "TEA"])
def test_symmetric_ensembles_have_one_answer_in_every_order_or_a_warning(name):
    rng = np.random.RandomState(0)
    for _ in range(100):
        labels = symmetric(rng)
        n_clusters = rng.randint(2, 5)
        here, undecided = combined(name, labels, n_clusters)
        for _ in range(4):
            other, rows = disguised(labels, rng)
            there, undecided_there = combined(name, other, n_clusters)
            assert undecided == undecided_there
            assert undecided or adjusted_rand_index(here[rows], there) == 1


@pytest.mark.parametrize("name", ["ECPCSMC", "LWGP", "HBGF"])
def test_threads_do_not_change_the_answer(name):
    for seed in range(10):
        labels = np.random.RandomState(seed).randint(0, 4, (60, 30))
        with threadpool_limits(1):
            one, _ = combined(name, labels, 4)
        with threadpool_limits(2):
            two, _ = combined(name, labels, 4)
        assert_array_equal(one, two)
