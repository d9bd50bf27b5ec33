"""The consensus matrix, rows and columns ordered by cluster."""

from __future__ import annotations

from typing import Any

import numpy as np

from consensa._array import as_array, to_numpy
from consensa._labels import read_labels
from consensa._result import ConsensusResult
from consensa.exceptions import InvalidInputError
from consensa.plotting._axes import new_axes

__all__ = ["AffinityDisplay"]

_Array = np.ndarray[Any, Any]

_SHARE_THAT_FITS_A_NAME = 0.025  # of the axis; smaller clusters get no number beside them
_MOST_OUTLINES = 200  # more would hide what they surround


class AffinityDisplay:
    """Consensus matrix ordered by cluster.

    A good consensus shows as bright squares on a dark ground: samples of one cluster are
    together in nearly all partitions, samples of two clusters in nearly none. Bright bands
    off the diagonal are clusters that the partitions confuse.

    Parameters
    ----------
    matrix : array of shape (n_samples, n_samples)
        Affinity: large where two samples are alike.
    labels : array-like of shape (n_samples,) or None, default=None
        Cluster of each sample, of any type. Samples are drawn cluster by cluster, clusters
        in order of first appearance, and within a cluster those that agree most with it
        first; None draws the samples as they come.
    max_cells : int, default=1000
        Most rows and columns of the picture. A larger matrix is drawn as the means of
        square blocks.

    Attributes
    ----------
    figure_ : matplotlib Figure
        The figure that was drawn on.
    ax_ : matplotlib Axes
        The axes that were drawn on.
    image_ : matplotlib AxesImage
        The matrix.
    colorbar_ : matplotlib Colorbar or None
        The colour bar, if one was asked for.

    See Also
    --------
    ConvergenceDisplay : What the solver did.

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

    figure_: Any
    ax_: Any
    image_: Any
    colorbar_: Any

    def __init__(self, matrix: Any, labels: Any = None, *, max_cells: int = 1000) -> None:
        self.matrix = matrix
        self.labels = labels
        self.max_cells = max_cells

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Any = None, **plot: Any) -> AffinityDisplay:
        """Draw the affinity of a fitted estimator, ordered by its labels.

        Parameters
        ----------
        estimator : fitted consensus estimator
            With ``affinity_matrix_`` and ``labels_``.
        ax : matplotlib Axes or None, default=None
            Axes to draw on; None makes new ones.
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
        matrix = getattr(estimator, "affinity_matrix_", None)
        if matrix is None:
            message = (
                f"AffinityDisplay needs a fitted estimator that makes an affinity matrix. "
                f"This {type(estimator).__name__} has no affinity_matrix_: call fit first, or "
                f"use a method that makes one, such as EAC."
            )
            raise InvalidInputError(message)
        return cls(matrix, estimator.labels_).plot(ax, **plot)

    @classmethod
    def from_result(
        cls, result: ConsensusResult, *, ax: Any = None, **plot: Any
    ) -> AffinityDisplay:
        """Draw the affinity of a result, ordered by its labels.

        Parameters
        ----------
        result : ConsensusResult
            Of a method that makes an affinity.
        ax : matplotlib Axes or None, default=None
            Axes to draw on; None makes new ones.
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
            message = "This result has no affinity to draw: its method makes none. Use EAC."
            raise InvalidInputError(message)
        return cls(result.affinity, result.labels).plot(ax, **plot)

    def plot(
        self, ax: Any = None, *, cmap: str = "viridis", colorbar: bool = True
    ) -> AffinityDisplay:
        """Draw the matrix.

        Parameters
        ----------
        ax : matplotlib Axes or None, default=None
            Axes to draw on; None makes new ones.
        cmap : str, default="viridis"
            Colour map. The default can be read by the colour-blind and in grey.
        colorbar : bool, default=True
            Whether to add a colour bar.

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
        matrix, labels = self._read()
        n = len(matrix)
        order = np.arange(n) if labels is None else by_cluster(matrix, labels)
        self.ax_ = new_axes("AffinityDisplay", (6.4, 5.6)) if ax is None else ax
        self.figure_ = self.ax_.figure
        self.image_ = self.ax_.imshow(
            block_means(matrix, order, self.max_cells),
            cmap=cmap,
            vmin=0,
            extent=(0, n, n, 0),
            interpolation="nearest",
        )
        self._name(n, labels)
        self.colorbar_ = None
        if colorbar:
            self.colorbar_ = self.figure_.colorbar(
                self.image_, ax=self.ax_, label="affinity", fraction=0.046, pad=0.03
            )
            self.colorbar_.outline.set_visible(False)
        return self

    def _read(self) -> tuple[_Array, _Array | None]:
        """The matrix on the host, and its labels as numbers."""
        matrix = to_numpy(as_array(self.matrix))
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or len(matrix) == 0:
            message = f"matrix must be square, n × n. Got shape {matrix.shape}."
            raise InvalidInputError(message)
        if self.labels is None:
            return matrix, None
        labels = read_labels(self.labels, "labels")
        if len(labels) != len(matrix):
            message = (
                f"labels must hold one label for each of the {len(matrix)} rows of matrix. "
                f"Got {len(labels)}."
            )
            raise InvalidInputError(message)
        return matrix, labels

    def _name(self, n: int, labels: _Array | None) -> None:
        """Outline and name the clusters, name the axes, give a title."""
        title = f"Consensus matrix: {n:,} samples"
        axis = "sample"
        if labels is not None:
            sizes = np.bincount(labels)
            title += f", {len(sizes):,} clusters"
            axis = "cluster"
            _outline(self.ax_, sizes)
            first = np.unique(labels, return_index=True)[1]
            _label(self.ax_, sizes, [str(list(self.labels)[row]) for row in first])
        self.ax_.set_title(title)
        self.ax_.set_xlabel(axis)
        self.ax_.set_ylabel(axis)
        for side in self.ax_.spines.values():
            side.set_visible(False)


