"""Fit copies of a classifier to folds, and predict the samples outside of each fold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv

from rarelabels._callbacks import fit_task
from rarelabels._containers import Array, contain
from rarelabels._labels import LabelMatrix, Labels
from rarelabels._random import seeded
from rarelabels._validation import check_count
from rarelabels.learners.fit_params import NO_PARAMS, FitParams
from rarelabels.learners.preprocessing import sample_container
from rarelabels.learners.scores import fit_multilabel, inner_model, label_scores
from rarelabels.model_selection import IterativeStratifiedKFold


@dataclass(frozen=True)
class Folds:
    """How samples are divided into folds.

    Attributes
    ----------
    cv : int, splitter or iterable of splits
        The number of stratified folds, a splitter of scikit-learn, or the splits themselves.
    seed : int
        Seed for stratified folds.
    model_seed : int
        Seed for the copies if their `random_state` is None.
    groups : array-like or None
        The group of each sample. Groups are not divided between folds.
    """

    cv: Any
    seed: int
    model_seed: int
    groups: Any = None

    def split(self, values: LabelMatrix) -> Iterator[tuple[Array, Array]]:
        """Yield the training samples and the test samples of each fold."""
        splitter: Any = self.cv
        empty_X = np.empty((values.n_samples, 1))
        if is_number_of_folds(splitter):
            splitter = IterativeStratifiedKFold(
                splitter, shuffle=True, random_state=self.seed, allow_missing_labels=True
            )
            y: Any = values.positives if values.unknown is None else values
            yield from splitter.split(empty_X, y, self.groups)
            return
        # Splitters of scikit-learn do not support unknown labels, so these are treated as negative.
        y = values.positives.toarray()
        for train, test in check_cv(splitter).split(empty_X, y, self.groups):
            split = np.asarray(train), np.asarray(test)
            check_undivided(self.groups, *split)
            yield split


def check_undivided(groups: Any, train: Array, test: Array) -> None:
    """Check that no group is in both parts of a split of the user's `cv`."""
    if groups is None:
        return
    names = np.asarray(groups)
    n_divided = np.intersect1d(names[train], names[test]).size
    if n_divided:
        raise ValueError(
            f"cv divides {n_divided} groups between training and test samples; use a splitter that "
            "keeps groups together, such as sklearn.model_selection.GroupKFold, or fit without "
            "groups."
        )


@dataclass(frozen=True)
class FoldModel:
    """A copy fitted to all folds but one, with the samples and the features of the other fold."""

    model: Any
    train: Array
    test: Array
    X_test: Any


def fold_models(
    estimator: Any,
    X: Any,
    labels: Labels,
    folds: Folds,
    params: FitParams = NO_PARAMS,
    owner: Any = None,
) -> Iterator[FoldModel]:
    """Fit a copy to the training samples of each fold, one after another.

    Callbacks of `owner` follow these fits, after a first fit to all samples.
    """
    table, y = sample_container(X), contain(labels.given)
    for fold, (train, test) in enumerate(folds.split(labels.values), start=1):
        model = inner_model(seeded(estimator, folds.model_seed), labels)
        with fit_task(owner, fold, "fold", model):
            fitted = fit_multilabel(model, table.stack(train), y.stack(train), **params.of(train))
        yield FoldModel(fitted, train, test, table.stack(test))


def is_number_of_folds(cv: Any) -> bool:
    """Return whether `cv` is a number rather than a splitter or splits."""
    return isinstance(cv, str) or not (hasattr(cv, "split") or np.iterable(cv))


def check_folds(cv: Any, n_samples: int) -> Any:
    """Check the number of folds; scikit-learn checks splitters and splits."""
    if not is_number_of_folds(cv):
        return cv if hasattr(cv, "split") else list(cv)
    n_folds = check_count("cv", cv, 2)
    if n_samples < n_folds:
        raise ValueError(
            f"cv={n_folds} needs at least {n_folds} samples, got n_samples={n_samples}; use fewer "
            "folds, or cv=None."
        )
    return n_folds


def out_of_fold_scores(
    estimator: Any,
    X: Any,
    labels: Labels,
    folds: Folds,
    params: FitParams = NO_PARAMS,
    owner: Any = None,
) -> tuple[Array, Array]:
    """Score each sample with a copy that was not fitted to it.

    Returns
    -------
    scores : ndarray of floats of shape (n_samples, n_labels)
        The scores.
    learned : ndarray of bools of shape (n_samples, n_labels)
        Whether the copy was fitted to a positive sample of the label. False for samples that are in
        no test fold.
    """
    Y = labels.matrix
    scores, learned = np.zeros(Y.shape), np.zeros(Y.shape, dtype=bool)
    for fold in fold_models(estimator, X, labels, folds, params, owner):
        scores[fold.test] = label_scores(fold.model, fold.X_test, Y.shape[1])
        learned[fold.test] = Y[fold.train].sum(axis=0) > 0
    return scores, learned
