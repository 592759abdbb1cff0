"""The one loop that fits copies of a classifier to folds and asks each about the other samples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rarelabels._containers import Array, contain
from rarelabels._labels import Labels
from rarelabels._random import seeded
from rarelabels.learners.fit_params import NO_PARAMS, FitParams
from rarelabels.learners.preprocessing import sample_container
from rarelabels.learners.scores import fit_multilabel, label_scores
from rarelabels.model_selection import IterativeStratifiedKFold


@dataclass(frozen=True)
class Folds:
    """How samples are divided.

    Attributes
    ----------
    n_splits : int
        The number of folds.
    seed : int
        Draws them.
    model_seed : int
        Seeds the copies, if they have no seed of their own.
    groups : array-like or None
        Samples of a group stay together.
    """

    n_splits: int
    seed: int
    model_seed: int
    groups: Any = None


@dataclass(frozen=True)
class FoldModel:
    """A copy fitted to all folds but one: the copy, its samples, the others and their features."""

    model: Any
    train: Array
    test: Array
    X_test: Any


def fold_models(
    estimator: Any, X: Any, labels: Labels, folds: Folds, params: FitParams = NO_PARAMS
) -> Iterator[FoldModel]:
    """Fit a copy to each part of the samples, one after the other."""
    Y, table, y = labels.matrix, sample_container(X), contain(labels.given)
    splitter = IterativeStratifiedKFold(folds.n_splits, shuffle=True, random_state=folds.seed)
    for train, test in splitter.split(np.empty((Y.shape[0], 1)), Y, folds.groups):
        model = seeded(estimator, folds.model_seed)
        fitted = fit_multilabel(model, table.stack(train), y.stack(train), **params.of(train))
        yield FoldModel(fitted, train, test, table.stack(test))


def out_of_fold_scores(
    estimator: Any, X: Any, labels: Labels, folds: Folds, params: FitParams = NO_PARAMS
) -> tuple[Array, Array]:
    """Score each sample by a copy that has not learned from it.

    Returns
    -------
    scores : ndarray of floats of shape (n_samples, n_labels)
        The scores.
    learned : ndarray of bools of shape (n_samples, n_labels)
        Whether the copy has learned from a positive sample of the label.
    """
    Y = labels.matrix
    scores, learned = np.empty(Y.shape), np.empty(Y.shape, dtype=bool)
    for fold in fold_models(estimator, X, labels, folds, params):
        scores[fold.test] = label_scores(fold.model, fold.X_test, Y.shape[1])
        learned[fold.test] = Y[fold.train].sum(axis=0) > 0
    return scores, learned
