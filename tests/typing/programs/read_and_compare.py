"""Somebody reads files and compares methods."""

from typing import reveal_type

import numpy as np

from rarelabels.comparison import corrected_t_test, friedman_test, holm
from rarelabels.datasets import load, make_multilabel, save

dataset = load("data.arff")
reveal_type(dataset)  # reveals: MultiLabelDataset
reveal_type(dataset.n_labels)  # reveals: int
X, y = make_multilabel(100, 10, 5, random_state=0)
save(dataset, "data.csv")

reveal_type(friedman_test(np.zeros((3, 2))).pvalue)  # reveals: float
reveal_type(corrected_t_test([0.1, 0.2], n_splits=2))  # reveals: FoldMean
reveal_type(corrected_t_test([0.1, 0.2], n_splits=2).interval(0.9))  # reveals: tuple[float, float]
reveal_type(holm([0.1, 0.2]))  # reveals: numpy.ndarray

load()  # error: call-arg
save("data.csv", dataset)  # error: arg-type
corrected_t_test([0.1, 0.2])  # error: call-arg
