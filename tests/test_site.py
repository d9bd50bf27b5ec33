"""The site is whole: pages, links, reference; what `make docs` finds too, but in a second."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path

import pytest
import reference
from check_links import broken_links, far_pages

import consensa
from consensa.cli._methods import markdown_table

DOCS = Path(__file__).parent.parent / "docs"
PAGES = [
    page
    for page in sorted(DOCS.rglob("*.md"))
    if not any(part.startswith("_") for part in page.relative_to(DOCS).parts)
]
every_page = pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(DOCS)))


def toctree(page):
    """Pages that the toctrees of a page name, as paths without an ending."""
    text = page.read_text()
    for body in re.findall(r"^```\{toctree\}\n(.*?)^```$", text, flags=re.M | re.S):
        for line in filter(None, (line.strip() for line in body.splitlines())):
            if line.startswith(":"):
                continue
            named = re.sub(r".*<(.*)>$", r"\1", line)
            start = DOCS if named.startswith("/") else page.parent
            named = named.lstrip("/")
            if ":glob:" in body:
                yield from (found.with_suffix("") for found in start.glob(named + ".md"))
            else:
                yield (start / named).resolve()


def anchors(page):
    """Anchors of the headings, as GitHub and the site make them."""
    text = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.M | re.S)
    for title in re.findall(r"^#+ (.*)$", text, flags=re.M):
        yield re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def test_every_page_can_be_reached_from_the_first():
    reached, waiting = set(), [DOCS / "index"]
    while waiting:
        page = waiting.pop()
        if page in reached or "generated" in page.parts:
            continue
        reached.add(page)
        assert page.with_suffix(".md").exists(), f"a toctree names {page}, which is not there"
        waiting.extend(toctree(page.with_suffix(".md")))
    assert {page.with_suffix("") for page in PAGES} == reached


@every_page
def test_links_of_a_page_lead_somewhere(page):
    text = re.sub(r"^```(?!\{).*?^```$", "", page.read_text(), flags=re.M | re.S)
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        target, _, anchor = link.partition("#")
        if re.match(r"[a-z]+:", target) or "generated/" in target:
            continue  # out of the site, or made by the build
        place = (page.parent / target).resolve() if target else page
        assert place.is_file(), f"{page.name} links to {link}"
        if anchor and place.suffix == ".md":
            assert anchor in set(anchors(place)), f"{page.name} links to {link}"


def test_every_public_name_has_a_page_in_the_reference():
    pages = reference.pages()
    for module in reference.public_modules():
        for name in importlib.import_module(module).__all__:
            thing = getattr(importlib.import_module(module), name)
            if inspect.ismodule(thing):
                assert f"{thing.__name__}.rst" in pages
                continue
            path = reference.homes()[f"{module}.{name}"]
            assert f":: {name}\n" in pages[f"{path}.rst"]
            home, _, last = path.rpartition(".")
            assert getattr(importlib.import_module(home), last) is thing
            assert any(
                f"<{path}>" in pages[f"{other}.rst"] for other in reference.public_modules()
            )


def test_every_module_stands_in_the_table_of_the_reference_with_what_it_is_for():
    table = reference.table_of_modules()
    for module in reference.public_modules():
        assert re.search(rf"\| \[`{module}`\]\(generated/{module}.rst\) \| \w.+ \|", table)
        assert f"\ngenerated/{module}\n" in table


def test_the_guide_has_the_table_of_the_command_line_with_links():
    from generated import table_of_methods

    table = table_of_methods(DOCS / "guide")
    assert re.sub(r"\[(\w+)\]\(\w+\.md\)", r"\1", table) == markdown_table()
    for name in consensa.consensus.__all__:
        if name.islower():
            assert f"({name}.md)" in table
    index = (DOCS / "guide" / "index.md").read_text()
    for page in DOCS.glob("guide/*.md"):
        assert page.stem == "index" or f"({page.name})" in index, f"{page.name} is not explained"


def test_the_command_line_reference_has_every_command_and_option():
    import command_line

    text = command_line.markdown()
    for command in ("cluster", "combine", "compare", "methods", "audit", "plan", "demo"):
        assert f"## `consensa {command}`\n" in text
    assert "### `consensa study tables`\n" in text
    assert "`-k, --clusters INT\\|LOW-HIGH\\|auto`" in text
    assert "(default: TEA)" in text


def test_a_built_site_with_broken_links_is_noticed(tmp_path):
    (tmp_path / "a.html").write_text(
        '<link rel="stylesheet" href="https://cdn.example/x.css"><h1 id="top">A</h1>'
        '<a href="b.html#here">b</a><a href="b.html#gone">b</a><a href="c.html">c</a>'
        '<a href="#top">up</a><a href="https://example.org">out</a><img src="data:,">'
    )
    (tmp_path / "b.html").write_text('<p id="here">b</p>')
    assert broken_links(tmp_path) == [
        "a.html links to b.html#gone: there is no such place on the page",
        "a.html links to c.html: there is no such file",
        "a.html fetches https://cdn.example/x.css",
    ]


def test_a_page_that_is_far_from_the_first_is_noticed(tmp_path):
    names = ["index", "one", "two", "three", "four"]
    for name, following in zip(names, [*names[1:], "index"], strict=True):
        links = f'<a href="{following}.html#here">on</a><a href="index.html">first</a>'
        (tmp_path / f"{name}.html").write_text(links)
    (tmp_path / "search.html").write_text('<a href="index.html">first</a>')
    (tmp_path / "report.html").write_text("a report of its own")
    assert far_pages(tmp_path) == ["four.html is more than 3 clicks away"]


@every_page
def test_formulas_of_a_page_can_be_drawn_without_a_script(page):
    from mathml import mathml

    text = re.sub(r"^```.*?^```$|`[^`\n]*`", "", page.read_text(), flags=re.M | re.S)
    for block in re.findall(r"\$\$(.+?)\$\$", text, flags=re.S):
        assert mathml(block, as_block=True).startswith("<math ")
    for inline in re.findall(r"\$([^$]+)\$", re.sub(r"\$\$.+?\$\$", "", text, flags=re.S)):
        assert mathml(inline, as_block=False).startswith("<math ")


def test_the_index_of_a_letter_with_an_accent_stands_beside_it():
    from mathml import mathml

    drawn = re.sub(r"\s", "", mathml(r"\bar{A}_{b}", as_block=True))
    assert '<msub><moveraccent="true"><mi>A</mi>' in drawn
    assert "<munderover>" in re.sub(r"\s", "", mathml(r"\sum_{i}^{n} i", as_block=True))
