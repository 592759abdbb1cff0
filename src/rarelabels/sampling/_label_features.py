"""Weights of the features for each label, by a sparse linear model of all labels (LSDMLO)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from rarelabels._containers import Array, Matrix, dense
from rarelabels._local import label_counts

# A ridge in the starting point, so that it exists.
RIDGE = 1e-3
# Features by features, and features by labels: more does not fit in memory several times.
MOST_ENTRIES = 2**25


@dataclass(frozen=True)
class Descent:
    """How long and how strictly the linear model is learnt.

    Parameters
    ----------
    alpha : float
        Strength of the correlation of labels.
    beta : float
        Strength of sparsity.
    max_iter : int
        Most steps.
    tol : float
        Change of the loss at which it ends.
    """

    alpha: float
    beta: float
    max_iter: int
    tol: float


def label_coefficients(points: Matrix, Y: sparse.csr_array, settings: Descent) -> Array:
    """Learn the coefficients W (features × labels) by accelerated proximal gradient steps.

    The model is ½‖XW − Y‖² + ½α tr(XW L (XW)ᵀ) + β‖W‖₁, with L the Laplacian of the labels'
    cosine similarities. The step is the released code's, far below what the model would allow, so
    that W stays near the ridge solution it starts from.
    """
    check_size(points.shape[1], Y.shape[1])
    gram = dense(points.T @ points)
    target = dense(points.T @ Y.astype(np.float64))
    laplacian = label_laplacian(Y)
    norm = sparse.linalg.norm(laplacian)
    bound = 2 * np.linalg.norm(gram) * np.sqrt(1 + settings.alpha**2 * norm**2)
    W = before = np.linalg.solve(gram + RIDGE * np.eye(gram.shape[0]), target)
    of_W = of_before = gram @ W
    pace = last_pace = 1.0
    last_loss = 0.0
    for _ in range(settings.max_iter if bound else 0):
        momentum = (last_pace - 1) / pace
        V, of_V = W + momentum * (W - before), of_W + momentum * (of_W - of_before)
        gradient = of_V - target + settings.alpha * (of_V @ laplacian)
        last_pace, pace = pace, (1 + np.sqrt(4 * pace**2 + 1)) / 2
        before, of_before = W, of_W
        W = soft_threshold(V - gradient / bound, settings.beta / bound)
        of_W = gram @ W
        smooth = np.vdot(W, of_W) - 2 * np.vdot(W, target) + Y.nnz
        smooth += settings.alpha * np.vdot(of_W, W @ laplacian)
        loss = smooth + settings.beta * np.count_nonzero(W)
        if abs(last_loss - loss) <= settings.tol or loss <= 0:
            break
        last_loss = loss
    return W


def soft_threshold(values: Array, threshold: float) -> Array:
    """Move values towards 0 by a threshold, and no further."""
    return np.sign(values) * np.maximum(np.abs(values) - threshold, 0)


def softmax_weights(coefficients: Array) -> Array:
    """Turn coefficients into weights of the features that add up to 1 for each label."""
    size = np.abs(coefficients)
    raised = np.exp(size - size.max(axis=0))
    return raised / raised.sum(axis=0)


def label_laplacian(Y: sparse.csr_array) -> sparse.csr_array:
    """Return the Laplacian of the labels' cosine similarities."""
    similar = cosine_similarities(Y)
    degrees = np.asarray(similar.sum(axis=1)).ravel()
    return (sparse.diags_array(degrees) - similar).tocsr()


def cosine_similarities(Y: sparse.csr_array) -> sparse.csr_array:
    """Return |samples with both| / √(c_j c_k) of each pair of different labels."""
    return squared_cosines(Y).sqrt()


def squared_cosines(Y: sparse.csr_array) -> sparse.csr_array:
    """Return the squares, in which equal similarities are equal to the last bit."""
    counts = label_counts(Y)
    together = (Y.T @ Y.astype(np.int64)).tocoo()
    j, k = together.coords
    apart = j != k
    j, k, both = j[apart], k[apart], together.data[apart]
    squares = both * both / (counts[j] * counts[k])
    return sparse.csr_array((squares, (j, k)), shape=together.shape).sorted_indices()


def check_size(n_features: int, n_labels: int) -> None:
    """Refuse a model whose matrices would not fit in memory."""
    if n_features * max(n_features, n_labels) > MOST_ENTRIES:
        raise ValueError(
            f"LSDMLO learns a model of {n_features} features (categories unfolded) and {n_labels} "
            f"labels, whose matrices would hold {n_features * max(n_features, n_labels)} numbers "
            f"each, more than {MOST_ENTRIES}; select features first "
            "(rarelabels.datasets.select_frequent_features)."
        )
