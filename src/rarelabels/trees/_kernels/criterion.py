"""The split criteria: what a split gains, which splits are allowed, and which one is chosen.

Only this module reads ``rules.gain_ratio``. There are three criteria:

- C4.5 chooses the highest gain ratio among the candidates of at least average gain. A gain must be
  positive, and that of a threshold is reduced by the cost of choosing it.
- The entropy tree chooses the highest gain, as scikit-learn does. Equal gains have equal chances.
- Trees for all labels minimize the Gini index or the entropy, summed over the labels.

The score of a split of counted samples is minus the entropy of its two sides, times their weight:
the higher, the purer. It is the sum over the classes of what their counts on one side add, less
what the size of that side takes. Both are looked up in tables of the node.

Parameters
----------
gain : float64
    The decrease of entropy by a split, per unit of weight.
entropy, score : float64
    The node's entropy, and minus that of the two sides of a split, both times the weight.
value : float64
    The decrease of entropy times the weight.
n_tried : int64
    The number of thresholds that were tried.
table : (most + 2,) float64
    n · log2(n) for each number of samples.
sides, at, size : (m, n_classes) int32, int64, int64
    ``sides[at]`` are the class counts of one side of a split, and `size` is their sum.
stored, by_class : (n_features, n_classes) int32
    The class counts of the node's samples with a stored code, by feature.
n_stored : int64
    Their sum for one feature.
least : float64
    The least weight that counts, or the least weight of a side.
left, right, n_left, n_right : float64, int64
    The weight and the number of samples on both sides of a threshold.
known : float64
    The weight of the samples whose value is known.
errors : float64
    The weight of the samples that are not of the most frequent class.
x : float64
    A weight.
squares, cross : float64
    The sums over labels of one side's squared weights, and of these weights times the node's.
total_squares, total_weight : float64
    The squares and the weight of the whole node.
n_active : int64
    How many labels are on some of the node's samples, but not on all.
is_entropy : bool
    Whether the criterion of all labels is the entropy, else it is the Gini index.
"""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.compilation import allocating, compiled, inlined, unsigned
from rarelabels.trees._kernels.generator import next_random, start_generator

TOLERANCE = 1e-6  # of comparisons of gains, ratios and weights
GAP = 1e-5  # C4.5 does not separate values nearer than this
SINGLE_GAP = np.float32(1e-7)  # nor does scikit-learn's tree, in float32
TIE = 1e-9  # weight × bits within which scikit-learn's gains are taken for equal
ROUNDING = 2.0**-32  # as a share of the highest score


@allocating
def fill_log_table(n):
    """Return i · log2(i) for i up to n."""
    table = np.zeros(n + 1)
    for i in range(2, n + 1):
        table[i] = i * np.log2(i)
    return table


@compiled
def fill_score_tables(workspace, n):
    """Fill in what each class count and each size of a side gives to a score, at a node."""
    table, sizes, shares, rises = (
        workspace.table,
        workspace.sizes,
        workspace.shares,
        workspace.rises,
    )
    for size in range(n + 1):
        sizes[size] = table[size] + table[n - size]
    first = 0
    for k in range(workspace.counts.size):
        count = workspace.counts[k]
        workspace.shares_start[k] = first
        for side in range(count + 1):
            shares[first + side] = table[side] + table[count - side]
        for side in range(count):
            rises[first + side] = shares[first + side + 1] - shares[first + side]
        first += count + 1


@inlined
def score_of_two(workspace, sides, at, size):
    """Return the score of a split, where `sides[at]` are the class counts of one side."""
    score = -workspace.sizes[size]
    for k in range(sides.shape[1]):
        score += workspace.shares[workspace.shares_start[k] + sides[at, k]]
    return score


@inlined
def score_of_side(workspace):
    """Return the score of a split, of which `workspace.side` is one side."""
    score, size = 0.0, 0
    for k in range(workspace.side.size):
        score += workspace.shares[workspace.shares_start[k] + workspace.side[k]]
        size += workspace.side[k]
    return score - workspace.sizes[size]


@inlined
def is_of_one_class(by_class, feature, n_stored):
    """Whether all samples with a stored code are of one class."""
    most = 0
    for k in range(by_class.shape[1]):
        most = max(most, by_class[feature, k])
    return most == n_stored


@inlined
def score_apart(workspace, stored, feature):
    """Return what the split would score with the stored samples of every class apart.

    No threshold scores more; `stored[feature]` are the class counts of the stored codes.
    """
    score, n_base = 0.0, 0
    for k in range(stored.shape[1]):
        n_base += workspace.counts[k] - stored[feature, k]
        score += workspace.table[workspace.counts[k] - stored[feature, k]]
    return score - workspace.table[n_base]


