"""The protocol of the paper's section IV: every method on the same draws, in both orders."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from consensa._params import Integer, OneOf, RandomState, check_params
from consensa.datasets import SETS, Dataset
from consensa.exceptions import InvalidInputError
from consensa.study.cells import Cell
from consensa.study.draws import check_pool, dataset_of, draw_of, scores
from consensa.study.methods import METHODS
from consensa.study.options import RunOptions

__all__ = ["ORDERS", "Protocol", "compute", "protocol_of"]

ORDERS = ("stored", "shuffled")
# Names of the files of a study, besides those that are named after a set.
_FILES = (
    "summary", "cells", "index", "audit", "runs", "penalty", "size", "base", "matrices",
    "convergence", "degrees",
)  # fmt: skip


@dataclass(frozen=True)
class Protocol:
    """Protocol of a study: every method on the same draws of every set.

    Attributes
    ----------
    sets : tuple of str
        Names of the sets.
    methods : tuple of str
        Methods, by the names of their functions.
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
        """The cells, smallest sets first and draw by draw."""
        for name in self.sets:
            check_pool(datasets[name], self.members)
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


def protocol_of(
    *,
    sets: Iterable[str] | None = None,
    methods: Iterable[str] | None = None,
    orders: Iterable[str] = ORDERS,
    draws: int = 20,
    members: int = 10,
    seed: int = 0,
) -> Protocol:
    """Create the protocol of a study, with its names and numbers checked.

    Parameters
    ----------
    sets : iterable of str or None, default=None
        Names of sets, in any case; None is the seven of the paper.
    methods : iterable of str or None, default=None
        Methods by the names of their functions, in any case; None is all of them.
    orders : iterable of str, default=("stored", "shuffled")
        Orders of the rows.
    draws : int, default=20
        Number of draws from the pool of each set.
    members : int, default=10
        Number of partitions of a draw.
    seed : int, default=0
        Seed of the draws, of the shuffles and of the methods.

    Returns
    -------
    Protocol
        The protocol, for `fill` and `write_tables`.

    See Also
    --------
    fill : Compute its cells.

    Examples
    --------
    >>> from consensa.study import protocol_of
    >>> protocol_of(sets=["MF"], methods=["LTA", "EAC"], draws=2).methods
    ('lta', 'eac')
    """
    chosen_sets = tuple(SETS if sets is None else _names(sets))
    for name in chosen_sets:
        if name in _FILES:
            message = (
                f"No set of a study can be called {name!r}: the study writes a file of this name "
                f"itself. Rename {name}.npz."
            )
            raise InvalidInputError(message)
    chosen = tuple(METHODS if methods is None else _names(methods))
    for method in chosen:
        check_params("the study", {"methods": (OneOf(METHODS),)}, {"methods": method})
    for order in orders:
        check_params("the study", {"orders": (OneOf(ORDERS),)}, {"orders": order})
    counts = {"draws": draws, "members": members}
    check_params("the study", dict.fromkeys(counts, (Integer(1),)), counts)
    check_params("the study", {"seed": (RandomState(),)}, {"seed": seed})
    in_order = tuple(method for method in METHODS if method in chosen)
    return Protocol(chosen_sets, in_order, tuple(orders), draws, members, seed)


def _names(given: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(name.strip().lower() for name in given if name.strip()))


def compute(cell: Cell, options: RunOptions) -> dict[str, Any]:
    """Run the method of a cell on its draw and score each of its partitions."""
    dataset = dataset_of(cell, options)
    method = METHODS[cell.method]
    method.check_size(dataset.n_samples, options.cubic_limit)
    drawn = draw_of(cell, dataset)
    found = method.run(drawn.ensemble, dataset.n_classes, drawn.random_state, options.device)
    rows = {row: scores(drawn.truth, labels) for row, labels in found.labels.items()}
    return {"rows": rows, "details": found.details}
