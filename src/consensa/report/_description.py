"""Features and a result → what the clusters are: profiles, and a map of the samples."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from consensa._result import ConsensusResult
from consensa._result.wording import counted
from consensa.description import cluster_profiles
from consensa.description.profiles import profile_frame, sum_features
from consensa.features.measured import read_measured
from consensa.plotting import ClusterProfileDisplay, SampleMapDisplay
from consensa.report._cuts import Cuts
from consensa.report._known import Known
from consensa.report._pictures import Picture, drawn, picture

__all__ = ["Description", "ProfileRow", "described", "profiles_of_cuts"]

_ROWS = 5  # of each cluster
_MOST_CLUSTERS = 40
_MOST_EFFECTS = 2_000_000  # of all cuts, to be computed for the page
_WIDEST = 99.0  # an effect may be infinite, which is no JSON and no width


class ProfileRow(NamedTuple):
    """A feature of a cluster."""

    cluster: int
    name: str
    inside: float
    outside: float
    is_share: bool
    effect: float
    low: float
    high: float
    p_value: float | None


class Description(NamedTuple):
    """What the clusters are.

    Attributes
    ----------
    rows : list of ProfileRow
        The largest effects of each cluster.
    largest : float
        The largest of these effects.
    note : str
        What the profiles do not show.
    pictures : list of Picture
        The profiles, and the map of the samples where the script does not draw it; none if
        matplotlib is not installed.
    """

    rows: list[ProfileRow]
    largest: float
    note: str
    pictures: list[Picture]


def described(result: ConsensusResult, known: Known, *, draws_map: bool) -> Description | None:
    """Describe the clusters of a result by the features of the samples, if they are known."""
    if known.features is None:
        return None
    profiles = cluster_profiles(known.features, result)
    shown = _largest(profiles)
    rows = _rows(shown)
    drawers: list[Callable[[], Picture | None]] = [lambda: _heat_map(shown, profiles, result)]
    if draws_map:
        drawers.insert(0, lambda: _map(known.map, result))
    largest = max((abs(row.effect) for row in rows), default=1.0) or 1.0
    return Description(rows, largest, profiles.attrs["note"], drawn(drawers))


def profiles_of_cuts(X: Any, cuts: Cuts, n_clusters: int) -> dict[int, list[ProfileRow]]:
    """The same rows for the clusters of each cut, by the number of clusters.

    Of the cut into `n_clusters` alone if there are too many features for all of them.
    """
    measured = read_measured(X)
    sums = sum_features(measured, cuts.part_of_sample, len(cuts.clusters[-1]))
    numbers = [number for number in cuts.numbers if number <= _MOST_CLUSTERS]
    if sum(numbers) * measured.matrix.shape[1] > _MOST_EFFECTS:
        numbers = [number for number in numbers if number == n_clusters]
    found = {}
    for number in numbers:
        clusters = np.array(cuts.clusters[cuts.numbers.index(number)])
        frame = profile_frame(measured, sums.joined(clusters), range(number))
        found[number] = _rows(_largest(frame))
    return found


def _largest(profiles: Any) -> Any:
    """The largest effects of each cluster."""
    return profiles[profiles.cluster < _MOST_CLUSTERS].groupby("cluster").head(_ROWS)


def _rows(shown: Any) -> list[ProfileRow]:
    return [_row(*values) for values in shown.dropna(subset="effect").itertuples(index=False)]


def _row(
    cluster: Any, feature: str, value: Any, inside: float, outside: float, *effect: float
) -> ProfileRow:
    is_share = isinstance(value, str)
    name = f"{feature} = {value}" if is_share else str(feature)
    size, low, high = np.clip(effect[:3], -_WIDEST, _WIDEST).tolist()
    p_value = None if np.isnan(effect[3]) else float(effect[3])
    return ProfileRow(int(cluster), name, inside, outside, is_share, size, low, high, p_value)


def _map(found: Any, result: ConsensusResult) -> Picture:
    display = SampleMapDisplay(found.points, result.labels, result.confidence)
    return picture(
        (7.6, 5.6),
        display.plot,
        "png",
        title="Map of the samples",
        about=f"{found.note} The color is the cluster; faint samples have a low confidence.",
        alt=f"Map of {counted(len(result.labels), 'sample')} in "
        f"{counted(result.n_clusters, 'cluster')}.",
    )


def _heat_map(shown: Any, profiles: Any, result: ConsensusResult) -> Picture | None:
    if result.n_clusters < 2 or result.n_clusters > _MOST_CLUSTERS:
        return None
    kept = profiles[profiles.feature.isin(shown.feature)]
    display = ClusterProfileDisplay(kept, n_top=3)
    return picture(
        (7.6, 5.6),
        display.plot,
        title="Profiles of the clusters",
        about="Difference between a cluster and all other samples, in standard deviations: red "
        "is above, blue is below the others.",
        alt=f"Heat map of the features that set {result.n_clusters} clusters apart.",
    )
