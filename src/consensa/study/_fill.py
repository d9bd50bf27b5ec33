"""From what is asked for to a filled store, and to the files that are made of it."""

from __future__ import annotations

import csv
import io
import json
import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from consensa._machine.atomic import replacing
from consensa._params import Integer, NoneType, OneOf, RandomState, Real, check_params
from consensa.datasets import SETS, Dataset
from consensa.exceptions import MissingExtraError
from consensa.plotting import CriticalDifferenceDisplay
from consensa.plotting.axes import new_figure, save_figure
from consensa.study._methods import METHODS
from consensa.study._protocol import METRICS, ORDERS, Protocol, compute, load_with_pool
from consensa.study._remarks import remarks_on
from consensa.study._render import HEADS, to_csv, to_html, to_markdown
from consensa.study._runner import Progress, RunReport, run_cells
from consensa.study._store import Cell, Record, Store
from consensa.study._tables import SOURCES, Summary, collect, summarize

__all__ = [
    "CUBIC_LIMIT",
    "STORE",
    "compute_missing",
    "fill",
    "open_store",
    "protocol_of",
    "read_sets",
    "write_tables",
]

STORE = "study.sqlite"
CUBIC_LIMIT = 2500  # most samples for the methods whose time is the cube of their number


def protocol_of(
    *,
    sets: Iterable[str] | None = None,
    methods: Iterable[str] | None = None,
    orders: Iterable[str] = ORDERS,
    draws: int = 20,
    members: int = 10,
    seed: int = 0,
) -> Protocol:
    """The protocol of a study, its names and numbers checked.

    Parameters
    ----------
    sets : iterable of str or None, default=None
        Names of sets, in any case; None is the seven of the paper.
    methods : iterable of str or None, default=None
        Methods as the functions are called, in any case; None is all of them.
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
        What `fill` and `write_tables` take.

    See Also
    --------
    fill : Computes it.

    Examples
    --------
    >>> from consensa.study import protocol_of
    >>> protocol_of(sets=["MF"], methods=["LTA", "EAC"], draws=2).methods
    ('lta', 'eac')
    """
    chosen_sets = tuple(SETS if sets is None else _names(sets))
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


def read_sets(
    names: Iterable[str], folder: str | os.PathLike[str] | None, out: str | os.PathLike[str]
) -> dict[str, Dataset]:
    """The sets with their pools; a pool that is made is kept beside the store."""
    return {name: load_with_pool(name, _text(folder), str(Path(out) / "pools")) for name in names}


def _text(folder: str | os.PathLike[str] | None) -> str | None:
    return None if folder is None else os.fspath(folder)


def open_store(out: str | os.PathLike[str]) -> Store:
    """The store of the folder `out`."""
    return Store(Path(out) / STORE)


def fill(
    out: str | os.PathLike[str],
    *,
    protocol: Protocol,
    folder: str | os.PathLike[str] | None = None,
    jobs: int = 1,
    budget: float | None = None,
    device: str | None = None,
    cubic_limit: int | None = CUBIC_LIMIT,
    progress: Callable[[Progress], None] | None = None,
) -> RunReport:
    """Compute the cells of a protocol that the store of the folder `out` lacks.

    Parameters
    ----------
    out : path
        Folder of the store; it is made.
    protocol : Protocol
        What is wanted.
    folder : path or None, default=None
        Folder of the sets; None is the environment variable ``CONSENSA_DATA``.
    jobs : int, default=1
        Number of worker processes; 0 computes in this process.
    budget : float or None, default=None
        Minutes after which it stops.
    device : {"cpu", "cuda"} or None, default=None
        Where LTA computes.
    cubic_limit : int or None, default=2500
        Most samples for methods of cubic cost; None is no limit.
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
    >>> from consensa.study import fill, protocol_of
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> labels = np.repeat([[0], [1]], 4, axis=0)
    >>> np.savez(folder / "mine.npz", y=labels.ravel(), members=np.hstack([labels, labels]))
    >>> protocol = protocol_of(sets=["mine"], methods=["eac"], draws=1, members=2)
    >>> fill(folder / "out", protocol=protocol, folder=folder, jobs=0).computed
    2
    """
    return compute_missing(
        out,
        protocol.sets,
        protocol.cells,
        compute,
        folder=folder,
        jobs=jobs,
        budget=budget,
        device=device,
        cubic_limit=cubic_limit,
        progress=progress,
    )


def compute_missing(
    out: str | os.PathLike[str],
    sets: Iterable[str],
    cells: Callable[[Mapping[str, Dataset]], list[Cell]],
    compute: Callable[..., Mapping[str, Any]],
    *,
    folder: str | os.PathLike[str] | None = None,
    jobs: int = 1,
    budget: float | None = None,
    device: str | None = None,
    cubic_limit: int | None = CUBIC_LIMIT,
    progress: Callable[[Progress], None] | None = None,
) -> RunReport:
    """Compute what ``cells(datasets)`` asks for and the store of `out` lacks; see `fill`."""
    declared = {
        "jobs": (Integer(0),),
        "budget": (Real(above=0), NoneType()),
        "device": (OneOf(("cpu", "cuda")), NoneType()),
        "cubic_limit": (Integer(1), NoneType()),
    }
    values = {"jobs": jobs, "budget": budget, "device": device, "cubic_limit": cubic_limit}
    check_params("the study", declared, values)
    datasets = read_sets(sets, folder, out)
    context = {
        "folder": _text(folder),
        "pools": str(Path(out) / "pools"),
        "device": device,
        "cubic_limit": cubic_limit,
    }
    with open_store(out) as store:
        return run_cells(
            store,
            cells(datasets),
            compute,
            context=context,
            jobs=jobs,
            budget=None if budget is None else 60 * budget,
            progress=progress,
        )


