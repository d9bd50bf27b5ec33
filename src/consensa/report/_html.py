"""`ReportData` → one page: no network, every value escaped, no script but our own."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from functools import cache
from typing import Any

from consensa._optional import require
from consensa.report._data import ReportData
from consensa.report.template import render, template_text

__all__ = ["to_html"]


# In the order in which they run: each uses those before it.
_SCRIPTS = (
    "basics", "data", "views", "state", "tables", "clusters", "confidence", "samples", "matrix",
    "plane", "map", "why", "tree", "compare", "toolbar", "copy",
)  # fmt: skip
_WRAPPER = """
"use strict";
(async () => {
%s
})().catch((error) => {
  document.getElementById("failed").hidden = false;
  throw error;
});
"""


@dataclass(frozen=True)
class _Assets:
    """Style and script of the page, and the sum by which the browser knows the script."""

    style: Any
    script: Any
    script_sum: str


def to_html(data: ReportData) -> str:
    """The page of a report."""
    return render("consensa.report", "report.html", data=data, assets=_assets())


@cache
def _assets() -> _Assets:
    markup: Any = require("markupsafe", extra="cli", purpose="A page")
    parts = [template_text("consensa.report", f"script/{name}.js") for name in _SCRIPTS]
    script = _WRAPPER % "\n".join(parts)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return _Assets(
        markup.Markup(template_text("consensa.report", "report.css")),
        markup.Markup(script),
        digest,
    )
