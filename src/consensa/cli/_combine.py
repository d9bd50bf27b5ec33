"""``consensa combine``: a label matrix in, labels out."""

from __future__ import annotations

from typing import Any

import typer

from consensa.cli import _options as options
from consensa.cli._large import is_large, on_dask, open_large, the_cluster
from consensa.cli._methods import choose_method
from consensa.cli._outputs import Samples
from consensa.cli._shared_options import sharing
from consensa.cli._source import Source
from consensa.cli._task import Task
from consensa.ensemble import Ensemble
from consensa.exceptions import InvalidInputError

__all__ = ["combine"]


@sharing
def combine(
    context: typer.Context,
    task: Task,
    engine: options.Engine = "local",
    scheduler: options.Scheduler = None,
    *,
    source: Source,
) -> None:
    """Combine existing partitions into one.

    The file holds a label matrix: a row for each sample and a column for each partition, with
    integers or names. Empty, NA and -1 are missing labels; -1 among names is one too, unless
    other names are numbers with a sign. Files written by Ensemble.save can be read too. Folders
    of Parquet or Zarr files, and large files, are read in blocks of rows.

    With -k auto or a range such as -k 2-20, the number of clusters is selected and the evidence
    is printed.

    Example: consensa combine runs.csv -k 4 --id name -o consensus.csv
    """
    dask = engine == "dask" or scheduler is not None
    estimator = on_dask(choose_method(task.method)) if dask else choose_method(task.method)
    model = task.begin(estimator, source.file)
    if dask and task.save is not None:
        message = "--save is not available with --engine dask."
        raise InvalidInputError(message)
    labels: Any
    table = None
    if is_large(source.file, dask=dask):
        if task.append or task.save is not None:
            message = "--append and --save read the whole table. FILE is read in blocks of rows."
            raise InvalidInputError(message)
        labels, chosen = open_large(source.file, source.roles)
    else:
        table, chosen = source.read(labels=True)
        labels = chosen.data if dask else Ensemble.from_labels(chosen.data)
    task.finish(
        model.set_params(generator="precomputed"),
        labels,
        Samples(chosen, table),
        words=context.obj or (),
        during=the_cluster(scheduler),
    )
