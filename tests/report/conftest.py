"""What the tests of the page share."""

from __future__ import annotations

import numpy as np
import pytest

from rarelabels.datasets import MultiLabelDataset

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</script><script>alert(2)</script>",
    "it's & that's {{ 7 * 7 }} {% raw %}",
    "תווית \u202eevil",
    "🦀 ]]> <!-- \u2028",
)


@pytest.fixture(scope="session")
def clouds():
    """Two hundred samples with six labels from frequent to rare."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, 4))
    cuts = [-0.8, 0.1, 0.6, 0.9, 1.4, 1.8]
    Y = (X[:, [0, 1, 2, 3, 0, 1]] + 0.7 * rng.normal(size=(200, 6)) > cuts).astype(int)
    return MultiLabelDataset(X, Y, name="clouds")


@pytest.fixture(scope="session")
def hostile(clouds):
    """The same samples under names that want out of their place."""
    return MultiLabelDataset(
        clouds.X, clouds.Y, label_names=HOSTILE, name="<b>evil</b></title><script>alert(0)</script>"
    )
