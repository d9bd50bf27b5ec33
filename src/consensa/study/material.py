"""The data of tables and figures: the sets and the stored records, read once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from consensa.datasets import Dataset
from consensa.study.cells import Cell, Record
from consensa.study.draws import load_with_pool
from consensa.study.options import RunOptions
from consensa.study.store import Store

__all__ = ["Material", "read_material", "read_sets"]


class Material(NamedTuple):
    """The sets by name, and the stored records by key."""

    datasets: Mapping[str, Dataset]
    records: Mapping[str, Record]

    def found(self, cells: Iterable[Cell]) -> list[Record]:
        """The stored records of these cells."""
        return [self.records[cell.key] for cell in cells if cell.key in self.records]


def read_sets(names: Iterable[str], options: RunOptions) -> dict[str, Dataset]:
    """The sets with their pools; a generated pool is stored next to the store."""
    return {name: load_with_pool(name, options.folder, options.pools) for name in names}


def read_material(names: Iterable[str], options: RunOptions) -> Material:
    """The sets, and all stored records."""
    datasets = read_sets(names, options)
    with Store(options.store) as store:
        return Material(datasets, store.records())
