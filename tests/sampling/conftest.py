"""What the samplers' tests share."""

import warnings

import numpy as np
import pytest


@pytest.fixture(scope="session")
def resample():
    """Resample without the warnings that small random data brings."""

    def run(sampler, X, y):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return sampler.fit_resample(X, y)

    return run


@pytest.fixture
def clouds():
    """Two hundred rows with a frequent, a middling and a rare label."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 4))
    y = (X[:, :3] + 0.7 * rng.normal(size=(200, 3)) > [0.1, 0.9, 1.8]).astype(int)
    return X, y
