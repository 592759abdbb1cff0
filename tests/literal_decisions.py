"""The decision rules as literal loops, one label and one cut at a time."""

import math
from fractions import Fraction


def counted(Y, scores, j, weights, known):
    """Return (score, positive, weight) of the entries of a label that count, highest first."""
    entries = []
    for i in range(len(Y)):
        weight = (
            1
            if weights is None
            else weights[i][j]
            if hasattr(weights[i], "__len__")
            else weights[i]
        )
        if (known is None or known[i][j]) and weight > 0:
            entries.append((scores[i][j], bool(Y[i][j]), weight))
    return sorted(entries, key=lambda entry: -entry[0])


def possible_cuts(entries):
    """Return (hits, predicted, lowest predicted score, next lower score) of each possible cut."""
    found, hits, predicted = [], 0, 0
    for place, (score, positive, weight) in enumerate(entries):
        hits += weight * positive
        predicted += weight
        lower = entries[place + 1][0] if place + 1 < len(entries) else -math.inf
        if lower < score:
            found.append((hits, predicted, score, lower))
    return found


def middle(high, low):
    if low == -math.inf:
        return low
    between = low / 2 + high / 2
    return between if between > low else high


def nearest(cuts, wanted):
    """Return the cut that predicts about as many samples as wanted, the smaller of two."""
    return min(cuts, key=lambda cut: (abs(cut[1] - wanted), cut[1]))


def at_frequency(entries):
    """Return the threshold that predicts a label as often as it occurs."""
    n_positive = sum(weight for _, positive, weight in entries if positive)
    top = entries[0][0]
    nothing = (0, 0, math.inf, top)
    _, predicted, high, low = nearest([nothing, *possible_cuts(entries)], n_positive)
    return math.nextafter(top, math.inf) if predicted == 0 else middle(high, low)


def totals(entries):
    return sum(w for _, positive, w in entries if positive), sum(w for *_, w in entries)


def single_class(entries):
    """Return the threshold of a label without positives or negatives, else None."""
    n_positive, n_samples = totals(entries)
    if n_positive == 0:
        return math.inf
    return -math.inf if n_positive == n_samples else None


def chance(hits, n_positive, predicted, n_samples):
    """Return the binomial probability of at least as many hits, for whole numbers."""
    share = predicted / n_samples
    return sum(
        math.comb(n_positive, m) * share**m * (1 - share) ** (n_positive - m)
        for m in range(hits, n_positive + 1)
    )


def values(criterion, hits, predicted, n_positive, n_samples):
    recall = Fraction(int(hits), int(n_positive))
    specificity = 1 - Fraction(int(predicted - hits), int(n_samples - n_positive))
    return {
        "f1": Fraction(int(2 * hits), int(predicted + n_positive)),
        "gmean": recall * specificity,
        "balanced_accuracy": (recall + specificity) / 2,
    }[criterion]


def per_label(criterion, Y, scores, weights=None, known=None):
    """Choose the best cut of each label; rare labels no better than chance at their frequency."""
    found = []
    for j in range(len(Y[0])):
        entries = counted(Y, scores, j, weights, known)
        threshold = single_class(entries)
        if threshold is None:
            n_positive, n_samples = totals(entries)
            best = max(
                possible_cuts(entries),
                key=lambda cut: (
                    values(criterion, cut[0], cut[1], n_positive, n_samples),
                    -cut[1],
                ),
            )
            hits, predicted, high, low = best
            is_rare = n_positive <= 0.1 * n_samples
            if is_rare and chance(hits, n_positive, predicted, n_samples) > 0.01:
                threshold = at_frequency(entries)
            else:
                threshold = middle(high, low)
        found.append(threshold)
    return found


def pooled(Y, scores, weights=None, known=None):
    """Choose how often each label is predicted together with labels of similar frequency."""
    ratios = [0.2 * 60 ** (step / 49) for step in range(50)]
    tables = [counted(Y, scores, j, weights, known) for j in range(len(Y[0]))]
    used = [j for j, entries in enumerate(tables) if single_class(entries) is None]
    count = {j: totals(tables[j])[0] for j in used}
    cuts = {}
    for j in used:
        possible = possible_cuts(tables[j])
        if possible[0][1] > ratios[-1] * count[j]:
            above = math.nextafter(tables[j][0][0], math.inf)
            possible.insert(0, (0, 0, above, tables[j][0][0]))
        cuts[j] = [nearest(possible, r * count[j]) for r in ratios]
    found = []
    for j, entries in enumerate(tables):
        if j not in used:
            found.append(single_class(entries))
            continue
        alike = {k: math.exp(-0.5 * (math.log(count[j] / count[k]) / 0.5) ** 2) for k in used}
        own = count[j] / (count[j] + 30)
        part = {k: (1 - own) * alike[k] / (sum(alike.values()) + 1) for k in used}
        part[j] += own
        prior, best = 1 - sum(part.values()), None
        for step, r in enumerate(ratios):
            value, excess, variance = prior * 2 * r / (1 + r) ** 2, 0.0, 0.0
            for k in used:
                hits, predicted, *_ = cuts[k][step]
                share = predicted / totals(tables[k])[1]
                scale = 2 / (predicted + count[k])
                value += part[k] * scale * hits
                excess += part[k] * scale * (hits - count[k] * share)
                variance += (part[k] * scale) ** 2 * count[k] * share * (1 - share)
            if best is None or value > best[0] + 1e-12:
                best = (value, step, excess > 1.6448536269514722 * math.sqrt(variance))
        _, step, informed = best
        is_rare = count[j] <= 0.1 * totals(entries)[1]
        *_, high, low = cuts[j][step]
        found.append(middle(high, low) if informed or not is_rare else at_frequency(entries))
    return found


