"""Candidates for the split of a node: a random threshold of a feature.

Parameters
----------
is_categorical : bool
    Whether the feature is categorical.
n_stored : int64
    The number of the node's samples with a stored code of the feature.
"""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.compilation import compiled, inlined, unsigned
from rarelabels.trees._kernels.generator import mixed, next_word, random_salt, random_share
from rarelabels.trees._kernels.multilabel.label_counts import score_side
from rarelabels.trees._kernels.multilabel.structures import category_goes_first
from rarelabels.trees._kernels.structures import bisected_code

NO_CODE = np.int64(2**31)
LAST_CODE = np.int64(2**31 - 1)


@inlined
def last_code(codes, feature, low, high, threshold):
    """Return the last code whose value is up to a threshold, which is between two codes' values."""
    values, first = codes.values, codes.features[feature].value_start
    while low + 1 < high:
        middle = (low + high) >> 1
        if values[unsigned(first + middle)] <= threshold:
            low = middle
        else:
            high = middle
    return low


@inlined
def draw_threshold(codes, feature, low, high, random):
    """Return a random threshold between the values of two codes, and the last code up to it."""
    values, first = codes.values, codes.features[feature].value_start
    share = random_share(random)
    lowest, highest = values[first + low], values[first + high]
    threshold = (1.0 - share) * lowest + share * highest
    if not lowest <= threshold < highest:
        threshold = lowest
    return threshold, last_code(codes, feature, low, high, threshold)


@inlined
def goes_first(code, cut, salt, is_categorical, missing_first):
    """Whether a sample with this code goes to the first child."""
    if code < 0:
        return missing_first
    if is_categorical:
        return category_goes_first(salt, code)
    return code <= cut


@inlined
def draw_split(codes, feature, low, high, n_missing, random):
    """Return the threshold, last code and side of missing values of a random split.

    The known codes of the node are from `low` to `high`. If there is only one, the split separates
    it from the missing values.
    """
    missing_first = False
    if n_missing > 0 and low < high:
        missing_first = next_word(random) >> np.uint64(63) == np.uint64(1)
    if low == high:
        return np.inf, LAST_CODE, missing_first
    if codes.features[feature].n_categories > 0:
        return random_salt(random), high, missing_first
    threshold, cut = draw_threshold(codes, feature, low, high, random)
    return threshold, cut, missing_first


@inlined
def offer(
    labels, workspace, listed, feature, cut, threshold, n_missing, missing_first, lists_first,
    n_active, rules,
):  # fmt: skip
    """Keep a split whose one side is listed if it is better than the best one so far."""
    weight, squares, cross, score = score_side(labels, workspace, listed, n_active, rules)
    best = workspace.best[0]
    if not score > best.score + best.step:
        return
    best.score, best.weight, best.squares, best.cross = score, weight, squares, cross
    best.feature, best.code, best.threshold = feature, cut, threshold
    best.missing_first, best.lists_first, best.n_listed = missing_first, lists_first, listed.size
    best.n_missing = n_missing
    for i in range(listed.size):
        workspace.best_listed[i] = listed[i]


@inlined
def gather_codes(codes, workspace, feature, start, end):
    """Write the codes of a node's samples; return the lowest, the highest, and the missing."""
    low, high, n_missing = np.uint32(0xFFFFFFFF), np.int32(-1), np.int32(0)
    column, rows, gathered = codes.table[feature], workspace.rows[start:end], workspace.codes
    for i in range(rows.size):
        code = column[unsigned(rows[i])]
        gathered[i] = code
        # Of a missing value, -1, this is the highest number.
        low = min(low, np.uint32(code))
        high = max(high, code)
        n_missing += np.int32(code < 0)
    return np.int64(low), np.int64(high), np.int64(n_missing)


