"""Somebody resamples a data set."""

from typing import reveal_type

import numpy as np

from rarelabels.sampling import MLSMOTE, MLSOL, SamplerChain, sampler_names

X = np.zeros((4, 2))
y = np.zeros((4, 3), dtype=int)

sampler = MLSOL(sampling_ratio=0.3, n_neighbors=5, random_state=0)
reveal_type(sampler)  # reveals: MLSOL
reveal_type(sampler.fit_resample(X, y))  # reveals: tuple[Any, Any]
X_new, y_new = SamplerChain([MLSOL(), MLSMOTE()]).fit_resample(X, y)
reveal_type(sampler.sampling_ratio)  # reveals: float
reveal_type(sampler_names())  # reveals: tuple[str, ...]

MLSOL(0.3)  # error: call-arg
MLSOL(ratio=0.3)  # error: call-arg
MLSOL(sampling_ratio="a third")  # error: arg-type
MLSMOTE(label_generation=3)  # error: arg-type
sampler.fit_resample(X)  # error: call-arg
