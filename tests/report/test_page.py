"""The page: whole, escaped, small, and used in a browser without network."""

from __future__ import annotations

import re
import warnings
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

import consensa as cs
from consensa.exceptions import UndecidedTieWarning
from consensa.report import Run, write_report

NASTY = "</script><script>alert(1)</script><img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def labels():
    rng = np.random.RandomState(0)
    truth = np.repeat([0, 1, 2], 20)
    partitions = np.stack([truth] * 8, axis=1)
    flipped = rng.uniform(size=partitions.shape) < 0.2
    partitions[flipped] = rng.randint(3, size=flipped.sum())
    partitions[rng.uniform(size=partitions.shape) < 0.05] = -1
    return partitions


@pytest.fixture(scope="module")
def page(labels, tmp_path_factory):
    """A page with everything on it: warnings, evidence, scores, pictures, names, a command."""
    path = tmp_path_factory.mktemp("report") / "page.html"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = cs.LTA(3, generator="precomputed", random_state=0).fit(labels)
        found = cs.select_n_clusters(
            labels, [2, 3, 4], generator="precomputed", n_references=0, random_state=0
        )
    run = Run(
        source="flowers.csv", command="consensa combine flowers.csv -k auto", seconds=0.5,
        scores=cs.metrics.clustering_scores(np.repeat([0, 1, 2], 20), model.labels_),
    )  # fmt: skip
    ids = [f"flower {i}" for i in range(60)]
    write_report(model, path, ids=ids, selection=found, run=run)
    return path


def everything_clickable(opened):
    # Of the buttons that each row has, those of the first rows.
    rows = ".why:not(tr:nth-child(n+4) *), .sort, .goto, .copy, .bar button, .controls button"
    return opened.page.locator(f"{rows}, a[href], canvas, .bin, .count-cell, .node.now")


def test_a_browser_without_network_clicks_everything_and_has_no_complaint(page, open_page):
    opened = open_page(page)
    things = everything_clickable(opened)
    assert things.count() > 50
    for place in range(things.count()):
        thing = things.nth(place)
        if thing.get_attribute("class") == "skip":
            thing.focus()
        if thing.is_visible():
            thing.click()
    for box in opened.page.locator("select").all():
        for value in box.locator("option").all():
            box.select_option(value.text_content())
    opened.page.locator("#samples-filter").fill("flower 1")
    opened.page.wait_for_timeout(50)
    assert opened.errors == []
    assert {url.partition("#")[0] for url in opened.requests} == {page.as_uri()}


def test_every_picture_is_there_and_has_words(page, open_page):
    opened = open_page(page)
    widths = opened.page.evaluate("[...document.images].map(image => image.naturalWidth)")
    # Tree, partitions, matrix, solver; criteria, distribution, growth, tracks.
    assert len(widths) == 8
    assert min(widths) > 100
    assert opened.page.evaluate("[...document.images].every(image => image.alt.length > 30)")


def test_heads_sort_and_filters_filter(page, open_page):
    browser = open_page(page).page
    column = "[...document.querySelectorAll('#samples tbody tr:not([hidden]) {}')].map(c => c.{})"
    confidences = column.format("td:nth-child(2)", "dataset.v")
    names = column.format("th", "textContent")
    given = browser.evaluate(confidences)
    browser.locator("#samples .sort", has_text="confidence").click()
    assert browser.evaluate(confidences) == given[::-1]
    browser.locator("#samples .sort", has_text="sample").click()
    assert browser.evaluate(names) == [f"flower {i}" for i in range(60)]  # 2 before 10
    browser.locator("#samples-filter").fill("WER 5")
    assert browser.evaluate(names) == ["flower 5", *(f"flower {i}" for i in range(50, 60))]
    assert browser.locator("#samples-count").text_content() == "11 shown"
    browser.locator("#samples-cluster").select_option("0")
    clusters = column.format("td:nth-child(3)", "dataset.v")
    assert set(browser.evaluate(clusters)) <= {"0"}


def test_the_map_tells_zooms_and_comes_back_by_keyboard_alone(page, open_page):
    browser = open_page(page).page
    canvas, readout = browser.locator("#map-canvas"), browser.locator("#map-readout")
    canvas.focus()
    browser.keyboard.press("ArrowRight")
    assert re.match(r"\d+ %of the base partitions put together flower", readout.text_content())
    browser.keyboard.press("Enter")
    assert browser.locator("#map-cluster").input_value() == "0"
    browser.keyboard.press("Escape")
    assert browser.locator("#map-cluster").input_value() == ""
    browser.keyboard.press("+")
    browser.keyboard.press("-")


