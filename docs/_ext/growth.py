"""How the search for neighbors grows with the samples: a picture of the committed benchmarks.

``.. growth-curve::`` shows it, drawn from ``benchmarks/results.json`` while the site is built.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

RESULTS = Path(__file__).parents[2] / "benchmarks" / "results.json"
DRAWN = "benchmark_figures/growth.svg"
MARKS = {"exact": "o", "approximate": "s"}
Curve = list[tuple[int, float]]


def read_results() -> dict[str, Any]:
    """Return the committed figures by benchmark."""
    return json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.is_file() else {}


def curves(kept: dict[str, Any]) -> dict[str, Curve]:
    """Return the CPU-seconds by number of samples, of the searches that were measured."""
    pairs = rows_of(kept, "neighbors", "Cost of a pair of samples")
    exact = [(n := whole(row[0]), float(row[1]) * 1e-9 * n**2) for row in pairs]
    cells = rows_of(kept, "millions", "MLSOL with approximate neighbors")
    approximate = [(whole(row[0]), float(row[1])) for row in cells]
    found = {"exact": exact, "approximate": approximate}
    return {name: curve for name, curve in found.items() if curve}


def rows_of(
    results: dict[str, Any], benchmark: str, title: str, *, with_header: bool = False
) -> list[list[str]]:
    """Return the rows of a table, an empty list if it was not measured."""
    tables = results.get(benchmark, {"tables": []})["tables"]
    first = 0 if with_header else 1
    rows = [table["rows"][first:] for table in tables if table["title"].startswith(title)]
    return rows[0] if rows else []


def whole(cell: str) -> int:
    """Read a number of samples."""
    return int(cell.replace(",", ""))


def told(found: dict[str, Curve]) -> str:
    """Say in words what the picture shows."""
    ends = {name: (curve[0], curve[-1]) for name, curve in found.items()}
    parts = [
        f"{name}, from {first[1]:.2g} s for {first[0]:,} samples to {last[1]:.0f} s for {last[0]:,}"
        for name, (first, last) in ends.items()
    ]
    return f"CPU-seconds of the search for neighbors: {'; '.join(parts)}."


def draw(found: dict[str, Curve], place: Path) -> None:
    """Draw the curves, both axes by powers of ten."""
    import matplotlib

    matplotlib.use("agg")
    import matplotlib.pyplot as plt

    figure, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
    for name, curve in found.items():
        ax.loglog(*zip(*curve, strict=True), marker=MARKS[name], label=name)
    ax.set(xlabel="samples, 100 features", ylabel="CPU-seconds, one thread")
    ax.grid(visible=True, which="major", alpha=0.3)
    ax.legend(title="search", frameon=False)
    place.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(place, metadata={"Date": None})
    plt.close(figure)


class GrowthCurve(SphinxDirective):
    """The picture, with its content as the text for those who do not see it."""

    def run(self) -> list[nodes.Node]:
        """Build the image's node, if anything was measured."""
        self.env.note_dependency(str(RESULTS))
        found = curves(read_results())
        if not found:
            return [nodes.paragraph(text="(Not measured yet.)")]
        text = f".. image:: /{DRAWN}\n   :alt: {told(found)}\n   :align: center\n"
        return list(self.parse_text_to_nodes(text))


def draw_for_site(app: Sphinx) -> None:
    """Draw the picture before the pages are read."""
    found = curves(read_results())
    if found:
        draw(found, Path(app.srcdir) / DRAWN)


def setup(app: Sphinx) -> dict[str, bool]:
    """Tell Sphinx of the directive."""
    app.add_directive("growth-curve", GrowthCurve)
    app.connect("builder-inited", draw_for_site)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
