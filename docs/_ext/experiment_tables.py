"""``.. experiment-table:: MODULE NAME`` shows a table of a module in ``experiments``.

``:today:`QUESTION` `` writes a number of the benchmark into a sentence.

The module has a dictionary ``TABLES`` of functions that read packed results and return a `Table`.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective, SphinxRole
from tables import scrolling, table_node

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
DRAWN = "study_figures/measured"


class ExperimentTable(SphinxDirective):
    """A table of measurements."""

    required_arguments = 2

    def run(self) -> list[nodes.Node]:
        """Build the table's nodes."""
        module, name = self.arguments
        table = importlib.import_module(module).TABLES[name]()
        return [scrolling(table_node(table.caption, table.header, table.rows, table.bold))]


class TodayFact(SphinxRole):
    """A number of the benchmark."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Return the number as text."""
        from rare_labels_today.facts import fact

        return [nodes.Text(fact(self.text))], []


def draw(app: Sphinx) -> None:
    """Draw the figures of the decision rules and of the benchmark."""
    from decision_tables import draw_bands
    from rare_labels_today.figure import draw_rarity

    folder = Path(app.srcdir) / DRAWN
    folder.mkdir(parents=True, exist_ok=True)
    draw_bands(folder / "bands.svg")
    draw_rarity(folder / "rarity.svg")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive with Sphinx."""
    sys.path.append(str(EXPERIMENTS))
    app.add_directive("experiment-table", ExperimentTable)
    app.add_role("today", TodayFact())
    app.connect("builder-inited", draw)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
