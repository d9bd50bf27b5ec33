"""The command-line reference, made from the application itself."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from typing import Any

__all__ = ["markdown"]


def markdown() -> str:
    """Every command: what it does, how it is called, its arguments and options."""
    import typer

    from consensa.cli._app import COMMANDS, app, load_command

    command = typer.main.get_command(app)
    with command.make_context("consensa", [], resilient_parsing=True) as context:
        parts = [part for name in COMMANDS for part in _of(load_command(name), [name], context)]
    return "\n\n".join(parts)


def _of(command: Any, words: list[str], parent: Any) -> Iterator[str]:
    """Markdown of a command and of those inside it."""
    yield f"{'#' * (len(words) + 1)} `consensa {' '.join(words)}`"
    yield re.sub(r"Example: (.*)", r"```bash\n\1\n```", inspect.cleandoc(command.help or ""))
    with command.make_context(words[-1], [], parent=parent, resilient_parsing=True) as context:
        inner = getattr(command, "commands", None)
        if inner is None:
            yield f"```text\n{' '.join(command.get_usage(context).split()[1:])}\n```"
            records = [p.get_help_record(context) for p in command.get_params(context)]
            rows = [_row(*record) for record in records if record and "--help" not in record[0]]
            yield "\n".join(["| option | what it does |", "|---|---|", *rows])
            return
        for name, child in inner.items():
            yield from _of(child, [*words, name], context)


def _row(names: str, text: str) -> str:
    """A line of the table: ``--name, -n TYPE`` and what it does."""
    text = re.sub(
        r"\s*\[(required|default: [^\]]*|x[<>]=?[^\]]*|[^\]]*range[^\]]*)[;\]]", _note, text
    )
    shown = "`" + " ".join(names.split()).replace("|", "\\|") + "`"
    return f"| {shown} | {_escape(' '.join(text.split()))} |"


def _note(found: re.Match[str]) -> str:
    return f" ({found[1]})"


def _escape(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("[", "\\[")
