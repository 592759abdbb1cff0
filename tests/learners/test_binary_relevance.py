"""Binary relevance is one classifier per label, no more."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from rarelabels.learners import BinaryRelevance


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_it_equals_a_loop(form, data):
    X, y = form(np.where(data[0] > 0, data[0], 0)), data[1]
    learner = BinaryRelevance(DecisionTreeClassifier(random_state=3)).fit(X, y)
    models = [DecisionTreeClassifier(random_state=3).fit(X, column) for column in y.T]
    np.testing.assert_array_equal(
        learner.predict_proba(X), np.column_stack([m.predict_proba(X)[:, 1] for m in models])
    )
    np.testing.assert_array_equal(
        learner.predict(X), np.column_stack([m.predict(X) for m in models])
    )


def test_decision_functions_keep_their_order_and_their_decisions(data):
    X, y = data
    learner = BinaryRelevance(LinearSVC()).fit(X, y)
    decisions = np.column_stack([m.decision_function(X) for m in learner.estimators_])
    np.testing.assert_array_equal(
        learner.predict_proba(X).argsort(axis=0), decisions.argsort(axis=0)
    )
    np.testing.assert_array_equal(learner.predict(X), decisions > 0)


def test_the_default_tree(data):
    model = BinaryRelevance().fit(*data).estimators_[0]
    assert isinstance(model, DecisionTreeClassifier)
    assert (model.criterion, model.min_samples_leaf) == ("entropy", 2)


def test_the_given_estimator_is_left_alone(data):
    base = LogisticRegression()
    BinaryRelevance(base).fit(*data)
    assert not hasattr(base, "coef_")


def test_a_pipeline_per_label(data):
    X, y = data
    base = make_pipeline(StandardScaler(), DecisionTreeClassifier())
    learner = BinaryRelevance(base, random_state=0).fit(X, y)
    seeds = {model[-1].random_state for model in learner.estimators_}
    assert len(seeds) == 4
    assert None not in seeds
