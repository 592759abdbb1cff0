"""One fold of a data set: training and test samples."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rarelabels._containers import Array, contain
from rarelabels._random import as_generator
from rarelabels.datasets import MultiLabelDataset
from rarelabels.experiment.evaluate._memo import Memo
from rarelabels.experiment.plan import Job, canonical_json, preprocessing_of
from rarelabels.model_selection import IterativeStratifiedKFold


@dataclass(frozen=True, eq=False)
class Fold:
    """The data of one fold.

    `identity` is a text that determines it.
    """

    X_train: Any
    Y_train: Any
    X_test: Any
    Y_test: Any
    label_names: tuple[str, ...]
    categorical_features: tuple[int, ...]
    identity: str
    groups_train: Any = None
    has_unknown_labels: bool = False


def fold_of(job: Job, memo: Memo) -> Fold:
    """Return the job's fold; data and splits are those of the last job if it had the same."""
    of_data = canonical_json(job.dataset.identity())
    repetition, place = divmod(job.fold, job.n_splits)
    of_splits = canonical_json([of_data, job.n_splits, job.seed, repetition])
    data = memo.get("data", of_data, job.dataset.load)
    splits = memo.get("splits", of_splits, lambda: splits_of(data, job, repetition))
    identity = canonical_json([of_splits, place])
    return memo.get("fold", identity, lambda: make_fold(data, *splits[place], identity))


def preprocessed_fold(fold: Fold, job: Job, memo: Memo) -> Fold:
    """Return the fold after the learner's own transformers, fitted to its training samples."""
    preprocessing = preprocessing_of(job.learner, job.model_seed)
    if preprocessing is None:
        return fold
    identity = canonical_json([fold.identity, job.learner.identity()])

    def transform() -> Fold:
        X_train = preprocessing.fit_transform(without_column(fold.X_train))
        X_test = preprocessing.transform(without_column(fold.X_test))
        return replace(
            fold, X_train=X_train, X_test=X_test, categorical_features=(), identity=identity
        )

    return memo.get("preprocessed", identity, transform)


def without_column(X: Any) -> Any:
    """Return the only column of an array of texts, as vectorizers expect one dimension."""
    is_column = isinstance(X, np.ndarray) and X.dtype == object and X.shape[1:] == (1,)
    return X[:, 0] if is_column else X


def splits_of(data: MultiLabelDataset, job: Job, repetition: int) -> list[tuple[Array, Array]]:
    """Return the splits of one repetition, as `RepeatedIterativeStratifiedKFold` has them.

    Each repetition has a separate generator, so that it does not depend on their number.
    """
    given = getattr(job.dataset, "in_memory_splits", None)
    if given is not None:
        return list(given[repetition * job.n_splits : (repetition + 1) * job.n_splits])
    rng = as_generator(job.seed).spawn(repetition + 1)[repetition]
    folds = IterativeStratifiedKFold(
        n_splits=job.n_splits, shuffle=True, random_state=rng, allow_missing_labels=True
    )
    rows = getattr(job.dataset, "in_memory_rows", None)
    if rows is None:
        return list(folds.split(data.X, data.Y, data.groups))
    groups = None if data.groups is None else data.groups[rows]
    splits = folds.split(np.empty((len(rows), 1)), data.Y[rows], groups)
    return [(rows[train], rows[test]) for train, test in splits]


def make_fold(data: MultiLabelDataset, train: Array, test: Array, identity: str) -> Fold:
    """Return the training and test samples of a split."""
    return Fold(
        samples_of(data.X, train), data.Y[train], samples_of(data.X, test), data.Y[test],
        tuple(data.label_names), data.categorical_features, identity,
        None if data.groups is None else data.groups[train], data.has_unknown_labels,
    )  # fmt: skip


def samples_of(X: Any, rows: Array) -> Any:
    """Return some samples of an array, a sparse matrix or a dataframe."""
    return contain(X).stack(rows) if hasattr(X, "columns") else X[rows]
