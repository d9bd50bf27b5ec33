"""Run what a page shows, in the order of the page, and tell what it printed.

A page is one story: its Python blocks share their names and all blocks share a folder.

- ```` ```python ```` runs; a ```` ```text ```` block right after it is what it prints.
- ```` ```console ````: lines that begin with ``$`` run, the others are what they print.
  ``consensa`` is called in this process, anything else by the shell.

The tests compare what is printed with what is shown; the build keeps the files that a page
writes, its pictures among them.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

__all__ = ["Step", "agrees", "read_steps", "run_page"]

_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", flags=re.M | re.S)
_SCREEN = {"COLUMNS": "84", "LINES": "40", "NO_COLOR": "1", "TERM": "dumb"}


@dataclass(frozen=True)
class Step:
    """A piece of a page that runs.

    Attributes
    ----------
    language : str
        "python" or "console".
    code : str
        What runs.
    shown : str
        What the page says that it prints.
    line : int
        Where on the page it stands.
    """

    language: str
    code: str
    shown: str
    line: int


def read_steps(text: str) -> list[Step]:
    """What runs on a page, in order."""
    steps: list[Step] = []
    end_of_python = -1
    for fence in _FENCE.finditer(text):
        language, body = fence.groups()
        line = text.count("\n", 0, fence.start()) + 1
        if language == "python":
            steps.append(Step("python", body, "", line))
            end_of_python = fence.end()
        elif language == "text" and steps and not text[end_of_python : fence.start()].strip():
            last = steps[-1]
            steps[-1] = Step(last.language, last.code, body, last.line)
        elif language == "console":
            steps.extend(_commands(body, line))
    return steps


def _commands(body: str, line: int) -> Iterator[Step]:
    for part in re.split(r"^\$ ", body, flags=re.M)[1:]:
        command, _, shown = part.partition("\n")
        yield Step("console", command.split("  #")[0].strip(), shown.rstrip("\n"), line)


def run_page(path: Path, folder: Path) -> Iterator[tuple[Step, str]]:
    """Run a page inside `folder`; each step with what it printed."""
    names: dict[str, Any] = {"__name__": "__main__"}
    path = path.resolve()
    steps = read_steps(path.read_text())
    before = dict(os.environ)
    os.environ.update(_SCREEN)
    try:
        # A page may import the files that stand beside it.
        with contextlib.chdir(folder), _importable(path.parent):
            for step in steps:
                yield step, _run(step, names, path)
    finally:
        os.environ.clear()
        os.environ.update(before)


@contextlib.contextmanager
def _importable(folder: Path) -> Iterator[None]:
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))


def _run(step: Step, names: dict[str, Any], path: Path) -> str:
    from consensa.exceptions import ConsensaWarning

    printed = io.StringIO()
    with (
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(printed),
        warnings.catch_warnings(),
    ):
        warnings.simplefilter("ignore", ConsensaWarning)
        if step.language == "python":
            # Lines of the page, so that a traceback points into it.
            code = "\n" * step.line + step.code
            exec(compile(code, str(path), "exec"), names)
        elif step.code.startswith("consensa "):
            from consensa.cli import run

            run(shlex.split(step.code)[1:])
        else:
            done = subprocess.run(
                step.code, shell=True, check=True, capture_output=True, text=True
            )
            print(done.stdout, end="")
    return printed.getvalue()


def agrees(step: Step, printed: str) -> bool:
    """Whether it printed what the page shows; ``...`` stands for anything, such as seconds."""
    shown, got = (_plain(text) for text in (step.shown, printed))
    return doctest.OutputChecker().check_output(shown, got, doctest.ELLIPSIS)


def written_again(path: Path, folder: Path) -> str:
    """The page with what its steps print now; seconds become ``...``."""
    text = path.read_text(encoding="utf-8")
    ran = [(step.language, _masked(printed)) for step, printed in run_page(path, folder)]
    python = iter([printed for language, printed in ran if language == "python"])
    console = iter([printed for language, printed in ran if language == "console"])

    def replaced(fence: re.Match[str]) -> str:
        if fence["language"] == "python":
            said = next(python)
            return f"```python\n{fence['code']}```" + (f"\n\n```text\n{said}\n```" if said else "")
        lines = [line for line in fence["code"].splitlines() if line.startswith("$ ")]
        return "\n".join(
            ["```console", *(f"{ln}\n{next(console)}".strip() for ln in lines), "```"]
        )

    fences = r"```(?P<language>python|console)\n(?P<code>.*?)^```(?:\n\n```text\n.*?^```)?$"
    return re.sub(fences, replaced, text, flags=re.M | re.S)


def _masked(text: str) -> str:
    """Without seconds, which differ every time: in sentences, and in a last column of them."""
    text = re.sub(r"\d+\.\d s\b", "... s", _plain(text).strip("\n"))
    head, column, table = text.partition(" seconds\n")
    return head + column + re.sub(r" \d+\.\d\d$", " ...", table, flags=re.M)


def _plain(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n") + "\n"


if __name__ == "__main__":  # python docs/_ext/snippets.py PAGE...: write again what pages show
    import tempfile

    import matplotlib

    matplotlib.use("Agg")
    for page in map(Path, sys.argv[1:]):
        with tempfile.TemporaryDirectory() as place:
            page.write_text(written_again(page, Path(place)))
