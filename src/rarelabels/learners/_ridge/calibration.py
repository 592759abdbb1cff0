"""Probabilities from scores: logistic curves that labels of similar frequency share."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.special import expit, logit

from rarelabels._containers import Array
from rarelabels._registry import part_of_models
from rarelabels._tables import structured_table
from rarelabels.decisions.intervals import wilson_interval
from rarelabels.learners._ridge.penalties import similar_labels

# Bins of scores; a curve is fitted to counts in bins.
N_BINS = 256
# The counts of a label with this many positives have the same weight as those of similar labels.
STRENGTH = 30.0
NEWTON_STEPS = 50
# The smallest slope of a curve, so that probabilities have the same order as scores.
LEAST_SLOPE = 1e-3


@part_of_models
@dataclass(frozen=True)
class PooledCalibration:
    """One logistic curve for each label.

    A curve is fitted to counts of the label itself and of labels with similar frequencies. The
    counts of the label have weight n / (n + 30), where n is its number of positives. Scores are
    transformed by the inverse hyperbolic sine, because the scores of rare labels have long tails.

    Attributes
    ----------
    slopes, intercepts : (n_labels,) ndarray
        The curves, which never decrease.
    """

    slopes: Array
    intercepts: Array

    @classmethod
    def fit(
        cls, Y: sparse.csr_array, scores: Array, weights: Array | None = None
    ) -> PooledCalibration:
        """Fit the curves to scores of samples that the model was not fitted to."""
        centers, totals, positives = binned_counts(Y, scores, weights)
        n_positive, n_samples = positives.sum(axis=1), totals.sum(axis=1)
        pooled = similar_labels(n_positive)
        label_share = (n_positive / (n_positive + STRENGTH))[:, None]
        slopes, intercepts = logistic_curves(
            centers,
            label_share * totals + (1 - label_share) * (pooled.T @ totals),
            label_share * positives + (1 - label_share) * (pooled.T @ positives),
        )
        is_constant = (n_positive == 0) | (n_positive == n_samples)
        prior = logit((n_positive + 1) / (n_samples + 2))
        slopes = np.where(is_constant, LEAST_SLOPE, slopes)
        return cls(slopes, np.where(is_constant, prior, intercepts))

    def probabilities(self, scores: Array) -> Array:
        """Return the probabilities of scores of shape (n_samples, n_labels)."""
        return expit(self.slopes * np.arcsinh(scores) + self.intercepts)

    def scores_at_one_half(self) -> Array:
        """Return the score of each label whose probability is one half."""
        with np.errstate(over="ignore"):
            return np.sinh(-self.intercepts / self.slopes)


def binned_counts(
    Y: sparse.csr_array, scores: Array, weights: Array | None
) -> tuple[Array, Array, Array]:
    """Return bin centers of transformed scores, and the samples and positives of labels in them.

    The counts have shape (n_labels, n_bins).
    """
    low, high = (float(np.arcsinh(end)) for end in (scores.min(), scores.max()))
    width = max(high - low, 1e-6) / N_BINS
    centers = low + width * (np.arange(N_BINS) + 0.5)
    by_label = Y.tocsc()
    totals, positives = np.zeros((2, Y.shape[1], N_BINS))
    for j in range(Y.shape[1]):
        bins = ((np.arcsinh(scores[:, j]) - low) / width).astype(np.intp).clip(0, N_BINS - 1)
        rows = by_label.indices[by_label.indptr[j] : by_label.indptr[j + 1]]
        label_weights = weights[:, j] if weights is not None and weights.ndim == 2 else weights
        positive_weights = None if label_weights is None else label_weights[rows]
        totals[j] = np.bincount(bins, label_weights, N_BINS)
        positives[j] = np.bincount(bins[rows], positive_weights, N_BINS)
    return centers, totals, positives


def logistic_curves(centers: Array, totals: Array, positives: Array) -> tuple[Array, Array]:
    """Fit slopes and intercepts for all labels by Newton's method, with Platt's smoothed targets.

    If the curve of a label would decrease, an almost constant curve is used.
    """
    n_positive = positives.sum(axis=1, keepdims=True)
    n_negative = totals.sum(axis=1, keepdims=True) - n_positive
    targets = positives * (n_positive + 1) / (n_positive + 2)
    targets += (totals - positives) / (n_negative + 2)
    n_samples = totals.sum(axis=1)
    constant = logit(targets.sum(axis=1) / n_samples)
    slopes, intercepts = np.zeros(len(totals)), constant.copy()
    for _ in range(NEWTON_STEPS):
        z = slopes[:, None] * centers + intercepts[:, None]
        p = expit(z)
        errors, curvature = targets - totals * p, totals * p * (1 - p)
        gradient = np.stack([errors @ centers, errors.sum(axis=1)])
        h_ss, h_si, h_ii = curvature @ centers**2, curvature @ centers, curvature.sum(axis=1)
        # A small number is added to the diagonal, so that slopes of separable labels stay finite.
        h_ss, h_ii = h_ss + 1e-6 * n_samples, h_ii + 1e-9 * n_samples
        determinant = h_ss * h_ii - h_si**2
        step = np.stack(
            [h_ii * gradient[0] - h_si * gradient[1], h_ss * gradient[1] - h_si * gradient[0]]
        )
        step = (step / determinant).clip(-2, 2)
        slopes, intercepts = slopes + step[0], intercepts + step[1]
        if np.abs(step).max() < 1e-8:
            break
    decreases = slopes < LEAST_SLOPE
    return np.where(decreases, LEAST_SLOPE, slopes), np.where(decreases, constant, intercepts)


def reliability_table(
    Y: sparse.csr_array, probabilities: Array, n_bins: int, known: Array | None = None
) -> Array:
    """Compare probabilities with frequencies, in bins with about the same number of positives.

    Unknown entries are ignored.
    """
    p, y = probabilities.ravel(), Y.toarray().ravel()
    if known is not None:
        p, y = p[known.ravel()], y[known.ravel()]
    edges = np.quantile(p[y == 1], np.linspace(0, 1, n_bins + 1)[1:-1]) if y.any() else []
    bins = np.digitize(p, np.unique(edges))
    entries = np.bincount(bins)
    is_filled = entries > 0
    entries, positives = entries[is_filled], np.bincount(bins, y)[is_filled]
    frequency, low, high = wilson_interval(positives, entries)
    columns = {
        "entries": entries,
        "probability": np.bincount(bins, p)[is_filled] / entries,
        "frequency": frequency,
        "low": low,
        "high": high,
    }
    return structured_table(columns)
