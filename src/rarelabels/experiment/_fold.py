"""One fold of a data set: training and test samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rarelabels._containers import Array
from rarelabels.datasets import MultiLabelDataset
from rarelabels.experiment._frozen import canonical_json
from rarelabels.experiment._job import Job
from rarelabels.experiment._memo import Memo
from rarelabels.model_selection import RepeatedIterativeStratifiedKFold


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


def fold_of(job: Job, memo: Memo) -> Fold:
    """Return the job's fold; data and splits are those of the last job if it had the same."""
    of_data = canonical_json(job.dataset.identity())
    of_splits = canonical_json([of_data, job.n_splits, job.n_repeats, job.seed])
    data = memo.get("data", of_data, job.dataset.load)
    splits = memo.get("splits", of_splits, lambda: splits_of(data, job))
    identity = canonical_json([of_splits, job.fold])
    return memo.get("fold", identity, lambda: make_fold(data, *splits[job.fold], identity))


def splits_of(data: MultiLabelDataset, job: Job) -> list[tuple[Array, Array]]:
    """Split the samples, the same way for all jobs of the plan."""
    folds = RepeatedIterativeStratifiedKFold(
        n_splits=job.n_splits, n_repeats=job.n_repeats, random_state=job.seed
    )
    return list(folds.split(data.X, data.Y))


def make_fold(data: MultiLabelDataset, train: Array, test: Array, identity: str) -> Fold:
    """Return the training and test samples of a split."""
    return Fold(
        data.X[train], data.Y[train], data.X[test], data.Y[test],
        data.label_names, data.categorical_features, identity,
    )  # fmt: skip
