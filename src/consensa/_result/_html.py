"""A result as a small table of HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import numpy as np

from consensa._array import Array
from consensa._result.wording import two_digits

__all__ = ["as_html"]

_MOST_CLUSTERS = 30  # rows
_BAR = (
    "display:inline-block;height:.7em;margin-right:.5em;background:currentColor;opacity:.45;"
    "width:{:.2f}em"
)
_BAR_WIDTH = 8  # of the largest cluster


def as_html(summary: Sequence[str], labels: Array | None, confidence: Array | None) -> str:
    """The lines of the summary, and a row for each cluster: size and mean confidence."""
    lines = "<br>".join(map(escape, summary[1:]))
    head = f"<div><strong>{escape(summary[0])}</strong><br>{lines}</div>"
    if labels is None:
        return head
    sizes = np.bincount(labels)
    shown = np.sort(np.argsort(-sizes, kind="stable")[:_MOST_CLUSTERS])
    rows = "".join(_row(int(c), sizes, labels, confidence) for c in shown)
    mean = "" if confidence is None else "<th>mean confidence</th>"
    titles = f"<thead><tr><th>cluster</th><th>samples</th>{mean}</tr></thead>"
    rest = len(sizes) - len(shown)
    more = f"<div>and {rest:,} smaller clusters</div>" if rest > 0 else ""
    return f"{head}<table>{titles}<tbody>{rows}</tbody></table>{more}"


def _row(cluster: int, sizes: Array, labels: Array, confidence: Array | None) -> str:
    width = _BAR.format(_BAR_WIDTH * sizes[cluster] / sizes.max())
    size = f'<span style="{width}"></span>{sizes[cluster]:,}'
    mean = ""
    if confidence is not None:
        mean = f"<td>{escape(two_digits(float(confidence[labels == cluster].mean())))}</td>"
    return f"<tr><th>{cluster}</th><td>{size}</td>{mean}</tr>"
