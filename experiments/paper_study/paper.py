"""What the paper prints, and what it calls things."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

FIGURES = Path(__file__).parents[1] / "paper_figures.toml"

METRICS = {"macro_f1": "F-measure", "macro_auc_roc": "AUC-ROC", "macro_auc_pr": "AUCPR"}
MEASURES = {
    "mean_ir": "MeanIR",
    "cvir": "CVIR",
    "mean_imr": "MeanImR",
    "cvimr": "CVImR",
    "scumble": "SCUMBLE",
    "limb": "LImb",
}
LEARNERS = ("BR", "MLkNN", "CLR", "RAkEL", "COCOA", "ECCRU3")
SAMPLERS = ("MLRUS", "MLUL", "MLROS", "MLSMOTE", "RHwRSMT", "MLSOL")
ENSEMBLES = tuple(f"E{name}" for name in SAMPLERS)


@cache
def figures() -> dict[str, Any]:
    """Return the paper's figures by table."""
    return tomllib.loads(FIGURES.read_text(encoding="utf-8"))


def printed(table: str, metric: str | None, row: str, columns: tuple[str, ...]) -> tuple[str, ...]:
    """Return the paper's cells of one row, in the order of `columns`; empty where it has none."""
    found = figures().get(table, {})
    found = found.get(metric, {}) if metric is not None else found
    cells = dict(zip(found.get("columns", ()), found.get(row, ()), strict=False))
    return tuple(str(cells.get(column, "")) for column in columns)
