"""A map of the samples: color is the cluster, opacity the confidence."""

from __future__ import annotations

from dataclasses import KW_ONLY, field
from typing import Any

import numpy as np

from consensa._array import Array, as_array, to_numpy
from consensa.description import sample_map
from consensa.description.clusters import result_of
from consensa.exceptions import InvalidInputError
from consensa.plotting._clusters import Clusters, cluster_color, read_clusters
from consensa.plotting._display import Display
from consensa.plotting.axes import COLORS, MARKERS

__all__ = ["SampleMapDisplay"]

_FAINTEST = 0.15  # opacity of a sample of confidence 0, which must still be seen
_MOST_NAMED = 20  # clusters in the legend
_AREA = 4000.0  # square points of ink, shared by the samples


class SampleMapDisplay(Display):
    """Samples in two dimensions: the color is the cluster, the opacity the confidence.

    Parameters
    ----------
    points : array-like of shape (n_samples, 2)
        Coordinates, such as those of `consensa.sample_map`.
    labels : array-like of shape (n_samples,)
        Cluster of each sample, of any type.
    confidence : array-like of shape (n_samples,) or None, default=None
        Confidence of each sample, in [0, 1]; None draws all samples alike.
    axis_names : (str, str) or None, default=None
        Names of the axes; without them they have no ticks.

    Attributes
    ----------
    %(figure_)s
    %(ax_)s
    dots_ : list of matplotlib PathCollection
        The samples of each cluster.
    names_ : list of str
        The names of the clusters.
    note_ : str or None
        What can be read from distances in the map, if it was computed by `from_result`.

    See Also
    --------
    consensa.sample_map : Coordinates of the samples.
    ConfidenceDisplay : The confidence of each cluster.

    Examples
    --------
    >>> from consensa.plotting import SampleMapDisplay
    >>> display = SampleMapDisplay([[0, 0], [1, 0], [5, 5]], [0, 0, 1], [1.0, 0.5, 1.0]).plot()
    >>> display.names_
    ['0', '1']
    """

    points: Any
    labels: Any
    confidence: Any = None
    _: KW_ONLY
    axis_names: tuple[str, str] | None = None

    dots_: list[Any] = field(init=False)
    names_: list[str] = field(init=False)
    note_: str | None = field(init=False, default=None)

    @classmethod
    def from_result(
        cls, X: Any, result: Any, *, kind: str = "auto", random_state: Any = 0, ax: Any = None
    ) -> SampleMapDisplay:
        """Compute the map of the samples of a result, and draw it.

        Parameters
        ----------
        X : array-like, frame, sparse matrix or Features, of shape (n_samples, n_features)
            Features of the samples.
        result : ConsensusResult, fitted estimator or array-like of shape (n_samples,)
            The clusters, and their confidence if it is not only an array of labels.
        kind : {"auto", "embedding", "pca"}, default="auto"
            How to compute the coordinates.
        random_state : int, RandomState instance or None, default=0
            Seed of the embedding.
        %(ax)s

        Returns
        -------
        SampleMapDisplay
            The display, drawn.

        See Also
        --------
        consensa.sample_map : The coordinates.

        Examples
        --------
        >>> from consensa.plotting import SampleMapDisplay
        >>> X = [[0.0, 1.0], [1.0, 0.0], [8.0, 5.0], [9.0, 5.0]]
        >>> SampleMapDisplay.from_result(X, [0, 0, 1, 1]).ax_.get_xlabel()
        'principal component 1 (99%)'
        """
        found = sample_map(X, kind=kind, random_state=random_state)
        fitted = result_of(result)
        names = None
        if found.shares is not None:
            first, second = (
                f"principal component {i + 1} ({share:.0%})"
                for i, share in enumerate(found.shares)
            )
            names = (first, second)
        labels, confidence = (
            (result, None) if fitted is None else (fitted.labels, fitted.confidence)
        )
        display = cls(found.points, labels, confidence, axis_names=names).plot(ax)
        display.note_ = found.note
        return display

    def plot(self, ax: Any = None) -> SampleMapDisplay:
        """Draw the samples.

        Parameters
        ----------
        %(ax)s

        Returns
        -------
        SampleMapDisplay
            The display itself.

        See Also
        --------
        SampleMapDisplay.from_result : Compute and draw in one call.

        Examples
        --------
        >>> from consensa.plotting import SampleMapDisplay
        >>> len(SampleMapDisplay([[0, 0], [1, 0], [5, 5]], ["a", "a", "b"]).plot().dots_)
        2
        """
        points, clusters, confidence = self._read()
        self.names_ = clusters.names
        self._draw_on(ax, (6.4, 5.2))
        area = float(np.clip(_AREA / len(points), 3, 40))
        opacity = _FAINTEST + (1 - _FAINTEST) * confidence
        self.dots_ = []
        for number, name in enumerate(clusters.names):
            own = np.flatnonzero(clusters.codes == number)
            paint = {
                "color": cluster_color(number),
                "marker": MARKERS[number // len(COLORS) % len(MARKERS)],
                "linewidths": 0,
            }
            self.dots_.append(
                self.ax_.scatter(
                    *points[own].T, s=area, alpha=opacity[own], rasterized=True, **paint
                )
            )
            self.ax_.scatter([], [], s=30, label=f"{name} ({len(own):,})", **paint)  # the legend
        self._name(clusters)
        return self

    def _read(self) -> tuple[Array, Clusters, Array]:
        points = to_numpy(as_array(self.points)).astype(float)
        if points.ndim != 2 or points.shape[1] != 2 or len(points) == 0:
            message = f"points must have shape (n_samples, 2). Got {points.shape}."
            raise InvalidInputError(message)
        clusters = read_clusters(self.labels, len(points), "points")
        if self.confidence is None:
            return points, clusters, np.ones(len(points))
        confidence = to_numpy(as_array(self.confidence)).astype(float)
        if confidence.shape != (len(points),) or not ((confidence >= 0) & (confidence <= 1)).all():
            message = f"confidence must have a number in [0, 1] for each of {len(points)} points."
            raise InvalidInputError(message)
        return points, clusters, confidence

    def _name(self, clusters: Clusters) -> None:
        ax = self.ax_
        if self.axis_names is None:
            ax.set_xticks([])
            ax.set_yticks([])
        else:
            ax.set_xlabel(self.axis_names[0])
            ax.set_ylabel(self.axis_names[1])
            ax.set_aspect("equal", adjustable="datalim")
        for side in ("top", "right"):
            ax.spines[side].set_visible(False)
        faint = "" if self.confidence is None else "; faint: low confidence"
        ax.set_title(f"{len(clusters.codes):,} samples{faint}", fontsize="medium")
        if len(clusters.names) <= _MOST_NAMED:
            ax.legend(
                title="cluster (samples)", fontsize="small", title_fontsize="small",
                loc="center left", bbox_to_anchor=(1, 0.5), frameon=False,
            )  # fmt: skip
