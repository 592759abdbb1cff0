"""The paper's equations as slow, literal loops: what the fast code must equal."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import permutations

import numpy as np

# Tests of a law have fixed seeds and large samples: a wrong law misses this by far, and a right one
# fails for one seed in ten thousand.
LEVEL = 1e-4

SAFE, BORDERLINE, RARE, OUTLIER, MAJORITY = range(5)


def is_missing(value):
    return isinstance(value, (float, np.floating)) and math.isnan(value)


def exact(value):
    """A number as a fraction: an integer of any size, a float to its last bit."""
    return Fraction(int(value)) if isinstance(value, (int, np.integer)) else Fraction(float(value))


def spans(X):
    """The range of each feature, None where it has no known value."""
    found = []
    for j in range(X.shape[1]):
        known = [exact(value) for value in X[:, j] if not is_missing(value)]
        found.append(max(known) - min(known) if known else None)
    return found


def squared_distance(x, z, spans, categorical=(), scale=True):
    """SPEC's distance, exactly: in fractions, so that equal distances are equal."""
    total = Fraction(0)
    for j, span in enumerate(spans):
        if span is None:
            continue
        if is_missing(x[j]) or is_missing(z[j]):
            total += 1
        elif j in categorical:
            total += x[j] != z[j]
        elif span or not scale:
            total += ((exact(x[j]) - exact(z[j])) / (span if scale else 1)) ** 2
    return total


def in_36_bits(squared):
    """A squared distance rounded as it is compared."""
    if not squared:
        return squared
    power = 36 - (squared.numerator.bit_length() - squared.denominator.bit_length())
    power -= squared * Fraction(2) ** power >= 2**36
    return round(squared * Fraction(2) ** power) / Fraction(2) ** power


def neighbors(X, k, categorical=(), scale=True, queries=None):
    """The nearest other samples of X for each of its samples, or the nearest for each query."""
    ranges = spans(X)
    found = []
    for i, sample in enumerate(X if queries is None else queries):
        others = [m for m in range(X.shape[0]) if m != i or queries is not None]
        away = {
            m: in_36_bits(squared_distance(sample, X[m], ranges, categorical, scale))
            for m in others
        }
        others.sort(key=lambda m, away=away: (away[m], m))
        found.append(others[:k])
    return np.array(found)


def squared_chord(x, z, categorical=()):
    """2 − 2 cos of the angle between the numbers of two samples, and 1 for each other category."""
    numeric = [j for j in range(len(x)) if j not in categorical]
    n_other = sum(1 for j in categorical if is_missing(x[j]) or x[j] != z[j])
    x, z = [exact(x[j]) for j in numeric], [exact(z[j]) for j in numeric]
    product = sum((a * b for a, b in zip(x, z, strict=True)), Fraction(0))
    squares = [sum((a * a for a in one), Fraction(0)) for one in (x, z)]
    if not all(squares):
        return Decimal(n_other + 2 * (squares[0] != squares[1]))
    ratio = product**2 / (squares[0] * squares[1])
    with localcontext(prec=60):
        cosine = (Decimal(ratio.numerator) / Decimal(ratio.denominator)).sqrt()
        return n_other + 2 - 2 * (cosine if product > 0 else -cosine)


def on_grid(squared):
    """A squared distance of unit vectors as it is compared: rounded to a multiple of 2**-35."""
    return int((squared * 2**35).to_integral_value())


def cosine_neighbors(X, k, categorical=(), queries=None):
    """As `neighbors`, by the angle between the numbers of two samples."""
    nearest = []
    for i, sample in enumerate(X if queries is None else queries):
        others = [m for m in range(X.shape[0]) if m != i or queries is not None]
        away = {m: on_grid(squared_chord(sample, X[m], categorical)) for m in others}
        others.sort(key=lambda m, away=away: (away[m], m))
        nearest.append(others[:k])
    return np.array(nearest)


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


def member_labels(values, rule):
    """MLSMOTE's label of a new sample, from those of the seed and its neighbours."""
    if rule == "ranking":
        return int(2 * sum(values) >= len(values))
    return int(any(values)) if rule == "union" else int(all(values))


