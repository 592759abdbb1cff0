"""One fold of a data set: what to train on, what to test on, and the neighbours in between."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from rarelabels._containers import Array
from rarelabels._neighbors import Neighbors, find_neighbors
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


@dataclass(frozen=True, eq=False)
class Search:
    """Neighbours of the training rows, and how long it took to find them."""

    neighbors: Neighbors
    seconds: float


def fold_of(job: Job, memo: Memo) -> Fold:
    """Give the job's fold, reading and splitting the data only if the last job had other data."""
    of_data = canonical_json(job.dataset.identity())
    of_splits = canonical_json([of_data, job.n_splits, job.n_repeats, job.seed])
    data = memo.get("data", of_data, job.dataset.load)
    splits = memo.get("splits", of_splits, lambda: splits_of(data, job))
    identity = canonical_json([of_splits, job.fold])
    return memo.get("fold", identity, lambda: make_fold(data, *splits[job.fold], identity))


def splits_of(data: MultiLabelDataset, job: Job) -> list[tuple[Array, Array]]:
    """Split the rows as all jobs of the plan do."""
    folds = RepeatedIterativeStratifiedKFold(
        n_splits=job.n_splits, n_repeats=job.n_repeats, random_state=job.seed
    )
    return list(folds.split(data.X, data.Y))


def make_fold(data: MultiLabelDataset, train: Array, test: Array, identity: str) -> Fold:
    """Take the rows of a fold."""
    return Fold(
        data.X[train], data.Y[train], data.X[test], data.Y[test],
        data.label_names, data.categorical_features, identity,
    )  # fmt: skip


def shared_search(sampler: Any, needed: int, wanted: int, fold: Fold, memo: Memo) -> Search | None:
    """Give the fold's neighbours, searched once for every sampler that can share them.

    Parameters
    ----------
    sampler : sampler
        Whose neighbours; None is given back where it does not share.
    needed, wanted : int
        How many it needs, and how many the jobs to come may need.
    fold : Fold
        Where to search.
    memo : Memo
        What was found before.
    """
    if not getattr(sampler, "_shares_neighbors", False) or sampler.neighbors is not None:
        return None
    n_neighbors = max(needed, min(wanted, fold.X_train.shape[0] - 1))
    depends_on = (
        fold.identity,
        sampler.scale_features,
        _hashable(sampler.categorical_features),
        n_neighbors,
    )
    return memo.get("neighbors", depends_on, lambda: search(sampler, n_neighbors, fold))


def search(sampler: Any, n_neighbors: int, fold: Fold) -> Search:
    """Search the neighbours of the training rows as the sampler would."""
    started = time.perf_counter()
    found = find_neighbors(
        fold.X_train,
        n_neighbors=n_neighbors,
        scale_features=sampler.scale_features,
        categorical_features=sampler.categorical_features,
        n_jobs=sampler.n_jobs,
    )
    return Search(found, time.perf_counter() - started)


def _hashable(columns: Any) -> Any:
    return None if columns is None else tuple(np.ravel(columns).tolist())
