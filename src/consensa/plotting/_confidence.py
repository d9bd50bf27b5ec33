"""Confidence of the samples, cluster by cluster."""

from __future__ import annotations

from dataclasses import KW_ONLY, field
from typing import Any

import numpy as np

from consensa._array import Array, as_array, to_numpy
from consensa._result import ConsensusResult
from consensa.exceptions import InvalidInputError
from consensa.plotting._clusters import Clusters, cluster_color, fitted_ensemble, read_clusters
from consensa.plotting._display import Display
from consensa.plotting.axes import tidy

__all__ = ["ConfidenceDisplay"]

_LEAST_HEIGHT = 0.03  # share of the axis that the smallest cluster gets, so that it is seen
_GAP = 0.01
_OTHERS = "0.6"


class ConfidenceDisplay(Display):
    r"""Confidence of the samples of each cluster in decreasing order, like a silhouette plot.

    Each cluster is a band, with its most confident sample at the upper edge and its least
    confident one at the lower edge. The partitions agree on a cluster whose band keeps its
    width; if it tapers off, they put some of its samples into other clusters.

    Parameters
    ----------
    confidence : array-like of shape (n_samples,)
        Confidence of each sample, in [0, 1]; see `consensa.metrics.sample_confidence`.
    labels : array-like of shape (n_samples,)
        Cluster of each sample, of any type. Clusters that are
        integers are drawn in increasing order, others in order of first appearance.
    max_steps : int, default=200
        Maximum number of steps of a band. In a larger cluster, each step is the mean of several
        samples with similar confidence.
    max_clusters : int, default=30
        Maximum number of bands. The largest clusters are drawn, the others share the last band.

    Attributes
    ----------
    %(figure_)s
    %(ax_)s
    bands_ : list of matplotlib StepPatch
        The bands, from the top.
    names_ : list of str
        The names of the bands.
    means_ : ndarray of shape (n_bands,)
        Mean confidence of each band.

    See Also
    --------
    AffinityDisplay : The clusters with which a cluster is mixed.
    consensa.metrics.sample_confidence : Definition of the confidence.

    Examples
    --------
    >>> from consensa.plotting import ConfidenceDisplay
    >>> display = ConfidenceDisplay([1.0, 0.5, 0.9, 0.7], ["a", "a", "b", "b"]).plot()
    >>> display.means_
    array([0.75, 0.8 ])
    """

    confidence: Any
    labels: Any
    _: KW_ONLY
    max_steps: int = 200
    max_clusters: int = 30

    bands_: list[Any] = field(init=False)
    names_: list[str] = field(init=False)
    means_: Array = field(init=False)

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None) -> ConfidenceDisplay:
        """Draw the confidence of a fitted estimator.

        Parameters
        ----------
        estimator : fitted consensus estimator
            With ``confidence_`` and ``labels_``.
        %(ax)s

        Returns
        -------
        ConfidenceDisplay
            The display, drawn.

        See Also
        --------
        ConfidenceDisplay.from_result : The same from a `ConsensusResult`.

        Examples
        --------
        >>> import consensa as cs
        >>> from consensa.plotting import ConfidenceDisplay
        >>> model = cs.EAC(2, generator="precomputed").fit([[0, 0], [0, 0], [1, 1]])
        >>> ConfidenceDisplay.from_estimator(model).means_
        array([1., 1.])
        """
        _, labels = fitted_ensemble("ConfidenceDisplay", estimator)
        return cls(estimator.confidence_, labels).plot(ax)

    @classmethod
    def from_result(cls, result: ConsensusResult, *, ax: Any = None) -> ConfidenceDisplay:
        """Draw the confidence of a result.

        Parameters
        ----------
        result : ConsensusResult
            Of any method.
        %(ax)s

        Returns
        -------
        ConfidenceDisplay
            The display, drawn.

        See Also
        --------
        ConfidenceDisplay.from_estimator : The same from a fitted estimator.

        Examples
        --------
        >>> import consensa as cs
        >>> from consensa.plotting import ConfidenceDisplay
        >>> result = cs.eac(cs.Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2)
        >>> ConfidenceDisplay.from_result(result).names_
        ['0', '1']
        """
        if result.confidence is None:
            message = (
                "This result has no confidence. Compute it with "
                "consensa.metrics.sample_confidence(ensemble, labels)."
            )
            raise InvalidInputError(message)
        return cls(result.confidence, result.labels).plot(ax)

    def plot(self, ax: Any = None) -> ConfidenceDisplay:
        """Draw the bands.

        Parameters
        ----------
        %(ax)s

        Returns
        -------
        ConfidenceDisplay
            The display itself.

        See Also
        --------
        ConfidenceDisplay.from_estimator : From a fitted estimator in one call.

        Examples
        --------
        >>> from consensa.plotting import ConfidenceDisplay
        >>> ConfidenceDisplay([1.0, 0.5], [0, 0]).plot().ax_.get_xlabel()
        'confidence'
        """
        confidence, clusters = self._read()
        bands = _bands(confidence, clusters, self.max_clusters)
        self.names_ = [name for name, _, _ in bands]
        self.means_ = np.array([values.mean() for _, values, _ in bands])
        self._draw_on(ax, (6.4, 4.8))
        self.bands_, middles, top = [], [], 0.0
        for _, values, color in bands:
            height = max(len(values) / len(confidence), _LEAST_HEIGHT)
            steps, ends = _steps(values, self.max_steps)
            self.bands_.append(
                self.ax_.stairs(
                    steps, top + height * ends, orientation="horizontal", fill=True, color=color
                )
            )
            middles.append(top + height / 2)
            top += height + _GAP
        self._name(confidence, clusters, bands, middles, top)
        return self

    def _read(self) -> tuple[Array, Clusters]:
        confidence = to_numpy(as_array(self.confidence)).astype(float)
        if confidence.ndim != 1 or len(confidence) == 0:
            message = (
                f"confidence must hold a number for each sample, at least one. Got shape "
                f"{confidence.shape}."
            )
            raise InvalidInputError(message)
        if not ((confidence >= 0) & (confidence <= 1)).all():
            row = int(np.argmin((confidence >= 0) & (confidence <= 1)))
            message = f"confidence must be in [0, 1]. Sample {row} has {confidence[row]}."
            raise InvalidInputError(message)
        return confidence, read_clusters(self.labels, len(confidence), "samples of confidence")

    def _name(
        self,
        confidence: Array,
        clusters: Clusters,
        bands: list[tuple[str, Array, str]],
        middles: list[float],
        bottom: float,
    ) -> None:
        ax, mean = self.ax_, float(confidence.mean())
        ax.axvline(mean, color="0.2", linestyle="--", linewidth=1)
        ax.set_xlim(0, 1)
        ax.set_ylim(bottom, -_GAP)
        ax.set_yticks(middles, [f"{name} ({len(values):,})" for name, values, _ in bands])
        beside = [(middle, f"{own:.2f}") for middle, own in zip(middles, self.means_, strict=True)]
        for height, said in [*beside, (bottom, "mean")]:
            ax.annotate(
                said, (1, height), (4, 0), textcoords="offset points",
                va="center", fontsize="small", annotation_clip=False,
            )  # fmt: skip
        ax.tick_params(axis="y", length=0, labelsize="small")
        ax.set_xlabel("confidence")
        ax.set_ylabel("cluster (samples)")
        count = len(clusters.sizes)
        ax.set_title(
            f"Confidence of {len(confidence):,} samples in {count:,} "
            f"{'cluster' if count == 1 else 'clusters'}: mean {mean:.2f}"
        )
        tidy(ax, grid="x")


def _bands(confidence: Array, clusters: Clusters, most: int) -> list[tuple[str, Array, str]]:
    """Name, confidences from the largest down, and color of each band."""
    order = np.lexsort((-confidence, clusters.codes))
    each = np.split(confidence[order], np.cumsum(clusters.sizes)[:-1])
    if len(each) <= most:
        shown = np.arange(len(each))
    else:
        shown = np.sort(np.argsort(-clusters.sizes, kind="stable")[: most - 1])
    bands = [(clusters.names[c], each[c], cluster_color(int(c))) for c in shown]
    if len(shown) < len(each):
        rest = np.setdiff1d(np.arange(len(each)), shown)
        together = np.sort(np.concatenate([each[c] for c in rest]))[::-1]
        bands.append((f"{len(rest):,} others", together, _OTHERS))
    return bands


def _steps(values: Array, most: int) -> tuple[Array, Array]:
    """Means of at most `most` runs of nearly equal length, and where they end, from 0 to 1."""
    n = len(values)
    ends = np.linspace(0, n, min(n, most) + 1).astype(np.int64)
    return np.add.reduceat(values, ends[:-1]) / np.diff(ends), ends / n
