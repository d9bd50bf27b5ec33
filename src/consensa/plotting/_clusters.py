"""Names, sizes and colors of clusters, shared by the displays."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from consensa._array import Array, is_array, to_numpy
from consensa.ensemble import Ensemble
from consensa.ensemble.labels import read_labels
from consensa.exceptions import InvalidInputError
from consensa.plotting.axes import COLORS, plain_text

__all__ = [
    "HATCHES",
    "Clusters",
    "cluster_color",
    "cluster_paint",
    "fitted_ensemble",
    "read_clusters",
]

HATCHES = ("", "////", "....", "xxxx")  # so that colors may come again
_SHIFT = 3


class Clusters(NamedTuple):
    """Clusters: whole numbers in increasing order, others in order of first appearance.

    Attributes
    ----------
    codes : ndarray of shape (n_samples,)
        Number of the cluster of each sample.
    names : list of str
        Name of each cluster, as it is drawn.
    sizes : ndarray of shape (n_clusters,)
        Number of samples of each cluster.
    """

    codes: Array
    names: list[str]
    sizes: Array


def read_clusters(labels: Any, n_samples: int, of: str) -> Clusters:
    """Read labels of any type, one for each of the `n_samples` things that `of` names."""
    codes = read_labels(labels, "labels")
    if len(codes) != n_samples:
        message = f"labels must hold one label for each of the {n_samples} {of}. Got {len(codes)}."
        raise InvalidInputError(message)
    values = np.asarray(to_numpy(labels) if is_array(labels) else labels)
    if values.dtype.kind in "iu":
        codes = np.unique(values, return_inverse=True)[1]
    first = np.unique(codes, return_index=True)[1]
    return Clusters(codes, list(map(plain_text, values[first])), np.bincount(codes))


def fitted_ensemble(display: str, estimator: Any) -> tuple[Ensemble, Any]:
    """Base partitions and labels of a fitted estimator, or an error that names the display."""
    if not hasattr(estimator, "labels_") or not hasattr(estimator, "ensemble_"):
        message = (
            f"{display} needs a fitted consensus estimator. This {type(estimator).__name__} has "
            f"no labels_ and ensemble_: call fit first."
        )
        raise InvalidInputError(message)
    return estimator.ensemble_, estimator.labels_


def cluster_color(number: int) -> str:
    """Color of a cluster, the same in every picture and on the page.

    Each turn of the colors begins elsewhere: clusters 0 and 7 often are parts of one, and
    neighbors.
    """
    turn, place = divmod(number, len(COLORS))
    return COLORS[(place + _SHIFT * turn) % len(COLORS)]


def cluster_paint(number: int) -> dict[str, Any]:
    """Color and hatch of a cluster; 28 clusters have different ones."""
    return {
        "facecolor": cluster_color(number),
        "hatch": HATCHES[number // len(COLORS) % len(HATCHES)],
        "edgecolor": "white",
        "linewidth": 0,
    }
