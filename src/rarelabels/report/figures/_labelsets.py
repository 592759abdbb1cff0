"""Draw how many labels samples carry."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from rarelabels.report.figures._columns import Column, columns_figure

MOST_COLUMNS = 40


def per_sample_figure(labelsets: dict[str, Any]) -> Markup:
    """Draw how many samples carry 0, 1, 2, … labels; the last column may include larger numbers."""
    counts = labelsets["per_sample"]
    columns = [
        Column(place - 0.5, place + 0.5, count, f"{place} labels")
        for place, count in enumerate(counts[:MOST_COLUMNS])
    ]
    rest = sum(counts[MOST_COLUMNS:])
    if rest:
        of_rest = f"{MOST_COLUMNS} or more labels"
        columns.append(Column(MOST_COLUMNS - 0.5, MOST_COLUMNS + 0.5, rest, of_rest))
    title, values = "Samples by how many labels they carry", "labels of the sample"
    return columns_figure(title, "per-sample", values, columns)
