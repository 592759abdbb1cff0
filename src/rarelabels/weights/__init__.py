"""Weights for losses, for `sample_weight` and for data loaders, as an alternative to sampling."""

from rarelabels.weights._from_labels import (
    class_aware_probabilities,
    class_balanced_sample_weights,
    class_balanced_weights,
    distribution_balanced_weights,
    inverse_frequency_weights,
    logit_bias,
    positive_weights,
)
from rarelabels.weights._local_weights import LocalWeights, local_weights

__all__ = [
    "LocalWeights",
    "class_aware_probabilities",
    "class_balanced_sample_weights",
    "class_balanced_weights",
    "distribution_balanced_weights",
    "inverse_frequency_weights",
    "local_weights",
    "logit_bias",
    "positive_weights",
]
