"""``consensa cluster``: features in, labels out."""

from __future__ import annotations

from pathlib import Path

import typer

from consensa.cli import _options as options
from consensa.cli._generators import Generating
from consensa.cli._large import is_large, on_dask, open_large_features, the_cluster
from consensa.cli._methods import choose_method
from consensa.cli._outputs import Samples
from consensa.cli._shared_options import sharing
from consensa.cli._source import FeatureSource
from consensa.cli._task import Task
from consensa.exceptions import InvalidInputError
from consensa.features import Features
from consensa.features.space import AUTO, PRECOMPUTED
from consensa.features.stored_features import StoredFeatures
from consensa.generation.default import with_parameter

__all__ = ["cluster"]

_IN_BLOCKS = (".parquet", ".npy", ".zarr")
_COMBINE = "use `consensa combine`, or `audit` and `compare` with --labels"


@sharing
def cluster(
    context: typer.Context,
    task: Task,
    generating: Generating,
    metric: options.Metric = AUTO,
    profiles: options.Profiles = None,
    memory: options.Memory = None,
    resume: options.Resume = None,
    engine: options.Engine = "local",
    scheduler: options.Scheduler = None,
    *,
    source: FeatureSource,
) -> None:
    """Cluster the rows of a table of features.

    Scales the columns if necessary, generates base partitions of several kinds and combines
    them. Columns may hold numbers or text; missing values are filled, and columns of row numbers
    or names are left out. `consensa inspect` shows what is in a file. Folders of Parquet or Zarr
    files, and large NPY and Parquet files, are read in blocks of rows; their missing values are
    filled only with --missing impute.

    With -k auto or a range such as -k 2-20, the number of clusters is selected and the evidence
    is printed; it is one if the data show no cluster structure.

    The labels come with the confidence of each sample, its rival (the other cluster that the
    base partitions support most, and how far), and a mark for outliers, which fit no cluster.

    Example: consensa cluster flowers.csv -k 3 --truth species -o labels.csv
    """
    dask = engine == "dask" or scheduler is not None
    method = choose_method(task.method)
    model = task.begin(on_dask(method) if dask else method, source.file, profiles)
    if dask:
        _refuse_on_dask(task)
    during = the_cluster(scheduler, started=True) if dask else None
    distances = metric == PRECOMPUTED
    if distances and profiles is not None:
        message = "--profiles describes clusters by features. FILE holds distances."
        raise InvalidInputError(message)
    generating.of(1)  # raises an error for a generator that does not take these options
    data: Features | StoredFeatures
    if memory is not None or resume is not None or is_large(source.file, dask=dask):
        missing = _missing_if_asked(context, source)
        _refuse_whole_table(task, source, profiles, metric, missing, dask=dask)
        keep = tuple(source.keep or ())
        data, chosen = open_large_features(
            source.file, source.roles, memory, resume, missing=missing, keep=keep, dask=dask
        )
        samples = Samples(chosen, stored=data)
    else:
        table, chosen = source.read(labels=False)
        data, chosen = source.features(table, chosen, partitions=_COMBINE, distances=distances)
        samples = Samples(chosen, table)
    generator = generating.of(data.n_samples)
    if metric != AUTO:
        generator = with_parameter(generator, "metric", metric, owner="cluster")
    model = model.set_params(generator=generator)
    words = context.obj or ()
    task.finish(model, data, samples, words=words, profiles=profiles, during=during)


def _missing_if_asked(context: typer.Context, source: FeatureSource) -> str:
    """What to do with missing values of files in blocks: filling takes passes, if asked for."""
    given = context.get_parameter_source("missing")
    return "error" if given is None or given.name == "DEFAULT" else source.missing


def _refuse_on_dask(task: Task) -> None:
    """Raise an error for options that a run on a Dask cluster does not have."""
    if task.save is not None:
        message = "--save is not available with --engine dask."
        raise InvalidInputError(message)


def _refuse_whole_table(
    task: Task,
    source: FeatureSource,
    profiles: Path | None,
    metric: str,
    missing: str,
    *,
    dask: bool,
) -> None:
    """Raise an error for options that need the whole table in memory."""
    file = source.file
    if not file.is_dir() and file.suffix.lower() not in _IN_BLOCKS:
        message = (
            f"--memory and --resume need a file that is read in blocks of rows: "
            f"{', '.join(_IN_BLOCKS)}, or a folder of Parquet files. Got {file.name}."
        )
        raise InvalidInputError(message)
    asked = {
        "--append": task.append and dask,
        "--profiles": profiles is not None and dask,
        "--missing impute": missing == "impute" and dask,
        "--metric precomputed": metric == PRECOMPUTED,
        "--transpose": source.reading.transpose,
        "--missing drop": missing == "drop",
        "--dates": source.dates,
    }
    given = [option for option, is_given in asked.items() if is_given]
    if given:
        message = (
            f"{given[0]} reads the whole table, and {file} is read in blocks of rows. Leave it "
            f"out, or use a smaller file."
        )
        raise InvalidInputError(message)
