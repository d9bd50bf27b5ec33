"""The consensus matrix, rows and columns ordered by cluster."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, field
from typing import Any

import numpy as np

from consensa._array import Array, as_array, to_numpy
from consensa._result import ConsensusResult
from consensa.ensemble import Ensemble
from consensa.exceptions import InvalidInputError
from consensa.metrics import sample_confidence
from consensa.metrics.certainty import mean_affinity
from consensa.plotting._clusters import Clusters, fitted_ensemble, read_clusters
from consensa.plotting._display import Display
from consensa.plotting._tracks import draw_tracks, make_room
from consensa.plotting.blocks import block_means
from consensa.similarity import coassociation

__all__ = ["AffinityDisplay"]


_SHARE_OF_A_LINE = 0.03  # of the axis: the height of a name, and the space between two
_SHARE_OF_A_LETTER = 0.018
_MOST_OUTLINES = 200  # more would hide what they surround
_CELLS_OF_ENSEMBLE = 400  # each cell of a summary is counted over all partitions


class AffinityDisplay(Display):
    """Consensus matrix ordered by cluster.

    A good consensus appears as bright squares on a dark background: samples of one cluster are
    together in nearly all partitions, samples of two clusters in nearly none. Bright bands
    off the diagonal are clusters that the partitions mix. The color scale of a co-association
    ranges from 0 to 1; that of another affinity ranges to its maximum, or to twice the mean within
    clusters if this is less, so that a few large values do not darken the others.

    Parameters
    ----------
    matrix : array of shape (n_samples, n_samples) or Ensemble
        Affinity: large for similar samples. For an ensemble its co-association is plotted, which
        is never formed if it is larger than the figure.
    labels : array-like of shape (n_samples,) or None, default=None
        Cluster of each sample, of any type. Samples are drawn cluster by cluster: clusters
        that are integers in increasing order, others in order of first appearance. Within a
        cluster the samples with the largest affinity to it come first. None keeps the order of
        the samples.
    max_cells : int, default=1000
        Maximum number of rows and columns of the image. A larger matrix is drawn as the means of
        square blocks: each cell is the mean affinity of its pairs of samples, for an ensemble
        without the pairs of a sample with itself.

    Attributes
    ----------
    %(figure_)s
    %(ax_)s
    image_ : matplotlib AxesImage
        The matrix.
    colorbar_ : matplotlib Colorbar or None
        The color bar, if one was asked for.
    tracks_ : list of matplotlib Axes
        The axes of the tracks, from below.

    See Also
    --------
    ConvergenceDisplay : Convergence of the solver.

    Examples
    --------
    >>> import consensa as cs
    >>> from consensa.plotting import AffinityDisplay
    >>> ensemble = cs.Ensemble.from_labels([[0, 0], [1, 1], [0, 0], [1, 0]])
    >>> result = cs.eac(ensemble, 2)
    >>> display = AffinityDisplay(result.affinity, result.labels).plot()
    >>> display.ax_.get_title()
    'Consensus matrix: 4 samples, 2 clusters'
    """

    matrix: Any
    labels: Any = None
    _: KW_ONLY
    max_cells: int = 1000

    image_: Any = field(init=False)
    colorbar_: Any = field(init=False)
    tracks_: list[Any] = field(init=False)

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, **plot: Any) -> AffinityDisplay:
        """Draw the affinity of a fitted estimator, ordered by its labels.

        Parameters
        ----------
        estimator : fitted consensus estimator
            With ``affinity_matrix_`` and ``labels_``; if the method keeps no affinity matrix,
            the co-association of its ensemble is drawn.
        %(ax)s
        **plot : dict
            Options of `plot`.

        Returns
        -------
        AffinityDisplay
            The display, drawn.

        See Also
        --------
        AffinityDisplay.from_result : The same from a `ConsensusResult`.

        Examples
        --------
        >>> import consensa as cs
        >>> from consensa.plotting import AffinityDisplay
        >>> model = cs.EAC(2, generator="precomputed").fit([[0, 0], [0, 0], [1, 1]])
        >>> AffinityDisplay.from_estimator(model).image_.get_array().shape
        (3, 3)
        """
        ensemble, labels = fitted_ensemble("AffinityDisplay", estimator)
        matrix = getattr(estimator, "affinity_matrix_", None)
        if matrix is None:
            return cls.from_ensemble(ensemble, labels, ax=ax, **plot)
        return cls(matrix, labels).plot(ax, **plot)

    @classmethod
    def from_result(
        cls, result: ConsensusResult, *, ax: Any = None, **plot: Any
    ) -> AffinityDisplay:
        """Draw the affinity of a result, ordered by its labels.

        Parameters
        ----------
        result : ConsensusResult
            Of any method; if it has no affinity, the co-association of its ensemble is
            drawn.
        %(ax)s
        **plot : dict
            Options of `plot`.

        Returns
        -------
        AffinityDisplay
            The display, drawn.

        See Also
        --------
        AffinityDisplay.from_estimator : The same from a fitted estimator.

        Examples
        --------
        >>> import consensa as cs
        >>> from consensa.plotting import AffinityDisplay
        >>> result = cs.eac(cs.Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2)
        >>> AffinityDisplay.from_result(result).image_.get_array().shape
        (3, 3)
        """
        if result.affinity is None:
            return cls.from_ensemble(result.ensemble, result.labels, ax=ax, **plot)
        return cls(result.affinity, result.labels).plot(ax, **plot)

    @classmethod
    def from_ensemble(
        cls, ensemble: Any, labels: Any = None, *, ax: Any = None, **plot: Any
    ) -> AffinityDisplay:
        """Draw the co-association of an ensemble, of any number of samples.

        Parameters
        ----------
        ensemble : Ensemble or label matrix
            Base partitions.
        labels : array-like of shape (n_samples,) or None, default=None
            Consensus cluster of each sample; within a cluster the samples with the largest
            confidence are drawn first.
        %(ax)s
        **plot : dict
            Options of `plot`.

        Returns
        -------
        AffinityDisplay
            The display, drawn.

        See Also
        --------
        consensa.coassociation : The matrix itself.

        Notes
        -----
        Above 400 samples a cell represents several. Time :math:`O(n m + 400^2 m)` for n samples
        and m partitions; no n × n array is needed.

        Examples
        --------
        >>> from consensa.plotting import AffinityDisplay
        >>> display = AffinityDisplay.from_ensemble([[0, 0], [0, 1], [1, 1]], [0, 0, 1])
        >>> display.image_.get_array()[0, 1]
        np.float64(0.5)
        """
        read = Ensemble.from_labels(ensemble)
        return cls(read, labels, max_cells=_CELLS_OF_ENSEMBLE).plot(ax, **plot)

    def plot(
        self,
        ax: Any = None,
        *,
        cmap: str = "viridis",
        colorbar: bool = True,
        tracks: Mapping[str, Any] | None = None,
    ) -> AffinityDisplay:
        """Draw the matrix.

        Parameters
        ----------
        %(ax)s
        cmap : str, default="viridis"
            Color map. The default can be read by the color-blind and in gray.
        colorbar : bool, default=True
            Whether to add a color bar.
        tracks : mapping of str to array-like of shape (n_samples,), or None, default=None
            Known columns, drawn as strips of color above the matrix.

        Returns
        -------
        AffinityDisplay
            The display itself.

        See Also
        --------
        AffinityDisplay.from_estimator : From a fitted estimator in one call.

        Examples
        --------
        >>> from consensa.plotting import AffinityDisplay
        >>> AffinityDisplay([[1, 0.5], [0.5, 1]]).plot(cmap="cividis").ax_.get_xlabel()
        'sample'
        """
        source = self._read()
        n = source.n_samples
        clusters = None if self.labels is None else read_clusters(self.labels, n, source.what)
        order = np.arange(n) if clusters is None else source.order(clusters.codes)
        self._draw_on(ax, (6.4, 5.6))
        self.image_ = self.ax_.imshow(
            source.cells(order, self.max_cells),
            cmap=cmap,
            vmin=0,
            vmax=source.largest,
            extent=(0, n, n, 0),
            interpolation="nearest",
        )
        self._name(n, clusters)
        self.tracks_ = draw_tracks(self.ax_, tracks or {}, order)
        make_room(self.ax_, len(self.tracks_))
        self.colorbar_ = None
        if colorbar:
            self.colorbar_ = self.figure_.colorbar(
                self.image_,
                ax=self.ax_,
                label=source.name,
                fraction=0.046,
                pad=0.03,
                extend="max"
                if self.image_.get_array().max() > self.image_.norm.vmax
                else "neither",
            )
            self.colorbar_.outline.set_visible(False)
        return self

    def _read(self) -> _Matrix | _Coassociation:
        """Source of the cells."""
        if isinstance(self.matrix, Ensemble):
            return _Coassociation(self.matrix)
        matrix = to_numpy(as_array(self.matrix))
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) == 0:
            message = f"matrix must be square, n × n. Got shape {matrix.shape}."
            raise InvalidInputError(message)
        return _Matrix(matrix)

    def _name(self, n: int, clusters: Clusters | None) -> None:
        """Outline and name the clusters, name the axes, give a title."""
        title = f"Consensus matrix: {n:,} samples"
        axis = "sample"
        if clusters is not None:
            count = len(clusters.sizes)
            title += f", {count:,} {'cluster' if count == 1 else 'clusters'}"
            axis = "cluster"
            _outline(self.ax_, clusters.sizes)
            _label(self.ax_, clusters.sizes, clusters.names)
        self.ax_.set_title(title)
        self.ax_.set_xlabel(axis)
        self.ax_.set_ylabel(axis)
        for side in self.ax_.spines.values():
            side.set_visible(False)


class _Matrix:
    """Cells of a matrix."""

    name = "affinity"
    what = "rows of matrix"
    largest: float | None = None

    def __init__(self, matrix: Array) -> None:
        self.matrix = matrix
        self.n_samples = len(matrix)

    def order(self, labels: Array) -> Array:
        own = own_affinity(self.matrix, labels)
        self.largest = min(2 * float(own.mean()), float(self.matrix.max())) or None
        return by_cluster(own, labels)

    def cells(self, order: Array, max_cells: int) -> Array:
        return block_means(self.matrix, order, max_cells)


class _Coassociation:
    """Cells of the co-association matrix of an ensemble, computed without forming it."""

    name = "co-association"
    what = "samples of the ensemble"
    largest: float | None = 1.0

    def __init__(self, ensemble: Ensemble) -> None:
        self.ensemble = ensemble
        self.n_samples = ensemble.n_samples

    def order(self, labels: Array) -> Array:
        return by_cluster(sample_confidence(self.ensemble, labels), labels)

    def cells(self, order: Array, max_cells: int) -> Array:
        width = -(-self.n_samples // max_cells)
        if width == 1:
            return np.asarray(to_numpy(coassociation(self.ensemble)))[np.ix_(order, order)]
        group = np.empty(self.n_samples, np.int64)
        group[order] = np.arange(self.n_samples) // width
        return mean_affinity(self.ensemble, group, int(group.max()) + 1)


def own_affinity(matrix: Array, labels: Array) -> Array:
    """Mean affinity of each sample to its own cluster."""
    members = np.eye(int(labels.max()) + 1, dtype=np.float32)[labels]  # (n, n_clusters)
    means = (matrix @ members) / members.sum(axis=0)
    return np.take_along_axis(means, labels[:, None].astype(np.intp), axis=1).ravel()


def by_cluster(own: Array, labels: Array) -> Array:
    """Order of the samples: cluster by cluster, within a cluster by decreasing value of `own`."""
    return np.lexsort((-own.round(6), labels))


def _outline(ax: Any, sizes: Array) -> None:
    """Draw a thin square around each cluster."""
    if len(sizes) > _MOST_OUTLINES:
        return
    ends = np.cumsum(sizes)
    for start, end in zip(ends - sizes, ends, strict=True):
        around = [start, end, end, start, start], [start, start, end, end, start]
        ax.plot(*around, color="white", linewidth=0.8, alpha=0.8, clip_on=False)


def _label(ax: Any, sizes: Array, names: list[str]) -> None:
    """Write the name of each cluster beside its middle, where there is room for it."""
    ends = np.cumsum(sizes)
    middles = (ends - sizes / 2) / ends[-1]
    across = np.array([_SHARE_OF_A_LETTER * (len(name) + 1) for name in names])
    down = np.full(len(names), _SHARE_OF_A_LINE)
    for axis, room in ((ax.xaxis, across), (ax.yaxis, down)):
        shown = _apart(middles, sizes / ends[-1], room)
        axis.set_ticks(middles[shown] * ends[-1], [names[cluster] for cluster in shown])
        axis.set_tick_params(length=0)


def _apart(middles: Array, sizes: Array, room: Array) -> list[int]:
    """Names that do not touch: the larger clusters choose first."""
    shown: list[int] = []
    for here in np.argsort(-sizes, kind="stable"):
        near = [other for other in shown if abs(middles[other] - middles[here])
                < (room[other] + room[here]) / 2]  # fmt: skip
        if not near and len(shown) < _MOST_OUTLINES:
            shown.append(int(here))
    return sorted(shown)
