"""Thresholds for any multi-label classifier."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler

from rarelabels.learners import (
    BinaryRelevance,
    MLkNN,
    ThresholdedClassifier,
    best_f_thresholds,
)
from rarelabels.metrics import macro_f1
from rarelabels.model_selection import IterativeStratifiedKFold


def test_on_the_training_data(data):
    X, y = data
    plain = MLkNN(n_neighbors=5).fit(X, y)
    model = ThresholdedClassifier(MLkNN(n_neighbors=5)).fit(X, y)
    scores = plain.predict_proba(X)
    np.testing.assert_array_equal(model.predict_proba(X), scores)
    np.testing.assert_array_equal(model.thresholds_, best_f_thresholds(y, scores))
    np.testing.assert_array_equal(model.predict(X), scores >= model.thresholds_)
    assert float(macro_f1(y, model.predict(X))) >= float(macro_f1(y, plain.predict(X)))


def test_out_of_fold(data):
    X, y = data
    model = ThresholdedClassifier(MLkNN(n_neighbors=5), cv=3, random_state=0).fit(X, y)
    again = ThresholdedClassifier(MLkNN(n_neighbors=5), cv=3, random_state=0).fit(X, y)
    on_training = ThresholdedClassifier(MLkNN(n_neighbors=5)).fit(X, y)
    np.testing.assert_array_equal(model.thresholds_, again.thresholds_)
    assert not np.array_equal(model.thresholds_, on_training.thresholds_)
    np.testing.assert_array_equal(model.predict_proba(X), on_training.predict_proba(X))


def test_out_of_fold_scores_come_from_folds_that_lack_the_sample(data):
    from rarelabels._validation import check_labels
    from rarelabels.learners._thresholded import out_of_fold_scores

    X, y = data
    found = out_of_fold_scores(MLkNN(n_neighbors=5), X, check_labels(y), 3, seed=1)
    expected = np.empty(y.shape)
    for train, test in IterativeStratifiedKFold(3, shuffle=True, random_state=1).split(X, y):
        model = MLkNN(n_neighbors=5).fit(X[train], y[train])
        expected[test] = model.predict_proba(X[test])
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("criterion", ["f1", "gmean", "balanced_accuracy"])
@pytest.mark.parametrize("cv", [None, 2])
def test_foreign_estimators_and_dataframes(criterion, cv, data):
    X, y = pd.DataFrame(data[0], columns=list("abcde")), pd.DataFrame(data[1])
    for base in (RandomForestClassifier(5, random_state=0), RidgeClassifier()):
        model = ThresholdedClassifier(base, criterion=criterion, cv=cv).fit(X, y)
        assert model.predict(X).shape == y.shape


def test_it_is_searched_over(data):
    model = ThresholdedClassifier(BinaryRelevance(random_state=0), random_state=0)
    grid = {"criterion": ["f1", "gmean"], "cv": [None, 2]}
    found = GridSearchCV(model, grid, scoring="f1_macro", cv=2).fit(*data)
    assert set(found.best_params_) == {"criterion", "cv"}


def test_what_is_refused(data):
    with pytest.raises(ValueError, match="criterion of a threshold"):
        ThresholdedClassifier(BinaryRelevance(), criterion="accuracy").fit(*data)
    for cv in (1, True, 2.0):
        with pytest.raises(ValueError, match="cv must be an int of at least 2"):
            ThresholdedClassifier(BinaryRelevance(), cv=cv).fit(*data)
    with pytest.raises(TypeError, match="multi-label classifier"):
        ThresholdedClassifier(StandardScaler()).fit(*data)
