"""The paper's equations as slow, literal loops: what the fast code must equal."""

import math
from fractions import Fraction
from itertools import permutations

import numpy as np

# Tests of a law have fixed seeds and large samples: a wrong law misses this by far, and a right one
# fails for one seed in ten thousand.
LEVEL = 1e-4

SAFE, BORDERLINE, RARE, OUTLIER, MAJORITY = range(5)


def squared_distance(X, i, m, categorical=(), scale=True):
    """SPEC's distance, exactly: in fractions, so that equal distances are equal."""
    total = Fraction(0)
    for j in range(X.shape[1]):
        if j in categorical:
            total += X[i, j] != X[m, j]
            continue
        low, high = X[:, j].min(), X[:, j].max()
        span = Fraction(float(high)) - Fraction(float(low)) if scale else Fraction(1)
        if span:
            total += ((Fraction(float(X[i, j])) - Fraction(float(X[m, j]))) / span) ** 2
    return total


def neighbors(X, k, categorical=(), scale=True):
    n = X.shape[0]
    found = []
    for i in range(n):
        others = [m for m in range(n) if m != i]
        others.sort(key=lambda m: (squared_distance(X, i, m, categorical, scale), m))
        found.append(others[:k])
    return np.array(found)


def minority_classes(Y):
    """The rarer class of each label; NaN in Y is a label that is not known."""
    return [0 if (Y[:, j] == 1).sum() > (Y[:, j] == 0).sum() else 1 for j in range(Y.shape[1])]


def opposite_counts(Y, N):
    """k·C_ij where y_ij is the minority class, None elsewhere."""
    g = minority_classes(Y)
    n, q = Y.shape
    return [
        [
            sum(1 for m in N[i] if Y[m, j] == 1 - Y[i, j]) if Y[i, j] == g[j] else None
            for j in range(q)
        ]
        for i in range(n)
    ]


def known_neighbors(Y, N, i, j):
    return sum(1 for m in N[i] if not math.isnan(Y[m, j]))


def imbalance(Y, N):
    counts = opposite_counts(Y, N)
    n, q = Y.shape
    C = np.full((n, q), math.nan)
    for i in range(n):
        for j in range(q):
            known = known_neighbors(Y, N, i, j)
            if counts[i][j] is not None and known:
                C[i, j] = counts[i][j] / known
    return C


def limb(Y, N):
    C = imbalance(Y, N)
    means = [np.nanmean(C[:, j]) for j in range(C.shape[1]) if not np.isnan(C[:, j]).all()]
    return sum(means) / len(means) if means else math.nan


def scores(Y, N):
    """S_ij, None where it is undefined."""
    C = imbalance(Y, N)
    n, q = Y.shape
    S = [[None] * q for _ in range(n)]
    for j in range(q):
        rows = [i for i in range(n) if C[i, j] < 1]
        total = sum(C[i, j] for i in rows)
        for i in rows:
            S[i][j] = C[i, j] / total if total else 0.0
    return S


def weights(Y, N):
    return np.array([sum(s for s in row if s is not None) for row in scores(Y, N)], dtype=float)


def influence(Y, N):
    S = scores(Y, N)
    n, q = Y.shape
    u = np.zeros(n)
    for i in range(n):
        reverse = [m for m in range(n) if i in N[m]]
        for m in reverse:
            for j in range(q):
                if S[m][j] is not None and not math.isnan(Y[i, j]):
                    u[i] += (S[m][j] if Y[i, j] == Y[m, j] else -S[m][j]) / len(reverse)
    return u


def importance(Y, N):
    total = weights(Y, N) + influence(Y, N)
    return total - total.min()


def types(Y, N):
    counts = opposite_counts(Y, N)
    n, q = Y.shape
    T = np.full((n, q), MAJORITY, dtype=np.int8)
    for i in range(n):
        for j in range(q):
            if counts[i][j] is not None:
                known = known_neighbors(Y, N, i, j)
                C = Fraction(int(counts[i][j]), known) if known else 1
                T[i, j] = (
                    SAFE
                    if C < Fraction(3, 10)
                    else BORDERLINE
                    if C < Fraction(7, 10)
                    else RARE
                    if C < 1
                    else OUTLIER
                )
    changed = True
    while changed:
        changed = False
        for i in range(n):
            for j in range(q):
                if T[i, j] == RARE and any(T[m, j] in (SAFE, BORDERLINE) for m in N[i]):
                    T[i, j] = BORDERLINE
                    changed = True
    return T


def label_of_new_row(j, s, r, cd, Y, T):
    """MLSOL's rule for label j of a row made at cd between seed s and reference r."""
    if math.isnan(Y[s, j]) or Y[s, j] == Y[r, j]:
        return Y[r, j]
    if math.isnan(Y[r, j]):
        return Y[s, j]
    if T[s, j] == MAJORITY:
        s, r, cd = r, s, 1 - cd
    theta = {SAFE: 0.5, BORDERLINE: 0.75, RARE: 1 + 1e-5, OUTLIER: -1e-5}[int(T[s, j])]
    return Y[s, j] if cd <= theta else Y[r, j]


def label_ratios(Y):
    """IRLbl of each label, and the mean of those that are finite."""
    counts = Y.sum(axis=0)
    ratios = [counts.max() / count if count else math.inf for count in counts]
    finite = [ratio for ratio in ratios if math.isfinite(ratio)]
    return ratios, sum(finite) / len(finite) if finite else math.nan


def remedial(Y, skip_one_sided):
    """REMEDIAL's labels, and the samples that the clones at the end are of."""
    ratios, mean = label_ratios(Y)
    scumble = []
    for row in Y:
        held = [ratios[j] for j in np.flatnonzero(row)]
        if len(held) < 2:
            scumble.append(0.0)
        else:
            scumble.append(1 - math.prod(held) ** (1 / len(held)) / (sum(held) / len(held)))
    mean_scumble = sum(scumble) / len(scumble)
    in_place, clones, origins = Y.copy(), [], []
    for i, row in enumerate(Y):
        rare = np.array([row[j] and ratios[j] > mean for j in range(Y.shape[1])], dtype=int)
        rest = row - rare
        is_whole = skip_one_sided and not (rare.any() and rest.any())
        if scumble[i] > mean_scumble + 1e-12 and not is_whole:
            in_place[i] = rare
            clones.append(rest)
            origins.append(i)
    return np.vstack([in_place, *clones]), origins


def without_minority_labels(Y):
    """The samples that MLRUS may remove where it spares the minority labels."""
    ratios, mean = label_ratios(Y)
    return [i for i, row in enumerate(Y) if not any(ratios[j] > mean for j in np.flatnonzero(row))]


def mltl(Y, nearest, threshold, remove, mutual):
    """The samples that MLTL keeps."""
    ratios, mean = label_ratios(Y)
    kept = []
    for i, row in enumerate(Y):
        other = Y[nearest[i]]
        differing, shared = int((row != other).sum()), int((row & other).sum())
        denominator = int(row.sum() + other.sum()) - (0 if mutual else shared)
        is_different = denominator and Fraction(differing, denominator) > threshold
        is_link = is_different and (nearest[nearest[i]] == i or not mutual)
        has_majority = any(ratios[j] < mean for j in np.flatnonzero(row))
        if not (is_link and (has_majority or remove == "both")):
            kept.append(i)
    return kept


def probability_of_set(weights, chosen):
    """Exact chance that drawing one by one gives this set, in any order."""
    total = 0.0
    for order in permutations(chosen):
        left, chance = sum(weights), 1.0
        for i in order:
            chance *= weights[i] / left
            left -= weights[i]
        total += chance
    return total