def test_pointing_at_the_map_names_the_two_samples(page, open_page, labels):
    browser = open_page(page).page
    canvas = browser.locator("#map-canvas")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    canvas.hover(position={"x": box["width"] / 2, "y": box["height"] / 3})
    said = browser.locator("#map-readout").text_content()
    share, *samples = re.match(r"(\d+) %.*flower (\d+) .*flower (\d+) ", said).groups()
    left, right = labels[int(samples[0])], labels[int(samples[1])]
    both = (left >= 0) & (right >= 0)
    assert int(share) == pytest.approx(100 * (left == right)[both].mean(), abs=0.51)


def test_the_bars_of_the_confidence_speak(page, open_page):
    browser = open_page(page).page
    browser.locator(".bin").last.hover()
    assert "Confidence 0.95 to 1.00:" in browser.locator("#histogram-readout").text_content()
    browser.locator(".bin").first.focus()
    browser.keyboard.press("ArrowRight")
    assert "0.05 to 0.10" in browser.locator("#histogram-readout").text_content()


def test_the_map_follows_the_window_and_the_scheme(page, open_page):
    opened = open_page(page)
    canvas = opened.page.locator("#map-canvas")
    wide = canvas.bounding_box()
    light = canvas.screenshot()
    opened.page.set_viewport_size({"width": 500, "height": 700})
    opened.page.wait_for_timeout(100)
    narrow = canvas.bounding_box()
    assert narrow["width"] < wide["width"]
    assert narrow["height"] < wide["height"]
    opened.page.set_viewport_size({"width": 1200, "height": 900})
    opened.page.emulate_media(color_scheme="dark")
    opened.page.wait_for_timeout(100)
    assert canvas.screenshot() != light
    opened.page.pdf()
    assert opened.errors == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_scrolls_the_tables_and_not_the_page(page, open_page, scheme):
    browser = open_page(page, width=360, height=740, color_scheme=scheme).page
    wide, window = browser.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert wide <= window
    assert browser.locator("#map-canvas").bounding_box()["width"] > 250


def test_a_keyboard_reaches_everything_and_first_of_all_the_answer(page, open_page):
    browser = open_page(page).page
    browser.keyboard.press("Tab")
    assert browser.evaluate("document.activeElement.className") == "skip"
    browser.keyboard.press("Enter")
    assert browser.evaluate("document.activeElement.id") == "main"
    unnamed = browser.evaluate(
        "[...document.querySelectorAll('button, input, select, canvas, [role=region]')].filter("
        "e => !(e.ariaLabel || e.textContent.trim() || e.labels?.length)).length"
    )
    assert unnamed == 0


def test_on_paper_there_are_no_controls_and_nothing_is_cut_off(page, open_page):
    browser = open_page(page).page
    browser.emulate_media(media="print")
    assert not browser.locator("nav").is_visible()
    assert not browser.locator("#map-in").is_visible()
    overflow = "[...document.querySelectorAll('.wide')].map(e => getComputedStyle(e).overflowY)"
    assert set(browser.evaluate(overflow)) == {"visible"}


def test_nothing_is_fetched(page):
    text = page.read_text()
    sources = re.findall(r'(?:src|href|action|srcset)\s*=\s*"([^"]{0,12})', text)
    assert len(sources) > 8
    assert all(source.startswith(("data:", "#")) for source in sources)
    assert not re.search(r"https?:(?!//www\.w3\.org)", text)
    assert not re.search(r"@import|url\(|fetch\(|XMLHttpRequest|import\(", text)


class _Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags = []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))


def test_whatever_stands_in_names_stays_text(open_page, tmp_path):
    labels = np.array([[f"{NASTY}{i // 3}" for _ in range(3)] for i in range(6)], dtype=object)
    import pandas as pd

    frame = pd.DataFrame(labels, columns=[f"{NASTY}{j}" for j in range(3)])
    model = cs.TEA(2, generator="precomputed", random_state=0).fit(frame)
    result = replace(model.result_, warnings=(cs.exceptions.ConsensaWarning(NASTY),))
    run = Run(source=NASTY, command=NASTY, lines=f"X = {NASTY!r}", scores={NASTY: 0.5})
    path = tmp_path / "page.html"
    ids = [f"{NASTY}\u202e\udcff{i}" for i in range(6)]
    write_report(result, path, ids=ids, title=NASTY, run=run)
    text = path.read_text()
    assert "alert(1)</script>" not in text
    tags = _Tags()
    tags.feed(text)
    assert [tag for tag, _ in tags.tags].count("script") == 5
    assert not [attrs for _, attrs in tags.tags if any(name.startswith("on") for name in attrs)]
    opened = open_page(path)
    dialogs = []
    opened.page.on("dialog", lambda dialog: dialogs.append(dialog))
    canvas = opened.page.locator("#map-canvas")
    canvas.focus()
    opened.page.keyboard.press("ArrowRight")
    assert NASTY in opened.page.locator("#map-readout").text_content()
    assert opened.page.locator("#map-readout img").count() == 0
    assert opened.page.locator("h1").text_content() == NASTY
    assert NASTY in opened.page.locator("#samples tbody th").first.text_content()
    assert NASTY in opened.page.locator("#base tbody th").first.text_content()
    assert opened.errors == []
    assert dialogs == []


