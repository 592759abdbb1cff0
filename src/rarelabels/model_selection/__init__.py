"""Split data so that every part gets its share of each label, including rare ones."""

from rarelabels.model_selection._split import (
    IterativeStratifiedKFold,
    RepeatedIterativeStratifiedKFold,
)
from rarelabels.model_selection._time_ordered import time_ordered_split
from rarelabels.model_selection._train_test import (
    iterative_train_test_split,
    iterative_train_validation_test_split,
)

__all__ = [
    "IterativeStratifiedKFold",
    "RepeatedIterativeStratifiedKFold",
    "iterative_train_test_split",
    "iterative_train_validation_test_split",
    "time_ordered_split",
]
