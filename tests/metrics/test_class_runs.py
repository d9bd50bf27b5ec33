"""How sorted a label vector is: against all orders of a small one."""

import itertools

import numpy as np
import pytest

from consensa.exceptions import InvalidInputError
from consensa.metrics import class_runs


@pytest.mark.parametrize("y", [[0, 0, 1, 1, 2], [0, 0, 0, 1], [0, 1, 2, 3], [5], [7, 7, 7]])
def test_mean_and_deviation_are_those_of_all_orders(y):
    runs = [1 + sum(a != b for a, b in itertools.pairwise(order))
            for order in itertools.permutations(y)]  # fmt: skip
    found = class_runs(y)
    assert found.expected == pytest.approx(np.mean(runs))
    assert found.std == pytest.approx(np.std(runs))
    assert found.n_runs == runs[0]
    assert min(runs) == found.n_classes == len(set(y))


def test_sorted_rows_have_one_run_a_class_and_random_ones_about_as_many_as_expected():
    y = np.repeat(["b", "a", "c"], 100)
    assert class_runs(y).sortedness == 1
    shuffled = class_runs(np.random.RandomState(0).permutation(y))
    assert abs(shuffled.n_runs - shuffled.expected) < 3 * shuffled.std
    assert abs(shuffled.sortedness) < 0.15
    assert class_runs(["a", "b"] * 50).sortedness < -0.9
    assert class_runs(["a", "a"]).sortedness == 0


@pytest.mark.parametrize(("y", "said"), [([], "at least one row"), ([[0, 1]], "y must have one")])
def test_what_is_no_label_vector_is_refused(y, said):
    with pytest.raises(InvalidInputError, match=said):
        class_runs(np.array(y))