@inlined
def try_dense(codes, labels, workspace, feature, start, end, n_active, rules):
    """Try a random split on a feature of a dense table; return whether it is constant."""
    low, high, n_missing = gather_codes(codes, workspace, feature, start, end)
    n, rows, gathered, listed = end - start, workspace.rows, workspace.codes, workspace.listed
    if n_missing == n or (low == high and n_missing == 0):
        return True
    if n_missing > 0 or codes.features[feature].n_categories > 0:
        try_irregular(
            codes, labels, workspace, feature, start, end, low, high, n_missing, n_active, rules
        )
        return False
    threshold, cut = draw_threshold(codes, feature, low, high, workspace.random)
    # The first child's samples are listed from the front, those of the second from the back.
    front, back = unsigned(0), unsigned(workspace.other.size - 1)
    last, begin = np.int32(cut), unsigned(start)
    for i in range(unsigned(n)):
        sample, is_first = rows[begin + unsigned(i)], gathered[i] <= last
        listed[front] = sample
        workspace.other[back] = sample
        front += unsigned(is_first)
        back -= unsigned(not is_first)
    n_first = np.int64(front)
    if min(n_first, n - n_first) < rules.min_leaf:
        return False
    lists_first = 2 * n_first <= n
    chosen = listed[:n_first] if lists_first else workspace.other[back + unsigned(1) :]
    offer(
        labels, workspace, chosen, feature, cut, threshold, 0, False, lists_first, n_active, rules
    )
    return False


@compiled
def try_irregular(
    codes, labels, workspace, feature, start, end, low, high, n_missing, n_active, rules
):
    """Try a random split on a dense feature that is categorical or has missing values."""
    n, n_first, is_categorical = end - start, 0, codes.features[feature].n_categories > 0
    while n_first == 0 or n_first == n:
        threshold, cut, missing_first = draw_split(
            codes, feature, low, high, n_missing, workspace.random
        )
        n_first = 0
        for i in range(n):
            n_first += goes_first(workspace.codes[i], cut, threshold, is_categorical, missing_first)
    if min(n_first, n - n_first) < rules.min_leaf:
        return
    lists_first, n_listed = 2 * n_first <= n, 0
    for i in range(n):
        first = goes_first(workspace.codes[i], cut, threshold, is_categorical, missing_first)
        if first == lists_first:
            workspace.listed[n_listed] = workspace.rows[start + i]
            n_listed += 1
    offer(
        labels, workspace, workspace.listed[:n_listed], feature, cut, threshold, n_missing,
        missing_first, lists_first, n_active, rules,
    )  # fmt: skip


@inlined
def prepare_dense(codes, workspace, start, end, rules):
    """Do nothing: the codes of a dense table are not counted."""


@inlined
def prepare_sparse(codes, workspace, start, end, rules):
    """Count the stored codes of a node's samples, feature by feature, if that saves time.

    It does in a small node, where most features are constant.
    """
    n, n_samples = end - start, codes.row_starts.size - 1
    by_sample = np.float64(codes.stored.size) / n_samples
    by_feature = np.float64(codes.stored.size) / codes.n_features
    workspace.totals[0].is_counted = 0
    if n * by_sample <= rules.max_features * min(by_feature, 4.0 * n):
        count_stored_codes(codes, workspace, start, end)


@inlined
def count_stored_codes(codes, workspace, start, end):
    """Count the stored codes of a node's samples, feature by feature."""
    total, stored_counts = workspace.totals[0], workspace.stored_counts
    total.mark += 1
    total.is_counted = 1
    first = total.mark << 32
    for i in range(start, end):
        sample = unsigned(workspace.rows[i])
        for item in range(
            unsigned(codes.row_starts[sample]), unsigned(codes.row_starts[sample + unsigned(1)])
        ):
            feature = unsigned(codes.stored[item].feature)
            stored_counts[feature] = max(stored_counts[feature], first) + 1


@inlined
def gather_stored(codes, workspace, feature, start, end):
    """List the node's samples with a stored code of a feature, and their codes.

    Return their number. A long column is not read for a small node, whose samples are looked up.
    """
    first, last = codes.features[feature].column_start, codes.features[feature + 1].column_start
    n_stored, n_wanted = np.int64(0), end - start
    if workspace.totals[0].is_counted:
        n_wanted = max(
            np.int64(0), workspace.stored_counts[feature] - (workspace.totals[0].mark << 32)
        )
        if n_wanted == 0:
            return n_stored
    if last - first <= 8 * (end - start):
        for item in range(unsigned(first), unsigned(last)):
            sample = codes.column[item].sample
            place = workspace.place[unsigned(sample)]
            workspace.listed[unsigned(n_stored)] = sample
            workspace.codes[unsigned(n_stored)] = codes.column[item].code
            n_stored += np.int64(start <= place) & np.int64(place < end)
            if n_stored == n_wanted:
                break
        return n_stored
    base = codes.features[feature].base_code
    for i in range(start, end):
        code = bisected_code(codes, workspace.rows[i], feature)
        if code != base:
            workspace.listed[n_stored] = workspace.rows[i]
            workspace.codes[n_stored] = code
            n_stored += 1
            if n_stored == n_wanted:
                break
    return n_stored


