"""Measure the imbalance of multi-label data, globally and in the neighborhood of each sample."""

from rarelabels._local import LabelType
from rarelabels._validation import ConstantLabelWarning
from rarelabels.measures._advice import Advice
from rarelabels.measures._describe import Description, describe
from rarelabels.measures.concurrence import scumble, scumble_per_instance
from rarelabels.measures.counts import (
    cvimr,
    cvir,
    imr,
    irlbl,
    label_cardinality,
    label_density,
    mean_imr,
    mean_ir,
)
from rarelabels.measures.neighborhoods import label_types, limb, local_imbalance

__all__ = [
    "Advice",
    "ConstantLabelWarning",
    "Description",
    "LabelType",
    "cvimr",
    "cvir",
    "describe",
    "imr",
    "irlbl",
    "label_cardinality",
    "label_density",
    "label_types",
    "limb",
    "local_imbalance",
    "mean_imr",
    "mean_ir",
    "scumble",
    "scumble_per_instance",
]
