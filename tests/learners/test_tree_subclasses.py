"""Subclasses of scikit-learn's trees, which may take other arguments than the trees do."""

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from rarelabels.learners import BinaryRelevance, EnsembleOfClassifierChains

RNG = np.random.default_rng(0)
X = RNG.normal(size=(50, 3))
Y = (X + RNG.normal(size=X.shape) > 0).astype(int)


class PlainTree(DecisionTreeClassifier):
    """A tree whose methods take what scikit-learn asks of every classifier, and no more."""

    def fit(self, X, y, sample_weight=None):
        return super().fit(X, y, sample_weight)

    def predict(self, X):
        return super().predict(X)

    def predict_proba(self, X):
        return super().predict_proba(X)


@pytest.mark.parametrize("learner", [BinaryRelevance, EnsembleOfClassifierChains])
def test_a_tree_that_takes_only_the_usual_arguments(learner):
    expected = learner(DecisionTreeClassifier(random_state=0), random_state=0).fit(X, Y)
    found = learner(PlainTree(random_state=0), random_state=0).fit(X, Y)
    np.testing.assert_array_equal(found.predict_proba(X), expected.predict_proba(X))
    np.testing.assert_array_equal(found.predict(X), expected.predict(X))