@inlined
def highest_score(workspace, stored, feature):
    """Return an upper bound of the scores of a feature's thresholds, for up to three classes.

    The samples without a stored code stay together. The score is convex in the class counts of the
    side without them, so it is highest where that side has all or none of each class.
    """
    shares, starts, sizes = workspace.shares, workspace.shares_start, workspace.sizes
    n_first, n_second = np.int64(stored[feature, 0]), np.int64(stored[feature, 1])
    none = shares[starts[0]] + shares[starts[1]]
    first = shares[starts[0] + n_first] - shares[starts[0]]
    second = shares[starts[1] + n_second] - shares[starts[1]]
    without_third, with_third, n_third = 0.0, 0.0, np.int64(0)
    if stored.shape[1] == 3:
        n_third = np.int64(stored[feature, 2])
        without_third, with_third = shares[starts[2]], shares[starts[2] + n_third]
    highest = -np.inf
    for third, n in ((without_third, np.int64(0)), (with_third, n_third)):
        highest = max(highest, none + third - sizes[n])
        highest = max(highest, none + third + first - sizes[n + n_first])
        highest = max(highest, none + third + second - sizes[n + n_second])
        highest = max(highest, none + third + first + second - sizes[n + n_first + n_second])
    return highest


@inlined
def are_apart(low, high, rules):
    """Whether a threshold may separate two neighboring values."""
    if rules.gain_ratio:
        return low + GAP < high
    return np.float64(np.float32(low) + SINGLE_GAP) < high


@inlined
def separable(codes, low, high, rules):
    """Whether two values of a feature may be separated."""
    if not codes.is_close[low]:
        return True
    return are_apart(codes.values[low], codes.values[high], rules)


@inlined
def margin(rules, n):
    """Return by how much a score must exceed the best so far."""
    return TOLERANCE * n if rules.gain_ratio else TIE


@compiled
def least_side(weight, n_classes, rules):
    """Return the least weight of a side of a numeric split."""
    if not rules.gain_ratio:
        return rules.min_leaf
    least = 0.1 * weight / n_classes
    if least - rules.min_leaf < TOLERANCE:
        return rules.min_leaf
    return 25.0 if least - 25.0 > TOLERANCE else least


@compiled
def node_limits(counts, n, n_present, table, rules):
    """Return the node's entropy × size, the least size of a side, and the score to exceed."""
    entropy = table[n]
    for k in range(counts.size):
        entropy -= table[counts[k]]
    least = np.int64(np.ceil(least_side(np.float64(n), n_present, rules) - 1e-6))
    return entropy, least, -entropy if rules.gain_ratio else -np.inf


@inlined
def gain_decides(rules):
    """Whether the candidate of highest gain is chosen, so that others need not be tried."""
    return not rules.gain_ratio


@inlined
def threshold_gain(entropy, score, weight, n_tried, rules):
    """Return the gain of a threshold per unit of weight, less the cost of choosing it in C4.5."""
    gain = (entropy + score) / weight
    if rules.gain_ratio and rules.mdl:
        gain -= np.log2(n_tried) / weight
    return gain


@inlined
def is_worth_splitting(gain, rules):
    """Whether a gain is enough for a candidate: C4.5 asks for a positive one."""
    return not rules.gain_ratio or not gain < TOLERANCE


@inlined
def category_gain(value, weight):
    """Return the gain of a split into categories per unit of weight, `value` in all."""
    return 0.0 if abs(value) < TOLERANCE else value / weight


@compiled
def choose_candidate(candidates, n_candidates, codes, rules, weight, n_samples, counts, state):
    """Return the chosen candidate, -1 for none; `state` has the tree's seed after the generator."""
    if rules.gain_ratio:
        return highest_gain_ratio(candidates, n_candidates, codes, weight, n_samples)
    start_generator(state, state[1], counts)
    return highest_gain(candidates, n_candidates, weight, state)


@compiled
def average_gain(candidates, n_candidates, codes, n_samples):
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
    for i in range(n_candidates):
        feature = candidates[i].feature
        n_categories = codes.features[feature].n_categories if feature < n_features else 2
        if all_many or has_few_categories(n_categories, n_samples):
            total += candidates[i].gain
            counted += 1
    return total / counted if counted > 0 else np.inf


@compiled
def has_few_categories(n_categories, n_samples):
    """Whether a feature counts in the average gain: it is numeric, or has few categories."""
    return n_categories == 0 or 0.3 * n_samples - max(n_categories, 2) > TOLERANCE


