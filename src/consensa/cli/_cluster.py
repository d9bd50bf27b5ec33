"""``consensa cluster``: features in, labels out."""

from __future__ import annotations

import typer

from consensa._defaults import DEFAULT_N_PARTITIONS
from consensa.cli import _options as options
from consensa.cli._columns import features
from consensa.cli._fit import base_partitions
from consensa.cli._methods import choose_method
from consensa.cli._shared_options import sharing
from consensa.cli._source import Source
from consensa.cli._task import Task

__all__ = ["cluster"]

_COMBINE = "use `consensa combine`, or `audit` and `compare` with --labels"


@sharing
def cluster(
    context: typer.Context,
    task: Task,
    partitions: options.Partitions = DEFAULT_N_PARTITIONS,
    jobs: options.Jobs = None,
    *,
    source: Source,
) -> None:
    """Cluster the rows of a table of features.

    Scales the columns if necessary, generates base partitions of several kinds and combines
    them. Columns may hold numbers or text.

    With -k auto or a range such as -k 2-20, the number of clusters is selected and the evidence
    is printed; it is one if the data show no cluster structure.

    Example: consensa cluster flowers.csv -k 3 --truth species -o labels.csv
    """
    model = task.begin(choose_method(task.method), source.file)
    table, chosen = source.read(labels=False)
    read = features(table, chosen.data, partitions=_COMBINE)
    generator = base_partitions(partitions, jobs, read.n_samples)
    task.finish(model.set_params(generator=generator), read, chosen, words=context.obj or ())
