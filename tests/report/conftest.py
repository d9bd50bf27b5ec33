"""What the tests of the report share."""

from __future__ import annotations

import pytest

from consensa.report import _collect


@pytest.fixture
def undrawn(monkeypatch):
    """Reports without pictures, whose drawing takes most of the time."""
    monkeypatch.setattr(_collect, "pictures_of", lambda subject, names: [])
    monkeypatch.setattr(_collect, "pictures_of_selection", lambda found: [])
