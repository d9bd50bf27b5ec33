"""Times of the operations on one core, measured by ``make bench-scale``."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import NamedTuple

__all__ = ["Costs", "load_costs"]


class Costs(NamedTuple):
    """Seconds of each operation on one core, and bytes of a new process.

    Attributes
    ----------
    scan : float
        Reading a label for the first time: checking and registering it.
    number : float
        Converting a label to a cluster number, in every further pass.
    pair : float
        Counting a pair of clusters that share a sample.
    weigh : float
        Adding the weight of one label of a sample.
    entry : float
        Adding one entry of a table row for a label.
    distance : float
        One dimension of one distance of a sample to a center.
    meet : float
        Counting a label against the consensus.
    confidence : float
        Confidence from one label.
    cube : float
        Eigenvectors, for each c³ of c clusters.
    walk : float
        Walks between c clusters and their cut, for each c³.
    edge : float
        METIS, for each of the c² links between c clusters.
    start : float
        k-means in the sample: each point, dimension, cluster and start.
    search : float
        Weighted k-means in the sample: each label, cluster and start.
    hash : float
        Drawing rows by their hashes: each label.
    order : float
        Sorting the rows that TEA draws: each label.
    affinity : float
        TEA's affinity: each label of each pair of representatives.
    merge : float
        TEA's tree: each of the g² pairs of g representatives.
    trajectory : float
        PTGP's walks: each label, and each neighbor at each step, of q² pairs of microclusters.
    value : float
        Checking and hashing a value of a feature.
    product : float
        One coordinate of a distance of a row to a point, by a matrix product.
    compare : float
        Comparing one of these distances.
    near : float
        One coordinate of a distance between points, in the search for neighbors.
    member : float
        A partition of the points by the default generator: each point.
    look : float
        Looking up a label of a sample by its point.
    read : float
        Each byte of a file on the disk of this machine.
    task : float
        Each task of a cluster.
    fixed : float
        Fixed time of a run: imports, compiled code, small steps.
    process : float
        Bytes of a process before it reads data: libraries and compiled code.
    point : float
        Bytes of a point for which partitions were computed: neighbors, trees, embeddings.
    """

    scan: float
    number: float
    pair: float
    weigh: float
    entry: float
    distance: float
    meet: float
    confidence: float
    cube: float
    walk: float
    edge: float
    start: float
    search: float
    hash: float
    order: float
    affinity: float
    merge: float
    trajectory: float
    value: float
    product: float
    compare: float
    near: float
    member: float
    look: float
    read: float
    task: float
    fixed: float
    process: float
    point: float


@cache
def load_costs() -> Costs:
    """The costs of the package."""
    text = files("consensa.distributed").joinpath("costs.json").read_text()
    return Costs(**json.loads(text))
