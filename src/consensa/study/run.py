"""Run a study: fill the store and write the files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from consensa.study._field_audit import write_field_audit
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
    """The report of a run, and the files that were written."""

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
    """Compute the missing cells of a protocol.

    Parameters
    ----------
    protocol : Protocol
        The protocol.
    options : RunOptions
        Folders, processes, budget and device.
    progress : function or None, default=None
        Called after each cell.

    Returns
    -------
    RunReport
        Numbers of computed cells, and the missing ones.

    See Also
    --------
    write_tables : Write the tables of the stored cells.

    Notes
    -----
    Each cell is written to disk before the next one starts, so that the process can be stopped
    at any time; the next call continues.

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
    """Compute the missing cells, and write the files of all stored cells."""
    report, material = _compute_missing(experiments, options, progress)
    figures = [
        write_figure(name, plan, material, options.out)
        for name, plan in experiments.figures.items()
    ]
    if experiments.audit is not None:
        audited = write_field_audit(experiments.audit, material, options.out)
        return Outcome(report, audited, figures, None)
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
    """Fill the store; return the report and the stored records."""
    datasets = read_sets(experiments.sets, options)
    cells = experiments.cells(datasets)
    with Store(options.store) as store:
        report = run_cells(store, cells, compute_cell, options, progress=progress)
        return report, Material(datasets, store.records())
