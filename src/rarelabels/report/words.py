"""Titles and explanations of measures, types and counts for the page and the terminal."""

from __future__ import annotations

from typing import Any, NamedTuple

from rarelabels._samplers import sampler_title
from rarelabels._wording import percent, short, signed

__all__ = [
    "MEASURES",
    "TYPES",
    "TYPE_MEANINGS",
    "found_by",
    "percent",
    "sampler_title",
    "short",
    "signed",
    "unknown_labels",
]


class Measure(NamedTuple):
    """A measure of the data set: its title, and a word on what it means."""

    title: str
    meaning: str


MEASURES = {
    "n_samples": Measure("Samples", "Samples in the data set."),
    "n_features": Measure("Features", "Values that describe a sample."),
    "n_labels": Measure("Labels", "Classes to predict; a sample may carry several."),
    "label_cardinality": Measure("Cardinality", "Labels that a sample carries on average."),
    "label_density": Measure("Density", "Cardinality as a share of all labels."),
    "mean_ir": Measure(
        "MeanIR", "How many times rarer a label is than the most frequent one, on average."
    ),
    "cvir": Measure("CVIR", "How much this ratio varies between labels; 0 means not at all."),
    "mean_imr": Measure(
        "MeanImR", "Samples of the larger class for each sample of the smaller one, on average."
    ),
    "cvimr": Measure("CVImR", "How much this ratio varies between labels."),
    "scumble": Measure(
        "SCUMBLE", "How often rare and frequent labels occur in the same samples, from 0 to 1. If "
        "it is high, cloning or deleting samples changes both."
    ),
    "limb": Measure(
        "LImb", "Share of neighbors with the other class, for samples of the rarer class, on "
        "average over the labels. Labels with values near 1 are hard to learn."
    ),
}  # fmt: skip

TYPES = ("safe", "borderline", "rare", "outlier")
TYPE_MEANINGS = {
    "safe": "less than 30 % of the neighbors are of the other class",
    "borderline": "less than 70 %, or next to such a sample",
    "rare": "at least 70 %, but not all",
    "outlier": "all of the neighbors",
}


def found_by(summary: dict[str, Any]) -> str:
    """State which neighbors local measures use, and how many of them were found.

    >>> found_by({"n_neighbors": 5})
    'Local measures use the 5 nearest neighbors of a sample.'
    >>> found_by({"n_neighbors": 5, "neighbor_recall": 0.9932})[56:]
    'The search was approximate: it finds 99.3 % of them.'
    """
    text = f"Local measures use the {summary['n_neighbors']} nearest neighbors of a sample."
    if (recall := summary.get("neighbor_recall")) is not None:
        text += f" The search was approximate: it finds {100 * recall:.1f} % of them."
    return text


def unknown_labels(summary: dict[str, Any]) -> str:
    """State how many labels are unknown; the text is empty if all are known.

    >>> unknown_labels({"n_samples": 4, "n_labels": 5, "n_unknown": 3})
    '3 of 20 labels (15 %) are unknown; all counts and measures leave them out.'
    """
    if "n_unknown" not in summary:
        return ""
    n_unknown, n_entries = summary["n_unknown"], summary["n_samples"] * summary["n_labels"]
    return (
        f"{short(n_unknown)} of {short(n_entries)} labels ({percent(n_unknown / n_entries)}) are "
        "unknown; all counts and measures leave them out."
    )
