"""Classifiers fitted to resampled data: a single one, or an ensemble."""

from rarelabels.ensemble._resampled import ResampledClassifier
from rarelabels.ensemble._sampling_ensemble import SamplingEnsemble

__all__ = ["ResampledClassifier", "SamplingEnsemble"]