def test_names_that_look_like_formulas_are_drawn_as_they_are(tmp_path):
    import pandas as pd

    names = [r"$\bad_{$", "a$b", "日本", "one\nline", "x" * 99, "\\"]
    frame = pd.DataFrame([[i // 3] * 6 for i in range(6)], columns=names)
    model = cs.EAC(2, generator="precomputed").fit(frame)
    write_report(model, tmp_path / "page.html", ids=names)
    assert (tmp_path / "page.html").read_text().count("<img") == 3


def one_cluster():
    return cs.eac(cs.Ensemble.from_labels([[0, 0], [0, 1], [1, 1]]), 1)


def two_samples():
    return cs.eac(cs.Ensemble.from_labels([[0], [1]]), 2)


def seventy_clusters():
    labels = np.arange(300) % 70
    partitions = np.stack([labels, labels, np.roll(labels, 1)], axis=1)
    return cs.ConsensusResult(labels, cs.Ensemble.from_labels(partitions))


def all_different():
    with pytest.warns(UndecidedTieWarning):
        return cs.eac(cs.Ensemble.from_labels(np.arange(36).reshape(12, 3)), 4)


@pytest.mark.parametrize("make", [one_cluster, two_samples, seventy_clusters, all_different])
def test_odd_answers_have_pages_that_work(make, open_page, tmp_path):
    write_report(make(), tmp_path / "page.html")
    opened = open_page(tmp_path / "page.html")
    for press in ["#map-in", "#map-in", "#map-out", "#map-all", ".goto", ".sort", ".bin"]:
        opened.page.locator(press).first.click()
    opened.page.locator("#map-canvas").focus()
    for key in ["ArrowDown", "ArrowRight", "Enter", "+", "-", "Escape"]:
        opened.page.keyboard.press(key)
    assert "%" in opened.page.locator("#map-readout").text_content()
    assert opened.errors == []


def test_the_page_of_100_000_samples_is_small(tmp_path):
    rng = np.random.RandomState(0)
    truth = rng.randint(12, size=100_000)
    partitions = np.stack([truth] * 10, axis=1)
    flipped = rng.uniform(size=partitions.shape) < 0.2
    partitions[flipped] = rng.randint(12, size=flipped.sum())
    result = cs.sec(cs.Ensemble.from_labels(partitions), 12, n_init=1, random_state=0)
    write_report(
        result, tmp_path / "page.html", ids=[f"sample number {i}" for i in range(100_000)]
    )
    assert (tmp_path / "page.html").stat().st_size < 2_000_000


def test_many_clusters_and_many_partitions_are_bounded(tmp_path):
    labels = np.arange(800) // 2
    partitions = np.stack([labels] * 310, axis=1)
    partitions[0, 0] = 7
    ensemble = cs.Ensemble.from_labels(partitions)
    result = cs.ConsensusResult(labels, ensemble)  # made by hand: no method, no confidence
    write_report(result, tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    assert len(text) < 3_000_000
    assert "The 300 largest of 400 clusters are shown" in text
    assert "The first 300 of 310 are shown" in text
    assert "does not say which method made it" in text


def test_without_matplotlib_the_page_has_no_pictures_but_is_whole(labels, tmp_path, monkeypatch):
    from consensa import exceptions
    from consensa.report import _pictures

    def missing(size):
        raise exceptions.MissingExtraError

    monkeypatch.setattr(_pictures, "new_figure", missing)
    result = cs.eac(cs.Ensemble.from_labels(labels), 3)
    write_report(result, tmp_path / "page.html")
    assert "<img" not in (tmp_path / "page.html").read_text()


def test_a_page_is_written_whole_or_not_at_all(labels, tmp_path, monkeypatch):
    from consensa.report import _write

    path = tmp_path / "page.html"
    path.write_text("before")
    monkeypatch.setattr(_write, "to_html", lambda data: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        write_report(cs.eac(cs.Ensemble.from_labels(labels), 3), path)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]


def test_every_section_is_labelled_by_a_heading_of_the_page(page):
    text = page.read_text()
    named = re.findall(r'aria-labelledby="([^"]+)"', text)
    assert len(named) == text.count("<section ") == text.count("<section id=")
    assert all(f'<h2 id="{name}">' in text for name in named)
    assert "aria-labeledby" not in text  # HTML spells the attribute with two l
