"""The figure of the page *What helps rare labels today*."""

from __future__ import annotations

from pathlib import Path

from rare_labels_today.tables import REFERENCE, short_form


def draw_rarity(place: Path) -> None:
    """Draw F over the number of positives, a line for each row of the short form."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    table = short_form()
    with mpl.rc_context({"svg.hashsalt": "rarity"}):
        figure = Figure(figsize=(7, 4), layout="constrained")
        ax = figure.subplots()
        for name, *cells in table.rows:
            style = {"linewidth": 3} if name == REFERENCE else {"linewidth": 1.2}
            values = [float(cell) if cell != "–" else float("nan") for cell in cells]
            ax.plot(table.header[1:], values, marker="o", label=name, **style)
        ax.set(xlabel="positive samples of the label in the training half", ylabel="F")
        ax.legend(fontsize="small")
        # The numbers are in the file, so that a test can compare them.
        rows = "\n".join(", ".join(row) for row in table.rows)
        figure.savefig(place, metadata={"Date": None, "Description": rows})
