"""The figures of the last committed run of the benchmarks, as tables.

``.. benchmark:: NAME`` shows the tables of one benchmark in ``benchmarks/results.json``, with the
machine. ``.. speedups::`` shows the table of the README, which a test compares with these results.
"""

from __future__ import annotations

import json
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from tables import scrolling, table_node

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "results.json"


class Benchmark(SphinxDirective):
    """The tables of one benchmark."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Build the tables, and below them where and when they were measured."""
        kept = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.is_file() else {}
        self.env.note_dependency(str(RESULTS))
        if self.arguments[0] not in kept:
            return [nodes.paragraph(text="(Not measured yet.)")]
        found = kept[self.arguments[0]]
        shown: list[nodes.Node] = []
        for table in found["tables"]:
            head, *body = table["rows"]
            shown.append(scrolling(table_node(table["title"], head, body)))
        where = ", ".join(f"{name} {value}" for name, value in found["measured"].items())
        return [*shown, nodes.paragraph("", "", nodes.emphasis(text=where))]


class Speedups(SphinxDirective):
    """The table of speedups in the README."""

    def run(self) -> list[nodes.Node]:
        """Build the table from the lines below the heading *Speed*."""
        readme = ROOT / "README.md"
        self.env.note_dependency(str(readme))
        text = readme.read_text(encoding="utf-8")
        section = text.partition("\n## Speed\n")[2].partition("\n## ")[0]
        lines = [line for line in section.splitlines() if line.startswith("|")]
        head, _, *body = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
        return [scrolling(table_node("Speedup in CPU time", head, body))]


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directives to Sphinx."""
    app.add_directive("benchmark", Benchmark)
    app.add_directive("speedups", Speedups)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
