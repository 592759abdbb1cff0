"""Tables of ``experiments/unknown_labels.py`` and ``experiments/patient_groups.py``."""

from __future__ import annotations

import sys
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from tables import scrolling, table_node

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
DRAWN = "study_figures/unknown_labels.svg"


class UnknownLabelsTable(SphinxDirective):
    """A table of scores by the share of labels that are hidden."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Build the table's nodes."""
        from unknown_labels import table_of

        caption, header, rows = table_of(self.arguments[0])
        return [scrolling(table_node(caption, header, rows))]


class PatientGroupsTable(SphinxDirective):
    """A table of scores on folds of images and on folds of patients, or of samplers on these."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Build the table's nodes."""
        from patient_groups import table_of

        return [scrolling(table_node(*table_of(self.arguments[0])))]


def draw(app: Sphinx) -> None:
    """Draw the curves of the page."""
    from unknown_labels import draw_curves

    place = Path(app.srcdir) / DRAWN
    place.parent.mkdir(parents=True, exist_ok=True)
    draw_curves(place)


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of the directive."""
    sys.path.append(str(EXPERIMENTS))
    app.add_directive("unknown-labels-table", UnknownLabelsTable)
    app.add_directive("patient-groups-table", PatientGroupsTable)
    app.connect("builder-inited", draw)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
