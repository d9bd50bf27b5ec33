"""``consensa cluster``: features in, labels out."""

from __future__ import annotations

import typer

from consensa.cli import _options as options
from consensa.cli._generators import Generating
from consensa.cli._methods import choose_method
from consensa.cli._outputs import Samples
from consensa.cli._shared_options import sharing
from consensa.cli._source import FeatureSource
from consensa.cli._task import Task
from consensa.exceptions import InvalidInputError
from consensa.features.space import AUTO, PRECOMPUTED
from consensa.generation.default import with_parameter

__all__ = ["cluster"]

_COMBINE = "use `consensa combine`, or `audit` and `compare` with --labels"


@sharing
def cluster(
    context: typer.Context,
    task: Task,
    generating: Generating,
    metric: options.Metric = AUTO,
    profiles: options.Profiles = None,
    *,
    source: FeatureSource,
) -> None:
    """Cluster the rows of a table of features.

    Scales the columns if necessary, generates base partitions of several kinds and combines
    them. Columns may hold numbers or text; missing values are filled, and columns of row numbers
    or names are left out. `consensa inspect` shows what is in a file.

    With -k auto or a range such as -k 2-20, the number of clusters is selected and the evidence
    is printed; it is one if the data show no cluster structure.

    The labels come with the confidence of each sample, its rival (the other cluster that the
    base partitions support most, and how far), and a mark for outliers, which fit no cluster.

    Example: consensa cluster flowers.csv -k 3 --truth species -o labels.csv
    """
    model = task.begin(choose_method(task.method), source.file, profiles)
    distances = metric == PRECOMPUTED
    if distances and profiles is not None:
        message = "--profiles describes clusters by features. FILE holds distances."
        raise InvalidInputError(message)
    generating.of(1)  # raises an error for a generator that does not take these options
    table, chosen = source.read(labels=False)
    read, chosen = source.features(table, chosen, partitions=_COMBINE, distances=distances)
    generator = generating.of(read.n_samples)
    if metric != AUTO:
        generator = with_parameter(generator, "metric", metric, owner="cluster")
    task.finish(
        model.set_params(generator=generator),
        read,
        Samples(chosen, table),
        words=context.obj or (),
        profiles=profiles,
    )
