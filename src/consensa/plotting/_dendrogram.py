"""The tree of a consensus, with its lower branches collapsed into leaves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, field
from typing import Any

import numpy as np

from consensa._array import Array
from consensa._optional import require
from consensa._result import ConsensusResult
from consensa.ensemble import Ensemble
from consensa.exceptions import InvalidInputError
from consensa.metrics import cluster_stability
from consensa.partition import sized_linkage
from consensa.plotting._clusters import (
    Clusters,
    cluster_paint,
    fitted_ensemble,
    read_clusters,
)
from consensa.plotting._display import Display
from consensa.plotting._tracks import draw_tracks_of_leaves, make_room
from consensa.plotting._tree_top import MIXED, Top, places_of_nodes, top_of_tree
from consensa.plotting.axes import short_name

__all__ = ["DendrogramDisplay"]

_PLAIN = "0.35"  # color of what belongs to several clusters
_STRIP = (-0.09, -0.03)  # of the height: where the clusters are named, below the leaves
_MOST_IN_SMALL_PRINT = 25  # names of leaves; more are printed smaller still
_SHARE_OF_A_LETTER = 0.012  # of the width


class DendrogramDisplay(Display):
    r"""Tree of the consensus, colored by cluster.

    The higher two branches merge, the less similar they are. Only the top of a large tree is
    drawn: the lowest merges are collapsed into leaves, each a triangle up to the height at which
    its samples are merged, with their number below.

    Parameters
    ----------
    merges : array-like of shape (n_leaves - 1, 4)
        Merges in SciPy's form, lowest first: left, right, height, number of leaves.
    labels : array-like of shape (n_samples,) or None, default=None
        Cluster of each sample; None draws all in gray.
    leaf_of_sample : array-like of shape (n_samples,) or None, default=None
        Leaf of each sample, where several share one; None if leaf i is sample i.
    leaf_heights : array-like of shape (n_leaves,) or None, default=None
        Height at which the samples of each leaf are together; None is 0.
    names : sequence of str or None, default=None
        Names of the samples; None numbers them.
    max_leaves : int, default=40
        Maximum number of leaves of the figure.
    ylabel : str, default="1 − affinity"
        What the heights are.

    Attributes
    ----------
    %(figure_)s
    %(ax_)s
    links_ : matplotlib LineCollection
        The branches, one for each merge that is drawn, lowest first.
    leaf_sizes_ : ndarray of shape (n_drawn,)
        Number of samples of each leaf, from left to right.
    leaf_clusters_ : ndarray of shape (n_drawn,)
        Cluster of each leaf, from left to right, in the order of the cluster names; -1 where
        there are samples of several.
    tracks_ : list of matplotlib Axes
        The axes of the tracks, from below.

    See Also
    --------
    TrackingDisplay : The tree cut at several heights.
    consensa.ConsensusResult.cut : Cut it into another number of clusters.

    Examples
    --------
    >>> from consensa.plotting import DendrogramDisplay
    >>> merges = [[0, 1, 0.1, 2], [2, 3, 0.8, 3]]
    >>> display = DendrogramDisplay(merges, labels=["a", "a", "b"]).plot()
    >>> display.leaf_clusters_
    array([0, 0, 1])
    """

    merges: Any
    labels: Any = None
    _: KW_ONLY
    leaf_of_sample: Any = None
    leaf_heights: Any = None
    names: Any = None
    max_leaves: int = 40
    ylabel: str = "1 − affinity"

    links_: Any = field(init=False)
    leaf_sizes_: Array = field(init=False)
    leaf_clusters_: Array = field(init=False)
    tracks_: list[Any] = field(init=False)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        max_leaves: int = 40,
        tracks: Mapping[str, Any] | None = None,
        ax: Any = None,
    ) -> DendrogramDisplay:
        """Draw the tree of a fitted estimator.

        Parameters
        ----------
        estimator : fitted consensus estimator
            With ``linkage_matrix_``; if the method has no tree, the tree of its clusters is
            drawn, as in `from_ensemble`.
        max_leaves : int, default=40
            Maximum number of leaves of the figure.
        tracks : mapping of str to array-like of shape (n_samples,), or None, default=None
            Known columns, drawn as strips of color above the tree.
        %(ax)s

        Returns
        -------
        DendrogramDisplay
            The display, drawn.

        See Also
        --------
        DendrogramDisplay.from_result : The same from a `ConsensusResult`.

        Examples
        --------
        >>> import consensa as cs
        >>> from consensa.plotting import DendrogramDisplay
        >>> model = cs.EAC(2, generator="precomputed").fit([[0, 0], [0, 0], [1, 1]])
        >>> DendrogramDisplay.from_estimator(model).leaf_sizes_
        array([1, 1, 1])
        """
        ensemble, labels = fitted_ensemble("DendrogramDisplay", estimator)
        merges = getattr(estimator, "linkage_matrix_", None)
        leaves = getattr(estimator, "leaf_of_sample_", None)
        return cls._of(merges, leaves, ensemble, labels, max_leaves).plot(ax, tracks=tracks)

    @classmethod
    def from_result(
        cls,
        result: ConsensusResult,
        *,
        max_leaves: int = 40,
        tracks: Mapping[str, Any] | None = None,
        ax: Any = None,
    ) -> DendrogramDisplay:
        """Draw the tree of a result.

        Parameters
        ----------
        result : ConsensusResult
            Of any method; if it has no tree, the tree of its clusters is drawn, as in
            `from_ensemble`.
        max_leaves : int, default=40
            Maximum number of leaves of the figure.
        tracks : mapping of str to array-like of shape (n_samples,), or None, default=None
            Known columns, drawn as strips of color above the tree.
        %(ax)s

        Returns
        -------
        DendrogramDisplay
            The display, drawn.

        See Also
        --------
        DendrogramDisplay.from_estimator : The same from a fitted estimator.

        Examples
        --------
        >>> import consensa as cs
        >>> from consensa.plotting import DendrogramDisplay
        >>> result = cs.eac(cs.Ensemble.from_labels([[0, 0], [0, 0], [1, 1]]), 2)
        >>> DendrogramDisplay.from_result(result, max_leaves=2).leaf_sizes_
        array([2, 1])
        """
        ensemble, labels, tree = result.ensemble, result.labels, result.tree
        merges, leaves = (None, None) if tree is None else (tree.merges, tree.leaf_of_sample)
        return cls._of(merges, leaves, ensemble, labels, max_leaves).plot(ax, tracks=tracks)

    @classmethod
    def from_ensemble(
        cls,
        ensemble: Any,
        labels: Any,
        *,
        max_leaves: int = 40,
        tracks: Mapping[str, Any] | None = None,
        ax: Any = None,
    ) -> DendrogramDisplay:
        """Draw the tree of the clusters of a consensus, for any number of samples.

        Clusters merge on the mean co-association of their samples (average linkage); the
        triangle of a cluster ends at the mean co-association within it.

        Parameters
        ----------
        ensemble : Ensemble or label matrix
            Base partitions.
        labels : array-like of shape (n_samples,)
            Consensus cluster of each sample.
        max_leaves : int, default=40
            Maximum number of leaves of the figure.
        tracks : mapping of str to array-like of shape (n_samples,), or None, default=None
            Known columns, drawn as strips of color above the tree.
        %(ax)s

        Returns
        -------
        DendrogramDisplay
            The display, drawn.

        See Also
        --------
        consensa.metrics.cluster_stability : The mean co-associations.

        Examples
        --------
        >>> from consensa.plotting import DendrogramDisplay
        >>> labels = [[0, 0], [0, 0], [0, 1], [1, 2]]
        >>> display = DendrogramDisplay.from_ensemble(labels, ["a", "a", "b", "c"])
        >>> display.leaf_sizes_, display.ax_.get_ylabel()
        (array([2, 1, 1]), '1 − co-association')
        """
        read = Ensemble.from_labels(ensemble)
        return cls._of(None, None, read, labels, max_leaves).plot(ax, tracks=tracks)

    @classmethod
    def _of(
        cls, merges: Any, leaves: Any, ensemble: Ensemble, labels: Any, max_leaves: int
    ) -> DendrogramDisplay:
        """The display of a tree; without one, of the tree of the clusters."""
        given = {"names": ensemble.sample_names, "max_leaves": max_leaves}
        if merges is not None:
            return cls(merges, labels, leaf_of_sample=leaves, **given)
        clusters = read_clusters(labels, ensemble.n_samples, "samples of the ensemble")
        found = cluster_stability(ensemble, clusters.codes)
        tree = sized_linkage(found.affinity.copy(), found.sizes)
        return cls(
            tree.merges,
            labels,
            leaf_of_sample=clusters.codes,
            leaf_heights=1 - found.cohesion,
            ylabel="1 − co-association",
            **given,
        )

    def plot(
        self, ax: Any = None, *, tracks: Mapping[str, Any] | None = None
    ) -> DendrogramDisplay:
        """Draw the tree.

        Parameters
        ----------
        %(ax)s
        tracks : mapping of str to array-like of shape (n_samples,), or None, default=None
            Known columns, drawn as strips of color above the tree. The part of a color above a
            leaf is its share of the samples of the leaf.

        Returns
        -------
        DendrogramDisplay
            The display itself.

        See Also
        --------
        DendrogramDisplay.from_estimator : From a fitted estimator in one call.

        Examples
        --------
        >>> from consensa.plotting import DendrogramDisplay
        >>> DendrogramDisplay([[0, 1, 0.5, 2]]).plot().ax_.get_title()
        'Consensus tree of 2 samples'
        """
        merges, leaf_of_sample, clusters = self._read()
        heights = np.zeros(len(merges) + 1) if self.leaf_heights is None else self.leaf_heights
        top = top_of_tree(merges, np.asarray(heights), leaf_of_sample, clusters, self.max_leaves)
        places = places_of_nodes(top)
        drawn = np.argsort(places[: top.n_leaves], kind="stable")
        self.leaf_sizes_, self.leaf_clusters_ = top.sizes[drawn], top.clusters[drawn]
        width = 6.4 if top.n_leaves <= 20 else 9.0
        self._draw_on(ax, (width, 4.4))
        ground, highest = _span(top.heights)
        self._draw_branches(top, places, ground)
        self._name_leaves(top, drawn, leaf_of_sample)
        if clusters is not None:
            self._name_clusters(clusters, ground, highest)
        self._name(len(leaf_of_sample), top.n_leaves, len(merges) + 1, ground, highest)
        leaves = places[top.group_of_leaf[leaf_of_sample]].astype(int)
        self.tracks_ = draw_tracks_of_leaves(self.ax_, tracks or {}, leaves)
        make_room(self.ax_, len(self.tracks_))
        return self

    def _read(self) -> tuple[Array, Array, Clusters | None]:
        merges = np.asarray(self.merges, dtype=float)
        if merges.ndim != 2 or merges.shape[1] != 4:
            message = (
                f"merges must have a row for each merge and four columns: left, right, height, "
                f"number of leaves. Got shape {merges.shape}."
            )
            raise InvalidInputError(message)
        n_leaves = len(merges) + 1
        given = np.arange(n_leaves) if self.leaf_of_sample is None else self.leaf_of_sample
        leaf_of_sample = np.asarray(given)
        if not np.array_equal(np.unique(leaf_of_sample), np.arange(n_leaves)):
            message = (
                f"leaf_of_sample must hold each of the {n_leaves} leaves of merges, 0 to "
                f"{n_leaves - 1}, at least once. Got {np.unique(leaf_of_sample).size} different."
            )
            raise InvalidInputError(message)
        if self.max_leaves < 2:
            message = f"max_leaves must be at least 2. Got {self.max_leaves}."
            raise InvalidInputError(message)
        if self.labels is None:
            return merges, leaf_of_sample, None
        clusters = read_clusters(self.labels, len(leaf_of_sample), "samples of the tree")
        return merges, leaf_of_sample, clusters

    def _draw_branches(self, top: Top, places: Array, ground: float) -> None:
        """A bracket a merge, and a triangle or a line down to each leaf."""
        collections: Any = require(
            "matplotlib.collections", extra="plot", purpose="DendrogramDisplay"
        )
        brackets, colors = [], []
        for step, (left, right) in enumerate(top.children):
            height = top.heights[top.n_leaves + step]
            ends = [(places[node], top.heights[node]) for node in (left, right)]
            brackets.append([ends[0], (ends[0][0], height), (ends[1][0], height), ends[1]])
            colors.append(_color(top.clusters[top.n_leaves + step]))
        self.links_ = collections.LineCollection(brackets, colors=colors, linewidths=1.5)
        self.ax_.add_collection(self.links_)
        for leaf in range(top.n_leaves):
            place, height = places[leaf], top.heights[leaf]
            if height > ground:
                self.ax_.fill(
                    [place - 0.4, place, place + 0.4], [ground, height, ground],
                    color=_color(top.clusters[leaf]), alpha=0.55, linewidth=0,
                )  # fmt: skip

    def _name_leaves(self, top: Top, drawn: Array, leaf_of_sample: Array) -> None:
        """The name of a sample, or in brackets the number of samples of a leaf."""
        one_of = np.empty(top.n_leaves, np.int64)
        one_of[top.group_of_leaf[leaf_of_sample]] = np.arange(len(leaf_of_sample))
        names = one_of if self.names is None else np.asarray(self.names)[one_of]
        said = [
            short_name(names[leaf], 14) if top.sizes[leaf] == 1 else f"({top.sizes[leaf]:,})"
            for leaf in drawn
        ]
        upright = len(said) * max(map(len, said)) <= 60
        size = "small" if len(said) <= _MOST_IN_SMALL_PRINT else "x-small"
        self.ax_.set_xticks(range(len(said)), said, fontsize=size, rotation=0 if upright else 90)
        self.ax_.tick_params(axis="x", length=0)

    def _name_clusters(self, clusters: Clusters, ground: float, highest: float) -> None:
        """A strip below the leaves that names the cluster of each run of them."""
        found = self.leaf_clusters_
        begins = np.flatnonzero(np.diff(found, prepend=found[0] - 1))
        bottom, top = (ground + share * (highest - ground) for share in _STRIP)
        for begin, end in zip(begins, np.append(begins[1:], len(found)), strict=True):
            cluster = int(found[begin])
            if cluster == MIXED:
                paint: dict[str, Any] = {"facecolor": "0.8", "linewidth": 0}
            else:
                paint = cluster_paint(cluster)
            self.ax_.broken_barh(
                [(begin - 0.45, end - begin - 0.1)], (bottom, top - bottom), **paint
            )
            name = "several" if cluster == MIXED else clusters.names[cluster]
            if (end - begin) / len(found) >= _SHARE_OF_A_LETTER * (len(name) + 1):
                self.ax_.text(
                    (begin + end - 1) / 2, (bottom + top) / 2, name,
                    ha="center", va="center_baseline", fontsize="x-small",
                    bbox={"boxstyle": "round,pad=0.12", "facecolor": "white",
                          "edgecolor": "none", "alpha": 0.85},
                )  # fmt: skip

    def _name(self, n: int, shown: int, n_leaves: int, ground: float, highest: float) -> None:
        ax = self.ax_
        ax.set_xlim(-0.6, shown - 0.4)
        below = 0.0 if self.labels is None else 1.3 * _STRIP[0]
        above = ground + 1.03 * (highest - ground)
        ax.set_ylim(ground + below * (highest - ground), above)
        ax.set_yticks([tick for tick in ax.get_yticks() if ground <= tick <= above])
        ax.set_ylabel(self.ylabel)
        ax.set_xlabel("samples" if shown == n else "leaves (number of samples)")
        gathered = f", the top {shown} branches" if shown < n_leaves else ""
        ax.set_title(f"Consensus tree of {n:,} samples{gathered}")
        for side in ("top", "right", "bottom"):
            ax.spines[side].set_visible(False)
        ax.spines["left"].set_bounds(ground, above)


def _span(heights: Array) -> tuple[float, float]:
    """Where the picture begins and ends: at 0, or below all nodes where they are far from it."""
    lowest, highest = float(heights.min()), float(heights.max())
    if highest == 0:
        return 0.0, 1.0
    return max(0.0, lowest - 0.5 * (highest - lowest) if lowest < highest else 0.0), highest


def _color(cluster: int) -> str:
    return _PLAIN if cluster == MIXED else str(cluster_paint(int(cluster))["facecolor"])
