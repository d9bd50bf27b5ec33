"""Python that reads a file in the same way, for files that pandas alone does not read so."""

from __future__ import annotations

from dataclasses import fields

from consensa.tables._content import Content
from consensa.tables.table import Request

__all__ = ["own_code"]


def own_code(content: Content, request: Request) -> str:
    """A call of `read_frame` with what was asked for."""
    plain = Request()
    asked = {
        field.name: getattr(request, field.name)
        for field in fields(Request)
        if getattr(request, field.name) != getattr(plain, field.name)
    }
    given = "".join(f", {name}={value!r}" for name, value in asked.items())
    return f"consensa.tables.read_frame({str(content.source)!r}{given})"
