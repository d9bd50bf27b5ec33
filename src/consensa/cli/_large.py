"""Tables that are not read at once: folders of Parquet or Zarr, large files."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from consensa import distributed
from consensa._machine.suggest import listed
from consensa._optional import require
from consensa.cli._columns import (
    Chosen,
    NamesOnDisk,
    Roles,
    check_data_columns,
    choose_truth,
    columns_aside,
    sample_names,
    warn_of_text,
)
from consensa.cli._screen import messages, showing, warn
from consensa.consensus.base import BaseConsensus
from consensa.consensus.catalogue import methods_that
from consensa.distributed.connection import a_cluster, connection
from consensa.ensemble.stored import open_labels
from consensa.ensemble.stored_labels import StoredLabels
from consensa.exceptions import InvalidParameterError
from consensa.features.stored import open_file
from consensa.features.stored_features import StoredColumn, StoredFeatures
from consensa.tables.preparation_on_disk import prepare_on_disk

__all__ = ["is_large", "on_dask", "open_large", "open_large_features", "the_cluster"]

_LARGE = 2**28  # bytes of a file that is not read at once


def is_large(path: Path, *, dask: bool) -> bool:
    """Whether a table is left on disk and read by blocks."""
    if path.is_dir():
        return True
    binary = path.suffix.lower() in (".npy", ".parquet") and path.is_file()
    return binary and (dask or path.stat().st_size > _LARGE)


def open_large(path: Path, roles: Roles) -> tuple[StoredLabels, Chosen]:
    """Labels that stay on disk; the truth and the names of the rows are read."""
    stored = open_labels(path)
    names = list(stored.partition_names or map(str, range(stored.shape[1])))
    kept, chosen = _by_roles(stored, names, stored.shape[0], path, roles)
    chosen = replace(chosen, row_names=np.asarray(chosen.row_names))
    code = _code(path, kept if len(kept) < len(names) else None)
    return (
        stored if len(kept) == len(names) else stored._select(kept),
        replace(chosen, code=code),
    )


def open_large_features(
    path: Path,
    roles: Roles,
    memory: float | None,
    resume: Path | None,
    *,
    missing: str = "error",
    keep: Collection[str] = (),
    dask: bool = False,
) -> tuple[StoredFeatures, Chosen]:
    """Features that stay on disk, and so do the names of the rows; the truth is read.

    Columns that look like ids are left out, except those to `keep`.
    """
    stored = open_file(path, memory=memory, resume=resume)
    stored.deferred = True
    names = list(stored.column_names or map(str, range(stored.n_columns)))
    kept, chosen = _by_roles(stored, names, stored.n_samples, path, roles)
    with showing(messages(), "Columns"):
        keep = names if dask else keep  # workers read the rows
        made = prepare_on_disk(stored, kept, missing=missing, keep=keep)
        made.features.check_columns()
    for note in made.notes:
        messages().print(note, soft_wrap=True, markup=False)
    for warning in made.warnings:
        warn(warning)
    encoding = None if dask else made.features.encoding
    if encoding is not None:
        warn_of_text(path, encoding.text_columns, encoding.ignored_columns)
    code = f"consensa.open_features({str(path)!r})"
    code += f".select({made.places!r})" if len(made.places) < len(names) else ""
    code += f".filled({dict(made.features.fills)!r})" if made.features.fills else ""
    said = (*made.notes, *made.warnings)
    return made.features, replace(chosen, code=code, notes=(*chosen.notes, *said))


def _by_roles(
    stored: StoredLabels | StoredFeatures, names: list[str], n_rows: int, path: Path, roles: Roles
) -> tuple[list[int], Chosen]:
    """Places of the columns to work on; the truth and the names of the rows."""
    truth, row_id = roles.truth, roles.row_id
    aside = columns_aside(names, path, roles)
    kept = [j for j, name in enumerate(names) if name not in aside]
    check_data_columns(len(kept), path)
    index = stored.row_names()
    rows = index if row_id is None else stored.column(names.index(row_id))
    classes = None if truth is None else np.asarray(stored.column(names.index(truth)))
    chosen = Chosen(
        None,
        None if classes is None else choose_truth(classes, str(truth)),
        _names(rows, n_rows),
        "sample" if row_id is None else str(row_id),
        source=str(path),
        index_names=index if isinstance(index, StoredColumn) else None,
    )
    return kept, chosen


def _names(rows: Any, n_rows: int) -> Any:
    """Names of the rows, or their numbers; names of features stay on disk."""
    if rows is None:
        return range(n_rows)
    return NamesOnDisk(rows) if isinstance(rows, StoredColumn) else sample_names(rows)


def _code(path: Path, columns: Sequence[int] | None) -> str:
    """Python that opens the same labels."""
    opened = f"consensa.open_labels({str(path)!r})"
    if columns is None:
        return opened
    return f"consensa.Ensemble.from_labels({opened}).select({list(columns)!r})"


def on_dask(estimator: type[BaseConsensus]) -> type[BaseConsensus]:
    """The twin of a method on Dask."""
    if not estimator.info.dask:
        message = (
            f"--engine dask has {listed(methods_that('dask'))}. Got --method {estimator.__name__}."
        )
        raise InvalidParameterError(message)
    twin: type[BaseConsensus] = getattr(distributed, estimator.__name__)
    return twin


def the_cluster(scheduler: str | None, *, started: bool = False) -> AbstractContextManager[Any]:
    """A connection to the scheduler at this address; without one, the fit starts a cluster.

    If it is to be `started` here, what stays on the cluster is there until all is written.
    """
    if scheduler is None:
        return a_cluster() if started else nullcontext()
    require("distributed", extra="dask", purpose="--scheduler")
    for logger in ("distributed", "distributed.client"):
        logging.getLogger(logger).setLevel(logging.CRITICAL)  # its faults become messages
    return connection(scheduler)
