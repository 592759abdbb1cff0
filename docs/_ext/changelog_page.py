"""``.. changelog::`` shows ``CHANGELOG.md`` with its headings as sections of the page."""

from __future__ import annotations

from pathlib import Path

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import nested_parse_with_titles

CHANGELOG = Path(__file__).parents[2] / "CHANGELOG.md"
UNDERLINES = {"## ": "-", "### ": "~"}


class Changelog(SphinxDirective):
    """The sections of the changelog."""

    def run(self) -> list[nodes.Node]:
        """Parse the changelog as a part of the page."""
        self.env.note_dependency(str(CHANGELOG))
        lines = restructured(CHANGELOG.read_text(encoding="utf-8"))
        parent = nodes.section()
        parent.document = self.state.document
        nested_parse_with_titles(self.state, StringList(lines, source=str(CHANGELOG)), parent)
        return parent.children


def restructured(markdown: str) -> list[str]:
    r"""Return the lines of a Markdown text in reStructuredText, without the title of the page.

    Lists, emphasis and code are written in the same way in both, because the default role of the
    site is code.

    >>> restructured("# Title\n\n## 0.1\n\n- A line.")
    ['', '', '0.1', '---', '', '- A line.']
    """
    lines: list[str] = []
    for line in markdown.splitlines():
        mark = line.partition(" ")[0] + " "
        if mark in UNDERLINES:
            title = line.removeprefix(mark)
            lines += [title, UNDERLINES[mark] * len(title)]
        else:
            lines.append("" if mark == "# " else line)
    return lines


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive to Sphinx."""
    app.add_directive("changelog", Changelog)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
