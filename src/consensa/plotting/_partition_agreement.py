"""Agreement of the base partitions with each other and with the consensus."""

from __future__ import annotations

from dataclasses import KW_ONLY, field
from typing import Any

import numpy as np

from consensa._array import Array
from consensa._params import OneOf, check_params
from consensa.ensemble import Ensemble
from consensa.ensemble.missing import is_labeled
from consensa.exceptions import InvalidInputError
from consensa.metrics import partition_agreement, partition_similarity
from consensa.plotting._clusters import fitted_ensemble, read_clusters
from consensa.plotting._display import Display
from consensa.plotting.axes import color_map, short_name

__all__ = ["PartitionAgreementDisplay"]

_SCORES = {"ari": "adjusted Rand index", "nmi": "normalized mutual information"}
_MOST_NUMBERS = 12  # rows of a picture in whose cells numbers are legible
_MOST_NAMES = 40


class PartitionAgreementDisplay(Display):
    r"""Agreement of each pair of base partitions, and of each with the consensus.

    The first row and column are the consensus, if it is given; the partitions follow, sorted by
    their agreement with it. Dark rows are partitions that agree with few others.

    Parameters
    ----------
    agreement : array-like of shape (n_partitions, n_partitions)
        Agreement of each pair, at most 1; see `consensa.metrics.partition_similarity`. NaN is
        left blank.
    consensus : array-like of shape (n_partitions,) or None, default=None
        Agreement of each partition with the consensus. Without it, partitions are in the order
        of their mean agreement with the others.
    names : sequence of str or None, default=None
        Names of the partitions; None numbers them.
    score : str, default="adjusted Rand index"
        Name of the agreement.
    n_partitions : int or None, default=None
        Number of partitions that these were taken from, for the title.

    Attributes
    ----------
    %(figure_)s
    %(ax_)s
    image_ : matplotlib AxesImage
        The matrix as drawn.
    order_ : ndarray of shape (n_partitions,)
        Partitions from the top.
    colorbar_ : matplotlib Colorbar or None
        The color bar, if one was asked for.

    See Also
    --------
    BaseQualityDisplay : The agreement with the consensus alone, for many partitions.

    Examples
    --------
    >>> from consensa.plotting import PartitionAgreementDisplay
    >>> display = PartitionAgreementDisplay([[1, 0.2], [0.2, 1]], [0.5, 0.9]).plot()
    >>> display.order_
    array([1, 0])
    """

    agreement: Any
    consensus: Any = None
    _: KW_ONLY
    names: Any = None
    score: str = "adjusted Rand index"
    n_partitions: int | None = None

    image_: Any = field(init=False)
    order_: Array = field(init=False)
    colorbar_: Any = field(init=False)

    @classmethod
    def from_estimator(
        cls, estimator: Any, *, score: str = "ari", max_partitions: int = 60, ax: Any = None
    ) -> PartitionAgreementDisplay:
        """Draw the agreement of the base partitions of a fitted estimator.

        Parameters
        ----------
        estimator : fitted consensus estimator
            With ``ensemble_`` and ``labels_``.
        score : {"ari", "nmi"}, default="ari"
            Adjusted Rand index, or normalized mutual information.
        max_partitions : int, default=60
            Maximum number of partitions to draw.
        %(ax)s

        Returns
        -------
        PartitionAgreementDisplay
            The display, drawn.

        See Also
        --------
        PartitionAgreementDisplay.from_ensemble : The same from an ensemble and labels.

        Examples
        --------
        >>> import consensa as cs
        >>> from consensa.plotting import PartitionAgreementDisplay
        >>> model = cs.EAC(2, generator="precomputed").fit([[0, 0], [0, 0], [1, 1]])
        >>> PartitionAgreementDisplay.from_estimator(model).image_.get_array().shape
        (3, 3)
        """
        ensemble, labels = fitted_ensemble("PartitionAgreementDisplay", estimator)
        return cls.from_ensemble(
            ensemble, labels, score=score, max_partitions=max_partitions, ax=ax
        )

    @classmethod
    def from_ensemble(
        cls,
        ensemble: Any,
        labels: Any = None,
        *,
        score: str = "ari",
        max_partitions: int = 60,
        ax: Any = None,
    ) -> PartitionAgreementDisplay:
        """Draw the agreement of the partitions of an ensemble.

        Parameters
        ----------
        ensemble : Ensemble or label matrix
            Base partitions.
        labels : array-like of shape (n_samples,) or None, default=None
            Consensus cluster of each sample.
        score : {"ari", "nmi"}, default="ari"
            Adjusted Rand index, or normalized mutual information.
        max_partitions : int, default=60
            Maximum number of partitions to draw. If there are more, they are selected at even
            steps from the highest to the lowest agreement with the consensus; without labels, in
            their order.
        %(ax)s

        Returns
        -------
        PartitionAgreementDisplay
            The display, drawn.

        See Also
        --------
        consensa.metrics.partition_similarity : The numbers.

        Examples
        --------
        >>> from consensa.plotting import PartitionAgreementDisplay
        >>> labels = [[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]]
        >>> display = PartitionAgreementDisplay.from_ensemble(labels, [0, 0, 1, 1])
        >>> display.ax_.get_title()
        'Agreement of 3 partitions and the consensus'
        """
        check_params("PartitionAgreementDisplay", {"score": (OneOf(tuple(_SCORES)),)},
                     {"score": score})  # fmt: skip
        ensemble = Ensemble.from_labels(ensemble)
        names = ensemble.partition_names or [str(j) for j in range(ensemble.n_partitions)]
        chosen = _even_choice(ensemble, labels, max_partitions)
        columns = ensemble.codes[:, chosen]
        if labels is not None:
            own = read_clusters(labels, ensemble.n_samples, "samples of the ensemble").codes
            columns = np.column_stack([own, columns])
        every = partition_similarity(_of_columns(columns), score=score)
        first = int(labels is not None)
        return cls(
            every[first:, first:],
            every[0, 1:] if first else None,
            names=[names[j] for j in chosen],
            score=_SCORES[score],
            n_partitions=ensemble.n_partitions,
        ).plot(ax)

    def plot(
        self, ax: Any = None, *, cmap: str = "viridis", colorbar: bool = True
    ) -> PartitionAgreementDisplay:
        """Draw the matrix.

        Parameters
        ----------
        %(ax)s
        cmap : str, default="viridis"
            Color map. The default can be read by the color-blind and in gray.
        colorbar : bool, default=True
            Whether to add a color bar.

        Returns
        -------
        PartitionAgreementDisplay
            The display itself.

        See Also
        --------
        PartitionAgreementDisplay.from_estimator : From a fitted estimator in one call.

        Examples
        --------
        >>> from consensa.plotting import PartitionAgreementDisplay
        >>> display = PartitionAgreementDisplay([[1, 0.2], [0.2, 1]], names=["a", "b"]).plot()
        >>> [text.get_text() for text in display.ax_.get_yticklabels()]
        ['a', 'b']
        """
        matrix, consensus, names = self._read()
        others = np.where(np.eye(len(matrix), dtype=bool), np.nan, matrix)
        known = np.isfinite(others)
        mean = np.where(known, others, 0).sum(axis=1) / np.maximum(known.sum(axis=1), 1)
        by = mean if consensus is None else consensus
        self.order_ = np.argsort(-np.nan_to_num(by, nan=-np.inf), kind="stable")
        drawn = matrix[np.ix_(self.order_, self.order_)]
        shown = [names[j] for j in self.order_]
        if consensus is not None:
            drawn = np.pad(drawn, ((1, 0), (1, 0)), constant_values=1)
            drawn[0, 1:] = drawn[1:, 0] = consensus[self.order_]
            shown = ["consensus", *shown]
        self._draw_on(ax, (6.4, 5.6))
        lowest = min(0.0, float(np.nanmin(drawn)))
        self.image_ = self.ax_.imshow(
            drawn, cmap=color_map(cmap), vmin=lowest, vmax=1, interpolation="nearest"
        )
        self._name(shown, len(matrix), consensus is not None)
        if len(drawn) <= _MOST_NUMBERS:
            self._write(drawn)
        self.colorbar_ = None
        if colorbar:
            self.colorbar_ = self.figure_.colorbar(
                self.image_, ax=self.ax_, label=self.score, fraction=0.046, pad=0.03
            )
            self.colorbar_.outline.set_visible(False)
        return self

    def _read(self) -> tuple[Array, Array | None, list[str]]:
        matrix = np.asarray(self.agreement, dtype=float)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) == 0:
            message = f"agreement must be square, m × m. Got shape {matrix.shape}."
            raise InvalidInputError(message)
        consensus = None if self.consensus is None else np.asarray(self.consensus, dtype=float)
        if consensus is not None and consensus.shape != matrix.shape[:1]:
            message = (
                f"consensus must hold the agreement of each of the {len(matrix)} partitions. "
                f"Got shape {consensus.shape}."
            )
            raise InvalidInputError(message)
        names = range(len(matrix)) if self.names is None else self.names
        if len(names) != len(matrix):
            message = f"names must name the {len(matrix)} partitions. Got {len(names)}."
            raise InvalidInputError(message)
        return matrix, consensus, [short_name(name) for name in names]

    def _name(self, names: list[str], count: int, has_consensus: bool) -> None:
        ax = self.ax_
        if len(names) <= _MOST_NAMES:
            ticks = range(len(names))
            ax.set_yticks(ticks, names, fontsize="small")
            ax.set_xticks(ticks, names, fontsize="small", rotation=90)
        else:
            ax.set_yticks([0] if has_consensus else [], ["consensus"] if has_consensus else [])
            ax.set_xticks([])
        ax.tick_params(length=0)
        of = self.n_partitions or count
        title = f"Agreement of {count:,}" + (f" of {of:,}" if of > count else "")
        title += f" {'partition' if of == 1 else 'partitions'}"
        ax.set_title(title + (" and the consensus" if has_consensus else ""))
        ax.set_xlabel("partitions, the most agreeing first")
        ax.set_ylabel("partitions")
        if has_consensus:
            for line in (ax.axhline, ax.axvline):
                line(0.5, color="white", linewidth=2)
        for side in ax.spines.values():
            side.set_visible(False)

    def _write(self, drawn: Array) -> None:
        """Write the numbers into the cells, dark on bright and bright on dark."""
        for (row, column), value in np.ndenumerate(drawn):
            if np.isfinite(value):
                share = self.image_.norm(value)
                self.ax_.text(
                    column, row, f"{value:.2f}", ha="center", va="center", fontsize="x-small",
                    color="black" if share > 0.6 else "white",
                )  # fmt: skip


def _even_choice(ensemble: Ensemble, labels: Any, most: int) -> Array:
    """Partitions to draw: all, or some at even steps through their agreement with the labels."""
    m = ensemble.n_partitions
    if m <= most:
        return np.arange(m)
    ranked = np.arange(m)
    if labels is not None:
        ranked = np.argsort(-partition_agreement(ensemble, labels).agreement, kind="stable")
    return np.sort(ranked[np.linspace(0, m - 1, most).round().astype(int)])


def _of_columns(columns: Array) -> Ensemble:
    """An ensemble of columns of codes, of which some rows may have no label left."""
    kept = is_labeled(columns).any(axis=1)
    return Ensemble.from_labels(columns[kept])
