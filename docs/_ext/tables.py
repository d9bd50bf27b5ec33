"""Values in tables stay on one line with their deviation: 0.941 ± 0.009."""

from __future__ import annotations

from typing import Any

from docutils import nodes

__all__ = ["setup"]


def _bind(app: Any, doctree: Any) -> None:
    del app
    for cell in doctree.findall(nodes.entry):
        for text in list(cell.findall(nodes.Text)):
            if " ± " in text:
                text.parent.replace(text, nodes.Text(text.replace(" ± ", "\u00a0±\u00a0")))


def setup(app: Any) -> dict[str, bool]:
    """Hook into the build."""
    app.connect("doctree-read", _bind)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
