"""Tables and figures of the study, made from the packed results while the site is built.

``.. study-table:: PLAN NAME`` shows a table of ``experiments/make_tables.py``; its option ``keep``
names the rows to show, as ``column=value`` with ``|`` between values, one condition a line, and
``columns`` the columns. ``.. study-figure:: PLAN NAME`` shows a figure, and ``:study:`PLAN fact` ``
writes a fact about a run into a sentence. A plan without packed results gives an empty table.
"""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective, SphinxRole
from tables import scrolling, table_node

EXPERIMENTS = Path(__file__).parents[2] / "experiments"
DRAWN = "study_figures"


@cache
def read_plan(plan: str) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the tables of a plan by name, and facts about its run."""
    import make_tables
    from paper_study.results import open_results, run_facts

    packed = EXPERIMENTS / "results" / f"{plan}.json.xz"
    if not packed.is_file():
        return {}, {}
    with open_results(packed) as store:
        tables = make_tables.tables_of(store, plan)
        return {table.name: table for table in tables}, run_facts(store, plan)


def wanted_rows(table: Any, keep: str) -> list[int]:
    """Return the numbers of the rows that fulfill every condition."""
    conditions = [line.partition("=") for line in keep.splitlines() if line.strip()]
    allowed = {
        table.header.index(name.strip()): {value.strip() for value in values.split("|")}
        for name, _, values in conditions
    }
    return [
        i
        for i, row in enumerate(table.rows)
        if all(row[column] in values for column, values in allowed.items())
    ]


class StudyTable(SphinxDirective):
    """A table of the study."""

    required_arguments = 2
    option_spec: ClassVar = {"keep": directives.unchanged, "columns": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        """Build the table's nodes."""
        plan, name = self.arguments
        table = read_plan(plan)[0].get(name)
        rows = wanted_rows(table, self.options.get("keep", "")) if table else []
        if not rows:
            return [nodes.paragraph(text="(There are no whole repetitions to show yet.)")]
        shown = self.options.get("columns")
        names = [part.strip() for part in shown.split("|")] if shown else list(table.header)
        columns = [table.header.index(part) for part in names]
        cells = [[table.rows[i][j] for j in columns] for i in rows]
        bold = {
            (rows.index(i), columns.index(j)) for i, j in table.best if i in rows and j in columns
        }
        return [scrolling(table_node(table.caption.replace("*", ""), names, cells, bold))]


class StudyFigure(SphinxDirective):
    """A figure of the study."""

    required_arguments = 2
    option_spec: ClassVar = {"alt": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        """Build the image's node, if there is one."""
        plan, name = self.arguments
        if not (Path(self.env.srcdir) / DRAWN / plan / f"{name}.svg").is_file():
            return []
        uri, alt = f"/{DRAWN}/{plan}/{name}.svg", " ".join(self.options["alt"].split())
        text = f".. image:: {uri}\n   :alt: {alt}\n   :align: center\n"
        return list(self.parse_text_to_nodes(text))


class StudyFact(SphinxRole):
    """A fact about a run, in a sentence."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """Look the fact up."""
        plan, _, fact = self.text.partition(" ")
        return [nodes.Text(read_plan(plan)[1].get(fact, "0"))], []


def draw_figures(app: Sphinx) -> None:
    """Draw the figures of every plan that has results."""
    from paper_study.figures import draw

    for packed in sorted((EXPERIMENTS / "results").glob("*.json.xz")):
        plan = packed.name.removesuffix(".json.xz")
        folder = Path(app.srcdir) / DRAWN / plan
        folder.mkdir(parents=True, exist_ok=True)
        draw(list(read_plan(plan)[0].values()), folder)


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of the directives and the role."""
    sys.path.append(str(EXPERIMENTS))
    app.add_directive("study-table", StudyTable)
    app.add_directive("study-figure", StudyFigure)
    app.add_role("study", StudyFact())
    app.connect("builder-inited", draw_figures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
