"""Somebody writes a sampler."""

from typing import Any, reveal_type

import numpy as np

from rarelabels.base import BaseSampler, Features, LabelMatrix, Resample


class KeepHalf(BaseSampler):
    """Keeps every other sample."""

    def _resample(self, X: Features, Y: LabelMatrix, rng: np.random.Generator) -> Resample:
        reveal_type(Y.positives)  # reveals: Any
        reveal_type(X.n_samples)  # reveals: int
        return Resample(kept=np.arange(0, Y.shape[0], 2))


reveal_type(KeepHalf().fit_resample([[0.0], [1.0]], [[0], [1]]))  # reveals: tuple[Any, Any]


class Forgetful(BaseSampler):
    """Does not say what it keeps."""

    def _resample(self, X: Any, Y: Any, rng: Any) -> None:  # error: override
        pass


Resample(kept=np.arange(2), cloned=np.arange(1))  # error: call-arg
