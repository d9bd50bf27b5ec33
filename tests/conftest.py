"""Fixtures that several test files share."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import matplotlib
import numpy as np
import pytest
from hypothesis import settings

matplotlib.use("Agg")
# How long one example takes says nothing on a machine that is shared.
settings.register_profile("consensa", deadline=None)
settings.load_profile("consensa")

REFERENCE = Path(__file__).parent / "reference"


def outside(variable: str, file: str) -> Path:
    """Path of a file that is not part of the project, or skip with the reason."""
    folder = os.environ.get(variable)
    path = None if folder is None else Path(folder) / file
    if path is not None and path.exists():
        return path
    reason = f"needs {file}, which is not part of the project: set {variable} to its folder"
    if os.environ.get("CONSENSA_REQUIRE_DATA") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="session")
def reference_small():
    """Answers of the authors' programs on 60 samples."""
    return dict(np.load(REFERENCE / "ref_small.npz"))


@pytest.fixture(scope="session")
def reference_small59():
    """Answers of the authors' LTA program on 59 samples."""
    return dict(np.load(REFERENCE / "ref_small59.npz"))


@pytest.fixture(scope="session")
def reference_gtlec():
    """Answers of the authors' GTLEC program on 40 and on 36 samples."""
    return dict(np.load(REFERENCE / "ref_gtlec.npz"))


@pytest.fixture(scope="session")
def reference_links():
    """Answers of the authors' programs of LCE, WEAC and GP-MGLA."""
    return dict(np.load(REFERENCE / "ref_links.npz"))


@pytest.fixture(scope="session")
def reference_ceshl():
    """Answers of parts of the authors' program of CESHL."""
    return dict(np.load(REFERENCE / "ref_ceshl.npz"))


@pytest.fixture(scope="session")
def reference_ceam():
    """Answers of the authors' program of CEAM on 50 samples."""
    return dict(np.load(REFERENCE / "ref_ceam.npz"))


@pytest.fixture(scope="session")
def reference_trce():
    """Answers of the authors' program of TRCE, with one index corrected and as it is."""
    return dict(np.load(REFERENCE / "ref_trce.npz"))


@pytest.fixture(scope="session")
def reference_binalpha():
    """Answers of the authors' programs on BinAlpha: arrays, and 20 entries of each matrix."""
    arrays = dict(np.load(outside("CONSENSA_REFERENCE", "ref_binalpha.npz")))
    summary = json.loads(outside("CONSENSA_REFERENCE", "ref_binalpha_summary.json").read_text())
    return arrays, summary["matrices"]


@pytest.fixture
def planted():
    """60 samples in 3 clusters; 8 partitions with a tenth of their labels flipped."""
    rng = np.random.RandomState(0)
    truth = np.repeat([0, 1, 2], 20)
    labels = np.stack([truth] * 8, axis=1)
    flipped = rng.uniform(size=labels.shape) < 0.1
    labels[flipped] = rng.randint(3, size=flipped.sum())
    return labels, truth


@pytest.fixture(scope="session")
def chromium():
    """A headless Chromium, or skip with the reason."""
    path = next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    if path is None:
        reason = "needs Chromium: apt-get install chromium"
        if os.environ.get("CONSENSA_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        # As root, which containers run as, its sandbox does not start.
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium):
    """Open a file as a page without network; what it said, and what it asked for, beside it."""
    contexts = []

    def open_file(path, *, width=1200, height=900, **options):
        context = chromium.new_context(
            viewport={"width": width, "height": height}, offline=True, **options
        )
        contexts.append(context)
        page = context.new_page()
        opened = SimpleNamespace(page=page, errors=[], requests=[])
        page.on("console", lambda said: opened.errors.append(f"{said.type}: {said.text}"))
        page.on("pageerror", lambda error: opened.errors.append(str(error)))
        page.on(
            "request",
            lambda asked: (
                None if asked.url.startswith("data:") else opened.requests.append(asked.url)
            ),
        )
        page.goto(Path(path).resolve().as_uri(), wait_until="load")
        page.wait_for_selector("body:not([data-state=loading])")  # its data are unpacked
        return opened

    yield open_file
    for context in contexts:
        context.close()


@pytest.fixture
def undrawn(monkeypatch):
    """Reports without pictures, whose drawing takes most of the time."""
    from consensa.report import _collect

    monkeypatch.setattr(_collect, "pictures_of", lambda subject, names: [])
    monkeypatch.setattr(_collect, "pictures_of_selection", lambda found: [])
