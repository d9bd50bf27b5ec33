"""Count what tells whether the house is in order: run with `make house`.

Four numbers: imports of private modules or names of another room, aliases of the array type, pairs
of places that repeat six or more lines of code, and lengths of files and functions.
"""

from __future__ import annotations

import argparse
import ast
import io
import keyword
import statistics
import tokenize
from collections import defaultdict
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).parents[1] / "src" / "consensa"
REPEATED = 6  # lines
TOKENS = 30  # in those lines; below, lines of one shape say little
PLACES = 8  # that a run may stand in; above, it is an idiom
LONG_FILE = 450
LONG_FUNCTION = 60
_LAYOUT = {tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT}


class Line(NamedTuple):
    """A line of code: its number, its tokens, and its tokens without names and values."""

    number: int
    text: str
    shape: str


class Pair(NamedTuple):
    """Two places that repeat each other, by the first run of lines that they share."""

    first: str
    second: str
    runs: int


def modules(source: Path) -> list[Path]:
    """Files of the package."""
    return sorted(source.rglob("*.py"))


def room(path: Path, source: Path) -> str:
    """Name of the package or top module that a file belongs to."""
    return path.relative_to(source).parts[0].removesuffix(".py")


def private_imports(path: Path, source: Path) -> Iterator[str]:
    """Import statements that reach for what another room calls private."""
    here = room(path, source)
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            continue
        if any(_is_private(name, here) for name in names):
            yield ast.unparse(node)


def _is_private(name: str, here: str) -> bool:
    """Whether a module or a name in it is private to another room than `here`.

    A top module such as `_array` is open to all; what is private stands inside a room.
    """
    package, there, *inside = [*name.split("."), ""]
    return package == "consensa" and there != here and any(x.startswith("_") for x in inside)


