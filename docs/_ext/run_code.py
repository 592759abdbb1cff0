"""Code that runs while the site is built, so that what a page prints is what the library gives.

``.. run::`` shows its code and, below it, what the code prints. The blocks of a page share their
variables and a folder. ``.. run-shell::`` does so with calls of the command line.
``:now:`expression` `` writes the value of an expression into a sentence.
"""

from __future__ import annotations

from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from running import Block, Page
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective, SphinxRole


def page_of(env: Any) -> Page:
    """Return the page that is being read."""
    pages = env.temp_data.setdefault("run_code", {})
    if env.docname not in pages:
        pages[env.docname] = Page(env.docname)
    return pages[env.docname]


class Run(SphinxDirective):
    """A block of Python that runs."""

    language = "python"
    has_content = True
    option_spec: ClassVar = {"hide-code": directives.flag, "hide-output": directives.flag}

    def run(self) -> list[nodes.Node]:
        """Run the block, and show it with its output."""
        source = "\n".join(self.content)
        try:
            printed = page_of(self.env).run(Block(self.language, self.lineno, source))
        except Exception as error:
            raise self.error(f"the code fails: {type(error).__name__}: {error}") from error
        shown: list[nodes.Node] = []
        if "hide-code" not in self.options:
            shown.append(nodes.literal_block(source, source, language=self.language))
        if printed.strip() and "hide-output" not in self.options:
            text = "\n".join(line.rstrip() for line in printed.strip("\n").splitlines())
            output = nodes.literal_block(text, text, language="none")
            shown.append(nodes.container("", output, classes=["run-output"]))
        return shown


class RunShell(Run):
    """Lines that call the command line."""

    language = "shell"


class Now(SphinxRole):
    """The value of an expression, in a sentence."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Evaluate the expression with the page's variables."""
        return [nodes.Text(str(page_of(self.env).value(self.text)))], []


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of the directive and the role."""
    app.add_directive("run", Run)
    app.add_directive("run-shell", RunShell)
    app.add_role("now", Now())
    return {"parallel_read_safe": True, "parallel_write_safe": True}
