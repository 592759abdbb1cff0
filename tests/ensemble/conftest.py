"""Data that the ensembles' tests share."""

import numpy as np
import pytest


@pytest.fixture(scope="session")
def data():
    """Samples whose labels hang on the features, the last of them rare."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    y = (X[:, :3] + rng.normal(scale=0.7, size=(120, 3)) > [0.0, 0.8, 1.5]).astype(int)
    return X, y