def array_aliases(path: Path) -> Iterator[str]:
    """Names that a file gives to the type of arrays; ``Array`` of `_array.py` is the one."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            value = ast.unparse(node.value)
            if value in ("np.ndarray[Any, Any]", "np.ndarray", "npt.NDArray[Any]"):
                target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
                yield ast.unparse(target)


def code_lines(path: Path, *, declarations: bool = True) -> list[Line]:
    """Lines of a file without docstrings, comments, imports, brackets and `__all__`.

    Without `declarations`, signatures, decorators and `__init__` are left out too: a function and
    its estimator have the same parameters, and scikit-learn wants to see both.
    """
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    left_out = set(_lines_left_out(tree))
    if not declarations:
        left_out.update(_declarations(tree))
    tokens: dict[int, list[tokenize.TokenInfo]] = defaultdict(list)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in _LAYOUT and token.start[0] not in left_out and token.string:
            tokens[token.start[0]].append(token)
    return [
        Line(number, " ".join(t.string for t in found), " ".join(_shape(t) for t in found))
        for number, found in sorted(tokens.items())
        if any(t.type != tokenize.OP for t in found)
    ]


def _lines_left_out(tree: ast.Module) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom) or _is_list_of_names(node):
            yield from range(node.lineno, node.end_lineno + 1)
        elif docstring := _docstring(node):
            yield from range(docstring.lineno, docstring.end_lineno + 1)


def _declarations(tree: ast.Module) -> Iterator[int]:
    for node in ast.walk(tree):
        for decorator in getattr(node, "decorator_list", []):
            yield from range(decorator.lineno, decorator.end_lineno + 1)
        if isinstance(node, ast.FunctionDef):
            last = node.end_lineno if node.name == "__init__" else node.body[0].lineno - 1
            yield from range(node.lineno, last + 1)


def _is_list_of_names(node: ast.AST) -> bool:
    return isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"


def _docstring(node: ast.AST) -> ast.Expr | None:
    body = getattr(node, "body", None)
    if not isinstance(body, list) or not body or not isinstance(body[0], ast.Expr):
        return None
    first = body[0]
    text = isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)
    return first if text else None


def _shape(token: tokenize.TokenInfo) -> str:
    if token.type == tokenize.NAME:
        return token.string if keyword.iskeyword(token.string) else "name"
    return {tokenize.STRING: "text", tokenize.NUMBER: "number"}.get(token.type, token.string)


def repeated(source: Path, *, by: str, declarations: bool = True) -> list[Pair]:
    """Pairs of files that share six lines in a row, by their `text` or by their `shape`.

    The shape of a line is what is left of it without names and values.
    """
    lines = {
        str(path.relative_to(source)): code_lines(path, declarations=declarations)
        for path in modules(source)
    }
    places = defaultdict(list)
    for name, code in lines.items():
        for start in range(len(code) - REPEATED + 1):
            window = tuple(getattr(line, by) for line in code[start : start + REPEATED])
            places[window].append((name, start))
    shared: dict[tuple[str, str], list[tuple[int, int]]] = defaultdict(list)
    for window, found in places.items():
        thin = by == "shape" and len(" ".join(window).split()) < TOKENS
        if thin or len(found) > PLACES:
            continue
        for (a, i), (b, j) in combinations(found, 2):
            if a != b or j - i >= REPEATED:
                shared[a, b].append((i, j))
    pairs = []
    for (a, b), starts in sorted(shared.items()):
        runs = [start for start in starts if (start[0] - 1, start[1] - 1) not in set(starts)]
        i, j = min(runs)
        first, second = lines[a][i].number, lines[b][j].number
        pairs.append(Pair(f"{a}:{first}", f"{b}:{second}", len(runs)))
    return pairs


def median_length(files: list[Path]) -> float:
    """Lines of the median file."""
    return statistics.median(len(path.read_text().splitlines()) for path in files)


def long_functions(path: Path, most: int = LONG_FUNCTION) -> Iterator[tuple[str, int]]:
    """Functions of more than `most` lines, without their docstrings."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or 0) - node.lineno + 1
            if docstring := _docstring(node):
                length -= (docstring.end_lineno or 0) - docstring.lineno + 1
            if length > most:
                yield node.name, length


def main() -> None:
    """Print the numbers, and what they are made of where it is asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", nargs="?", type=Path, default=SOURCE, help="the package")
    parser.add_argument("--list", action="store_true", help="list what was counted")
    arguments = parser.parse_args()
    source, files = arguments.source, modules(arguments.source)

    def say(title: str, found: list[str], *, always: bool = False) -> None:
        print(f"{len(found):5}  {title}")
        for line in found if arguments.list or always else []:
            print(f"         {line}")

    def name(path: Path) -> str:
        return str(path.relative_to(source))

    lengths = {path: len(path.read_text().splitlines()) for path in files}
    say(
        "private imports from another room",
        [f"{name(path)}: {what}" for path in files for what in private_imports(path, source)],
    )
    say(
        "aliases of the array type",
        [f"{name(path)}: {what}" for path in files for what in array_aliases(path)],
    )
    for title, by in (("to the letter", "text"), ("but for names and values", "shape")):
        for declarations, where in ((True, ""), (False, ", outside declarations")):
            pairs = repeated(source, by=by, declarations=declarations)
            say(
                f"pairs of files with the same six lines, {title}{where}",
                [f"{a} ~ {b} ({runs} runs)" for a, b, runs in pairs],
            )
    print(f"{median_length(files):5g}  lines in the median file of {len(files)}")
    say(
        f"files of more than {LONG_FILE} lines",
        [f"{name(path)}: {length}" for path, length in lengths.items() if length > LONG_FILE],
        always=True,
    )
    say(
        f"functions of more than {LONG_FUNCTION} lines, docstrings not counted",
        [f"{name(path)}: {what}, {n}" for path in files for what, n in long_functions(path)],
        always=True,
    )


if __name__ == "__main__":
    main()