def by_cluster(matrix: _Array, labels: _Array) -> _Array:
    """Order of the samples: cluster by cluster, the heart of each cluster before its fringe.

    The heart are the samples with the largest mean affinity to their own cluster.
    """
    members = np.eye(int(labels.max()) + 1, dtype=np.float32)[labels]  # (n, n_clusters)
    means = (matrix @ members) / members.sum(axis=0)
    own = np.take_along_axis(means, labels[:, None].astype(np.intp), axis=1).ravel()
    return np.lexsort((-own.round(6), labels))


def block_means(matrix: _Array, order: _Array, max_cells: int) -> _Array:
    """Reorder a matrix and average it over equal square blocks, at most `max_cells` a side.

    Rows are taken a block at a time, so that the reordered matrix is never made.
    """
    n = len(matrix)
    width = -(-n // max_cells)
    starts = np.arange(0, n, width)
    sizes = np.diff(np.append(starts, n))
    cells = np.empty((len(starts), len(starts)))
    for row, start in enumerate(starts):
        strip = matrix[order[start : start + width]].mean(axis=0, dtype=np.float64)
        cells[row] = np.add.reduceat(strip[order], starts) / sizes
    return cells


def _outline(ax: Any, sizes: _Array) -> None:
    """Draw a thin square around each cluster."""
    if len(sizes) > _MOST_OUTLINES:
        return
    ends = np.cumsum(sizes)
    for start, end in zip(ends - sizes, ends, strict=True):
        around = [start, end, end, start, start], [start, start, end, end, start]
        ax.plot(*around, color="white", linewidth=0.8, alpha=0.8, clip_on=False)


def _label(ax: Any, sizes: _Array, names: list[str]) -> None:
    """Write the name of each cluster beside its middle, where there is room for it."""
    ends = np.cumsum(sizes)
    middles = ends - sizes / 2
    shown = np.flatnonzero(sizes >= _SHARE_THAT_FITS_A_NAME * ends[-1])
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_ticks(middles[shown], [names[cluster] for cluster in shown])
        axis.set_tick_params(length=0)
