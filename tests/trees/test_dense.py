"""Shortcuts of trees on dense features: lists from the coding's order, parts that nobody reads."""

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarelabels._tasks import Tasks
from rarelabels.trees import C45Classifier, EntropyTreeClassifier, _forest
from trees.data import same_forest

each_estimator = pytest.mark.parametrize(
    "estimator", [C45Classifier(categorical_features=[0, 1]), EntropyTreeClassifier()], ids=str
)


@st.composite
def repeated(draw):
    """Give samples of few or many values, and a task that has some of them many times."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n, n_classes = draw(st.integers(8, 60)), draw(st.sampled_from([2, 3]))
    X = rng.integers(0, draw(st.integers(3, 20)), (n, 7)).astype(float)
    X[:, :4] = rng.integers(0, [2, 3, 2, 3], (n, 4))
    y = (X[:, 0] + X[:, 3] + (X[:, 4] > 4)).astype(int)
    samples = rng.integers(0, draw(st.integers(2, n)), draw(st.integers(4, 90)))
    classes = (y[samples] + (rng.random(samples.size) < 0.2)) % n_classes
    return X, samples, classes, n_classes


def grow(estimator, X, samples, classes, n_classes):
    coding = estimator.code(X)
    assert not coding.codes.is_sparse
    tasks = Tasks(np.array([0, samples.size]), samples, classes, n_classes)
    return estimator.fit_many(coding, tasks, seeds=[1])


@each_estimator
@settings(max_examples=60)
@given(given=repeated())
def test_repeated_samples_give_the_tree_of_as_many_samples(estimator, given):
    X, samples, *rest = given
    with patch("rarelabels.trees._coding.SPARSE_SHARE", 0.0):
        among = grow(estimator, X, samples, *rest)
        # The samples that the task does not have declare their categories.
        held = np.vstack([X[samples], X])
        alone = grow(estimator, held, np.arange(samples.size), *rest)
    assert same_forest(among, alone)


@each_estimator
@settings(max_examples=60)
@given(given=repeated())
def test_lists_and_counts_give_the_tree_of_weighted_samples(estimator, given):
    X, *rest = given
    with patch("rarelabels.trees._coding.SPARSE_SHARE", 0.0):
        listed = grow(estimator, X, *rest)
        with patch.object(_forest, "kernel_weights", lambda *_: np.ones(X.shape[0])):
            weighted = grow(estimator, X, *rest)
    assert same_forest(listed, weighted)
