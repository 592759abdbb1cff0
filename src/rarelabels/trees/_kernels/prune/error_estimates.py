"""Training errors and estimated errors of leaves."""

from __future__ import annotations

import numpy as np

from rarelabels.trees._kernels.compilation import compiled, entry

SLACK = 0.1 + 1e-6  # errors by which a simpler tree may be worse


@entry
def added_errors(weight, errors, cf, z):
    """Return how many errors to add to those observed, at confidence `cf`."""
    if cf > 0.5:
        return 0.0
    if errors < 1.0:
        base = weight * (1.0 - cf ** (1.0 / weight))
        if errors == 0.0:
            return base
        return base + errors * (errors_above_one(weight, 1.0, z) - base)
    return errors_above_one(weight, errors, z)


@compiled
def errors_above_one(weight, errors, z):
    """Return the same for at least one error: the upper limit of a normal approximation."""
    if errors + 0.5 >= weight:
        return max(weight - errors, 0.0)
    f = (errors + 0.5) / weight
    square = z * z
    root = np.sqrt(f / weight - f * f / weight + square / (4.0 * weight * weight))
    upper = (f + square / (2.0 * weight) + z * root) / (1.0 + square / weight)
    return upper * weight - errors


@compiled
def training_errors(counts):
    """Return total and training errors of a leaf with these class weights."""
    total = 0.0
    largest = 0.0
    for k in range(counts.size):
        total += counts[k]
        largest = max(largest, counts[k])
    return total, total - largest


@compiled
def estimated_errors(counts, rules):
    """Return the estimated errors of a leaf with these class weights."""
    total, errors = training_errors(counts)
    if total <= 0.0:
        return 0.0
    return errors + added_errors(total, errors, rules.cf, rules.z)
