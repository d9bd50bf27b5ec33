"""Follow every link inside the built site; see that pages fetch nothing and are near.

``python docs/_ext/check_links.py FOLDER`` prints what is broken, and fails if anything is.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

__all__ = ["broken_links", "far_pages"]

# What a browser fetches by itself; a link that a reader may click is another matter.
_FETCHED = {"img": "src", "script": "src", "iframe": "src", "source": "src", "video": "src"}
_NOT_FETCHED = {"canonical", "alternate", "search", "author", "license", "next", "prev", "index"}

_CLICKS = 3
_MADE = {"genindex.html", "search.html", "py-modindex.html"}  # of the theme's own bars


@dataclass
class _Page(HTMLParser):
    """Anchors and links of a page."""

    anchors: set[str] = field(default_factory=set)
    links: set[str] = field(default_factory=set)
    fetched: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the anchors and links of an element."""
        given = {name: value for name, value in attrs if value is not None}
        self.anchors.update(given[name] for name in ("id", "name") if name in given)
        if tag == "a" and "href" in given:
            self.links.add(given["href"])
        if tag in _FETCHED and _FETCHED[tag] in given:
            self.fetched.add(given[_FETCHED[tag]])
        if tag == "link" and "href" in given and given.get("rel") not in _NOT_FETCHED:
            self.fetched.add(given["href"])


def _read(site: Path) -> dict[Path, _Page]:
    pages: dict[Path, _Page] = {}
    for path in sorted(site.rglob("*.html")):
        if not {"_downloads", "_static"} & set(path.relative_to(site).parts):
            pages[path.resolve()] = page = _Page()
            page.feed(path.read_text(encoding="utf-8"))
    return pages


def far_pages(site: Path) -> list[str]:
    """A sentence for each page that is more than three clicks away from the first.

    A file that does not lead back to the first page is none of the site's pages: a report, say.
    """
    pages = _read(site)
    first = (site / "index.html").resolve()
    leads_to = {
        path: {
            (path.parent / unquote(urlsplit(link).path)).resolve()
            for link in page.links
            if not urlsplit(link).scheme and urlsplit(link).path
        }
        for path, page in pages.items()
    }
    reached = {first}
    for _ in range(_CLICKS):
        reached |= {target for path in reached for target in leads_to.get(path, ())}
    return [
        f"{path.relative_to(site.resolve())} is more than {_CLICKS} clicks away"
        for path in sorted(pages.keys() - reached)
        if first in leads_to[path] and path.name not in _MADE
    ]


def broken_links(site: Path) -> list[str]:
    """A sentence for each link that leads nowhere and each thing that needs the network."""
    pages = _read(site)
    wrong = []
    for path, page in pages.items():
        where = path.relative_to(site.resolve())
        for link in sorted(page.links | page.fetched):
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                if link in page.fetched and parts.scheme != "data":
                    wrong.append(f"{where} fetches {link}")
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.exists():
                wrong.append(f"{where} links to {link}: there is no such file")
            elif target in pages and unquote(parts.fragment) not in {""} | pages[target].anchors:
                wrong.append(f"{where} links to {link}: there is no such place on the page")
    return wrong


def _main(folder: str) -> int:
    wrong = broken_links(Path(folder)) + far_pages(Path(folder))
    print(*wrong, sep="\n", end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1]))
