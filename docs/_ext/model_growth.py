"""How the fits of models grow with samples, features and labels, from the committed benchmarks.

``.. model-growth::`` shows a picture that is drawn from ``benchmarks/results.json`` while the site
is built.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from docutils import nodes
from growth import RESULTS, Curve, read_results, rows_of, whole
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

DRAWN = "benchmark_figures/model_growth.svg"
DIMENSIONS = ("samples", "features", "labels")


def panels(results: dict[str, Any]) -> dict[str, dict[str, Curve]]:
    """Return the CPU-seconds of each model by the size of each dimension that was measured."""
    tables = {name: table_of(results, name) for name in DIMENSIONS}
    return {
        name: {
            model: [(whole(row[0]), float(row[column])) for row in rows]
            for column, model in enumerate(header[1:], 1)
        }
        for name, (header, *rows) in tables.items()
        if rows
    }


def table_of(results: dict[str, Any], dimension: str) -> list[list[str]]:
    """Return the table of a dimension with its header."""
    title = f"CPU-seconds of a fit by the number of {dimension}"
    return rows_of(results, "models", title, with_header=True) or [[]]


def description(drawn: dict[str, dict[str, Curve]]) -> str:
    """Describe the picture in words."""
    parts = [
        f"{model}, {curve[0][1]:.2g} s for {curve[0][0]:,} {name} and {curve[-1][1]:.2g} s for "
        f"{curve[-1][0]:,}"
        for name, curves in drawn.items()
        for model, curve in curves.items()
    ]
    return f"CPU-seconds of a fit: {'; '.join(parts)}."


def draw(drawn: dict[str, dict[str, Curve]], place: Path) -> None:
    """Draw one panel for each dimension, both axes by powers of ten."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    size = (3.2 * len(drawn), 3.6)
    figure, axes = plt.subplots(
        1, len(drawn), figsize=size, layout="constrained", sharey=True, squeeze=False
    )
    for ax, (name, curves) in zip(axes[0], drawn.items(), strict=True):
        for model, curve in curves.items():
            ax.loglog(*zip(*curve, strict=True), marker=".", label=model)
        ax.set(xlabel=name)
        ax.grid(visible=True, which="major", alpha=0.3)
    axes[0, 0].set(ylabel="CPU-seconds, one thread")
    handles, names = axes[0, 0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside upper center", ncols=len(names), frameon=False)
    place.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(place, metadata={"Date": None})
    plt.close(figure)


class ModelGrowth(SphinxDirective):
    """The picture, with its content as text."""

    def run(self) -> list[nodes.Node]:
        """Build the image's node, if anything was measured."""
        self.env.note_dependency(str(RESULTS))
        drawn = panels(read_results())
        if not drawn:
            return [nodes.paragraph(text="(Not measured yet.)")]
        text = f".. image:: /{DRAWN}\n   :alt: {description(drawn)}\n   :align: center\n"
        return list(self.parse_text_to_nodes(text))


def draw_for_site(app: Sphinx) -> None:
    """Draw the picture before the pages are read."""
    drawn = panels(read_results())
    if drawn:
        draw(drawn, Path(app.srcdir) / DRAWN)


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive with Sphinx."""
    app.add_directive("model-growth", ModelGrowth)
    app.connect("builder-inited", draw_for_site)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
