"""Somebody measures a data set."""

from typing import reveal_type

import numpy as np

from rarelabels import find_neighbors, measures

X = np.zeros((4, 2))
y = np.zeros((4, 3), dtype=int)

reveal_type(measures.irlbl(y))  # reveals: numpy.ndarray
reveal_type(measures.mean_ir(y))  # reveals: float
reveal_type(measures.scumble(y))  # reveals: float
reveal_type(measures.limb(X, y))  # reveals: float
reveal_type(measures.label_types(X, y))  # reveals: numpy.ndarray
reveal_type(measures.LabelType.SAFE)  # reveals: Literal[rarelabels._local.LabelType.SAFE]?
found = find_neighbors(X, n_neighbors=2)
reveal_type(found)  # reveals: Neighbors
reveal_type(found.n_neighbors)  # reveals: int
reveal_type(measures.describe(X, y, neighbors=found))  # reveals: Description

measures.limb(X)  # error: call-arg
measures.limb(X, y, k=5)  # error: call-arg
find_neighbors(X, "two")  # error: call-arg
