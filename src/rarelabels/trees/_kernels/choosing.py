"""Choose a node's split among the candidates of its features."""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.compiling import allocating, compiled, inlined, record

TOLERANCE = 1e-6  # of comparisons of gains, ratios and weights
GAP = 1e-5  # C4.5 does not separate values nearer than this
SINGLE_GAP = np.float32(1e-7)  # nor does scikit-learn's tree, in float32
TIE = 1e-9  # weight × bits within which scikit-learn's gains are taken for equal


# A feature that can split the node, with its best split.
CANDIDATE = record(
    [
        ("feature", np.int64),
        ("gain", np.float64),  # per sample, after the correction
        ("information", np.float64),  # the entropy of the split itself
        ("low", np.int64),  # the codes on both sides of a numeric split
        ("high", np.int64),
    ]
)


@allocating
def fill_log_table(n):
    """Return i · log2(i) for i up to n."""
    table = np.zeros(n + 1)
    for i in range(2, n + 1):
        table[i] = i * np.log2(i)
    return table


@compiled
def next_random(state):
    """Return the next number of a xorshift generator."""
    x = state[0]
    x ^= x << np.uint64(13)
    x ^= x >> np.uint64(7)
    x ^= x << np.uint64(17)
    state[0] = x
    return x


@compiled
def mixed(x):
    """Return a number whose bits all depend on all of x's: splitmix's last step."""
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@compiled
def start_generator(state, seed, counts):
    """Start the generator of a node: its ties do not depend on which nodes came before."""
    x = mixed(np.uint64(seed) + np.uint64(0x9E3779B97F4A7C15))
    for k in range(counts.size):
        x = mixed(x + np.uint64(counts[k] * 1024.0))
    state[0] = x if x != np.uint64(0) else np.uint64(88172645463325252)


@inlined
def are_apart(low, high, gain_ratio):
    """Whether a threshold may separate two neighboring values."""
    if gain_ratio:
        return low + GAP < high
    return np.float64(np.float32(low) + SINGLE_GAP) < high


@compiled
def least_side(weight, n_classes, rules):
    """Return the least weight of a side of a numeric split."""
    if not rules.gain_ratio:
        return rules.min_leaf
    least = 0.1 * weight / n_classes
    if least - rules.min_leaf < TOLERANCE:
        return rules.min_leaf
    return 25.0 if least - 25.0 > TOLERANCE else least


@inlined
def keep_numeric(found, n_found, feature, weight, entropy, score, n_tried, parts, low, high, rules):
    """Add a numeric feature's best split, if it is one; return the number of candidates.

    `entropy` is the node's, `score` minus that of the two sides, `parts` that of the split itself,
    all times the weight.
    """
    gain = (entropy + score) / weight
    if rules.gain_ratio:
        if rules.mdl:
            gain -= np.log2(n_tried) / weight
        if gain < TOLERANCE:
            return n_found
    found[n_found].feature = feature
    found[n_found].gain = gain
    found[n_found].information = parts / weight
    found[n_found].low = low
    found[n_found].high = high
    return n_found + 1


@inlined
def keep_categorical(found, n_found, feature, weight, value, parts):
    """Add a categorical feature's split; return the number of candidates."""
    found[n_found].feature = feature
    found[n_found].gain = 0.0 if abs(value) < TOLERANCE else value / weight
    found[n_found].information = parts / weight
    found[n_found].low = 0
    found[n_found].high = 0
    return n_found + 1


@compiled
def has_few_categories(n_categories, n_samples):
    """Whether a feature counts in the average gain: it is numeric, or has few categories."""
    return n_categories == 0 or 0.3 * n_samples - max(n_categories, 2) > TOLERANCE


@compiled
def choose(found, n_found, codes, rules, weight, n_samples, counts, state):
    """Return the chosen candidate, -1 for none; `state` has the tree's seed after the generator."""
    if rules.gain_ratio:
        return by_gain_ratio(found, n_found, codes, weight, n_samples)
    start_generator(state, state[1], counts)
    return by_gain(found, n_found, weight, state)


@compiled
def average_gain(found, n_found, codes, n_samples):
    """Return the mean gain of the features that count, infinity if none does."""
    n_features = codes.n_features
    all_many = codes.all_many
    if all_many:
        for feature in range(n_features):
            if has_few_categories(codes.features[feature].n_categories, n_samples):
                all_many = False
                break
    total = 0.0
    counted = 0
    for i in range(n_found):
        feature = found[i].feature
        n_categories = codes.features[feature].n_categories if feature < n_features else 2
        if all_many or has_few_categories(n_categories, n_samples):
            total += found[i].gain
            counted += 1
    return total / counted if counted > 0 else np.inf


@compiled
def by_gain_ratio(found, n_found, codes, weight, n_samples):
    """Return C4.5's choice: the highest gain ratio among gains of at least the average.

    Candidates come in the order of the features, so that the first of equal ratios wins.
    """
    least = average_gain(found, n_found, codes, n_samples) - 1e-3
    chosen = -1
    best = 0.0
    for i in range(n_found):
        information = found[i].information
        if found[i].gain >= least and abs(information * weight) >= TOLERANCE:
            ratio = found[i].gain / information
            if ratio - best > TOLERANCE:
                best = ratio
                chosen = i
    return chosen


@compiled
def by_gain(found, n_found, weight, state):
    """Return the candidate of highest gain; equal ones have equal chances."""
    chosen = -1
    best = -np.inf
    n_ties = 0
    tie = TIE / weight
    for i in range(n_found):
        gain = found[i].gain
        if gain > best + tie:
            best = gain
            chosen = i
            n_ties = 1
        elif gain > best - tie:
            n_ties += 1
            if next_random(state) % np.uint64(n_ties) == np.uint64(0):
                chosen = i
    return chosen


@compiled
def highest_code_up_to(codes, feature, low, high):
    """Return the highest code whose value is at most the middle of two codes' values."""
    start = codes.features[feature].value_start
    middle = midpoint(codes.values[start + low], codes.values[start + high])
    while high - low > 1:
        between = (low + high) >> 1
        if codes.values[start + between] <= middle:
            low = between
        else:
            high = between
    return low


@compiled
def midpoint(low, high):
    """Return the middle of two values, the lower one where rounding gives the higher."""
    middle = low / 2.0 + high / 2.0
    return middle if middle < high else low
