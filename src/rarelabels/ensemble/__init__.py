"""Learners on resampled data: one, or an ensemble of them."""

from rarelabels.ensemble._resampled import ResampledClassifier
from rarelabels.ensemble._sampling_ensemble import SamplingEnsemble

__all__ = ["ResampledClassifier", "SamplingEnsemble"]
