"""Compute feature weights for each label by a sparse linear model of all labels (LSDMLO)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, Matrix, dense
from rarelabels._local import label_counts

# The starting point is a ridge solution, which always exists.
RIDGE = 1e-3
# Largest matrix, features by features or features by labels: several must fit in memory.
MOST_ENTRIES = 2**25


@dataclass(frozen=True)
class Descent:
    """Settings of the gradient descent that fits the linear model.

    Parameters
    ----------
    alpha : float
        Strength of the label correlation term.
    beta : float
        Strength of the sparsity term.
    max_iter : int
        Maximum number of steps.
    tol : float
        Change of the loss at which the descent stops.
    """

    alpha: float
    beta: float
    max_iter: int
    tol: float


def label_coefficients(points: Matrix, Y: sparse.csr_array, settings: Descent) -> Array:
    """Fit the coefficients W (features × labels) by accelerated proximal gradient steps.

    The model is ½‖XW − Y‖² + ½α tr(XW L (XW)ᵀ) + β‖W‖₁, with L the Laplacian of the labels'
    cosine similarities. The step size is that of the released code. It is far smaller than
    necessary, so W stays near the ridge solution from which it starts.
    """
    check_size(points.shape[1], Y.shape[1])
    gram = dense(points.T @ points)
    target = dense(points.T @ Y.astype(np.float64))
    laplacian = label_laplacian(Y)
    norm = sparse.linalg.norm(laplacian)
    bound = 2 * np.linalg.norm(gram) * np.sqrt(1 + settings.alpha**2 * norm**2)
    W = before = np.linalg.solve(gram + RIDGE * np.eye(gram.shape[0]), target)
    gram_W = gram_before = gram @ W
    pace = last_pace = 1.0
    last_loss = 0.0
    for _ in range(settings.max_iter if bound else 0):
        momentum = (last_pace - 1) / pace
        V, gram_V = W + momentum * (W - before), gram_W + momentum * (gram_W - gram_before)
        gradient = gram_V - target + settings.alpha * (gram_V @ laplacian)
        last_pace, pace = pace, (1 + np.sqrt(4 * pace**2 + 1)) / 2
        before, gram_before = W, gram_W
        W = soft_threshold(V - gradient / bound, settings.beta / bound)
        gram_W = gram @ W
        smooth = np.vdot(W, gram_W) - 2 * np.vdot(W, target) + Y.nnz
        smooth += settings.alpha * np.vdot(gram_W, W @ laplacian)
        loss = smooth + settings.beta * np.count_nonzero(W)
        if abs(last_loss - loss) <= settings.tol or loss <= 0:
            break
        last_loss = loss
    return W


def soft_threshold(values: Array, threshold: float) -> Array:
    """Move values toward 0 by a threshold, but not past 0."""
    return np.sign(values) * np.maximum(np.abs(values) - threshold, 0)


def softmax_weights(coefficients: Array) -> Array:
    """Turn coefficients into feature weights that add up to 1 for each label."""
    magnitudes = np.abs(coefficients)
    exponentials = np.exp(magnitudes - magnitudes.max(axis=0))
    return exponentials / exponentials.sum(axis=0)


def label_laplacian(Y: sparse.csr_array) -> sparse.csr_array:
    """Return the Laplacian of the labels' cosine similarities."""
    similar = cosine_similarities(Y)
    degrees = np.asarray(similar.sum(axis=1)).ravel()
    return (sparse.diags_array(degrees) - similar).tocsr()


def cosine_similarities(Y: sparse.csr_array) -> sparse.csr_array:
    """Return |samples with both| / √(c_j c_k) for each pair of different labels."""
    return squared_cosines(Y).sqrt()


def squared_cosines(Y: sparse.csr_array) -> sparse.csr_array:
    """Return the squared similarities; equal similarities are equal to the last bit."""
    counts = label_counts(Y)
    together = (Y.T @ Y.astype(np.int64)).tocoo()
    j, k = together.coords
    is_pair = j != k
    j, k, both = j[is_pair], k[is_pair], together.data[is_pair]
    squares = both * both / (counts[j] * counts[k])
    return sparse.csr_array((squares, (j, k)), shape=together.shape).sorted_indices()


def check_size(n_features: int, n_labels: int) -> None:
    """Refuse a model whose matrices would not fit in memory."""
    if n_features * max(n_features, n_labels) > MOST_ENTRIES:
        raise ValueError(
            f"LSDMLO fits a model of {n_features} features (after one-hot encoding) and {n_labels} "
            f"labels, whose matrices would have {n_features * max(n_features, n_labels)} entries "
            f"each, more than the limit of {MOST_ENTRIES}; select features first "
            "(rarelabels.datasets.select_frequent_features)."
        )
