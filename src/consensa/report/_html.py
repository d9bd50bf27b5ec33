"""`ReportData` → one page: no network, every value escaped, no script but our own."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from consensa._optional import require
from consensa.report._data import ReportData

__all__ = ["render", "to_html"]


@dataclass(frozen=True)
class _Assets:
    """Style and script of the page, and the sum by which the browser knows the script."""

    style: Any
    script: Any
    script_sum: str


def to_html(data: ReportData) -> str:
    """The page of a report."""
    return render("consensa.report", "report.html", data=data, assets=_assets())


def render(package: str, template: str, **values: Any) -> str:
    """Fill in a template of a package; every value is escaped, and each must be there."""
    jinja2: Any = require("jinja2", extra="cli", purpose="A page")
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, keep_trailing_newline=True
    )
    # A number that is not one would be no JSON, and the browser would refuse all of it.
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False, "separators": (",", ":")}
    return str(environment.from_string(_text(package, template)).render(**values))


def _text(package: str, name: str) -> str:
    return files(package).joinpath(f"templates/{name}").read_text(encoding="utf-8")


@cache
def _assets() -> _Assets:
    markup: Any = require("markupsafe", extra="cli", purpose="A page")
    script = _text("consensa.report", "report.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return _Assets(
        markup.Markup(_text("consensa.report", "report.css")), markup.Markup(script), digest
    )
