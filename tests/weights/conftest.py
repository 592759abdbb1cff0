"""What the tests of weights share."""

import numpy as np
import pytest


@pytest.fixture
def clouds():
    """Two hundred samples with a frequent, a middling and a rare label."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 4))
    y = (X[:, :3] + 0.7 * rng.normal(size=(200, 3)) > [0.1, 0.9, 1.8]).astype(int)
    return X, y