@compiled
def highest_gain_ratio(candidates, n_candidates, codes, weight, n_samples):
    """Return C4.5's choice: the highest gain ratio among gains of at least the average.

    Candidates come in the order of the features, so that the first of equal ratios wins.
    """
    least = average_gain(candidates, n_candidates, codes, n_samples) - 1e-3
    chosen = -1
    best = 0.0
    for i in range(n_candidates):
        information = candidates[i].information
        if candidates[i].gain >= least and abs(information * weight) >= TOLERANCE:
            ratio = candidates[i].gain / information
            if ratio - best > TOLERANCE:
                best = ratio
                chosen = i
    return chosen


@compiled
def highest_gain(candidates, n_candidates, weight, state):
    """Return the candidate of highest gain; equal ones have equal chances."""
    chosen = -1
    best = -np.inf
    n_ties = 0
    tie = TIE / weight
    for i in range(n_candidates):
        gain = candidates[i].gain
        if gain > best + tie:
            best = gain
            chosen = i
            n_ties = 1
        elif gain > best - tie:
            n_ties += 1
            if next_random(state) % np.uint64(n_ties) == np.uint64(0):
                chosen = i
    return chosen


@allocating
def least_weight(rules):
    """Return the weight below which C4.5 counts nothing; scikit-learn has no such limit."""
    return TOLERANCE if rules.gain_ratio else 0.0


@allocating
def weight_times_log(x, least):
    """Return x · log2(x), 0 for weights below `least`."""
    return x * np.log2(x) if x >= least and x > 0.0 else 0.0


@allocating
def class_score(counts, least):
    """Return the sum of n log n over the classes, those below `least` left out, and the total."""
    score = 0.0
    total = 0.0
    for k in range(counts.size):
        score += weight_times_log(counts[k], least)
        total += counts[k]
    return score, total


@inlined
def is_too_light(weight, errors, n, rules):
    """Whether a node of n weighted samples stays a leaf: too light to split, or of one class."""
    if rules.gain_ratio:
        return 2.0 * rules.min_leaf - weight > TOLERANCE or errors < TOLERANCE
    return n < 2 * rules.min_leaf or errors <= 0.0


@inlined
def has_enough_weight(least, left, right, n_left, n_right, rules):
    """Whether both sides of a threshold are large enough: by weight in C4.5, else by samples."""
    if rules.gain_ratio:
        return not (least - left >= TOLERANCE or least - right >= TOLERANCE)
    return not (n_left < least or n_right < least)


@inlined
def lowest_gain(rules):
    """Return the gain that a threshold on weighted samples must exceed."""
    return 0.0 if rules.gain_ratio else -np.inf


@inlined
def weighted_gain(value, known, rules):
    """Return the gain of a threshold per unit of the known weight, `value` in all."""
    return 0.0 if abs(value) < TOLERANCE and rules.gain_ratio else value / known


@inlined
def gain_margin(n, rules):
    """Return by how much a gain must exceed the best so far in a node of n weighted samples."""
    return TOLERANCE if rules.gain_ratio else TIE / n


@inlined
def choice_weight(weight, n, rules):
    """Return the weight by which gains are compared in a node of n weighted samples.

    What rounding does to a gain depends on the number of samples, not on their weights.
    """
    return weight if rules.gain_ratio else np.float64(n)


@inlined
def gini_score(squares, cross, weight, total_squares, total_weight):
    """Return a score that is large if the Gini index of all labels is small.

    The Gini indices of both sides, weighted and summed over the labels, are twice the sum of the
    labels' weights less this number.
    """
    other = total_squares - 2.0 * cross + squares
    return squares / weight + other / (total_weight - weight)


@compiled
def times_log(x):
    """Return x log2 x."""
    return x * np.log2(x) if x > 0.0 else 0.0


@compiled
def entropy_score(workspace, n_active, weight):
    """Return minus the entropies of all labels on both sides, weighted and summed."""
    others = workspace.totals[0].weight - weight
    score = -n_active * (times_log(weight) + times_log(others))
    for a in range(n_active):
        count = workspace.counts[unsigned(workspace.active[a])]
        side, other = count.side, count.total - count.side
        score += times_log(side) + times_log(weight - side)
        score += times_log(other) + times_log(others - other)
    return score


@compiled
def whole_score(workspace, n_active, is_entropy):
    """Return the score of the node without a split."""
    total = workspace.totals[0]
    if not is_entropy:
        return total.squares / total.weight
    score = -n_active * times_log(total.weight)
    for a in range(n_active):
        weight = workspace.counts[unsigned(workspace.active[a])].total
        score += times_log(weight) + times_log(total.weight - weight)
    return score


@compiled
def score_bounds(workspace, n_active, is_entropy):
    """Return the score of a split whose sides are pure, and by how much scores must differ.

    Splits whose scores differ by rounding alone are equally good: the first one is taken.
    """
    total = workspace.totals[0]
    if is_entropy:
        return 0.0, ROUNDING * n_active * total.weight
    return total.of_labels, ROUNDING * total.of_labels
