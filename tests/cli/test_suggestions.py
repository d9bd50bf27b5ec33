"""What is suggested for an unknown name: only what is near, and how to use a base clusterer."""

from __future__ import annotations

import pytest

from consensa._machine.suggest import suggestion


def test_ward_is_a_base_clusterer_and_not_lwea(consensa, blobs_csv):
    done = consensa("cluster", blobs_csv, "-k", 3, "-m", "ward")
    assert done.status == 2
    assert "Did you mean" not in done.err
    assert "'ward' is a base clusterer" in done.err
    assert "generator=consensa.Bootstrap(clusterer=sklearn.cluster.Agglomerative" in done.err


@pytest.mark.parametrize("name", ["k-means", "KMeans", "HDBSCAN", "leiden"])
def test_other_clusterers_are_recognized(consensa, blobs_csv, name):
    assert "is a base clusterer" in consensa("cluster", blobs_csv, "-k", 3, "-m", name).err


@pytest.mark.parametrize(
    ("name", "near"),
    [("eca", "EAC"), ("ltaa", "LTA"), ("ward", None), ("xyz", None), ("te", "TEA")],
)
def test_only_what_is_near_is_suggested(name, near):
    said = suggestion(name, ["LTA", "EAC", "LWEA", "TEA", "SEC"])
    assert said == ("" if near is None else f" Did you mean {near!r}?")
