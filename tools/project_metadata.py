"""Metadata that depends on ``[tool.consensa.release]``, for hatchling: addresses, README."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

ADDRESSES = ("Homepage", "Documentation", "Repository", "Issues", "Changelog")
UNSET = "to be set"
_LINK = re.compile(r"(!?\[[^\]]*\]\()(?!https?:|#)([^)\s]+\))")


class ProjectMetadata(MetadataHookInterface):
    """Fills ``readme`` and ``urls``; an address that is not set is left out, never invented."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the fields to the metadata of the project."""
        root = Path(self.root)
        project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
        facts = project["tool"]["consensa"]["release"]
        readme = (root / "README.md").read_text(encoding="utf-8")
        metadata["urls"] = {name: facts[name] for name in ADDRESSES if facts[name] != UNSET}
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": with_addresses(readme, facts["Repository"]),
        }


def with_addresses(readme: str, repository: str) -> str:
    """The README with links that work outside the repository, once its address is known."""
    if repository == UNSET:
        return readme
    return _LINK.sub(rf"\1{repository}/raw/HEAD/\2", readme)