def mulan_mlsmote(X, Y, k, rule, categorical, java):
    """MLSMOTE as Mulan has it, draw by draw: new features, new labels."""
    counts = Y.sum(axis=0)
    present = [j for j in range(Y.shape[1]) if counts[j]]
    ratios = {j: Fraction(int(counts.max()), int(counts[j])) for j in present}
    mean = sum(ratios.values()) / len(present) if present else 0
    X, Y, n = X.copy(), Y.copy(), X.shape[0]
    for j in present:
        bag = np.flatnonzero(Y[:, j])
        if ratios[j] < mean or bag.size < 2:
            continue
        D = X[bag]
        for i in range(bag.size):
            # As many digits as the package compares: a synthetic value has rounding in it.
            far = {
                m: float(f"{float(squared_distance(D[i], D[m], spans(D), categorical)):.9e}")
                for m in range(bag.size)
                if m != i
            }
            limit = sorted(far.values())[min(k, len(far)) - 1]
            hood = sorted((m for m in far if far[m] <= limit), key=lambda m: (far[m], m))
            r = hood[abs(java.next_int()) % len(hood)] if len(hood) > 1 else hood[0]
            members = [i, *hood]
            x = D[i].copy()
            for f in range(X.shape[1]):
                if f in categorical:
                    values = D[members, f].tolist()
                    x[f] = min(values, key=lambda value: (-values.count(value), value))
                else:
                    x[f] += java.next_double() * (D[r, f] - D[i, f])
            labels = [member_labels(Y[bag[members], m].tolist(), rule) for m in range(Y.shape[1])]
            X, Y = np.vstack([X, x]), np.vstack([Y, labels])
    return X[n:], Y[n:]


def tail_labels(Y):
    """Labels with positives whose IRLbl is above the mean."""
    counts = [int((Y[:, j] == 1).sum()) for j in range(Y.shape[1])]
    ratios = {j: Fraction(max(counts), c) for j, c in enumerate(counts) if c}
    mean = sum(ratios.values()) / len(ratios) if ratios else 0
    return [j for j in ratios if ratios[j] > mean]


def most_related(Y):
    """MLONC's a(j): the first pair met of those that occur together most often."""
    n, q = Y.shape
    met = {}
    for i in range(n):
        for high in range(q):
            for low in range(high):
                if Y[i, low] == 1 and Y[i, high] == 1:
                    met[low, high] = met.get((low, high), 0) + 1
    found = []
    for j in range(q):
        pairs = [pair for pair in met if j in pair]
        best = max((met[pair] for pair in pairs), default=0)
        first = next((pair for pair in pairs if met[pair] == best), (j, j))
        found.append(first[0] + first[1] - j)
    return found


def natural_neighbors(X, rows, categorical=(), scale=True):
    """MLONC's NaN(i) of each of the rows, nearest first."""
    order = {}
    for i in rows:
        others = [m for m in rows if m != i]
        others.sort(key=lambda m: (squared_distance(X[i], X[m], spans(X), categorical, scale), m))
        order[i] = others
    before = len(rows) + 1
    for k in range(1, len(rows)):
        nearest = {i: order[i][:k] for i in rows}
        lonely = sum(1 for i in rows if not any(i in nearest[m] for m in rows if m != i))
        if lonely == before:
            break
        before = lonely
    return {i: [m for m in nearest[i] if i in nearest[m]] for i in rows}


def quotas(Y, n_new):
    tail = tail_labels(Y)
    imr = {}
    for j in tail:
        c, n = int((Y[:, j] == 1).sum()), int((Y[:, j] >= 0).sum())
        imr[j] = Fraction(max(c, n - c), min(c, n - c)) if 0 < c < n else Fraction(0)
    total = sum(imr.values())
    return {j: math.floor(imr[j] * n_new / total) if total else 0 for j in tail}


def correlated_labels(Y, seed, reference, related):
    y = [0] * Y.shape[1]
    for j in range(Y.shape[1]):
        s, r = Y[seed, j], Y[reference, j]
        if math.isnan(s) or s == r:
            y[j] = r
        elif math.isnan(r):
            y[j] = s
        else:
            y[j] = int(Y[seed, related[j]] == 1 or y[related[j]] == 1)
    return y


def cosine(Y, j, k):
    """Similarity of two labels; 0 where one of them has no sample."""
    both = int(((Y[:, j] == 1) & (Y[:, k] == 1)).sum())
    return both / math.sqrt((Y[:, j] == 1).sum() * (Y[:, k] == 1).sum()) if both else 0.0


