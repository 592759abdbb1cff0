"""Landmarks: a few samples whose similarities to all others approximate the whole kernel."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.linalg import cholesky, solve_triangular

from rarelabels._containers import Array
from rarelabels._registry import part_of_models
from rarelabels.learners._ridge.kernels import Kernel, ScaledSamples, kernel_matrix

# Added to the diagonal of the landmarks' kernel, relative to its mean, so that it is positive
# definite even if landmarks are equal.
JITTER = 1e-6


def draw_landmarks(Y: sparse.csr_array, n_landmarks: int, rng: np.random.Generator) -> Array:
    """Draw samples; those with rare labels are drawn more often.

    The probability of a sample is proportional to the sum of 1 / count over its labels, plus half
    the mean of these sums, so that samples without labels are drawn as well.
    """
    counts = np.maximum(np.asarray(Y.sum(axis=0, dtype=np.int64)).ravel(), 1)
    rarity = np.asarray(Y @ (1 / counts)).ravel()
    weights = rarity + 0.5 * (rarity.mean() or 1.0)
    # The smallest exponential variables, divided by the weights, are a draw without replacement.
    race = rng.standard_exponential(Y.shape[0]) / weights
    return np.sort(np.argsort(race, kind="stable")[:n_landmarks])


@part_of_models
@dataclass(frozen=True)
class LandmarkFeatures:
    """Features whose inner products approximate the kernel (Nyström method).

    Attributes
    ----------
    kernel : callable
        The kernel.
    landmarks : ScaledSamples
        The landmarks, scaled.
    whitening : (m, m) ndarray
        Turns similarities to the landmarks into features.
    """

    kernel: Kernel
    landmarks: ScaledSamples
    whitening: Array

    @classmethod
    def fit(cls, kernel: Kernel, landmarks: ScaledSamples) -> LandmarkFeatures:
        """Factorize the kernel of the landmarks."""
        K = kernel_matrix(kernel, landmarks, landmarks).astype(np.float64)
        K = (K + K.T) / 2
        scale = max(float(np.trace(K)) / len(K), np.finfo(np.float32).tiny)
        for jitter in JITTER * 10.0 ** np.arange(6):
            try:
                L = cholesky(K + jitter * scale * np.eye(len(K)), lower=True)
            except np.linalg.LinAlgError:
                continue
            inverse = solve_triangular(L, np.eye(len(K)), lower=True)
            return cls(kernel, landmarks, inverse.T.astype(landmarks.matrix.dtype))
        raise ValueError(
            "the kernel of the landmarks is not positive semidefinite; use another kernel."
        )

    def of(self, points: ScaledSamples) -> Array:
        """Return the features of samples."""
        return kernel_matrix(self.kernel, points, self.landmarks) @ self.whitening
