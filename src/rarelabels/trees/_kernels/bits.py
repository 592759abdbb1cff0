"""Sets of samples as bits, 64 in a word: the samples whose value is above a node's threshold."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from rarelabels._containers import Array
from rarelabels.trees._kernels.compiling import allocating, compiled

ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
ONE = np.uint64(1)
ZERO = np.uint64(0)


class Samples(NamedTuple):
    """New samples as floats by feature: values, or indices of categories.

    Those with a missing value, or with a category that the coding does not have, are listed: sets
    are right for the others only.
    """

    columns: Array  # float64 (n_features, n_samples)
    missing: Array  # int64: the samples with a missing value, NaN
    missing_rows: Array  # float64 (n_missing, n_features + n_links): the same by sample
    unknown: Array  # int64: others with an unknown category, -1


class Above(NamedTuple):
    """For each feature the samples above a threshold, the last one that was asked for."""

    cuts: Array  # float64 (n_features + n_links,): the threshold, NaN for none
    bits: Array  # uint64 (n_features + n_links, n_words)


@compiled
def words_for(n):
    """Return how many words n bits need."""
    return (n + 63) // 64


@allocating
def new_above(n_features, n_samples):
    """Return room for the sets of all features."""
    cuts = np.empty(n_features)
    for feature in range(n_features):
        cuts[feature] = np.nan
    return Above(cuts, np.empty((n_features, words_for(n_samples)), np.uint64))


@compiled
def count_bits(word):
    """Return the number of bits that are set."""
    word = word - ((word >> ONE) & np.uint64(0x5555555555555555))
    pairs = np.uint64(0x3333333333333333)
    word = (word & pairs) + ((word >> np.uint64(2)) & pairs)
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))


@compiled
def lowest_bit(word):
    """Return the place of the lowest bit of a word that is not zero."""
    return count_bits(~word & (word - ONE))


@compiled
def bit_at(bits, i):
    """Return bit i as a float."""
    return np.float64((bits[i >> 6] >> np.uint64(i & 63)) & ONE)


@compiled
def set_bit(bits, i, is_set):
    """Set bit i, or clear it."""
    bit = ONE << np.uint64(i & 63)
    if is_set:
        bits[i >> 6] |= bit
    else:
        bits[i >> 6] &= ~bit


@compiled
def bits_above(column, threshold, out):
    """Set the bits of the values above a threshold."""
    n = column.size
    for word in range(out.size):
        first = 64 * word
        bits = ZERO
        for b in range(min(64, n - first)):
            bits |= np.uint64(column[first + b] > threshold) << np.uint64(b)
        out[word] = bits


@compiled
def cut_of(threshold):
    """Return the threshold of a node of two branches, 0.5 where they are categories."""
    return 0.5 if np.isnan(threshold) else threshold


@compiled
def has_cut(above, columns, feature, cut, n_wanted):
    """Whether the set above a cut is there, or worth making for so many samples."""
    if above.cuts[feature] == cut:
        return True
    n_samples = columns.shape[1]
    if 8 * n_wanted < n_samples:
        return False
    bits_above(columns[feature], cut, above.bits[feature])
    above.cuts[feature] = cut
    return True
