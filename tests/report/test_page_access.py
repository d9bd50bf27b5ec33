"""The page for everybody: keyboard, screen reader, contrast, phone and paper."""

from __future__ import annotations

import numpy as np
import pytest

import consensa as cs
from consensa.report import Run, write_report

# Contrast of each text with what lies below it, as WCAG defines it; bars below text are mixed in.
CONTRAST = """() => {
  const numbers = (text) => text.match(/[\\d.]+/g).map(Number);
  const rgba = (text) => {
    const [r, g, b, a = 1] = numbers(text.replace("color(srgb", ""));
    return (text.startsWith("color(") ? [r * 255, g * 255, b * 255] : [r, g, b]).concat(a);
  };
  const over = (top, below, alpha) => below.map((c, i) => c + (top[i] - c) * alpha);
  const ground = (element) => {
    const style = getComputedStyle(element);
    const below = () => element.parentElement ? ground(element.parentElement) : [255, 255, 255];
    const [r, g, b, a] = rgba(style.backgroundColor);
    let found = a === 1 ? [r, g, b] : over([r, g, b], below(), a);
    if (element.classList.contains("meter")) {
      const bar = getComputedStyle(element, "::before");
      found = over(rgba(bar.backgroundColor), found, Number(bar.opacity));
    }
    return found;
  };
  const light = (color) => [.2126, .7152, .0722].reduce((sum, weight, i) => {
    const c = color[i] / 255;
    return sum + weight * (c <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4);
  }, 0);
  const poor = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    const tiny = element.closest("caption, script, noscript, svg, .skip");
    if (!walker.currentNode.data.trim() || tiny || !element.checkVisibility()) continue;
    const [a, b] = [light(rgba(getComputedStyle(element).color)), light(ground(element))];
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) poor.add(`${ratio.toFixed(2)} ${element.outerHTML.slice(0, 90)}`);
  }
  return [...poor];
}"""
ROLES = {
    "button", "link", "slider", "combobox", "searchbox", "checkbox", "radio", "img", "region",
    "application", "table", "navigation", "textbox",
}  # fmt: skip


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    rng = np.random.RandomState(0)
    X = rng.normal(size=(60, 2)) * 1.5 + np.repeat([[0, 0], [6, 0], [0, 6]], 20, axis=0)
    ensemble = cs.RandomKMeans(8, n_clusters=(3, 6)).generate(X, random_state=0)
    path = tmp_path_factory.mktemp("access") / "page.html"
    truth = np.repeat(["oak", "elm", "ash"], 20)
    run = Run(source="plants.csv", command="consensa cluster plants.csv -k 3")
    write_report(cs.eac(ensemble, 3), path, X=X, truth=truth, run=run)
    return path


def in_use(open_page, page, **options):
    """The page with another k, a selection and a sample that is explained."""
    opened = open_page(page, **options)
    opened.page.locator("#clusters .goto").first.click()
    opened.page.locator("#samples .why").first.click()
    opened.page.locator("#why-text summary").click()
    opened.page.locator("#k").fill("5")
    opened.page.locator(".other-k[data-state=ready]").wait_for()
    return opened


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_can_be_read(open_page, page, scheme):
    assert in_use(open_page, page, color_scheme=scheme).page.evaluate(CONTRAST) == []


def test_everything_has_a_name_for_a_screen_reader(open_page, page):
    browser = in_use(open_page, page).page
    tree = browser.context.new_cdp_session(browser).send("Accessibility.getFullAXTree")
    seen = set()
    for node in tree["nodes"]:
        role = node.get("role", {}).get("value")
        if node["ignored"] or role not in ROLES:
            continue
        seen.add(role)
        assert node.get("name", {}).get("value"), (role, node.get("properties"))
    assert {"slider", "application", "button", "combobox", "checkbox", "radio"} <= seen


def test_ids_are_unique_and_headings_do_not_skip_a_level(open_page, page):
    browser = in_use(open_page, page).page
    ids = browser.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))
    named = browser.evaluate(
        "[...document.querySelectorAll('[aria-labelledby], [aria-describedby], [for]')].flatMap("
        "e => ['aria-labelledby', 'aria-describedby', 'for'].flatMap("
        "a => (e.getAttribute(a) || '').split(' ').filter(Boolean)))"
    )
    assert len(named) > 8
    assert set(named) <= set(ids)
    levels = browser.evaluate(
        "[...document.querySelectorAll('h1, h2, h3, h4')].map(e => Number(e.tagName[1]))"
    )
    assert levels[0] == 1
    assert max(np.diff(levels)) <= 1


def test_the_keyboard_goes_through_the_page_from_top_to_bottom(open_page, page):
    browser = open_page(page).page
    assert browser.locator("[tabindex]:not([tabindex='0']):not([tabindex='-1'])").count() == 0
    browser.evaluate("window.stops = []")
    for _ in range(35):
        browser.keyboard.press("Tab")
        browser.evaluate("window.stops.push(document.activeElement)")
    backwards = browser.evaluate(
        "window.stops.slice(1).filter((e, i) => !(window.stops[i].compareDocumentPosition(e) "
        "& Node.DOCUMENT_POSITION_FOLLOWING)).map(e => e.outerHTML)"
    )
    assert backwards == []
    ids = browser.evaluate("window.stops.map(e => e.id)")
    assert {"k", "export", "plane", "why-name"} <= set(ids)


def test_the_focus_can_be_seen(open_page, page):
    browser = open_page(page).page
    for name in ("#k", "#export", "#plane", "#clusters .goto >> nth=0"):
        browser.locator(name).focus()
        browser.keyboard.press("Shift+Tab")
        browser.keyboard.press("Tab")
        outline = "getComputedStyle(document.activeElement).outlineStyle"
        assert browser.evaluate(outline) == "solid", name


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_phone_nothing_is_wider_than_the_screen(open_page, page, scheme):
    opened = in_use(open_page, page, width=390, height=800, color_scheme=scheme)
    wide, window = opened.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide <= window
    for name in ("#plane", "#map-canvas", "#k"):
        assert opened.page.locator(name).bounding_box()["width"] > 200
    assert opened.page.locator("#k").is_visible()
    assert opened.errors == []


def test_paper_shows_the_clusters_on_screen_and_says_how_many(open_page, page):
    opened = in_use(open_page, page)
    browser = opened.page
    browser.emulate_media(media="print")
    for name in ("nav", ".bar", "#why-form", "#plane-keys", "#samples input"):
        assert not browser.locator(name).first.is_visible(), name
    assert browser.locator("#plane").is_visible()
    assert "5 clusters: a cut of the tree" in browser.locator("#k-paper").text_content()
    assert browser.locator("#k-paper").is_visible()
    assert len(browser.pdf()) > 20_000
    assert opened.errors == []
