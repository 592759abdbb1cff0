"""What the page calls things, and how it writes numbers."""

from __future__ import annotations

import math
from typing import Any, NamedTuple


class Measure(NamedTuple):
    """A measure of the data set: its title, and a word on what it means."""

    title: str
    meaning: str


MEASURES = {
    "n_samples": Measure("Samples", "Samples in the data set."),
    "n_features": Measure("Features", "What describes a sample."),
    "n_labels": Measure("Labels", "What is to be predicted; a sample may carry several."),
    "label_cardinality": Measure("Cardinality", "Labels that a sample carries on average."),
    "label_density": Measure("Density", "Cardinality as a share of all labels."),
    "mean_ir": Measure(
        "MeanIR", "How many times rarer than the most frequent label a label is on average."
    ),
    "cvir": Measure("CVIR", "How unequal the labels are in that: 0 means all alike."),
    "mean_imr": Measure(
        "MeanImR", "Samples of the larger class for each of the smaller, mean over the labels."
    ),
    "cvimr": Measure("CVImR", "How unequal the labels are in that."),
    "scumble": Measure(
        "SCUMBLE", "How much rare and frequent labels share samples, from 0 to 1. High: cloning or "
        "deleting whole samples moves both at once."
    ),
    "limb": Measure(
        "LImb", "Share of neighbours that are of the other class, around the samples of the "
        "rarer class, mean over the labels. The closer to 1, the harder they are to learn."
    ),
}  # fmt: skip

TYPES = ("safe", "borderline", "rare", "outlier")
TYPE_MEANINGS = {
    "safe": "under 30 % of the neighbours are of the other class",
    "borderline": "under 70 %, or next to such a sample",
    "rare": "at least 70 %, but not all",
    "outlier": "all of them",
}


# Where a paper does not write its method in capitals.
SAMPLER_TITLES = {
    "mlenn": "MLeNN",
    "mlrknnos": "MLRkNNOS",
    "none": "none",
    "remedial_hwr_hus": "REMEDIAL-HwR-HUS",
    "remedial_hwr_ros": "REMEDIAL-HwR-ROS",
    "rhwrsmt": "RHwRSMT",
}


def short(value: Any) -> str:
    """Write a number for people.

    >>> short(12345), short(0.12345), short(1234.5), short(float("nan"))
    ('12,345', '0.123', '1,234', '–')
    """
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "–"
    if isinstance(value, float) and abs(value) < 1000:
        return f"{value:.3g}" if abs(value) >= 0.001 or value == 0 else f"{value:.1g}"
    return f"{value:,.0f}"


def percent(share: float | None) -> str:
    """Write a share in per cent.

    >>> percent(0.256), percent(0.004), percent(None)
    ('26 %', '0.4 %', '–')
    """
    if share is None or not math.isfinite(share):
        return "–"
    return f"{100 * share:.1f} %" if 0 < share < 0.01 else f"{100 * share:.0f} %"


def signed(value: float) -> str:
    """Write a difference with its sign.

    >>> signed(0.01234), signed(-0.5)
    ('+0.012', '−0.500')
    """
    return f"{'−' if value < 0 else '+'}{abs(value):.3f}"


def sampler_title(name: str) -> str:
    """Write a sampler's name as its paper does.

    >>> sampler_title("mlsol"), sampler_title("mlenn")
    ('MLSOL', 'MLeNN')
    """
    return SAMPLER_TITLES.get(name, name.upper())
