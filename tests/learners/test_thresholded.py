"""Thresholds for any multi-label classifier."""

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

from rarelabels.decisions import RULES
from rarelabels.learners import (
    BinaryRelevance,
    MLkNN,
    ThresholdedClassifier,
    best_f_thresholds,
)
from rarelabels.learners.scores import fit_multilabel
from rarelabels.metrics import macro_f1
from rarelabels.model_selection import IterativeStratifiedKFold


def test_on_the_training_data(data):
    X, y = data
    plain = MLkNN(n_neighbors=5).fit(X, y)
    model = ThresholdedClassifier(MLkNN(n_neighbors=5), rule="f1", cv=None).fit(X, y)
    scores = plain.predict_proba(X)
    np.testing.assert_array_equal(model.predict_proba(X), scores)
    np.testing.assert_array_equal(model.thresholds_, best_f_thresholds(y, scores))
    np.testing.assert_array_equal(model.predict(X), scores >= model.thresholds_)
    assert float(macro_f1(y, model.predict(X))) >= float(macro_f1(y, plain.predict(X)))


def test_out_of_fold(data):
    X, y = data
    model = ThresholdedClassifier(MLkNN(n_neighbors=5), cv=3, random_state=0).fit(X, y)
    again = ThresholdedClassifier(MLkNN(n_neighbors=5), cv=3, random_state=0).fit(X, y)
    on_training = ThresholdedClassifier(MLkNN(n_neighbors=5), cv=None).fit(X, y)
    np.testing.assert_array_equal(model.thresholds_, again.thresholds_)
    assert not np.array_equal(model.thresholds_, on_training.thresholds_)
    np.testing.assert_array_equal(model.predict_proba(X), on_training.predict_proba(X))


def test_out_of_fold_scores_come_from_folds_that_lack_the_sample(data):
    from rarelabels._validation import check_labels
    from rarelabels.learners.out_of_fold import Folds, out_of_fold_scores

    X, y = data
    y = y.copy()
    y[:, 0] = 0
    y[7, 0] = 1
    folds = IterativeStratifiedKFold(3, shuffle=True, random_state=1)
    found, learned = out_of_fold_scores(MLkNN(n_neighbors=5), X, check_labels(y), Folds(3, 1, 1))
    expected = np.empty(y.shape)
    for train, test in folds.split(X, y):
        model = MLkNN(n_neighbors=5).fit(X[train], y[train])
        expected[test] = model.predict_proba(X[test])
        assert learned[test, 0].all() == (7 in train)
    np.testing.assert_allclose(found, expected)
    assert learned[:, 1:].all()


@pytest.mark.parametrize("rule", [rule.name for rule in RULES])
@pytest.mark.parametrize("cv", [None, 2])
def test_foreign_estimators_and_dataframes(rule, cv, data):
    X, y = pd.DataFrame(data[0], columns=list("abcde")), pd.DataFrame(data[1])
    for base in (RandomForestClassifier(5, random_state=0), RidgeClassifier()):
        model = ThresholdedClassifier(base, rule=rule, cv=cv).fit(X, y)
        assert model.predict(X).shape == y.shape


def test_it_is_searched_over(data):
    model = ThresholdedClassifier(BinaryRelevance(random_state=0), random_state=0)
    grid = {"rule": ["f1", "gmean"], "cv": [None, 2]}
    found = GridSearchCV(model, grid, scoring="f1_macro", cv=2).fit(*data)
    assert set(found.best_params_) == {"rule", "cv"}


def test_what_is_refused(data):
    with pytest.raises(ValueError, match="rule must be one of 'pooled_f1', 'f1'"):
        ThresholdedClassifier(BinaryRelevance(), rule="accuracy").fit(*data)
    for cv in (1, True, 2.0):
        with pytest.raises(ValueError, match="cv must be an int of at least 2"):
            ThresholdedClassifier(BinaryRelevance(), cv=cv).fit(*data)
    with pytest.raises(TypeError, match="multi-label classifier"):
        ThresholdedClassifier(StandardScaler()).fit(*data)


@pytest.mark.parametrize("rule", [rule.name for rule in RULES])
@pytest.mark.parametrize("model", [KNeighborsClassifier(10), LogisticRegression()], ids=repr)
def test_labels_without_information_are_predicted_about_as_often_as_they_occur(rule, model):
    """Noise with 1 to 10 positives of 300: the mean over seeds of the share that is predicted."""
    counts, shares = [1, 2, 3, 5, 10], []
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X, y = rng.normal(size=(300, 4)), np.zeros((300, len(counts)), dtype=int)
        for j, count in enumerate(counts):
            y[rng.choice(300, count, replace=False), j] = 1
        fitted = ThresholdedClassifier(BinaryRelevance(model), rule=rule, random_state=seed)
        shares.append(fitted.fit(X, y).predict(rng.normal(size=(500, 4))).mean(axis=0))
    assert (np.mean(shares, axis=0) < 0.15).all(), np.mean(shares, axis=0)


def test_no_group_is_in_two_folds(data, monkeypatch):
    from rarelabels.learners import _thresholded, out_of_fold

    X, y = data
    groups, parts = np.arange(len(X)) // 4, []

    def remembering(model, X, y, **params):
        parts.append(set(X[:, 0].astype(int)))
        return fit_multilabel(model, X, y, **params)

    for module in (_thresholded, out_of_fold):
        monkeypatch.setattr(module, "fit_multilabel", remembering)
    X = np.column_stack([groups, X])
    model = ThresholdedClassifier(MLkNN(n_neighbors=3), cv=3, random_state=0)
    model.fit(X, y, groups=groups)
    everything, *learned = parts
    assert everything == set(groups)
    # Each group is learned from in all folds but the one it lies in.
    assert sum(map(len, learned)) == 2 * len(everything)
    with pytest.raises(ValueError, match="groups must name a group for each"):
        model.fit(X, y, groups=groups[1:])


def test_weights_count_in_the_thresholds(data):
    X, y = data
    weights = np.random.default_rng(0).choice([0.0, 1.0, 5.0], len(X))
    model = ThresholdedClassifier(BinaryRelevance(random_state=0), cv=3, random_state=0)
    weighted = model.fit(X, y, sample_weight=weights).thresholds_
    assert not np.array_equal(weighted, model.fit(X, y).thresholds_)


def test_copies_on_folds_can_have_other_parameters(data):
    X, Y = data
    forest = RandomForestClassifier(n_estimators=7, random_state=0)
    few = ThresholdedClassifier(forest, fold_params={"n_estimators": 2}, random_state=0).fit(X, Y)
    assert len(few.estimator_.estimators_) == 7
    small = RandomForestClassifier(n_estimators=2, random_state=0)
    expected = ThresholdedClassifier(small, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(few.thresholds_, expected.thresholds_)
    with pytest.raises(ValueError, match="n_members"):
        ThresholdedClassifier(forest, fold_params={"n_members": 2}).fit(X, Y)
