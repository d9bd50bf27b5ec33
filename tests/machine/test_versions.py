"""Every answer names what computed it."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError

import numpy as np
import pytest
import sklearn

from consensa import __version__
from consensa._machine import versions as _versions


@pytest.fixture
def read(monkeypatch):
    """The names whose metadata were asked for; what is read in the test is forgotten."""
    asked = []

    def version(library):
        asked.append(library)
        if library in ("consensa", "scikit-learn", "torch"):
            raise PackageNotFoundError(library)
        return "1.2.3"

    monkeypatch.setattr(_versions, "version", version)
    monkeypatch.delitem(_versions.sys.modules, "torch", raising=False)
    _versions._found.cache_clear()
    yield asked
    _versions._found.cache_clear()


def test_without_metadata_a_library_is_asked_itself(read):
    found = _versions.versions()
    assert found["consensa"] == __version__
    assert found["scikit-learn"] == sklearn.__version__
    assert found["numpy"] == "1.2.3" != np.__version__
    assert "torch" not in found  # not there, and not imported for this


def test_metadata_are_read_once_and_what_is_given_may_be_changed(read):
    _versions.versions()["numpy"] = "mine"
    assert _versions.versions()["numpy"] == "1.2.3"
    assert len(read) == len(set(read)) == 6
