"""What the samplers' tests share."""

import warnings

import numpy as np
import pytest

from rarelabels.datasets import load_mulan


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
    """Two hundred samples with a frequent, a middling and a rare label."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 4))
    y = (X[:, :3] + 0.7 * rng.normal(size=(200, 3)) > [0.1, 0.9, 1.8]).astype(int)
    return X, y


@pytest.fixture(scope="session")
def flags(shared_data):
    """194 samples of 19 features and 7 labels, on 153, 91, 99, 91, 146, 52 and 26 samples."""
    return load_mulan(shared_data / "flags" / "flags.arff")
