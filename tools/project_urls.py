"""The addresses of the project for hatchling: those that ``[tool.consensa.release]`` has."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

ADDRESSES = ("Homepage", "Documentation", "Repository", "Issues", "Changelog")
UNSET = "to be set"


class ProjectUrls(MetadataHookInterface):
    """Fills ``[project.urls]``; an address that is not set is left out, never invented."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the addresses to the metadata of the project."""
        text = (Path(self.root) / "pyproject.toml").read_text(encoding="utf-8")
        facts = tomllib.loads(text)["tool"]["consensa"]["release"]
        metadata["urls"] = {name: facts[name] for name in ADDRESSES if facts[name] != UNSET}
