"""Data that the learners' tests share."""

import numpy as np
import pytest


@pytest.fixture(scope="session")
def data():
    """Samples whose labels hang on the features, one of them rare."""
    return make_data(n_samples=120, n_labels=4, seed=0)


def make_data(n_samples, n_labels, seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, 5))
    noise = rng.normal(scale=0.5, size=(n_samples, n_labels))
    cuts = np.linspace(-0.5, 1.4, n_labels)
    y = (X[:, np.arange(n_labels) % 5] + noise > cuts).astype(int)
    return X, y


@pytest.fixture(scope="session")
def make():
    return make_data
