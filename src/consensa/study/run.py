"""From what is asked for to a filled store, and to the files that are made of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from consensa.study._page import write_page
from consensa.study._table_files import tables_of, write_files
from consensa.study.experiments import Experiments
from consensa.study.figures import DrawnFigure, compute_cell, write_figure
from consensa.study.material import Material, read_sets
from consensa.study.options import RunOptions
from consensa.study.progress import Progress, RunReport
from consensa.study.protocol import Protocol
from consensa.study.runner import run_cells
from consensa.study.store import Store

__all__ = ["Outcome", "fill", "run_study"]


class Outcome(NamedTuple):
    """What a run computed, and the files that were written."""

    report: RunReport
    tables: list[Path]
    figures: list[DrawnFigure]
    page: Path | None


def fill(
    protocol: Protocol,
    options: RunOptions,
    *,
    progress: Callable[[Progress], None] | None = None,
) -> RunReport:
    """Compute the cells of a protocol that the store lacks.

    Parameters
    ----------
    protocol : Protocol
        What is wanted.
    options : RunOptions
        Where the store is, and what may be used.
    progress : function or None, default=None
        Called after each cell.

    Returns
    -------
    RunReport
        What was done and what is missing.

    See Also
    --------
    write_tables : The tables of what is there.

    Notes
    -----
    Each finished cell is on disk before the next one begins, so that the process may be ended
    at any time; the next call goes on where it was.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> from consensa.study import RunOptions, fill, protocol_of
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> labels = np.repeat([[0], [1]], 4, axis=0)
    >>> np.savez(folder / "mine.npz", y=labels.ravel(), members=np.hstack([labels, labels]))
    >>> protocol = protocol_of(sets=["mine"], methods=["eac"], draws=1, members=2)
    >>> fill(protocol, RunOptions(folder / "out", folder=folder, jobs=0)).computed
    2
    """
    return _compute_missing(Experiments(protocol), options, progress)[0]


def run_study(
    experiments: Experiments,
    options: RunOptions,
    *,
    progress: Callable[[Progress], None] | None = None,
) -> Outcome:
    """Compute what the store lacks, and write the files of what it then has."""
    report, material = _compute_missing(experiments, options, progress)
    figures = [
        write_figure(name, plan, material, options.out)
        for name, plan in experiments.figures.items()
    ]
    if experiments.tables is None:
        return Outcome(report, [], figures, None)
    tables = tables_of(experiments.tables, material)
    written = write_files(tables, options.out)
    page = None
    if experiments.page is not None:
        page = write_page(experiments, material, tables, figures, Path(options.out))
    return Outcome(report, written, figures, page)


def _compute_missing(
    experiments: Experiments,
    options: RunOptions,
    progress: Callable[[Progress], None] | None,
) -> tuple[RunReport, Material]:
    """Fill the store; give what was done, and what there is now."""
    datasets = read_sets(experiments.sets, options)
    cells = experiments.cells(datasets)
    with Store(options.store) as store:
        report = run_cells(store, cells, compute_cell, options, progress=progress)
        return report, Material(datasets, store.records())
