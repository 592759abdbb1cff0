"""Draw what the tables hold. Needs matplotlib."""

from __future__ import annotations

from itertools import groupby, product
from pathlib import Path
from typing import Any

from .formats import Table, as_csv


def draw(tables: list[Table], folder: Path) -> list[str]:
    """Draw those of the tables that are figures, each to an SVG file, and return their names.

    A file holds its table as CSV in its description.
    """
    import matplotlib

    drawn = []
    # The same figure is the same file.
    with matplotlib.rc_context({"svg.hashsalt": "rarelabels"}):
        for table in tables:
            if table.name in DRAWERS and table.rows:
                figure = DRAWERS[table.name](table)
                metadata = {"Date": None, "Creator": None, "Description": as_csv(table)}
                figure.savefig(folder / f"{table.name}.svg", metadata=metadata)
                drawn.append(f"{table.name}.svg")
    return drawn


def draw_parameters(table: Table) -> Any:
    """Draw a panel for each data set and parameter, a line for each sampler."""
    lines = [(key, list(rows)) for key, rows in groupby(table.rows, key=lambda row: row[:4])]
    datasets, parameters = (sorted({key[column] for key, _ in lines}) for column in (0, 3))
    figure = _figure(4 * len(parameters), 3 * len(datasets))
    axes = figure.subplots(len(datasets), len(parameters), squeeze=False)
    for ax, panel in zip(axes.flat, product(datasets, parameters), strict=True):
        for (dataset, _, sampler, parameter), rows in lines:
            known = [row for row in rows if row[5]]
            if (dataset, parameter) == panel and known:
                x, y = ([float(row[column]) for row in known] for column in (4, 5))
                ax.plot(x, y, marker="o", label=sampler)
        ax.set(title=panel[0], xlabel=panel[1], ylabel="AUCPR")
        ax.legend()
    return figure


def draw_rho(table: Table) -> Any:
    """Draw the correlations as bars, one group for each learner."""
    figure = _figure(max(5, 1.5 + 1.2 * len(table.rows)), 3)
    ax = figure.add_subplot()
    n_bars = len(table.header) - 3
    for j in range(n_bars):
        places = [i + (j - (n_bars - 1) / 2) / (n_bars + 1) for i in range(len(table.rows))]
        heights = [-float(row[j + 2]) for row in table.rows]
        ax.bar(places, heights, 1 / (n_bars + 1), label=table.header[j + 2])
    ax.set_xticks(range(len(table.rows)), [f"{row[0]}\n{row[-1]}" for row in table.rows])
    ax.set_ylabel("-ρ")
    figure.legend(ncols=n_bars, fontsize="small", loc="outside upper center")
    return figure


def draw_gains(table: Table) -> Any:
    """Draw a panel for each metric: a row for each data set, a point for each learner."""
    panels = [(name, list(rows)) for name, rows in groupby(table.rows, key=lambda row: row[0])]
    methods = list(dict.fromkeys(row[2] for row in table.rows))
    last = {row[1]: float(row[3]) for row in panels[-1][1] if row[2] == methods[-1]}
    datasets = sorted(last, key=lambda name: last[name])
    figure = _figure(3.5 * len(panels), 1.2 + 0.3 * len(datasets))
    axes = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
    for ax, (metric, rows) in zip(axes, panels, strict=True):
        ax.axvline(0, color="0.6", lw=1)
        for j, (method, color) in enumerate(zip(methods, METHOD_COLORS, strict=True)):
            own = {row[1]: [float(cell) for cell in row[3:]] for row in rows if row[2] == method}
            for place, name in enumerate(datasets):
                at, (mean, *gains) = place + 0.32 * j - 0.16, own[name]
                ax.plot(gains, [at] * len(gains), "o", ms=3, color=color, alpha=0.4, mew=0)
                label = method if place == 0 else None
                ax.plot(mean, at, "D", ms=5, color=color, label=label)
        ax.set_title(f"gain in {metric}")
        ax.grid(axis="y", color="0.93")
        ax.set_axisbelow(True)
    axes[0].set_yticks(range(len(datasets)), datasets)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(methods), frameon=False)
    return figure


def _figure(width: float, height: float) -> Any:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


# Told apart by colour-blind readers, and in grey.
METHOD_COLORS = ("#e69f00", "#1d5fa8")
DRAWERS = {
    "figure3-rho": draw_rho,
    "figure4-parameters": draw_parameters,
    "figure-gains": draw_gains,
}
