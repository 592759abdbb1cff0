"""Equations as MathML: browsers show them without a script from elsewhere."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

logger = logging.getLogger(__name__)


def mathml(node: nodes.Element, as_block: bool = False) -> str:
    """Return a node's equation as MathML."""
    try:
        return str(tex2mathml(node.astext(), as_block=as_block))
    except MathError as error:
        logger.warning("this equation cannot be shown: %s", error, location=node)
        return ""


def inline_math(translator: Any, node: nodes.math) -> None:
    """Write an inline equation."""
    translator.body.append(mathml(node))
    raise nodes.SkipNode


def block_math(translator: Any, node: nodes.math_block) -> None:
    """Write a displayed equation, with its number where it has a label."""
    translator.body.append(translator.starttag(node, "div", CLASS="math-block"))
    if node["number"]:
        number = get_node_equation_number(translator, node)
        translator.body.append(f'<span class="eqno">({number})')
        translator.add_permalink_ref(node, "Link to this equation")
        translator.body.append("</span>")
    translator.body.append(mathml(node, as_block=True))
    translator.body.append("</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of the renderer."""
    app.add_html_math_renderer("mathml", (inline_math, None), (block_math, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
