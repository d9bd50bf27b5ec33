"""Formulas as MathML: browsers draw it by themselves, without a script, fonts or the network."""

from __future__ import annotations

import html
import re
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.util import logging

__all__ = ["setup"]

_logger = logging.getLogger(__name__)


def _inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(_mathml(node, as_block=False))
    raise nodes.SkipNode


def _block(writer: Any, node: nodes.math_block) -> None:
    writer.body.append(f'<div class="formula">{_mathml(node, as_block=True)}</div>\n')
    raise nodes.SkipNode


def _mathml(node: Any, *, as_block: bool) -> str:
    tex = re.sub(r"\\dots\b", r"\\ldots", node.astext().strip())  # a name it does not know
    try:
        return tex2mathml(tex, as_block=as_block)
    except MathError as error:
        _logger.warning("formula %r: %s", node.astext(), error, location=node, type="mathml")
        return f"<code>{html.escape(node.astext())}</code>"


def setup(app: Any) -> dict[str, bool]:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", (_inline, None), (_block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
