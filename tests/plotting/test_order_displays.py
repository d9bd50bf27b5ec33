"""The two pictures of an audit."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pytest

from consensa.exceptions import InvalidInputError
from consensa.metrics import OrderAudit, order_information
from consensa.plotting import OrderAgreementDisplay, OrderSpectrumDisplay
from consensa.plotting._order_agreement import spread


def sorted_blocks(n, k=3):
    labels = np.sort(np.arange(n) % k)
    return (labels[:, None] == labels).astype(float)


def test_each_agreement_is_a_point_in_its_row():
    orders, seeds = [0.1, 0.3, 0.2], [0.9, 1.0]
    display = OrderAgreementDisplay(orders, seeds).plot()
    for points, values, row in zip(display.points_, (orders, seeds), (1, 0), strict=True):
        x, y = points.get_offsets().T
        np.testing.assert_allclose(x, values)
        assert (np.abs(y - row) < 0.5).all()
    names = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert names == ["between seeds\n(mean 0.95)", "between orders\n(mean 0.20)"]


def test_a_method_without_a_seed_has_one_row():
    display = OrderAgreementDisplay([1.0, 1.0]).plot()
    assert len(display.points_) == 1
    assert len(display.ax_.get_yticks()) == 1


def test_an_audit_is_drawn_where_one_says():
    figure, (left, right) = plt.subplots(1, 2)
    nothing = np.zeros((0, 2), int)
    audit = OrderAudit(np.zeros(2, int), nothing, nothing, np.array([-0.4]), np.array([1.0]))
    display = OrderAgreementDisplay.from_audit(audit, ax=left)
    assert display.ax_ is left
    assert display.figure_ is figure
    assert left.get_xlim()[0] < -0.4  # an agreement below 0 is seen too
    assert not right.collections


def test_points_of_one_value_do_not_hide_each_other():
    offsets = spread(np.ones(5))
    assert len(np.unique(offsets)) == 5
    assert not spread(np.array([0.1, 0.5, 0.9])).any()
    assert (np.abs(spread(np.ones(40))) <= 0.32).all()


def test_no_orders_are_refused():
    with pytest.raises(InvalidInputError, match="at least one shuffled order"):
        OrderAgreementDisplay([]).plot()


@pytest.mark.parametrize("n", [30, 31])
def test_the_energy_above_the_line_is_the_order_information(n):
    matrix = sorted_blocks(n)
    display = OrderSpectrumDisplay.from_coassociation(matrix)
    assert display.information_ == pytest.approx(order_information(matrix))
    assert f"{display.information_:.2f}" in display.ax_.get_title()
    given, shuffled = display.lines_
    assert given.get_label() == "rows as given"
    assert given.get_ydata()[0] > 5 * shuffled.get_ydata()[0]
    assert len(given.get_xdata()) == n // 2


def test_the_shuffle_moves_rows_and_columns_alike():
    # Energies are summed over the columns, so that shuffling rows alone gives the same.
    matrix = sorted_blocks(24)
    order = np.random.RandomState(0).permutation(24)
    both = order_information(matrix[np.ix_(order, order)])
    assert both == pytest.approx(order_information(matrix[order]))


def test_shares_of_another_number_of_rows_are_refused():
    with pytest.raises(InvalidInputError, match=r"shuffled must hold the shares of the 4"):
        OrderSpectrumDisplay([0.25] * 4, [0.2] * 5).plot()
    with pytest.raises(InvalidInputError, match=r"spectrum must hold the shares of the 3"):
        OrderSpectrumDisplay([0.25] * 4, n_samples=7).plot()
