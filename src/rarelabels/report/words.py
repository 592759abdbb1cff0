"""What the page calls things, and how it writes numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

from rarelabels._wording import percent, sampler_title, short, signed

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


def found_by(summary: dict[str, Any]) -> str:
    """Say what local measures look at, and how well the neighbours are known.

    >>> found_by({"n_neighbors": 5})
    'Local measures look at the 5 nearest neighbours of a sample.'
    >>> found_by({"n_neighbors": 5, "neighbor_recall": 0.9932})[61:]
    'The search was approximate: it finds 99.3 % of them.'
    """
    text = f"Local measures look at the {summary['n_neighbors']} nearest neighbours of a sample."
    if (recall := summary.get("neighbor_recall")) is not None:
        text += f" The search was approximate: it finds {100 * recall:.1f} % of them."
    return text


def unknown_labels(summary: dict[str, Any]) -> str:
    """Say how many labels are unknown, nothing if all are known.

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
