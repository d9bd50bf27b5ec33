"""One draw: partitions from the pool of a set, in one order of the rows, and their scores."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from consensa._array import Array
from consensa.datasets import Dataset, load
from consensa.ensemble import Ensemble
from consensa.exceptions import InvalidInputError
from consensa.generation import RandomKMeans
from consensa.metrics import clustering_scores, normalized_mutual_information
from consensa.study.cells import Cell
from consensa.study.options import RunOptions

__all__ = [
    "METRICS",
    "Drawn",
    "check_pool",
    "dataset_of",
    "draw",
    "draw_of",
    "load_with_pool",
    "scores",
]

METRICS = ("acc", "nmi", "purity", "ari", "f1", "precision", "recall", "nmi_arithmetic")
_POOL_SIZE = 100  # as in the paper


class Drawn(NamedTuple):
    """One draw of partitions, in one order of the rows."""

    ensemble: Ensemble
    truth: Array
    rows: Array
    random_state: int


def draw(
    dataset: Dataset, order: str, number: int, *, members: int, seed: int, moved: float = 100
) -> Drawn:
    """Draw partitions from the pool of a set; the same for every method.

    The columns, the permutation of the rows and the seed of the methods depend on `seed` and
    `number` alone, so that both orders have the same partitions. In the order ``"shuffled"``,
    `moved` per cent of the rows exchange their places at random.
    """
    pool = check_pool(dataset, members)
    rng = np.random.RandomState([seed, number])
    columns = rng.choice(pool.shape[1], members, replace=False)
    permutation = rng.permutation(dataset.n_samples)
    random_state = int(rng.randint(2**31 - 1))
    share = moved / 100 if order == "shuffled" else 0
    chosen = permutation[: round(share * dataset.n_samples)]
    rows = np.arange(dataset.n_samples)
    rows[np.sort(chosen)] = chosen
    ensemble = Ensemble.from_labels(pool[rows][:, columns])
    return Drawn(ensemble, dataset.y[rows], rows, random_state)


def check_pool(dataset: Dataset, members: int) -> Array:
    """The pool of a set, if it is large enough."""
    available = 0 if dataset.members is None else dataset.members.shape[1]
    if dataset.members is not None and members <= available:
        return dataset.members
    message = (
        f"A draw of {members} partitions needs a pool of at least as many. The pool of "
        f"{dataset.name} has {available}."
    )
    raise InvalidInputError(message)


def load_with_pool(
    name: str,
    folder: str | os.PathLike[str] | None = None,
    pools: str | os.PathLike[str] | None = None,
) -> Dataset:
    """A set with its published pool or, if it has none, one generated as in the paper.

    A generated pool is stored in the folder `pools`, under a name that depends on the features,
    and is read from there the next time.
    """
    return _load(name, *(None if path is None else os.fspath(path) for path in (folder, pools)))


@lru_cache(maxsize=2)
def _load(name: str, folder: str | None, pools: str | None) -> Dataset:
    dataset = load(name, folder=folder)
    if dataset.members is not None:
        return dataset
    if pools is None:
        message = f"{name} has no published pool here, and no folder to store a generated one."
        raise InvalidInputError(message)
    path = Path(pools) / f"{name}-{dataset.fingerprint}.npz"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        RandomKMeans(_POOL_SIZE, n_jobs=-1).generate(dataset.X, random_state=0).save(path)
    members = Ensemble.load(path).codes
    return Dataset(name, dataset.X, dataset.y, members, dataset.source)


def dataset_of(cell: Cell, options: RunOptions) -> Dataset:
    """The set of a cell; raise an error if the data have changed."""
    dataset = load_with_pool(cell.dataset, options.folder, options.pools)
    if cell.settings["data"] != dataset.fingerprint:
        message = f"The data of {cell.dataset} have changed since the study started."
        raise InvalidInputError(message)
    return dataset


def draw_of(cell: Cell, dataset: Dataset) -> Drawn:
    """The draw of a cell."""
    settings = {name: cell.settings[name] for name in ("members", "seed")}
    moved = cell.settings.get("moved", 100)
    return draw(dataset, cell.order, cell.draw, **settings, moved=moved)


def scores(truth: Array, labels: Array) -> dict[str, float]:
    """The paper's seven scores, NMI over the larger entropy, and NMI over their mean."""
    found = clustering_scores(truth, labels, normalization="max")
    return found | {"nmi_arithmetic": normalized_mutual_information(truth, labels)}
