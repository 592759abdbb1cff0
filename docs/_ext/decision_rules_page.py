"""``.. decision-table:: NAME`` shows a table of ``experiments/decision_tables.py``."""

from __future__ import annotations

import sys
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from tables import scrolling, table_node

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
DRAWN = "study_figures/decisions"


class DecisionTable(SphinxDirective):
    """A table about decision rules."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Build the table's nodes."""
        from decision_tables import TABLES

        table = TABLES[self.arguments[0]]()
        return [scrolling(table_node(table.caption, table.header, table.rows, table.bold))]


def draw(app: Sphinx) -> None:
    """Draw the figure of the page."""
    from decision_tables import draw_bands

    folder = Path(app.srcdir) / DRAWN
    folder.mkdir(parents=True, exist_ok=True)
    draw_bands(folder / "bands.svg")


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of the directive."""
    sys.path.append(str(EXPERIMENTS))
    app.add_directive("decision-table", DecisionTable)
    app.connect("builder-inited", draw)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
