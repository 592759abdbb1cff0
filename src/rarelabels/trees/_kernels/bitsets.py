"""Sets of samples as bits, 64 in a word.

Parameters
----------
word : uint64
    64 bits.
words : (n_words,) uint64
    Many such words.
is_set : bool
    Whether the bit is set or cleared.
value : float64
    What values are compared with.
"""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.compilation import compiled

ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
ONE = np.uint64(1)
ZERO = np.uint64(0)


@compiled
def words_for(n):
    """Return how many words n bits need."""
    return (n + 63) // 64


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
def has_bit(bits, i):
    """Whether bit i is set."""
    return (bits[i >> 6] >> np.uint64(i & 63)) & ONE != ZERO


@compiled
def bits_equal(column, value, out):
    """Set the bits of the values that are equal to `value`."""
    n = column.size
    for word in range(out.size):
        first = 64 * word
        bits = ZERO
        for b in range(min(64, n - first)):
            bits |= np.uint64(column[first + b] == value) << np.uint64(b)
        out[word] = bits


@compiled
def fill_words(words, word):
    """Set all `words` to the same word."""
    for w in range(words.size):
        words[w] = word