def micromacro(Y, scores, weights=None, known=None):
    """Choose cuts in descending frequency, each the best for macro-F and micro-F so far."""
    tables = [counted(Y, scores, j, weights, known) for j in range(len(Y[0]))]
    order = sorted(range(len(tables)), key=lambda j: -totals(tables[j])[0])
    found, TP, FP, FN = {}, 0, 0, 0
    for m, j in enumerate(order, start=1):
        entries, (n_positive, n_samples) = tables[j], totals(tables[j])
        found[j] = single_class(entries)
        if found[j] is None:

            def value(cut, n_positive=n_positive, m=m, so_far=(TP, FP, FN)):
                tp, fp, fn = cut[0], cut[1] - cut[0], n_positive - cut[0]
                micro = 2 * (tp + so_far[0]), fp + fn + so_far[1] + so_far[2]
                return 2 * tp / (2 * tp + fp + fn) / m + micro[0] / (micro[0] + micro[1])

            best = max(possible_cuts(entries), key=lambda cut: (round(value(cut), 12), -cut[1]))
            is_rare = n_positive <= 0.1 * n_samples
            if is_rare and chance(best[0], n_positive, best[1], n_samples) > 0.01:
                found[j] = at_frequency(entries)
            else:
                found[j] = middle(best[2], best[3])
        tp = sum(w for score, positive, w in entries if positive and score >= found[j])
        TP, FN = TP + tp, FN + n_positive - tp
        FP += sum(w for score, positive, w in entries if not positive and score >= found[j])
    return [found[j] for j in range(len(tables))]


def fbr(Y, scores, weights=None, known=None):
    """Choose the best F of each label, the highest score where that F is below 0.1."""
    found = per_label("f1", Y, scores, weights, known)
    for j in range(len(found)):
        entries = counted(Y, scores, j, weights, known)
        if single_class(entries) is None:
            n_positive, _ = totals(entries)
            best = max(2 * cut[0] / (cut[1] + n_positive) for cut in possible_cuts(entries))
            if best < 0.1:
                n_top = sum(w for score, _, w in entries if score == entries[0][0])
                above = math.nextafter(entries[0][0], math.inf)
                found[j] = above if n_top > n_positive else entries[0][0]
    return found


def costs(false_negative, Y, scores, weights=None, known=None):
    """Choose the cheapest of all cuts; rare labels no better than chance nowhere or everywhere."""
    found = []
    for j in range(len(Y[0])):
        entries = counted(Y, scores, j, weights, known)
        threshold = single_class(entries)
        if threshold is None:
            n_positive, n_samples = totals(entries)
            top = entries[0][0]
            nothing = (0, 0, math.nextafter(top, math.inf), top)
            cuts = [nothing, *possible_cuts(entries)]
            cost = [cut[1] - cut[0] + false_negative * (n_positive - cut[0]) for cut in cuts]
            hits, predicted, high, low = cuts[cost.index(min(cost))]
            is_rare = n_positive <= 0.1 * n_samples
            if is_rare and (
                predicted == 0 or chance(hits, n_positive, predicted, n_samples) > 0.01
            ):
                is_cheap = false_negative * n_positive <= n_samples - n_positive
                hits, predicted, high, low = nothing if is_cheap else cuts[-1]
            threshold = high if predicted == 0 else middle(high, low)
        found.append(threshold)
    return found


def at_least(hits, trials, probability):
    """Return the probability of at least so many hits."""
    return sum(
        math.comb(trials, m) * probability**m * (1 - probability) ** (trials - m)
        for m in range(hits, trials + 1)
    )