@inlined
def stored_range(codes, workspace, feature, n_stored, n):
    """Return the lowest and highest known code of a node, and the number of missing values."""
    low, high, n_missing = NO_CODE, np.int64(-1), 0
    if n_stored < n:
        low = high = codes.features[feature].base_code
    for i in range(n_stored):
        code = np.int64(workspace.codes[i])
        if code < 0:
            n_missing += 1
        else:
            low = min(low, code)
            high = max(high, code)
    return low, high, n_missing


@inlined
def try_sparse(codes, labels, workspace, feature, start, end, n_active, rules):
    """Try a random split on a feature of which few codes are stored; return if it is constant."""
    n, n_stored = end - start, gather_stored(codes, workspace, feature, start, end)
    low, high, n_missing = stored_range(codes, workspace, feature, n_stored, n)
    if n_missing == n or (low == high and n_missing == 0):
        return True
    is_categorical = codes.features[feature].n_categories > 0
    base, n_first, base_first = codes.features[feature].base_code, 0, False
    while n_first == 0 or n_first == n:
        threshold, cut, missing_first = draw_split(
            codes, feature, low, high, n_missing, workspace.random
        )
        base_first = goes_first(base, cut, threshold, is_categorical, missing_first)
        n_first = (n - n_stored) * base_first
        for i in range(n_stored):
            n_first += goes_first(workspace.codes[i], cut, threshold, is_categorical, missing_first)
    if min(n_first, n - n_first) < rules.min_leaf:
        return False
    n_listed = 0
    for i in range(n_stored):
        first = goes_first(workspace.codes[i], cut, threshold, is_categorical, missing_first)
        workspace.listed[n_listed] = workspace.listed[i]
        n_listed += first != base_first
    offer(
        labels, workspace, workspace.listed[:n_listed], feature, cut, threshold, n_missing,
        missing_first, not base_first, n_active, rules,
    )  # fmt: skip
    return False


@compiled
def hash_of(salt, feature):
    """Return a random word for each feature."""
    return mixed(salt + np.uint64(0x9E3779B97F4A7C15) * np.uint64(feature + 1))


@compiled
def pick_dense(codes, workspace, start, end):
    """Return a random feature that is not constant on a node, -1 if there is none."""
    salt = next_word(workspace.random)
    chosen, least = -1, np.uint64(0)
    for feature in range(codes.n_features):
        column = codes.table[feature]
        code = column[workspace.rows[start]]
        for i in range(start + 1, end):
            if column[workspace.rows[i]] != code:
                word = hash_of(salt, feature)
                if chosen < 0 or word < least:
                    chosen, least = feature, word
                break
    return chosen


@compiled
def pick_sparse(codes, workspace, start, end):
    """Return as `pick_dense`, from the stored codes of the node's samples."""
    salt, n = next_word(workspace.random), end - start
    chosen, least = np.int64(-1), np.uint64(0)
    if not workspace.totals[0].is_counted:
        count_stored_codes(codes, workspace, start, end)
    first = workspace.rows[start]
    for i in range(start, end):
        sample = workspace.rows[i]
        for item in range(codes.row_starts[sample], codes.row_starts[sample + 1]):
            feature = np.int64(codes.stored[item].feature)
            word = hash_of(salt, feature)
            if chosen >= 0 and word >= least:
                continue
            n_stored = workspace.stored_counts[feature] - (workspace.totals[0].mark << 32)
            if n_stored < n or codes.stored[item].code != bisected_code(codes, first, feature):
                chosen, least = feature, word
    return chosen
