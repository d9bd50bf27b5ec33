"""Agreement of the labels between orders of the rows, and between seeds."""

from __future__ import annotations

from dataclasses import field
from itertools import pairwise
from typing import Any

import numpy as np

from consensa._array import Array
from consensa.exceptions import InvalidInputError
from consensa.metrics import OrderAudit
from consensa.plotting._display import Display
from consensa.plotting.axes import COLORS, MARKERS, tidy

__all__ = ["OrderAgreementDisplay"]

_ROOM = 0.32  # half the height of a row of points


class OrderAgreementDisplay(Display):
    r"""Agreement between orders of the rows against agreement between seeds.

    Each point is the adjusted Rand index with the labels for the given order and seed; a bar
    marks the mean. If the points of the orders are to the left of those of the seeds, the result
    depends on the order of the rows.

    Parameters
    ----------
    between_orders : array-like of shape (n_shuffles,)
        Agreement of the labels for shuffled rows.
    between_seeds : array-like of shape (n_seeds,), default=()
        Agreement of the labels with other seeds; empty for a method without randomness.

    Attributes
    ----------
    %(figure_)s
    %(ax_)s
    points_ : list of matplotlib PathCollection
        Points of the orders, and of the seeds if there are any.

    See Also
    --------
    OrderSpectrumDisplay : The order information.

    Examples
    --------
    >>> from consensa.plotting import OrderAgreementDisplay
    >>> display = OrderAgreementDisplay([0.2, 0.3, 0.25], [0.9, 0.95, 1.0]).plot()
    >>> [label.get_text() for label in display.ax_.get_yticklabels()]
    ['between seeds\n(mean 0.95)', 'between orders\n(mean 0.25)']
    """

    between_orders: Any
    between_seeds: Any = ()

    points_: list[Any] = field(init=False)

    @classmethod
    def from_audit(cls, audit: OrderAudit, *, ax: Any = None) -> OrderAgreementDisplay:
        """Draw the agreements of an audit.

        Parameters
        ----------
        audit : OrderAudit
            Result of `consensa.metrics.audit_order`.
        %(ax)s

        Returns
        -------
        OrderAgreementDisplay
            The display, drawn.

        See Also
        --------
        OrderAgreementDisplay.plot : The drawing itself.

        Examples
        --------
        >>> from consensa import EAC
        >>> from consensa.metrics import audit_order
        >>> from consensa.plotting import OrderAgreementDisplay
        >>> labels = [[0, 0], [0, 0], [1, 1], [1, 2], [1, 2]]
        >>> audit = audit_order(EAC(2, generator="precomputed"), labels, n_seeds=0)
        >>> OrderAgreementDisplay.from_audit(audit).ax_.get_xlabel()
        'adjusted Rand index with the labels for the given order'
        """
        return cls(audit.between_orders, audit.between_seeds).plot(ax)

    def plot(self, ax: Any = None) -> OrderAgreementDisplay:
        """Draw the points and their means.

        Parameters
        ----------
        %(ax)s

        Returns
        -------
        OrderAgreementDisplay
            The display itself.

        See Also
        --------
        OrderAgreementDisplay.from_audit : From an audit in one call.

        Examples
        --------
        >>> from consensa.plotting import OrderAgreementDisplay
        >>> len(OrderAgreementDisplay([1.0, 1.0]).plot().points_)
        1
        """
        rows = self._rows()
        self._draw_on(ax, (6.4, 3.2))
        self.points_ = []
        for height, (color, marker, (_, values)) in enumerate(
            zip(COLORS, MARKERS, rows, strict=False)
        ):
            place = len(rows) - 1 - height
            style = {"color": color, "marker": marker, "alpha": 0.75, "linewidths": 0}
            self.points_.append(self.ax_.scatter(values, place + spread(values), s=36, **style))
            ends = [place - _ROOM - 0.08, place + _ROOM + 0.08]
            self.ax_.plot([values.mean()] * 2, ends, color=color, linewidth=2)
        names = [f"{name}\n(mean {values.mean():.2f})" for name, values in rows]
        self.ax_.set_yticks(range(len(rows)), names[::-1])
        self.ax_.set_ylim(-0.6, len(rows) - 0.4)
        lowest = min(float(values.min()) for _, values in rows)
        self.ax_.set_xlim(min(-0.03, lowest - 0.03), 1.03)
        self.ax_.set_xlabel("adjusted Rand index with the labels for the given order")
        self.ax_.set_title("Agreement of the labels")
        tidy(self.ax_, grid="x")
        return self

    def _rows(self) -> list[tuple[str, Array]]:
        orders = np.asarray(self.between_orders, dtype=float)
        seeds = np.asarray(self.between_seeds, dtype=float)
        if orders.ndim != 1 or len(orders) == 0:
            message = (
                f"between_orders must hold the agreement of at least one shuffled order. "
                f"Got shape {orders.shape}."
            )
            raise InvalidInputError(message)
        rows = [("between orders", orders)]
        return [*rows, ("between seeds", seeds)] if len(seeds) else rows


def spread(values: Array, room: float = _ROOM) -> Array:
    """Offsets that set points of nearly the same value beside each other, not on each other.

    In order of value they go up and down in turn: no randomness, so the same picture twice.
    """
    offsets = np.zeros(len(values))
    near = 0.02 * max(1.0, float(np.ptp(values)))
    run = 0
    ordered = np.argsort(values, kind="stable")
    for before, here in pairwise(ordered):
        run = run + 1 if values[here] - values[before] < near else 0
        offsets[here] = room * ((run + 1) // 2 % 5) / 4 * (1 if run % 2 else -1)
    return offsets