def write_tables(
    out: str | os.PathLike[str],
    *,
    protocol: Protocol,
    folder: str | os.PathLike[str] | None = None,
) -> list[Path]:
    """Write the tables of what the store of the folder `out` has; nothing is computed.

    One table a set and the summary as ``.md``, ``.csv`` and ``.html``, the scores of every
    cell in ``cells.csv``, how long they took in ``timings.json``, and, with matplotlib, the
    critical differences between the methods as ``.png`` and ``.svg``.

    Parameters
    ----------
    out : path
        Folder of the store and of the tables.
    protocol : Protocol
        What is wanted; what the store lacks is shown as missing.
    folder : path or None, default=None
        Folder of the sets; None is the environment variable ``CONSENSA_DATA``.

    Returns
    -------
    list of Path
        The files that were written.

    See Also
    --------
    fill : Computes what the store lacks.

    Notes
    -----
    The tables hold no time, date, path or host: the same seed gives the same bytes.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> from consensa.study import fill, protocol_of, write_tables
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> labels = np.repeat([[0], [1]], 4, axis=0)
    >>> np.savez(folder / "mine.npz", y=labels.ravel(), members=np.hstack([labels, labels]))
    >>> protocol = protocol_of(sets=["mine"], methods=["eac"], draws=1, members=2)
    >>> _ = fill(folder / "out", protocol=protocol, folder=folder, jobs=0)
    >>> [path.name for path in write_tables(folder / "out", protocol=protocol, folder=folder)][:2]
    ['mine.md', 'mine.csv']
    """
    datasets = read_sets(protocol.sets, folder, out)
    with open_store(out) as store:
        records = store.records()
    tables = collect(records, protocol, datasets)
    texts: dict[str, str] = {}
    for table in tables:
        remarks = remarks_on(table)
        texts[f"{table.name}.md"] = to_markdown(table, remarks=remarks)
        texts[f"{table.name}.csv"] = to_csv(table)
        texts[f"{table.name}.html"] = to_html(table, remarks=remarks)
    summary = summarize(tables)
    texts["summary.md"] = to_markdown(summary.table, summary)
    texts["summary.csv"] = to_csv(summary.table, summary)
    texts["summary.html"] = to_html(summary.table, summary)
    wanted = {
        cell.key: records[cell.key] for cell in protocol.cells(datasets) if cell.key in records
    }
    texts["cells.csv"] = _cells_csv(wanted)
    texts["timings.json"] = _timings(wanted.values())
    written = []
    for name, text in texts.items():
        with replacing(Path(out) / name) as temporary:
            temporary.write_text(text, encoding="utf-8")
        written.append(Path(out) / name)
    return written + _pictures(summary, Path(out))


def _pictures(summary: Summary, out: Path) -> list[Path]:
    """Critical differences of NMI; those of earlier tables go where these have none."""
    written = _critical_differences(summary, out)
    stems = [_picture_of(out, source) for source in SOURCES]
    for old in {stem.with_suffix(kind) for stem in stems for kind in (".png", ".svg")}:
        if old not in written:
            old.unlink(missing_ok=True)
    return written


def _picture_of(out: Path, source: str) -> Path:
    return out / f"critical-difference-{source}"


def _critical_differences(summary: Summary, out: Path) -> list[Path]:
    """A picture of each source; nothing where matplotlib is not there."""
    written = []
    for source, (names, compared) in summary.comparisons.items():
        mean_ranks = dict(zip(names, map(float, compared.mean_ranks), strict=True))
        title = (
            f"Mean rank by NMI over {summary.n_sets} sets, {HEADS[source]} "
            f"(Friedman p = {compared.p_value:.1g})"
        )
        display = CriticalDifferenceDisplay(mean_ranks, compared.critical_difference, title=title)
        try:
            axes = new_figure((9.0, 2.2 + 0.15 * len(names))).subplots()
        except MissingExtraError:
            return []
        display.plot(axes)
        written += save_figure(display.figure_, _picture_of(out, source))
    return written


def _cells_csv(records: Mapping[str, Record]) -> str:
    """Every score of every cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["dataset", "order", "draw", "method", "row", "state", *METRICS])
    for record in records.values():
        cell = record.cell
        for row in METHODS[cell.method].rows:
            found = record.payload.get("rows", {}).get(row, {})
            values = [f"{found[metric]:.6f}" if found else "" for metric in METRICS]
            where = [cell.dataset, cell.order, cell.draw, cell.method, row, record.state]
            writer.writerow([*where, *values])
    return text.getvalue()


def _timings(records: Iterable[Record]) -> str:
    """Seconds by set and method, and what computed them."""
    seconds: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    machines: Counter[str] = Counter()
    for record in records:
        if record.state == "done":
            seconds[record.cell.dataset][record.cell.method].append(record.seconds)
            machines[json.dumps(record.versions, sort_keys=True)] += 1
    means: dict[str, Any] = {
        name: {
            method: {"cells": len(times), "mean_seconds": round(sum(times) / len(times), 3)}
            for method, times in methods.items()
        }
        for name, methods in seconds.items()
    }
    total = sum(sum(times) for methods in seconds.values() for times in methods.values())
    computed_with = [{"cells": count, **json.loads(text)} for text, count in machines.items()]
    said = {"total_seconds": round(total, 1), "sets": means, "computed_with": computed_with}
    return json.dumps(said, indent=1) + "\n"
