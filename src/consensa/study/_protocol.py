"""The protocol of the paper's section IV: draws from the pool, orders of the rows, scores."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from consensa._array import Array
from consensa.datasets import Dataset, load
from consensa.ensemble import Ensemble
from consensa.exceptions import InvalidInputError
from consensa.generation import RandomKMeans
from consensa.metrics import clustering_scores, normalized_mutual_information
from consensa.study._methods import METHODS
from consensa.study._store import Cell

__all__ = [
    "METRICS",
    "ORDERS",
    "POOL_SIZE",
    "Drawn",
    "Protocol",
    "compute",
    "dataset_of",
    "draw",
    "draw_of",
    "load_with_pool",
    "scores",
]

ORDERS = ("stored", "shuffled")
METRICS = ("acc", "nmi", "purity", "ari", "f1", "precision", "recall", "nmi_arithmetic")
POOL_SIZE = 100


@dataclass(frozen=True)
class Protocol:
    """What a study of the methods runs: every method on the same draws of every set.

    Attributes
    ----------
    sets : tuple of str
        Names of the sets.
    methods : tuple of str
        Methods, as the lower-case functions.
    orders : tuple of str
        Orders of the rows: ``"stored"``, ``"shuffled"`` or both.
    draws : int
        Number of draws from the pool.
    members : int
        Number of partitions of a draw.
    seed : int
        Seed of the draws, of the shuffles and of the methods.
    """

    sets: tuple[str, ...]
    methods: tuple[str, ...]
    orders: tuple[str, ...] = ORDERS
    draws: int = 20
    members: int = 10
    seed: int = 0

    def cells(self, datasets: Mapping[str, Dataset]) -> list[Cell]:
        """The cells, small sets first and whole draws together: an early stop leaves most."""
        for name in self.sets:
            _check_pool(datasets[name], self.members)
        by_size = sorted(self.sets, key=lambda name: datasets[name].n_samples)
        return [
            self.cell(datasets[name], order, number, method)
            for name in by_size
            for number in range(self.draws)
            for order in self.orders
            for method in self.methods
        ]

    def cell(self, dataset: Dataset, order: str, number: int, method: str) -> Cell:
        """The cell of one method on one draw."""
        settings = {
            "seed": self.seed,
            "members": self.members,
            "data": dataset.fingerprint,
            **METHODS[method].settings,
        }
        return Cell("tables", dataset.name, order, number, method, settings)


class Drawn(NamedTuple):
    """One draw of partitions, in one order of the rows."""

    ensemble: Ensemble
    truth: Array
    rows: Array
    random_state: int


def draw(dataset: Dataset, order: str, number: int, *, members: int, seed: int) -> Drawn:
    """Draw partitions from the pool of a set; the same for every method.

    The columns, the permutation of the rows and the seed of the methods depend on `seed` and
    `number` alone, so both orders see the same partitions.
    """
    pool = _check_pool(dataset, members)
    rng = np.random.RandomState([seed, number])
    columns = rng.choice(pool.shape[1], members, replace=False)
    permutation = rng.permutation(dataset.n_samples)
    random_state = int(rng.randint(2**31 - 1))
    rows = permutation if order == "shuffled" else np.arange(dataset.n_samples)
    ensemble = Ensemble.from_labels(pool[rows][:, columns])
    return Drawn(ensemble, dataset.y[rows], rows, random_state)


def _check_pool(dataset: Dataset, members: int) -> Array:
    """The pool of a set, if so many partitions can be drawn from it."""
    available = 0 if dataset.members is None else dataset.members.shape[1]
    if dataset.members is not None and members <= available:
        return dataset.members
    message = (
        f"A draw of {members} partitions needs a pool of at least as many. The pool of "
        f"{dataset.name} has {available}."
    )
    raise InvalidInputError(message)


@lru_cache(maxsize=2)
def load_with_pool(
    name: str,
    folder: str | os.PathLike[str] | None = None,
    pools: str | os.PathLike[str] | None = None,
) -> Dataset:
    """A set with its published pool or, where it has none, one made by the paper's recipe.

    A pool that was made is kept in the folder `pools`, under a name that other features would
    change, and is read from there the next time.
    """
    dataset = load(name, folder=folder)
    if dataset.members is not None:
        return dataset
    if pools is None:
        message = f"{name} has no published pool here, and there is no folder to keep one in."
        raise InvalidInputError(message)
    path = Path(pools) / f"{name}-{dataset.fingerprint}.npz"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        RandomKMeans(POOL_SIZE, n_jobs=-1).generate(dataset.X, random_state=0).save(path)
    members = Ensemble.load(path).codes
    return Dataset(name, dataset.X, dataset.y, members, dataset.source)


def dataset_of(cell: Cell, folder: str | None, pools: str | None) -> Dataset:
    """The set of a cell, if it is still the one that the cell was made for."""
    dataset = load_with_pool(cell.dataset, folder, pools)
    if cell.settings["data"] != dataset.fingerprint:
        message = f"{cell.dataset} is not the data that this study began with."
        raise InvalidInputError(message)
    return dataset


def draw_of(cell: Cell, dataset: Dataset) -> Drawn:
    """The draw of a cell."""
    members, seed = cell.settings["members"], cell.settings["seed"]
    return draw(dataset, cell.order, cell.draw, members=members, seed=seed)


def scores(truth: Array, labels: Array) -> dict[str, float]:
    """The paper's seven scores, NMI over the larger entropy, and NMI over their mean."""
    found = clustering_scores(truth, labels, normalization="max")
    return found | {"nmi_arithmetic": normalized_mutual_information(truth, labels)}


def compute(
    cell: Cell,
    *,
    folder: str | None = None,
    pools: str | None = None,
    device: str | None = None,
    cubic_limit: int | None = None,
) -> dict[str, Any]:
    """Run the method of a cell on its draw and score each of its partitions."""
    dataset = dataset_of(cell, folder, pools)
    method = METHODS[cell.method]
    method.check_size(dataset.n_samples, cubic_limit)
    drawn = draw_of(cell, dataset)
    found = method.run(drawn.ensemble, dataset.n_classes, drawn.random_state, device)
    rows = {row: scores(drawn.truth, labels) for row, labels in found.labels.items()}
    return {"rows": rows, "details": found.details}
