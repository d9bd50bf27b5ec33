"""Cluster of each sample for increasing numbers of clusters."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import KW_ONLY, field
from typing import Any

import numpy as np

from consensa._array import Array
from consensa._result import ConsensusResult
from consensa.description.following import follow_clusters
from consensa.ensemble.missing import MISSING, is_labeled
from consensa.exceptions import InvalidInputError
from consensa.plotting._clusters import cluster_paint
from consensa.plotting._display import Display
from consensa.selection import SelectionResult

__all__ = ["TrackingDisplay"]

_SHARE_THAT_FITS_A_NUMBER = 0.025  # of the axis
_HEIGHT = 0.94  # of a row; the rest parts it from the next


class TrackingDisplay(Display):
    r"""Cluster of each sample for increasing numbers of clusters.

    Each column is a sample, each row a number of clusters k. From one row to the next a color
    is passed to the cluster that shares most samples with the one that had it, so that a new
    color is a new cluster. Blocks that split and stay together are nested clusters; columns with
    changing colors are samples without a stable cluster.

    Parameters
    ----------
    labels : array-like of shape (n_samples, n_candidates)
        Cluster of each sample for each number of clusters; -1 where a sample has none.
    n_clusters : array-like of shape (n_candidates,)
        The numbers of clusters, one for each column of `labels`.
    numbers_of : int or None, default=None
        Number of clusters whose clusters keep their own numbers, and so the colors that they
        have in other figures of this result; None is the smallest.
    max_columns : int, default=1000
        Maximum number of columns of the figure. If there are more samples, neighbors share a
        column, which shows their most frequent cluster.

    Attributes
    ----------
    %(figure_)s
    %(ax_)s
    order_ : ndarray of shape (n_samples,)
        Samples from left to right.
    tracked_ : ndarray of shape (n_samples, n_candidates)
        Number of each sample's cluster, kept from row to row; it determines color and hatch.
    cells_ : ndarray of shape (n_candidates, n_columns)
        The numbers as drawn.

    See Also
    --------
    consensa.select_n_clusters : Computes such labels.
    ConsensusCDFDisplay : Stability of each number of clusters.

    References
    ----------
    .. [1] M. D. Wilkerson and D. N. Hayes, "ConsensusClusterPlus: a class discovery tool with
       confidence assessments and item tracking", Bioinformatics 26(12), 2010.
       :doi:`10.1093/bioinformatics/btq170`

    Examples
    --------
    The names of the clusters change from two to three; what they hold is followed.

    >>> from consensa.plotting import TrackingDisplay
    >>> display = TrackingDisplay([[0, 2], [0, 2], [1, 0], [1, 1]], [2, 3]).plot()
    >>> display.tracked_.T
    array([[0, 0, 1, 1],
           [0, 0, 1, 2]])
    """

    labels: Any
    n_clusters: Any
    _: KW_ONLY
    numbers_of: int | None = None
    max_columns: int = 1000

    order_: Array = field(init=False)
    tracked_: Array = field(init=False)
    cells_: Array = field(init=False)

    @classmethod
    def from_selection(cls, selection: SelectionResult, *, ax: Any = None) -> TrackingDisplay:
        """Draw the consensus for each candidate of a selection.

        Parameters
        ----------
        %(selection)s
        %(ax)s

        Returns
        -------
        TrackingDisplay
            The display, drawn.

        See Also
        --------
        TrackingDisplay.from_result : From a tree that is cut several times.

        Examples
        --------
        >>> import consensa as cs
        >>> from consensa.plotting import TrackingDisplay
        >>> labels = [[0, 0, 1], [0, 0, 1], [1, 1, 0], [1, 1, 0], [2, 1, 0], [2, 1, 2]]
        >>> found = cs.select_n_clusters(labels, [2, 3], generator="precomputed", random_state=0)
        >>> TrackingDisplay.from_selection(found).cells_.shape
        (2, 6)
        """
        chosen, numbers = selection.n_clusters, selection.scores["n_clusters"]
        kept = chosen if chosen in numbers else None  # one cluster may be no candidate
        return cls(selection.labels, numbers, numbers_of=kept).plot(ax)

    @classmethod
    def from_result(
        cls, result: ConsensusResult, n_clusters: Iterable[int], *, ax: Any = None
    ) -> TrackingDisplay:
        """Cut the tree of a result into each number of clusters, and draw the clusters.

        Parameters
        ----------
        result : ConsensusResult
            Of a method that builds a tree.
        n_clusters : iterable of int
            Numbers of clusters, such as ``range(2, 9)``.
        %(ax)s

        Returns
        -------
        TrackingDisplay
            The display, drawn.

        See Also
        --------
        DendrogramDisplay : The tree itself.

        Examples
        --------
        >>> import consensa as cs
        >>> from consensa.plotting import TrackingDisplay
        >>> result = cs.eac(cs.Ensemble.from_labels([[0, 0], [0, 1], [1, 2], [1, 2]]), 2)
        >>> TrackingDisplay.from_result(result, [2, 3]).tracked_.T
        array([[0, 0, 1, 1],
               [0, 2, 1, 1]])
        """
        numbers = list(n_clusters)
        kept = result.n_clusters if result.n_clusters in numbers else None
        cuts = np.column_stack([result.cut(k) for k in numbers])
        return cls(cuts, numbers, numbers_of=kept).plot(ax)

    def plot(self, ax: Any = None) -> TrackingDisplay:
        """Draw the rows.

        Parameters
        ----------
        %(ax)s

        Returns
        -------
        TrackingDisplay
            The display itself.

        See Also
        --------
        TrackingDisplay.from_selection : From a selection in one call.

        Examples
        --------
        >>> from consensa.plotting import TrackingDisplay
        >>> TrackingDisplay([[0], [1]], [2]).plot().ax_.get_ylabel()
        'number of clusters'
        """
        labels, numbers = self._read()
        self.tracked_ = follow_clusters(labels, self._first(numbers))
        # The first row decides, then the second: clusters in clusters stay in one piece.
        self.order_ = np.lexsort(self.tracked_.T[::-1])
        ends = np.linspace(0, len(labels), min(len(labels), self.max_columns) + 1).astype(int)
        self.cells_ = _majorities(self.tracked_[self.order_], ends)
        height = 1.4 + 0.32 * len(numbers)
        self._draw_on(ax, (6.4, height))
        for row, cells in enumerate(self.cells_):
            self._draw_row(row, cells, ends)
        self._name(len(labels), numbers)
        return self

    def _read(self) -> tuple[Array, Array]:
        labels, numbers = np.asarray(self.labels), np.asarray(self.n_clusters)
        if labels.ndim != 2 or numbers.shape != labels.shape[1:] or labels.size == 0:
            message = (
                f"labels must have a row for each sample and a column for each of the "
                f"{numbers.size} numbers of clusters. Got shape {labels.shape}."
            )
            raise InvalidInputError(message)
        if labels.dtype.kind not in "iu" or labels.min() < MISSING:
            message = (
                f"labels must be whole numbers from 0, or -1 for a sample without a cluster. "
                f"Got dtype {labels.dtype}"
                + (f" and {labels.min()}." if labels.dtype.kind in "iu" else ".")
            )
            raise InvalidInputError(message)
        order = np.argsort(numbers, kind="stable")
        return labels[:, order], numbers[order]

    def _first(self, numbers: Array) -> int:
        """Column of the clusters that keep their numbers."""
        if self.numbers_of is None:
            return 0
        place = np.flatnonzero(numbers == self.numbers_of)
        if len(place) == 0:
            message = (
                f"numbers_of must be one of the numbers of clusters {numbers.tolist()}. Got "
                f"{self.numbers_of!r}."
            )
            raise InvalidInputError(message)
        return int(place[0])

    def _draw_row(self, row: int, cells: Array, ends: Array) -> None:
        """Runs of equal cells as one bar each; a number where it fits."""
        begins = np.flatnonzero(np.diff(cells, prepend=cells[0] - 1))
        left, right = ends[begins], ends[np.append(begins[1:], len(cells))]
        for number in np.unique(cells[is_labeled(cells)]):
            own = cells[begins] == number
            bars = np.column_stack([left[own], (right - left)[own]])
            self.ax_.broken_barh(bars, (row - _HEIGHT / 2, _HEIGHT), **cluster_paint(int(number)))
            widest = int(np.argmax(bars[:, 1]))
            if bars[widest, 1] >= _SHARE_THAT_FITS_A_NUMBER * ends[-1]:
                start, width = bars[widest]
                self.ax_.text(
                    start + width / 2, row, str(number), ha="center", va="center",
                    fontsize="x-small",
                    bbox={"boxstyle": "round,pad=0.15", "facecolor": "white",
                          "edgecolor": "none", "alpha": 0.85},
                )  # fmt: skip

    def _name(self, n: int, numbers: Array) -> None:
        self.ax_.set_xlim(0, n)
        self.ax_.set_ylim(len(numbers) - 0.5, -0.5)
        self.ax_.set_yticks(range(len(numbers)), [str(k) for k in numbers])
        self.ax_.tick_params(axis="y", length=0)
        self.ax_.set_ylabel("number of clusters")
        self.ax_.set_xlabel("samples, in order of their clusters")
        self.ax_.set_title(f"Clusters of {n:,} samples")
        for side in self.ax_.spines.values():
            side.set_visible(False)


def _majorities(ordered: Array, ends: Array) -> Array:
    """Most frequent number of each row of the picture between the ends; the lowest on ties."""
    n, n_rows = ordered.shape
    if len(ends) == n + 1:
        return ordered.T
    column = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
    count = int(ordered.max()) + 2  # the first place counts the missing
    cells = np.empty((n_rows, len(ends) - 1), dtype=np.int64)
    for row in range(n_rows):
        places = column * count + ordered[:, row] + 1
        votes = np.bincount(places, minlength=(len(ends) - 1) * count)
        cells[row] = votes.reshape(-1, count).argmax(axis=1) - 1
    return cells
