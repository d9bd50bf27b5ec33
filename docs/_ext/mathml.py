"""Formulas as MathML: browsers draw it by themselves, without a script, fonts or the network."""

from __future__ import annotations

import html
import re
from typing import Any
from xml.etree import ElementTree

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

__all__ = ["mathml", "setup"]

_logger = logging.getLogger(__name__)
_NAMESPACE = "http://www.w3.org/1998/Math/MathML"


def mathml(tex: str, *, as_block: bool) -> str:
    """A formula of LaTeX as MathML; MathError if it cannot be read."""
    known = re.sub(r"\\dots\b", r"\\ldots", tex.strip())  # a name that docutils does not know
    made = tex2mathml(known, as_block=as_block)
    # Names of characters are HTML's; only a few of them are XML's.
    made = re.sub(r"&(?!amp;|lt;|gt;)\w+;", lambda name: html.unescape(name[0]), made)
    tree = ElementTree.fromstring(made)
    for element in list(tree.iter(f"{{{_NAMESPACE}}}munderover")):
        if element[2].tag.endswith("}mo") and element[2].get("stretchy") == "false":
            _put_beside(element)
    ElementTree.register_namespace("", _NAMESPACE)
    return ElementTree.tostring(tree, encoding="unicode")


def _put_beside(element: Any) -> None:
    """The index of a letter with an accent, which docutils puts below it."""
    letter, index, accent = list(element)
    over = ElementTree.Element(f"{{{_NAMESPACE}}}mover", {"accent": "true"})
    over.extend([letter, accent])
    element.tag = f"{{{_NAMESPACE}}}msub"
    element[:] = [over, index]


def _render(node: Any, *, as_block: bool) -> str:
    try:
        return mathml(node.astext(), as_block=as_block)
    except MathError as error:
        _logger.warning("formula %r: %s", node.astext(), error, location=node, type="mathml")
        return f"<code>{html.escape(node.astext())}</code>"


def _inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(_render(node, as_block=False))
    raise nodes.SkipNode


def _block(writer: Any, node: nodes.math_block) -> None:
    writer.body.append(f'<div class="formula">{_render(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, bool]:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
