"""Kernels of the search among sparse samples, compiled by numba: bit sets and an inverted index.

Order of calls: `nearest_by_bits` and `nearest_among_bits` call `find_words` for each query, then
`distances_of_sets` (`add_shared`, `popcount`) for each block of samples and `keep_nearest` or
`keep_for_both` (`insert`). `candidates_by_index` calls `keep_nearest`.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numba.core import types
from numba.extending import intrinsic

from rarelabels._compiling import Compiler, config

compiler = Compiler(Path(__file__).parent, "search")
compiled, entry = compiler.compiled, compiler.entry

# Samples whose distances are computed together, so that their data stays in the cache.
AT_ONCE = 256
ASKING = 64
# Larger than any distance of sets.
FAR = np.iinfo(np.int32).max


@intrinsic
def popcount_instruction(typing_context, word):
    """Count the bits of a word with the processor's instruction."""

    def generate(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.uint64(types.uint64), generate


def popcount_in_python(word):
    """Count the bits of a word if nothing is compiled."""
    return np.uint64(int(word).bit_count())


popcount = popcount_in_python if config.DISABLE_JIT else popcount_instruction


@compiled
def add_shared(words, at, n_words, sets, first, shared):
    """Count the features that a sample shares with each of some consecutive ones."""
    m = shared.size
    shared[:] = 0
    p = 0
    while p + 3 < n_words:
        a, b, c, d = at[p], at[p + 1], at[p + 2], at[p + 3]
        x, y, z, w = words[a], words[b], words[c], words[d]
        sa, sb = sets[a, first : first + m], sets[b, first : first + m]
        sc, sd = sets[c, first : first + m], sets[d, first : first + m]
        for j in range(m):
            shared[j] += popcount(x & sa[j]) + popcount(y & sb[j])
            shared[j] += popcount(z & sc[j]) + popcount(w & sd[j])
        p += 4
    while p < n_words:
        x, sa = words[at[p]], sets[at[p], first : first + m]
        for j in range(m):
            shared[j] += popcount(x & sa[j])
        p += 1


@compiled
def insert(values, samples, value, sample):
    """Insert a sample into the nearest, which are ordered by value, then by order of insertion."""
    p = values.size - 1
    while p > 0 and values[p - 1] > value:
        values[p], samples[p] = values[p - 1], samples[p - 1]
        p -= 1
    values[p], samples[p] = value, sample


@compiled
def keep_nearest(distances, first, itself, values, samples):
    """Insert consecutive samples, given by their distances, into the nearest of a sample."""
    last = values.size - 1
    for start in range(0, distances.size, 32):
        stop = min(start + 32, distances.size)
        low = distances[start]
        for j in range(start, stop):
            low = min(low, distances[j])
        if low < values[last]:
            for j in range(start, stop):
                if distances[j] < values[last] and first + j != itself:
                    insert(values, samples, distances[j], first + j)


@compiled
def keep_for_both(distances, first, itself, limits, values, samples):
    """Insert a sample into the nearest of some later ones, and these into the nearest of it.

    `limits` are the k-th values of all samples, `values` and `samples` their nearest.
    """
    last = values.shape[1] - 1
    for start in range(0, distances.size, 32):
        stop = min(start + 32, distances.size)
        is_near = False
        for j in range(start, stop):
            is_near |= distances[j] < max(limits[itself], limits[first + j])
        if not is_near:
            continue
        for j in range(start, stop):
            other = first + j
            if other > itself and distances[j] < limits[itself]:
                insert(values[itself], samples[itself], distances[j], other)
                limits[itself] = values[itself, last]
            if other > itself and distances[j] < limits[other]:
                insert(values[other], samples[other], distances[j], itself)
                limits[other] = values[other, last]


@compiled
def find_words(words, at):
    """Fill in which words of a set are not empty, and return how many."""
    n_words = 0
    for word in range(words.size):
        if words[word] != 0:
            at[n_words] = word
            n_words += 1
    return n_words


@compiled
def distances_of_sets(sample, asking, at, n_words, searched, first, shared, distances):
    """Fill in the distances of a sample to some consecutive ones.

    By sizes the distance is squared and Euclidean. By weights it is minus the product of both
    weights and the number of shared features, rounded.
    """
    sets, terms, own_terms, are_weights = searched
    add_shared(asking[sample], at, n_words, sets, first, shared)
    own_term = own_terms[sample]
    if are_weights:
        for j in range(distances.size):
            common = np.int32(shared[j])
            distances[j] = -np.rint(common * (own_term * terms[first + j]))
    else:
        for j in range(distances.size):
            common = np.int32(shared[j])
            distances[j] = own_term + terms[first + j] - 2 * common


@entry
def nearest_by_bits(asking, searched, rows, nearest):
    """Fill in the nearest samples of some, all of them sets of features.

    `asking` has the sets of all samples by sample. `searched` has those of the searched samples by
    word, their sizes or weights, those of all samples, and whether they are weights.
    """
    n_searched, k = searched[1].size, nearest.shape[1]
    values = np.empty((ASKING, k), searched[1].dtype)
    at, n_words = np.empty((ASKING, asking.shape[1]), np.int64), np.empty(ASKING, np.int64)
    shared, distances = np.empty(AT_ONCE, np.uint64), np.empty(AT_ONCE, searched[1].dtype)
    for begin in range(0, rows.size, ASKING):
        n_asking = min(ASKING, rows.size - begin)
        values[:] = FAR
        for a in range(n_asking):
            n_words[a] = find_words(asking[rows[begin + a]], at[a])
        for first in range(0, n_searched, AT_ONCE):
            m = min(AT_ONCE, n_searched - first)
            for a in range(n_asking):
                i = rows[begin + a]
                distances_of_sets(
                    i, asking, at[a], n_words[a], searched, first, shared[:m], distances[:m]
                )
                keep_nearest(distances[:m], first, i, values[a], nearest[begin + a])


@entry
def nearest_among_bits(asking, searched, begins, limits, values, nearest):
    """Fill in the nearest of all samples, considering only pairs with some blocks of samples.

    Each pair is compared once, for both samples. A sample is compared with the others in their
    order, so that ties go to the lower ones.

    `begins` are the first samples of the blocks. `limits`, `values` and `nearest` are updated.
    """
    n_samples = asking.shape[0]
    at, n_words = np.empty((ASKING, asking.shape[1]), np.int64), np.empty(ASKING, np.int64)
    shared, distances = np.empty(AT_ONCE, np.uint64), np.empty(AT_ONCE, searched[1].dtype)
    for begin in begins:
        n_asking = min(ASKING, n_samples - begin)
        for a in range(n_asking):
            n_words[a] = find_words(asking[begin + a], at[a])
        for first in range(begin, n_samples, AT_ONCE):
            m = min(AT_ONCE, n_samples - first)
            for a in range(n_asking):
                i = begin + a
                distances_of_sets(
                    i, asking, at[a], n_words[a], searched, first, shared[:m], distances[:m]
                )
                keep_for_both(distances[:m], first, i, limits, values, nearest)


@entry
def candidates_by_index(asking, squares, index, squares_searched, rows, apart, results):
    """Find the candidates of some samples by the samples that have each of their features.

    `asking` and `index` are the arrays of sparse matrices: all samples by sample, and the searched
    ones by feature. `apart` is the relative and the absolute amount by which a value may exceed the
    k-th smallest. `results` are the k nearest by value, the candidates, their values and counts.
    """
    starts, features, numbers = asking
    index_starts, index_samples, index_numbers = index
    share, amounts = apart
    nearest, columns, values, counts = results
    n_searched, k = squares_searched.size, nearest.shape[1]
    distances, best = np.empty(n_searched), np.empty(k)
    for a in range(rows.size):
        i = rows[a]
        for j in range(n_searched):
            distances[j] = squares[i] + squares_searched[j]
        for p in range(starts[i], starts[i + 1]):
            number, f = -2 * numbers[p], features[p]
            for t in range(index_starts[f], index_starts[f + 1]):
                distances[index_samples[t]] += number * index_numbers[t]
        best[:] = np.inf
        keep_nearest(distances, 0, i, best, nearest[a])
        limit = max(best[k - 1], 0.0) * (1 + share) + amounts[a]
        counts[a] = 0
        for j in range(n_searched):
            if distances[j] <= limit and j != i:
                if counts[a] < columns.shape[1]:
                    columns[a, counts[a]] = j
                    values[a, counts[a]] = max(distances[j], 0.0)
                counts[a] += 1
