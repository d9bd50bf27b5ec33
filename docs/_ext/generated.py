"""What the site shows and nobody writes: reference, tables, and the pictures of the tutorials."""

from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path
from typing import Any

import command_line
import reference
import snippets
from sphinx.util import logging

import consensa
from consensa.cli._methods import markdown_table

__all__ = ["setup", "table_of_methods"]

_logger = logging.getLogger(__name__)


def table_of_methods(guide: Path) -> str:
    """The table of ``consensa methods --markdown``, each method a link to its guide page."""

    def link(row: re.Match[str]) -> str:
        before, name, after = row.groups()
        page = f"{name.lower()}.md"
        return f"{before}[{name}]({page}){after}" if (guide / page).exists() else row[0]

    return re.sub(r"^(\| \**)(\w+)(\**(?: \(default\))? \|)", link, markdown_table(), flags=re.M)


def _write(app: Any) -> None:
    """Write everything before Sphinx looks for pages."""
    docs = Path(app.srcdir)
    made = docs / "reference" / "generated"
    wanted = {made / name: text for name, text in reference.pages().items()}
    wanted[docs / "_generated" / "methods.md"] = table_of_methods(docs / "guide") + "\n"
    wanted[docs / "_generated" / "command_line.md"] = command_line.markdown() + "\n"
    wanted[docs / "_generated" / "modules.md"] = reference.table_of_modules() + "\n"
    for old in set(made.glob("*.rst")) - set(wanted):
        old.unlink()
    for path, text in wanted.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:  # what is the same is not read again
            path.write_text(text)
    for page in sorted((docs / "tutorials").glob("*.md")):
        _run_tutorial(page, docs / "_generated" / page.stem)


def _run_tutorial(page: Path, folder: Path) -> None:
    """Run a tutorial for the files it writes, unless nothing changed since the last time."""
    stamp = folder / ".stamp"
    now = _fingerprint(page)
    shows_files = re.search(r"_generated/|<iframe", page.read_text(encoding="utf-8"))
    if not shows_files or (stamp.exists() and stamp.read_text() == now):
        return
    import matplotlib

    matplotlib.use("Agg")
    _logger.info("running %s", page.name)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for step, printed in snippets.run_page(page, folder):
        if not snippets.agrees(step, printed):
            place = f"{page}:{step.line}"
            _logger.warning("this prints\n%s", printed, location=place, type="snippets")
    for report in folder.glob("*.html"):  # beside the tutorial, where it can be opened and framed
        shutil.copy(report, folder.parent / "pages" / page.parent.name)
    stamp.write_text(now)


def _fingerprint(page: Path) -> str:
    """Of the page and of all code of the package."""
    sum_of_all = hashlib.sha256(page.read_bytes())
    for source in sorted(Path(consensa.__file__).parent.rglob("*.py")):
        sum_of_all.update(source.read_bytes())
    return sum_of_all.hexdigest()


def _resolve(app: Any, env: Any, node: Any, contnode: Any) -> Any:
    """Lead a name of a docstring to its page when it is not called by its whole path."""
    if node.get("refdomain") != "py":
        return None
    path = node["reftarget"].lstrip("~.").removesuffix("()")
    for cut in (path, path.rpartition(".")[0]):  # a name, or a method of it
        home = reference.homes().get(cut)
        if home is not None:
            whole = home + path[len(cut) :]
            domain = env.get_domain("py")
            return domain.resolve_xref(
                env, node["refdoc"], app.builder, "obj", whole, node, contnode
            )
    return None


def setup(app: Any) -> dict[str, bool]:
    """Hook into the build."""
    app.connect("builder-inited", _write)
    app.connect("missing-reference", _resolve)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
