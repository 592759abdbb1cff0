"""Small plans, and what is compared of two stores."""

import os
from functools import partial
from pathlib import Path

import pytest

from rarelabels.datasets import make_local_imbalance, save_csv

TESTS = Path(__file__).parents[1]
METHODS = [
    "default",
    "MLSOL",
    {"sampler": "MLSOL", "n_estimators": 3},
    {"name": "EkMLUL", "sampler": "MLUL", "vary": {"n_neighbors": [3, 5, 7]}},
    {"sampler": "MLROS", "params": {"sampling_ratio": 0.2}},
]


def file_in(folder, name="made", n_samples=80, difficulty=0.3):
    path = folder / f"{name}.csv"
    save_csv(make_local_imbalance(n_samples, difficulty=difficulty, random_state=0), path)
    return path


def values_in(folder, **changes):
    return {
        "name": "small",
        "datasets": [{"path": str(file_in(folder)), "labels": "label_"}],
        "learners": ["BR", "MLkNN"],
        "methods": METHODS,
        "folds": {"n_splits": 2, "n_repeats": 1},
        "seed": 3,
        **changes,
    }


@pytest.fixture
def data_file(tmp_path):
    """Write a data set; give its path."""
    return partial(file_in, tmp_path)


@pytest.fixture
def plan_values(tmp_path):
    """Return the values of a small plan; keywords replace some."""
    return partial(values_in, tmp_path)


@pytest.fixture(scope="session")
def kept_file(tmp_path_factory):
    """Write a data set that stays for all tests."""
    return partial(file_in, tmp_path_factory.mktemp("kept"))


@pytest.fixture(scope="session")
def kept_values(tmp_path_factory):
    """Return the values of a small plan on data that stay for all tests."""
    return partial(values_in, tmp_path_factory.mktemp("kept"))


@pytest.fixture
def misbehaving(monkeypatch):
    """Make a learner over one of the misbehaving classifiers, findable by worker processes."""
    monkeypatch.setenv("PYTHONPATH", str(TESTS), prepend=os.pathsep)

    def learner(name):
        return {"name": name, "learner": "BR", "estimator": f"experiment.misbehaving.{name}"}

    return learner


@pytest.fixture(scope="session")
def scores_in():
    """Return all scores of a store, for comparison with those of another."""

    def scores(store):
        return {
            (row["key"], row["metric"]): (row["value"], row["status"], row["method"])
            for row in store.rows()
        }

    return scores
