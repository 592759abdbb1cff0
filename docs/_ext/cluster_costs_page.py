"""``.. cluster-costs:: NAME`` shows a table of ``benchmarks/cluster_costs``.

Its numbers come from ``benchmarks/cluster_costs.json``. ``.. cluster-costs:: assumptions`` says
what the predictions assume.
"""

from __future__ import annotations

import sys
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from tables import scrolling, table_node

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "benchmarks" / "cluster_costs.json"


class ClusterCosts(SphinxDirective):
    """A table of measured or predicted costs, or the assumptions of predictions."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Build the nodes."""
        self.env.note_dependency(str(RESULTS))
        if not RESULTS.is_file():
            return [nodes.paragraph(text="(Not measured yet.)")]
        from benchmarks.cluster_costs import storage, tables

        kept, (name,) = storage.load(RESULTS), self.arguments
        if name == "assumptions":
            return [nodes.paragraph(text=tables.assumptions(kept))]
        if name == "machine":
            where = ", ".join(f"{key} {value}" for key, value in kept["measured"].items())
            return [nodes.paragraph("", "", nodes.emphasis(text=where))]
        caption, (head, *body) = tables.TABLES[name](kept)
        return [scrolling(table_node(caption, head, body))]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive with Sphinx."""
    sys.path.append(str(ROOT))
    app.add_directive("cluster-costs", ClusterCosts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