def precise(target, risk, Y, scores, known=None):
    """Choose the lowest of the tested cuts whose precision passes a binomial test."""
    found = []
    for j in range(len(Y[0])):
        entries = counted(Y, scores, j, None, known)
        first = 1
        while target**first > risk:
            first += 1
        sizes = []
        while math.ceil(first * 2 ** (len(sizes) / 8)) <= len(entries):
            sizes.append(math.ceil(first * 2 ** (len(sizes) / 8)))
        threshold, level = math.inf, 0.0
        for step, size in enumerate(sizes):
            if step % 8 == 0:
                level += risk / math.ceil(len(sizes) / 8)
            below = entries[size][0] if size < len(entries) else -math.inf
            above = [positive for score, positive, _ in entries if score > below]
            if above and at_least(sum(above), len(above), target) <= level:
                threshold = below if below == -math.inf else math.nextafter(below, math.inf)
            else:
                level = 0.0
        found.append(threshold)
    return found


def recalling(target, risk, Y, scores, known=None):
    """Choose the highest positive score that leaves the recall too low with little probability."""
    found = []
    for j in range(len(Y[0])):
        entries = counted(Y, scores, j, None, known)
        threshold = -math.inf
        positives = sorted(score for score, positive, _ in entries if positive)
        for n_below, score in enumerate(positives):
            if 1 - at_least(n_below + 1, len(positives), 1 - target) <= risk:
                threshold = score
        found.append(threshold)
    return found


def at_most(k, scores, thresholds):
    """Keep the k predicted labels of each sample that exceed their thresholds most."""
    found = []
    for row in scores:
        predicted = [j for j in range(len(row)) if row[j] >= thresholds[j]]
        kept = sorted(predicted, key=lambda j: (-(row[j] - thresholds[j]), -row[j], j))[:k]
        found.append([j in kept for j in range(len(row))])
    return found


def at_least_one(scores, thresholds):
    """Predict the label nearest to its threshold where there is none."""
    found = []
    for row in scores:
        predicted = [j for j in range(len(row)) if row[j] >= thresholds[j]]
        possible = [j for j in range(len(row)) if thresholds[j] < math.inf]
        if not predicted and possible:
            predicted = [min(possible, key=lambda j: (-(row[j] - thresholds[j]), -row[j], j))]
        found.append([j in predicted for j in range(len(row))])
    return found


def expected_f1(Y, scores, weights=None, known=None):
    """Choose cuts by Lipton's fixed point, on probabilities from a logistic curve."""
    found = []
    for j in range(len(Y[0])):
        entries = counted(Y, scores, j, weights, known)
        threshold = single_class(entries)
        if threshold is None:
            n_positive, n_samples = totals(entries)
            p = platt(entries)
            total, cut = sum(w * each for each, (*_, w) in zip(p, entries, strict=True)), 0.0
            for _ in range(1000):
                chosen = [i for i in range(len(p)) if p[i] >= cut]
                inside = sum(entries[i][2] * p[i] for i in chosen)
                cut = inside / (total + sum(entries[i][2] for i in chosen))
            chosen = {i for i in range(len(p)) if p[i] >= cut - 1e-9}
            lowest = min(entries[i][0] for i in chosen)
            best = next(cut for cut in possible_cuts(entries) if cut[2] == lowest)
            is_rare = n_positive <= 0.1 * n_samples
            if is_rare and chance(best[0], n_positive, best[1], n_samples) > 0.01:
                threshold = at_frequency(entries)
            else:
                threshold = middle(best[2], best[3])
        found.append(threshold)
    return found


def platt(entries):
    """Fit Platt's curve by SciPy's minimizer."""
    from scipy.optimize import minimize

    n_positive, n_samples = totals(entries)
    values = [score for score, *_ in entries]
    if min(values) >= 0 and max(values) <= 1:
        values = [math.log(v / (1 - v)) for v in (min(max(v, 1e-6), 1 - 1e-6) for v in values)]
    mean = sum(v * w for v, (*_, w) in zip(values, entries, strict=True)) / n_samples
    spread = math.sqrt(
        sum(w * (v - mean) ** 2 for v, (*_, w) in zip(values, entries, strict=True)) / n_samples
    )
    values = [(v - mean) / (spread or 1) for v in values]
    high, low = (n_positive + 1) / (n_positive + 2), 1 / (n_samples - n_positive + 2)

    def loss(curve):
        z = [curve[0] * v + curve[1] for v in values]
        return sum(
            w * (math.log1p(math.exp(-abs(t))) + max(t, 0) - (high if positive else low) * t)
            for t, (_, positive, w) in zip(z, entries, strict=True)
        )

    bounds = [(0, None), (None, None)]
    slope, intercept = minimize(loss, [0.0, 0.0], bounds=bounds, tol=1e-14).x
    return [1 / (1 + math.exp(-slope * v - intercept)) for v in values]
