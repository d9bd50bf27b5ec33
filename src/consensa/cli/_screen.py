"""Output on the terminal: messages and progress on stderr, so that stdout can be piped."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TextIO

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from consensa._machine.printable import printable
from consensa._machine.progress import reporting
from consensa.exceptions import ConsensaWarning

__all__ = [
    "answers",
    "messages",
    "plain_table",
    "print_in_parts",
    "score_table",
    "showing",
    "warn",
]

Column = tuple[str, list[str]]  # its header and its cells
_WIDTH_WITHOUT_TERMINAL = 120
_ANY_WIDTH = 10_000


class _Screen(Console):
    """A console that removes terminal commands from text."""

    def print(self, *objects: Any, **options: Any) -> None:
        super().print(*map(_shown, objects), **options)


class _SafeTable(Table):
    """A table that removes terminal commands from its cells."""

    def add_column(self, header: Any = "", *more: Any, **options: Any) -> None:
        super().add_column(_shown(header), *more, **options)

    def add_row(self, *cells: Any, **options: Any) -> None:
        super().add_row(*map(_shown, cells), **options)


def _shown(shown: Any) -> Any:
    return printable(shown) if isinstance(shown, str) else shown


def messages() -> Console:
    """The console on stderr."""
    return _Screen(stderr=True, highlight=False)


def warn(text: str) -> None:
    """Print a warning."""
    messages().print(f"Warning: {text}", style="yellow", markup=False)


def answers(*, soft_wrap: bool = False) -> Console:
    """The console on stdout; with a fixed width if it is piped."""
    console = _Screen(highlight=False, soft_wrap=soft_wrap)
    if not console.is_terminal:
        console.width = _WIDTH_WITHOUT_TERMINAL
    return console


def plain_table(title: str | None = None) -> Table:
    """An empty table with a line below its header only."""
    return _SafeTable(
        title=title, title_justify="left", box=SIMPLE_HEAD, pad_edge=False, collapse_padding=True
    )


def print_in_parts(console: Console, title: str, rows: Column, columns: Sequence[Column]) -> None:
    """Print a table with a column of names; beside the same names again what is too wide."""
    said: str | None = title
    while columns:
        count = len(columns)
        table = _table_of(said, rows, columns)
        while count > 1 and _width(console, table) > console.width:
            count -= 1
            table = _table_of(said, rows, columns[:count])
        console.print(table)
        said, columns = None, columns[count:]


def _table_of(title: str | None, rows: Column, columns: Sequence[Column]) -> Table:
    table = plain_table(title)
    table.add_column(rows[0], no_wrap=True)
    for name, _ in columns:
        table.add_column(name, justify="right")
    for cells in zip(rows[1], *(own for _, own in columns), strict=True):
        table.add_row(*cells)
    return table


def _width(console: Console, table: Table) -> int:
    """Width of a table that nothing is left out of."""
    return console.measure(table, options=console.options.update_width(_ANY_WIDTH)).maximum


class _Count(ProgressColumn):
    """Number of completed parts, and the total if it is known."""

    def render(self, task: Task) -> Text:
        done = f"{task.completed:.0f}" if task.completed else ""
        return Text(done if task.total is None else f"{done or 0}/{task.total:.0f}")


class _TimeLeft(TimeRemainingColumn):
    """Time left, if the total number of parts is known."""

    def render(self, task: Task) -> Text:
        left = task.time_remaining if task.total else None
        return Text("") if left is None else Text.assemble(super().render(task), " left")


@contextmanager
def showing(console: Console, title: str) -> Iterator[None]:
    """Show progress bars, and each warning of Consensa as a paragraph, inside the context."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        _Count(),
        TimeElapsedColumn(),
        _TimeLeft(),
    )
    hidden = not console.is_terminal
    with (
        Progress(*columns, console=console, transient=True, disable=hidden) as bars,
        _warnings_on(console),
        reporting(_reporter(bars)),
    ):
        bars.add_task(title, total=None)
        yield


def _reporter(bars: Progress) -> Any:
    @contextmanager
    def step(description: str, total: int | None) -> Iterator[Callable[[], None]]:
        task = bars.add_task(description, total=total)
        try:
            yield lambda: bars.advance(task)
        finally:
            bars.remove_task(task)

    return step


@contextmanager
def _warnings_on(console: Console) -> Iterator[None]:
    """Print warnings of Consensa as paragraphs; others stay as Python shows them."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", ConsensaWarning)
        otherwise = warnings.showwarning

        def show(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if issubclass(category, ConsensaWarning):
                console.print(f"Warning: {message}", style="yellow", markup=False)
            else:
                otherwise(message, category, filename, lineno, file, line)

        warnings.showwarning = show
        yield


def score_table(title: str, rows: dict[str, dict[str, float]]) -> Table:
    """Scores of one or more partitions, the best of each column in bold."""
    table = plain_table(title)
    table.add_column("", no_wrap=True)
    names = list(next(iter(rows.values())))
    for name in names:
        table.add_column(name, justify="right")
    best = {name: max(scores[name] for scores in rows.values()) for name in names}
    for label, scores in rows.items():
        cells = [
            f"[bold]{scores[name]:.3f}[/bold]"
            if len(rows) > 1 and scores[name] == best[name]
            else f"{scores[name]:.3f}"
            for name in names
        ]
        table.add_row(label, *cells)
    return table
