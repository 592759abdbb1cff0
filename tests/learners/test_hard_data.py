"""Constant labels, few labels, odd base estimators, and the same numbers for any n_jobs."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from rarelabels.learners import (
    COCOA,
    ECCRU3,
    IBLR,
    BinaryRelevance,
    CalibratedLabelRanking,
    EnsembleOfClassifierChains,
    FitError,
    LabelPowerset,
    MLkNN,
    RAkEL,
)

META = [
    BinaryRelevance(),
    LabelPowerset(),
    EnsembleOfClassifierChains(n_chains=3),
    CalibratedLabelRanking(),
    RAkEL(),
    COCOA(n_couples=2),
    ECCRU3(n_chains=2),
]
each_meta = pytest.mark.parametrize("learner", META, ids=lambda made: type(made).__name__)
each = pytest.mark.parametrize(
    "learner",
    [*META, MLkNN(n_neighbors=4), IBLR(n_neighbors=4)],
    ids=lambda made: type(made).__name__,
)


class Hard(ClassifierMixin, BaseEstimator):
    """Predicts classes, and nothing else."""

    def fit(self, X, y):
        self.classes_, counts = np.unique(y, return_counts=True)
        self.common_ = self.classes_[counts.argmax()]
        return self

    def predict(self, X):
        return np.full(X.shape[0], self.common_)


class Broken(ClassifierMixin, BaseEstimator):
    """Cannot learn."""

    def fit(self, X, y):
        raise RuntimeError("out of luck")


def with_seed(learner):
    made = clone(learner)
    return made.set_params(random_state=0) if "random_state" in made.get_params() else made


@each
@pytest.mark.parametrize("base", [None, LogisticRegression()])
def test_constant_labels_stay_what_they_were(learner, base, data):
    X, y = data[0], data[1].copy()
    y[:, 1], y[:, 2] = 0, 1
    learner = with_seed(learner)
    if not isinstance(learner, (IBLR, MLkNN)):
        learner.set_params(estimator=base)
    learner.fit(X, y)
    found, scores = learner.predict(X), learner.predict_proba(X)
    assert np.isfinite(scores).all()
    np.testing.assert_array_equal(found[:, 1], 0)
    np.testing.assert_array_equal(found[:, 2], 1)


@each
def test_all_labels_constant(learner, data):
    X = data[0]
    y = np.tile([1, 0, 1], (len(X), 1))
    np.testing.assert_array_equal(with_seed(learner).fit(X, y).predict(X), y)


@each
@pytest.mark.parametrize("n_labels", [1, 2])
def test_few_labels(learner, n_labels, data):
    X, y = data
    learner = with_seed(learner).fit(X, y[:, :n_labels])
    scores = learner.predict_proba(X)
    assert scores.shape == (len(X), n_labels)
    assert np.isfinite(scores).all()
    assert (learner.predict(X) == y[:, :n_labels]).mean() > 0.6


@each
def test_very_rare_labels(learner, data):
    X, y = data[0], np.zeros((len(data[0]), 3), dtype=int)
    y[0, 0], y[1, 1], y[2:, 2] = 1, 1, 1
    assert np.isfinite(with_seed(learner).fit(X, y).predict_proba(X)).all()


@each_meta
@pytest.mark.parametrize(
    "base",
    [RidgeClassifier(), LinearSVC(), Perceptron(), Hard(), LogisticRegression()],
    ids=lambda made: type(made).__name__,
)
def test_any_base_estimator(learner, base, data):
    X, y = data
    learner = with_seed(learner).set_params(estimator=base).fit(X, y)
    scores = learner.predict_proba(X)
    assert np.isfinite(scores).all()
    assert ((scores >= 0) & (scores <= 1)).all()
    assert set(np.unique(learner.predict(X))) <= {0, 1}


@each_meta
def test_an_estimator_that_fails_is_told_with_the_label(learner, data):
    import pandas as pd

    X, y = data[0], pd.DataFrame(data[1], columns=["rain", "snow", "hail", "fog"])
    told = "labelsets" if isinstance(learner, LabelPowerset) else "rain|snow|hail|fog"
    with pytest.raises(FitError, match=rf"Broken could not be fitted to .*({told}).*out of luck"):
        clone(learner).set_params(estimator=Broken()).fit(X, y)


@each_meta
def test_parameters_of_the_estimator_are_checked(learner, data):
    X, y = data
    with pytest.raises(ValueError, match="criterion"):
        clone(learner).set_params(estimator=DecisionTreeClassifier(criterion="luck")).fit(X, y)
    with pytest.raises(TypeError, match="scikit-learn classifier"):
        clone(learner).set_params(estimator="tree").fit(X, y)


@each
def test_n_jobs_changes_nothing(learner, data):
    X, y = data
    one, two = (with_seed(learner).set_params(n_jobs=n).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    np.testing.assert_array_equal(one.predict(X), two.predict(X))


@each_meta
def test_the_seed_decides(learner, data):
    X, y = data
    models = [with_seed(learner).set_params(estimator=noisy()).fit(X, y) for _ in range(2)]
    first, again = (model.predict_proba(X[::-1] / 2) for model in models)
    np.testing.assert_array_equal(first, again)
    other = clone(learner).set_params(estimator=noisy(), random_state=7).fit(X, y)
    assert not np.array_equal(other.predict_proba(X[::-1] / 2), first)


def noisy():
    return DecisionTreeClassifier(max_features=1, splitter="random")


def test_a_seed_that_was_set_stays(data):
    X, y = data
    learner = BinaryRelevance(DecisionTreeClassifier(random_state=5), random_state=0).fit(X, y)
    assert {model.random_state for model in learner.estimators_} == {5}
    assert learner.estimator.random_state == 5


@each
def test_before_fit(learner, data):
    with pytest.raises(NotFittedError):
        clone(learner).predict(data[0])


def test_missing_values_go_where_the_estimator_takes_them(data):
    X, y = data[0].copy(), data[1]
    X[::7, 0] = np.nan
    plain = [DecisionTreeClassifier(random_state=0).fit(X, column) for column in y.T]
    learner = BinaryRelevance(DecisionTreeClassifier(random_state=0)).fit(X, y)
    np.testing.assert_array_equal(
        learner.predict(X), np.column_stack([model.predict(X) for model in plain])
    )
    with pytest.raises(ValueError, match="NaN"):
        BinaryRelevance(LogisticRegression()).fit(X, y)
    for other in (COCOA(n_couples=1), CalibratedLabelRanking(), ECCRU3(n_chains=1)):
        assert np.isfinite(other.fit(X, y).predict_proba(X)).all()


def test_sparse_features_where_the_estimator_refuses_them(data):
    from scipy import sparse
    from sklearn.ensemble import HistGradientBoostingClassifier

    X, y = data
    with pytest.raises(FitError, match=r"label '0': Sparse data"):
        BinaryRelevance(HistGradientBoostingClassifier()).fit(sparse.csr_array(X), y)
