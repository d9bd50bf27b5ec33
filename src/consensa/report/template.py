"""Templates and pictures → pages that need no other file."""

from __future__ import annotations

import base64
from importlib.resources import files
from typing import Any

from consensa._optional import require

__all__ = ["data_uri", "render", "template_text"]


def render(package: str, template: str, **values: Any) -> str:
    """Fill in a template of a package; every value is escaped, and each must be there."""
    jinja2: Any = require("jinja2", extra="cli", purpose="A page")
    environment = jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, keep_trailing_newline=True
    )
    # A number that is not one would be no JSON, and the browser would refuse all of it.
    environment.policies["json.dumps_kwargs"] = {"allow_nan": False, "separators": (",", ":")}
    return str(environment.from_string(template_text(package, template)).render(**values))


def template_text(package: str, name: str) -> str:
    """The text of a file in the templates of a package."""
    return files(package).joinpath(f"templates/{name}").read_text(encoding="utf-8")


def data_uri(data: bytes, kind: str) -> str:
    """Bytes of an image as the address of an image, so that no file is needed."""
    return f"data:image/{kind};base64,{base64.b64encode(data).decode()}"
