"""How much several classifiers differ."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels.metrics._inputs import indicator


def disagreement(predictions: Iterable[Any]) -> float:
    """Return the share of predicted labels on which two classifiers differ, averaged over pairs.

    Parameters
    ----------
    predictions : sequence of M matrices, or array of shape (M, n_samples, n_labels)
        Each classifier's predicted labels, 0 or 1, dense or sparse.

    Returns
    -------
    float
        Between 0 (all the same) and, for two classifiers, 1; 0 for a single classifier.

    References
    ----------
    L. I. Kuncheva, C. J. Whitaker. Measures of Diversity in Classifier Ensembles and Their
    Relationship with the Ensemble Accuracy. Machine Learning 51, 2003, 181-207.

    Examples
    --------
    The first two differ in one entry of four, and so do the last two; the outer ones in two:

    >>> from rarelabels.metrics import disagreement
    >>> a, b, c = [[1, 0], [0, 0]], [[1, 1], [0, 0]], [[1, 1], [0, 1]]
    >>> round(disagreement([a, b, c]), 4)
    0.3333
    """
    members = [indicator(member, f"predictions[{m}]") for m, member in enumerate(predictions)]
    _check_one_shape([member.shape for member in members])
    n_members, (n_samples, n_labels) = len(members), members[0].shape
    if n_members == 1:
        return 0.0
    n_pairs = n_members * (n_members - 1) / 2
    return _n_differing(members) / (n_pairs * n_samples * n_labels)


def _n_differing(members: list[sparse.csr_array]) -> int:
    """Count pairs that differ: where s of M say 1, s(M − s) pairs do."""
    votes = sum((member.astype(np.int64) for member in members[1:]), members[0].astype(np.int64))
    return int((votes.data * (len(members) - votes.data)).sum())


def _check_one_shape(shapes: list[tuple[int, ...]]) -> None:
    if not shapes:
        raise ValueError("predictions is empty; pass one matrix of labels for each classifier.")
    if len(set(shapes)) > 1:
        raise ValueError(
            "predictions must be matrices of one shape, got "
            + ", ".join(str(tuple(shape)) for shape in dict.fromkeys(shapes))
            + "; predict the same samples and labels with each classifier."
        )
