"""The page of 100,000 samples in Chromium: seconds until it is open, and until a new k is shown.

``python benchmarks/page.py`` writes the page of a result with a tree, 48 base partitions and a
map, opens it several times without network, and moves the slider. The aims are 3 s, 0.2 s and
40 MB on two cores. The processor time of the page is beside the seconds: it is what matters on a
busy machine.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, sync_playwright

import consensa as cs
from consensa.report import _collect, write_report

N_CLUSTERS, N_LEAVES, N_PARTITIONS = 12, 600, 48
AIMS = {"open": 3.0, "new k": 0.2}
# From the event of the slider to the frame after the one in which everything was shown.
NEW_K = """k => new Promise(done => {
    const slider = document.getElementById("k");
    slider.value = k;
    const start = performance.now();
    slider.dispatchEvent(new Event("input"));
    const look = () => {
        const shown = document.getElementById("k-value").textContent === String(k);
        if (shown && document.body.dataset.state === "ready") done(performance.now() - start);
        else requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
})"""


def made_result(n_samples: int) -> tuple[np.ndarray, cs.ConsensusResult]:
    """Samples around centers, noisy partitions of them, and a tree of groups of samples."""
    rng = np.random.RandomState(0)
    group = np.append(np.arange(N_LEAVES), rng.randint(N_LEAVES, size=n_samples - N_LEAVES))
    centers = rng.normal(size=(N_CLUSTERS, 2)) * 6
    X = centers[group % N_CLUSTERS] + rng.normal(size=(n_samples, 2))
    labels = np.repeat((group % N_CLUSTERS)[:, None], N_PARTITIONS, axis=1)
    moved = rng.uniform(size=labels.shape) < 0.1
    labels[moved] = rng.randint(N_CLUSTERS, size=moved.sum())
    ensemble = cs.Ensemble.from_labels(labels)
    tree = cs.eac(cs.Ensemble.from_labels(labels[:N_LEAVES]), N_CLUSTERS).tree
    tree = type(tree)(tree.merges, group)
    return X, cs.ConsensusResult(tree.cut(N_CLUSTERS), ensemble, tree=tree)


def write_page(path: Path, n_samples: int) -> None:
    """Write the page, without static figures: they are the same for any number of samples."""
    X, result = made_result(n_samples)
    _collect.pictures_of = lambda result, names: []
    truth = np.repeat(["one", "other"], n_samples // 2)
    names = [f"sample number {i}" for i in range(n_samples)]
    write_report(result, path, X=X, truth=truth, ids=names)


def open_page(page: Page, path: Path) -> float:
    """Seconds until the page can be used."""
    start = time.perf_counter()
    page.goto(path.as_uri())
    page.wait_for_selector("body[data-state=ready]")
    return time.perf_counter() - start


class Processor:
    """Seconds that the processor worked for a page."""

    def __init__(self, page: Page) -> None:
        self._session = page.context.new_cdp_session(page)
        self._session.send("Performance.enable", {"timeDomain": "threadTicks"})
        self._seen = self._total()

    def _total(self) -> float:
        metrics = self._session.send("Performance.getMetrics")["metrics"]
        return next(entry["value"] for entry in metrics if entry["name"] == "TaskDuration")

    def since(self) -> float:
        """Seconds since the last call."""
        before, self._seen = self._seen, self._total()
        return self._seen - before


def measured(path: Path, repeats: int) -> dict[str, list[tuple[float, float]]]:
    """Seconds, and processor time, of each opening and of each new number of clusters."""
    found: dict[str, list[tuple[float, float]]] = {"open": [], "new k": []}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for _ in range(repeats):
            page = browser.new_context(offline=True).new_page()
            processor = Processor(page)
            found["open"].append((open_page(page, path), processor.since()))
            page.locator("#plane").scroll_into_view_if_needed()
            for k in (5, 15, 20, 9, N_CLUSTERS):
                processor.since()
                found["new k"].append((page.evaluate(NEW_K, k) / 1000, processor.since()))
                page.wait_for_timeout(100)
            page.context.close()
        browser.close()
    return found


def main() -> None:
    """Print the median and the largest of the seconds, and the size of the file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--page", type=Path, help="open this page instead of a new one")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = options.page or Path(folder) / "page.html"
        if options.page is None:
            write_page(path, options.samples)
        print(f"size     {path.stat().st_size / 1e6:6.1f} MB  (aim: below 40)")
        for name, times in measured(path.resolve(), options.repeats).items():
            seconds, work = (statistics.median(column) for column in zip(*times, strict=True))
            aim = f"aim: below {AIMS[name]:g}"
            print(f"{name:8} {seconds:6.2f} s, {work:.2f} s of the processor  ({aim})")


if __name__ == "__main__":
    main()
