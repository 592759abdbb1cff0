"""The figures of the last committed run of the benchmarks, as tables.

``.. benchmark:: NAME`` shows what ``benchmarks/results.json`` holds of one, with its surroundings.
"""

from __future__ import annotations

import json
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from tables import scrolling, table_node

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results.json"


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


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of the directive."""
    app.add_directive("benchmark", Benchmark)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
