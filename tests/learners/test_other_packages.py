"""Classifiers of other packages in what this package puts around classifiers.

Each is skipped where its package is not installed, or where it cannot load its weights.
"""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression

from rarelabels import does_sampling_help
from rarelabels.datasets import make_multilabel
from rarelabels.ensemble import SamplingEnsemble
from rarelabels.learners import BinaryRelevance, ThresholdedClassifier
from rarelabels.metrics import macro_auc_roc
from rarelabels.sampling import MLSOL

X, Y = make_multilabel(240, 6, 4, signal=0.6, sparse_output=False, random_state=0)


def xgboost():
    package = pytest.importorskip("xgboost", reason="XGBoost is not installed")
    return package.XGBClassifier(n_estimators=10, max_depth=3, n_jobs=1)


def lightgbm():
    package = pytest.importorskip("lightgbm", reason="LightGBM is not installed")
    return package.LGBMClassifier(n_estimators=10, num_leaves=7, n_jobs=1, verbose=-1)


def catboost():
    package = pytest.importorskip("catboost", reason="CatBoost is not installed")
    return package.CatBoostClassifier(
        iterations=10, depth=3, thread_count=1, verbose=0, allow_writing_files=False
    )


def boomer():
    package = pytest.importorskip("mlrl.boosting", reason="mlrl-boomer is not installed")
    return package.BoomerClassifier(max_rules=30)


def tabicl():
    return with_weights(
        pytest.importorskip("tabicl", reason="TabICL is not installed").TabICLClassifier(
            n_estimators=1
        )
    )


def tabpfn():
    return with_weights(
        pytest.importorskip("tabpfn", reason="TabPFN is not installed").TabPFNClassifier(
            n_estimators=1
        )
    )


def with_weights(model):
    """Return the model, or skip where its weights are neither stored nor can be downloaded."""
    try:
        type(model)(**model.get_params()).fit(X[:20], Y[:20, 0])
    except Exception as error:
        message = str(error)
        if not any(word in message for word in ("Hub", "HuggingFace", "download", "connection")):
            raise
        pytest.skip(f"the weights of {type(model).__name__} are not available")
    return model


each = pytest.mark.parametrize("make", [xgboost, lightgbm, catboost, boomer, tabicl, tabpfn])


@each
def test_in_learners_and_ensembles(make):
    made = make()
    around = (
        BinaryRelevance(made),
        ThresholdedClassifier(BinaryRelevance(made), cv=2, random_state=0),
        SamplingEnsemble(BinaryRelevance(made), MLSOL(), n_estimators=2, random_state=0),
    )
    for model in around:
        model.fit(X[:160], Y[:160])
        scores = model.predict_proba(X[160:])
        assert scores.shape == Y[160:].shape
        assert ((scores >= 0) & (scores <= 1)).all()
        assert {*np.unique(model.predict(X[160:]))} <= {0, 1}
        assert macro_auc_roc(Y[160:], scores) > 0.6


@each
def test_does_sampling_help(make):
    found = does_sampling_help(
        X, Y, make(), samplers=["mlsol"], n_estimators=0, cv="1x2", random_state=0, verbose=0
    )
    assert found.best in {row["name"] for row in found.summary["methods"]}
    assert all(0 < row["mean"] <= 1 for row in found.summary["methods"])


def test_boomer_as_a_multi_label_classifier():
    model = ThresholdedClassifier(boomer(), cv=2, random_state=0).fit(X[:160], Y[:160])
    assert macro_auc_roc(Y[160:], model.predict_proba(X[160:])) > 0.6


class WithoutClasses(ClassifierMixin, BaseEstimator):
    """A classifier that does not say which classes it saw, as BOOMER does not."""

    def fit(self, X, y):
        self.inner_ = LogisticRegression().fit(X, y)
        return self

    def predict(self, X):
        return self.inner_.predict(X)[:, None]


class ProbabilitiesWithoutClasses(WithoutClasses):
    def predict_proba(self, X):
        return self.inner_.predict_proba(X)


def test_a_classifier_that_does_not_say_which_classes_it_saw():
    expected = BinaryRelevance(LogisticRegression()).fit(X, Y)
    found = BinaryRelevance(ProbabilitiesWithoutClasses()).fit(X, Y)
    np.testing.assert_array_equal(found.predict_proba(X), expected.predict_proba(X))
    votes = BinaryRelevance(WithoutClasses()).fit(X, Y).predict_proba(X)
    np.testing.assert_array_equal(votes, expected.predict(X))
