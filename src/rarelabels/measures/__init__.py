"""How imbalanced multi-label data is, as a whole and around each row, before any learner."""

from rarelabels._local import LabelType
from rarelabels._validation import ConstantLabelWarning
from rarelabels.measures._describe import Description, describe
from rarelabels.measures._global import (
    cvimr,
    cvir,
    imr,
    irlbl,
    label_cardinality,
    label_density,
    mean_imr,
    mean_ir,
)
from rarelabels.measures._local import label_types, limb, local_imbalance
from rarelabels.measures._scumble import scumble, scumble_per_instance

__all__ = [
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
