"""scikit-learn's own checks on every sampler.

The checks bring a target of one class per sample, where a sampler wants an indicator matrix. Each
sampler is checked behind a `fit` that makes one of it, and is otherwise itself.
"""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from rarelabels.base import BaseSampler
from rarelabels.sampling import sampler, sampler_names


def indicator(y):
    """One label per class and one that holds for every third sample."""
    y = np.asarray(y)
    if y.ndim == 0 or y.dtype.kind == "c":
        return y
    y = y.reshape(len(y), -1)[:, 0]
    return np.column_stack([*(y == value for value in np.unique(y)), np.arange(len(y)) % 3 == 0])


def for_any_target(made):
    """The sampler, with a `fit` that takes any target."""

    def fit(self, X, y):
        return super(kind, self).fit(X, None if y is None else indicator(y))

    kind = type(type(made).__name__, (type(made),), {"fit": fit, "__module__": __name__})
    globals()[kind.__name__] = kind  # where pickle looks for it
    return kind(**made.get_params(deep=False))


SAMPLERS = [
    for_any_target(made) for made in map(sampler, sampler_names()) if isinstance(made, BaseSampler)
]


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(SAMPLERS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
