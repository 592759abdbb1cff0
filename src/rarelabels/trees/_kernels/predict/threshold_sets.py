"""New samples, and the sets of those above a threshold of each feature.

Parameters
----------
cut : float64
    The threshold that is needed now.
n_wanted : int64
    How many samples ask for the set.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rarelabels._containers import Array
from rarelabels.trees._kernels.bitsets import bits_above, words_for
from rarelabels.trees._kernels.compilation import allocating, compiled


class Samples(NamedTuple):
    """New samples as floats by feature: values, or indices of categories.

    Those with a missing value, or with a category that the coding does not have, are listed: sets
    are right for the others only.
    """

    columns: Array  # float64 (n_features, n_samples)
    missing: Array  # int64: the samples with a missing value, NaN
    missing_rows: Array  # float64 (n_missing, n_features + n_links): the same by sample
    unknown: Array  # int64: others with an unknown category, -1


class ThresholdSets(NamedTuple):
    """For each feature the samples above a threshold, the last one that was asked for."""

    cuts: Array  # float64 (n_features + n_links,): the threshold, NaN for none
    bits: Array  # uint64 (n_features + n_links, n_words)


@allocating
def new_threshold_sets(n_features, n_samples):
    """Return arrays for the sets of all features."""
    cuts = np.empty(n_features)
    for feature in range(n_features):
        cuts[feature] = np.nan
    return ThresholdSets(cuts, np.empty((n_features, words_for(n_samples)), np.uint64))


@compiled
def cut_of(threshold):
    """Return the threshold of a node of two branches, 0.5 if they are categories."""
    return 0.5 if np.isnan(threshold) else threshold


@compiled
def has_threshold_set(threshold_sets, columns, feature, cut, n_wanted):
    """Whether the set above a cut is available, or worth computing for so many samples."""
    if threshold_sets.cuts[feature] == cut:
        return True
    n_samples = columns.shape[1]
    if 8 * n_wanted < n_samples:
        return False
    bits_above(columns[feature], cut, threshold_sets.bits[feature])
    threshold_sets.cuts[feature] = cut
    return True