def label_coefficients(X, Y, alpha, beta, max_iter=100, tol=0.01):
    """LSDMLO's W, step by step, with every product in full."""
    q = Y.shape[1]
    R = np.array([[cosine(Y, j, k) if j != k else 1.0 for k in range(q)] for j in range(q)])
    L = np.diag(R.sum(axis=1)) - R
    A, B = X.T @ X, X.T @ Y
    W = W_before = np.linalg.inv(A + 0.001 * np.eye(len(A))) @ B
    bound = 2 * np.sqrt((A**2).sum()) * np.sqrt(1 + alpha**2 * (L**2).sum())
    t = t_before = 1
    loss_before = 0
    for _ in range(max_iter):
        V = W + (t_before - 1) / t * (W - W_before)
        U = V - (A @ V - B + alpha * A @ V @ L) / bound
        t_before, t = t, (1 + math.sqrt(4 * t * t + 1)) / 2
        W_before, W = W, np.sign(U) * np.maximum(abs(U) - beta / bound, 0)
        loss = ((X @ W - Y) ** 2).sum() + alpha * np.trace(X @ W @ L @ W.T @ X.T)
        loss += beta * (W != 0).sum()
        if abs(loss_before - loss) <= tol or loss <= 0:
            break
        loss_before = loss
    return W


def softmax(W):
    return np.array([np.exp(abs(w)) / np.exp(abs(w)).sum() for w in W.T]).T


def correlated(Y, symmetric):
    pairs = [(j, k) for j in range(Y.shape[1]) for k in range(j + 1, Y.shape[1])]
    pairs.sort(key=lambda pair: -round(cosine(Y, *pair), 12))
    found = {j: [] for j in range(Y.shape[1])}
    for j, k in pairs[:10]:
        if cosine(Y, j, k):
            found[j].append(k)
            if symmetric:
                found[k].append(j)
    return {j: sorted(found[j]) for j in found}


def weighted_neighbors(X, w, k):
    """The k nearest others of each sample where feature f counts by w[f]."""
    found = []
    for i in range(len(X)):
        far = [(w * (X[i] - X[m]) ** 2).sum() for m in range(len(X))]
        # As many digits as the package compares.
        others = sorted(
            (m for m in range(len(X)) if m != i), key=lambda m: (float(f"{far[m]:.9e}"), m)
        )
        found.append(others[:k])
    return np.array(found)


def lsdmlo_weights(Y, N, rel, running):
    """Weights of the seeds, from the neighbours N[t] of each tail label and the labels rel[t]."""
    omega = np.zeros(len(Y))
    for t in N:
        k = N[t].shape[1]
        C, near = {}, {}
        for i in np.flatnonzero(Y[:, t] == 1).tolist():
            C[i] = Fraction(int(sum(Y[m, t] for m in N[t][i])), k)
            around = [i, *N[t][i]]
            near[i] = max(
                (Fraction(int(sum(Y[m, r] for m in around)), k) for r in rel[t]), default=0
            )
        mixed = [i for i in C if 0 < C[i] < 1]
        for i in mixed:
            upto = [m for m in C if m <= i or not running]
            s = sum(C[m] for m in upto if m in mixed)
            s_near = sum(near[m] for m in upto)
            omega[i] += C[i] / s + (near[i] / s_near if near[i] else 0)
    return omega


def nearer_labels(Y, x, seed, reference, X, w):
    """Labels of a new sample x: of the parent nearer by each label's weights, or of the seed."""
    y = []
    for j in range(Y.shape[1]):
        s, r = Y[seed, j], Y[reference, j]
        to_seed = (w[:, j] * (x - X[seed]) ** 2).sum()
        to_reference = (w[:, j] * (x - X[reference]) ** 2).sum()
        if math.isnan(s) or (not math.isnan(r) and to_reference < to_seed):
            y.append(r)
        else:
            y.append(s)
    return y


def reverse_neighbors(X, rows, k, categorical=(), scale=True):
    """MLRkNNOS's RkNN of each of the rows: who has it among its k nearest of them."""
    nearest, widths = {}, spans(X)
    for i in rows:
        others = [m for m in rows if m != i]
        others.sort(key=lambda m: (squared_distance(X[i], X[m], widths, categorical, scale), m))
        nearest[i] = others[:k]
    return {i: [m for m in rows if i in nearest[m]] for i in rows}
