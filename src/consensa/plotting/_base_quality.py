"""Agreement of the base partitions with the consensus and with the truth."""

from __future__ import annotations

from dataclasses import KW_ONLY, field
from typing import Any

import numpy as np

from consensa._array import Array
from consensa.ensemble import Ensemble
from consensa.exceptions import InvalidInputError
from consensa.metrics import adjusted_rand_index, partition_agreement
from consensa.plotting._clusters import fitted_ensemble
from consensa.plotting._display import Display
from consensa.plotting.axes import COLORS, MARKERS, short_name, tidy

__all__ = ["BaseQualityDisplay"]

_MOST_NAMES = 40


class BaseQualityDisplay(Display):
    r"""Agreement of each base partition with the consensus, the best first.

    Partitions far to the left differ from the consensus. If the true classes are known, the
    agreement with them is drawn too, and a line marks that of the consensus: it is better than
    the partitions to the left of the line.

    Parameters
    ----------
    with_consensus : array-like of shape (n_partitions,)
        Adjusted Rand index of each partition with the consensus.
    with_truth : array-like of shape (n_partitions,) or None, default=None
        The same with the true classes.
    consensus_with_truth : float or None, default=None
        The same of the consensus with the true classes.
    n_clusters : array-like of shape (n_partitions,) or None, default=None
        Number of clusters of each partition, written beside its name.
    names : sequence of str or None, default=None
        Names of the partitions; None numbers them.

    Attributes
    ----------
    %(figure_)s
    %(ax_)s
    points_ : matplotlib Line2D
        Agreement with the consensus, from the best to the worst.
    truth_points_ : matplotlib Line2D or None
        Agreement with the true classes, in the same order.
    order_ : ndarray of shape (n_partitions,)
        Partitions from the top.

    See Also
    --------
    PartitionAgreementDisplay : The agreement of each pair.
    BaseComparisonDisplay : Scores of several sets and methods.

    Examples
    --------
    >>> from consensa.plotting import BaseQualityDisplay
    >>> display = BaseQualityDisplay([0.2, 0.9, 0.5], names=["a", "b", "c"]).plot()
    >>> [text.get_text() for text in display.ax_.get_yticklabels()]
    ['b', 'c', 'a']
    """

    with_consensus: Any
    _: KW_ONLY
    with_truth: Any = None
    consensus_with_truth: float | None = None
    n_clusters: Any = None
    names: Any = None

    points_: Any = field(init=False)
    truth_points_: Any = field(init=False)
    order_: Array = field(init=False)

    @classmethod
    def from_estimator(
        cls, estimator: Any, y: Any = None, *, ax: Any = None
    ) -> BaseQualityDisplay:
        """Draw the base partitions of a fitted estimator.

        Parameters
        ----------
        estimator : fitted consensus estimator
            With ``ensemble_`` and ``labels_``.
        y : array-like of shape (n_samples,) or None, default=None
            True class of each sample, if known.
        %(ax)s

        Returns
        -------
        BaseQualityDisplay
            The display, drawn.

        See Also
        --------
        BaseQualityDisplay.from_ensemble : The same from an ensemble and labels.

        Examples
        --------
        >>> import consensa as cs
        >>> from consensa.plotting import BaseQualityDisplay
        >>> model = cs.EAC(2, generator="precomputed").fit([[0, 0], [0, 0], [1, 1]])
        >>> BaseQualityDisplay.from_estimator(model).points_.get_xdata()
        array([1., 1.])
        """
        ensemble, labels = fitted_ensemble("BaseQualityDisplay", estimator)
        return cls.from_ensemble(ensemble, labels, y, ax=ax)

    @classmethod
    def from_ensemble(
        cls, ensemble: Any, labels: Any, y: Any = None, *, ax: Any = None
    ) -> BaseQualityDisplay:
        """Draw the partitions of an ensemble.

        Parameters
        ----------
        ensemble : Ensemble or label matrix
            Base partitions.
        labels : array-like of shape (n_samples,)
            Consensus cluster of each sample.
        y : array-like of shape (n_samples,) or None, default=None
            True class of each sample, if known.
        %(ax)s

        Returns
        -------
        BaseQualityDisplay
            The display, drawn.

        See Also
        --------
        consensa.metrics.partition_agreement : The numbers.

        Examples
        --------
        >>> from consensa.plotting import BaseQualityDisplay
        >>> labels = [[0, 0], [0, 1], [1, 0], [1, 1]]
        >>> display = BaseQualityDisplay.from_ensemble(labels, [0, 0, 1, 1], ["a", "a", "b", "b"])
        >>> display.truth_points_.get_xdata()
        array([ 1. , -0.5])
        """
        ensemble = Ensemble.from_labels(ensemble)
        found = partition_agreement(ensemble, labels)
        return cls(
            found.agreement,
            with_truth=None if y is None else partition_agreement(ensemble, y).agreement,
            consensus_with_truth=None if y is None else adjusted_rand_index(y, labels),
            n_clusters=found.n_clusters,
            names=ensemble.partition_names,
        ).plot(ax)

    def plot(self, ax: Any = None) -> BaseQualityDisplay:
        """Draw a point a partition.

        Parameters
        ----------
        %(ax)s

        Returns
        -------
        BaseQualityDisplay
            The display itself.

        See Also
        --------
        BaseQualityDisplay.from_estimator : From a fitted estimator in one call.

        Examples
        --------
        >>> from consensa.plotting import BaseQualityDisplay
        >>> BaseQualityDisplay([0.5]).plot().ax_.get_xlabel()
        'adjusted Rand index'
        """
        values = self._read("with_consensus", self.with_consensus, None)
        m = len(values)
        truth = None if self.with_truth is None else self._read("with_truth", self.with_truth, m)
        self.order_ = np.argsort(-values, kind="stable")
        rows = np.arange(m)
        size = (6.4, 1.6 + 0.2 * min(max(m, 6), _MOST_NAMES))
        self._draw_on(ax, size)
        few = m <= _MOST_NAMES
        if few:
            self.ax_.hlines(rows, 0, values[self.order_], color="0.85", linewidth=1, zorder=1)
        look = {"linestyle": "none", "markersize": 6 if few else 3}
        (self.points_,) = self.ax_.plot(
            values[self.order_], rows, color=COLORS[0], marker=MARKERS[0],
            label="with the consensus", **look,
        )  # fmt: skip
        self.truth_points_ = None
        if truth is not None:
            (self.truth_points_,) = self.ax_.plot(
                truth[self.order_], rows, color=COLORS[1], marker=MARKERS[1],
                markerfacecolor="white", label="with the true classes", **look,
            )  # fmt: skip
        self._name(m, values if truth is None else np.concatenate([values, truth]))
        return self

    def _read(self, name: str, given: Any, wanted: int | None) -> Array:
        values = np.asarray(given, dtype=float)
        if values.ndim != 1 or len(values) == 0 or len(values) != (wanted or len(values)):
            some = "at least one partition" if wanted is None else f"the {wanted} partitions"
            message = f"{name} must hold the agreement of {some}. Got shape {values.shape}."
            raise InvalidInputError(message)
        return values

    def _name(self, m: int, values: Array) -> None:
        ax = self.ax_
        if m <= _MOST_NAMES:
            ax.set_yticks(range(m), [self._called(j) for j in self.order_], fontsize="small")
            ax.tick_params(axis="y", length=0)
            ax.set_ylabel("partition")
        else:
            ax.set_ylabel("partitions, the most agreeing first")
        ax.set_ylim(m - 0.5, -0.5)
        ax.set_xlim(min(0.0, float(values.min())) - 0.02, 1.02)
        ax.set_xlabel("adjusted Rand index")
        ax.set_title(f"Agreement of {m:,} base {'partition' if m == 1 else 'partitions'}")
        tidy(ax, grid="x")
        if self.consensus_with_truth is not None:
            ax.axvline(
                self.consensus_with_truth, color=COLORS[1], linestyle="--", linewidth=1.5,
                label="consensus with the true classes",
            )  # fmt: skip
        if self.truth_points_ is not None:
            ax.legend(
                frameon=False, fontsize="small", ncols=2, loc="upper center",
                bbox_to_anchor=(0.5, -0.12),
            )  # fmt: skip

    def _called(self, partition: int) -> str:
        name = short_name(partition if self.names is None else self.names[partition])
        if self.n_clusters is None:
            return name
        return f"{name} (k = {int(np.asarray(self.n_clusters)[partition])})"
