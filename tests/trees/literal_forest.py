"""A literal grower of trees for all labels: lists, loops and Python's floats, nothing shared.

It asks the same random numbers in the same order as the kernels, so that trees can be compared.
"""

import math

import numpy as np

STEP, WORD = 0x9E3779B97F4A7C15, 2**64


def mixed(word):
    word = ((word ^ (word >> 30)) * 0xBF58476D1CE4E5B9) % WORD
    word = ((word ^ (word >> 27)) * 0x94D049BB133111EB) % WORD
    return word ^ (word >> 31)


class Numbers:
    """Random words, and what is made of them."""

    def __init__(self, seed):
        self.state = seed

    def word(self):
        self.state = (self.state + STEP) % WORD
        return mixed(self.state)

    def below(self, n):
        return ((self.word() >> 32) * n) >> 32

    def share(self):
        return (self.word() >> 11) * 2.0**-53


def impurity(Y, weights, criterion):
    """Sum over the labels of the weighted impurity."""
    total = sum(weights)
    found = 0.0
    for j in range(Y.shape[1]):
        shares = [sum(w for y, w in zip(Y[:, j], weights, strict=True) if y == k) for k in (0, 1)]
        if criterion == "gini":
            found += total * (1 - sum((share / total) ** 2 for share in shares))
        else:
            found -= sum(s * math.log2(s / total) for s in shares if s > 0)
    return found


class LiteralTree:
    """One tree; samples are rows of X, of which those with a positive weight are in the bag."""

    def __init__(self, X, Y, weights, seed, *, n_drawn, splitter="random", criterion="gini",
                 min_leaf=1, max_depth=10**9, categorical=()):  # fmt: skip
        self.X, self.Y, self.weights = X, Y, weights
        self.numbers = Numbers(seed)
        self.n_drawn, self.splitter, self.criterion = n_drawn, splitter, criterion
        self.min_leaf, self.max_depth, self.categorical = min_leaf, max_depth, set(categorical)
        self.features = list(range(X.shape[1]))
        self.importances = [0.0] * X.shape[1]
        self.root = self.grow([i for i in range(len(X)) if weights[i] > 0], 0)

    def grow(self, samples, depth):
        """Return a node: a dict with its samples and, of an inner node, feature, test, children."""
        node = {"samples": samples}
        split = self.find_split(samples, depth)
        if split is None:
            return node
        feature, test, seen_missing, gain = split
        sides = [[i for i in samples if test(self.X[i, feature]) == k] for k in (True, False)]
        if not seen_missing:
            is_first_larger = len(sides[0]) >= len(sides[1])
            known = test

            def test(x):
                return is_first_larger if math.isnan(x) or x == -1 else known(x)

        self.importances[feature] += gain
        node.update(feature=feature, test=test, children=[None, None])
        # The larger child is grown first.
        order = (1, 0) if len(sides[0]) < len(sides[1]) else (0, 1)
        for k in order:
            node["children"][k] = self.grow(sides[k], depth + 1)
        return node

    def measure(self, samples):
        return impurity(self.Y[samples], [self.weights[i] for i in samples], self.criterion)

    def find_split(self, samples, depth):
        is_pure = all(len(set(self.Y[samples, j])) == 1 for j in range(self.Y.shape[1]))
        n = len(samples)
        if is_pure or n < 2 * self.min_leaf or depth >= self.max_depth:
            return None
        self.best, self.least = None, math.inf
        all_constant = True
        for i in range(self.n_drawn):
            j = i + self.numbers.below(len(self.features) - i)
            swapped = self.features[i], self.features[j]
            self.features[j], self.features[i] = swapped
            all_constant &= self.try_feature(self.features[i], samples)
            if self.least <= 1e-9:
                break
        if all_constant and self.n_drawn < len(self.features):
            salt = self.numbers.word()
            varied = [f for f in range(self.X.shape[1]) if self.is_varied(f, samples)]
            if varied:
                self.try_feature(min(varied, key=lambda f: hashed(salt, f)), samples)
        if self.best is None:
            return None
        return (*self.best, self.measure(samples) - self.least)

    def is_varied(self, feature, samples):
        return len({str(self.X[i, feature]) for i in samples}) > 1

    def try_feature(self, feature, samples):
        """Try a split; return whether the feature is constant."""
        if not self.is_varied(feature, samples):
            return True
        values = [self.X[i, feature] for i in samples]
        known = sorted({x for x in values if not math.isnan(x)})
        n_missing = sum(math.isnan(x) for x in values)
        if self.splitter == "best" and feature not in self.categorical:
            self.try_all(feature, samples, known, n_missing)
            return False
        while True:
            missing_first = False
            if n_missing and len(known) > 1:
                missing_first = self.numbers.word() >> 63 == 1
            test = self.drawn_test(feature, known, missing_first)
            if 0 < sum(test(x) for x in values) < len(values):
                break
        self.offer(feature, test, n_missing > 0, samples)
        return False

    def drawn_test(self, feature, known, missing_first):
        if len(known) == 1:
            return lambda x: missing_first if math.isnan(x) else True
        if feature in self.categorical:
            salt = self.numbers.word() >> 12
            return lambda x: missing_first if math.isnan(x) else hashed(salt, int(x)) % 2 == 0
        share = self.numbers.share()
        threshold = (1 - share) * known[0] + share * known[-1]
        if not known[0] <= threshold < known[-1]:
            threshold = known[0]
        return lambda x: missing_first if math.isnan(x) else x <= threshold

    def try_all(self, feature, samples, known, n_missing):
        """Try all thresholds, with missing values on either side."""
        for missing_first in (False, True) if n_missing else (False,):
            pairs = list(zip(known, [*known[1:], math.inf], strict=True))
            if not n_missing or missing_first:
                pairs = pairs[:-1]
            for low, high in pairs:
                threshold = math.inf if high == math.inf else 0.5 * low + 0.5 * high

                def test(x, missing_first=missing_first, threshold=threshold):
                    return missing_first if math.isnan(x) else x <= threshold

                self.offer(feature, test, n_missing > 0, samples)

    def offer(self, feature, test, seen_missing, samples):
        sides = [[i for i in samples if test(self.X[i, feature]) == k] for k in (True, False)]
        if min(map(len, sides)) < self.min_leaf:
            return
        found = sum(self.measure(side) for side in sides)
        if found < self.least - 1e-9:
            self.least, self.best = found, (feature, test, seen_missing)

    def leaf(self, x):
        node = self.root
        while "feature" in node:
            node = node["children"][0 if node["test"](x[node["feature"]]) else 1]
        return node["samples"]

    def shares(self, x):
        samples = self.leaf(x)
        weights = np.array([self.weights[i] for i in samples])
        return weights @ self.Y[samples] / weights.sum()


def hashed(salt, number):
    return mixed((salt + STEP * (number + 1)) % WORD)
