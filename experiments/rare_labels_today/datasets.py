"""The data sets of the benchmark, and their folds."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from rarelabels._random import as_generator
from rarelabels._validation import check_labels
from rarelabels.datasets import (
    drop_rare_labels,
    fetch_mulan,
    load_mulan,
    select_frequent_features,
)
from rarelabels.model_selection import IterativeStratifiedKFold

SEED = 1
EXPLORATORY, CONFIRMATORY = "exploratory", "confirmatory"
SELECTED, FIVE_FOLDS = "selected words", "five folds"


@dataclass(frozen=True)
class DataSet:
    """One data set of the benchmark.

    Attributes
    ----------
    name : str
        As the tables call it.
    role : str
        "exploratory", "confirmatory", "selected words" or "five folds".
    features : float or None
        The share of the most frequent features that are kept; None for all.
    n_splits : int
        The number of folds of a repetition.
    """

    name: str
    role: str = EXPLORATORY
    features: float | None = None
    n_splits: int = 2

    @property
    def folder(self) -> str:
        """The name of its files."""
        return self.name.partition(",")[0]

    @property
    def is_for_models_only(self) -> bool:
        """Whether it answers a question about models alone."""
        return self.role in (SELECTED, FIVE_FOLDS)


# Those that take the least time come first.
DATASETS = (
    DataSet("flags"),
    DataSet("genbase"),
    DataSet("medical"),
    DataSet("langlog"),
    DataSet("stackex_chess"),
    DataSet("scene"),
    DataSet("yeast"),
    DataSet("cal500"),
    DataSet("slashdot"),
    DataSet("enron"),
    DataSet("reutersk500"),
    DataSet("church_FUN", CONFIRMATORY),
    DataSet("yahoo-Arts1"),
    DataSet("yahoo-Business1"),
    DataSet("rcv1subset1"),
    DataSet("rcv1subset2"),
    DataSet("bibtex"),
    DataSet("corel5k"),
    DataSet("ohsumed", CONFIRMATORY),
    DataSet("stackex_cs", CONFIRMATORY),
    DataSet("corel16k001", CONFIRMATORY),
    DataSet("tmc2007-500", CONFIRMATORY),
    DataSet("delicious", CONFIRMATORY),
    *(
        DataSet(f"{name}, selected", SELECTED, share)
        for name, share in {
            "medical": 0.1,
            "enron": 0.1,
            "yahoo-Arts1": 0.01,
            "yahoo-Business1": 0.01,
            "rcv1subset1": 0.01,
            "rcv1subset2": 0.01,
            "bibtex": 0.1,
        }.items()
    ),
    *(
        DataSet(f"{name}, five folds", FIVE_FOLDS, n_splits=5)
        for name in ("flags", "medical", "langlog", "scene", "yeast", "slashdot", "enron")
    ),
)


MULAN = "the data page of the Mulan project"
MLDR = "the R package mldr.datasets or the Cometa repository"
# Where to get the data sets that cannot be downloaded and checked here.
ELSEWHERE = {
    **dict.fromkeys(("rcv1subset1", "rcv1subset2", "yahoo-Arts1", "yahoo-Business1"), MULAN),
    **dict.fromkeys(("corel16k001", "langlog", "ohsumed", "reutersk500", "slashdot"), MLDR),
    **dict.fromkeys(("stackex_chess", "stackex_cs"), MLDR),
    "church_FUN": "the yeast data of Vens et al. 2008: FUN classes with their ancestors",
}


@dataclass(frozen=True, eq=False)
class Half:
    """One fold: the samples to learn from, a half with two folds, and those to predict."""

    X_train: Any
    Y_train: Any
    X_test: Any
    Y_test: Any
    categorical_features: tuple[int, ...]


def places() -> list[Path]:
    """Return the folders that hold data sets, from the environment variable RARELABELS_DATA.

    The variable may name several folders, separated as in PATH.
    """
    return [Path(part) for part in os.environ.get("RARELABELS_DATA", "").split(os.pathsep) if part]


def is_present(dataset: DataSet) -> bool:
    """Whether the files of a data set are in one of the folders."""
    return local_folder(dataset) is not None


def is_downloadable(dataset: DataSet) -> bool:
    """Whether `fetch_mulan` downloads a data set and checks its files."""
    return dataset.folder not in ELSEWHERE


def local_folder(dataset: DataSet) -> Path | None:
    """Return the folder with the files of a data set, None if there is none."""
    folders = (place / dataset.folder for place in places())
    return next((folder for folder in folders if folder.is_dir()), None)


def list_of_data() -> str:
    """Return for each data set where it is, or where to get it."""
    roles = (EXPLORATORY, CONFIRMATORY)
    return "\n".join(
        f"{dataset.name:16s} {dataset.role:13s} {whereabouts(dataset)}"
        for dataset in DATASETS
        if dataset.role in roles
    )


def whereabouts(dataset: DataSet) -> str:
    """Return where a data set is, or where to get it."""
    folder = local_folder(dataset)
    if folder is not None:
        return f"in {folder}"
    if is_downloadable(dataset):
        return "can be downloaded (--download)"
    return f"get it from {ELSEWHERE[dataset.folder]}"


@lru_cache(maxsize=1)
def load(dataset: DataSet) -> Any:
    """Return the features, the labels as a sparse matrix, and the categorical features."""
    folder, name = local_folder(dataset), dataset.folder
    if folder is None:
        data = fetch_mulan(name)
    else:
        data = load_mulan(folder / f"{name}.arff", folder / f"{name}.xml")
    if dataset.features is not None:
        data, _ = select_frequent_features(data, dataset.features)
    Y = check_labels(drop_rare_labels(data.Y, min_positive=2)[0]).matrix
    return data.X, Y, data.categorical_features


@lru_cache(maxsize=1)
def splits(dataset: DataSet, repetition: int) -> list[tuple[Any, Any]]:
    """Return the folds of a repetition; two folds are those of the study of the paper."""
    X, Y, _ = load(dataset)
    rng = as_generator(SEED).spawn(repetition + 1)[repetition]
    splitter = IterativeStratifiedKFold(n_splits=dataset.n_splits, shuffle=True, random_state=rng)
    return list(splitter.split(X, Y))


def half(dataset: DataSet, fold: int) -> Half:
    """Return a fold of a data set, without the labels that have no positive to learn from."""
    X, Y, categorical = load(dataset)
    repetition, place = divmod(fold, dataset.n_splits)
    train, test = splits(dataset, repetition)[place]
    has_positives = np.flatnonzero(Y[train].sum(axis=0) > 0)
    Y_train, Y_test = (sparse.csr_array(Y[part][:, has_positives]) for part in (train, test))
    return Half(X[train], Y_train, X[test], Y_test, tuple(categorical))
