"""Whatever shape a classifier answers in, the scores are (n_samples, n_labels)."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rarelabels.learners import BinaryRelevance
from rarelabels.learners.scores import fit_multilabel, label_scores

FOREIGN = [
    RandomForestClassifier(5, random_state=0),
    KNeighborsClassifier(),
    MultiOutputClassifier(LogisticRegression()),
    MultiOutputClassifier(Perceptron()),
    OneVsRestClassifier(LogisticRegression()),
    OneVsRestClassifier(Perceptron()),
    ClassifierChain(LogisticRegression()),
    MLPClassifier((3,), solver="lbfgs", alpha=1.0, max_iter=5000, random_state=0),
    RidgeClassifier(),
    make_pipeline(StandardScaler(), RandomForestClassifier(5, random_state=0)),
    make_pipeline(StandardScaler(), BinaryRelevance(random_state=0)),
]


@pytest.mark.parametrize("model", FOREIGN, ids=str)
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_scores_agree_with_predictions(model, make, data):
    X, y = data
    fit_multilabel(model, X, make(y))
    scores = label_scores(model, X, 4)
    assert scores.shape == y.shape
    said = model.predict(X)
    said = said.toarray() if sparse.issparse(said) else said
    # Ties at one half are each model's own affair.
    decided = scores != 0.5
    np.testing.assert_array_equal((scores > 0.5)[decided], said[decided] == 1)


@pytest.mark.parametrize(
    "model",
    [
        RandomForestClassifier(5, random_state=0),
        KNeighborsClassifier(),
        LogisticRegression(),
        RidgeClassifier(),
        Perceptron(),
        BinaryRelevance(random_state=0),
    ],
    ids=lambda made: type(made).__name__,
)
def test_one_label(model, data):
    X, y = data[0], data[1][:, :1]
    scores = label_scores(fit_multilabel(model, X, y), X, 1)
    assert scores.shape == y.shape
    assert ((scores > 0.5) == (y == 1)).mean() > 0.7


@pytest.mark.parametrize("value", [0, 1])
def test_a_missing_class_column(value, data):
    X, y = data[0], data[1].copy()
    y[:, 2] = value
    model = fit_multilabel(RandomForestClassifier(5, random_state=0), X, y)
    assert model.predict_proba(X)[2].shape == (len(X), 1)
    np.testing.assert_array_equal(label_scores(model, X, 4)[:, 2], value)


@pytest.mark.parametrize("value", [0, 1])
def test_a_missing_class_of_the_only_label(value, data):
    X = data[0]
    y = np.full((len(X), 1), value)
    model = fit_multilabel(DummyClassifier(), X, y)
    np.testing.assert_array_equal(label_scores(model, X, 1), y)


class SparseAnswers(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.y_ = y
        return self

    def predict_proba(self, X):
        return sparse.lil_matrix(self.y_ * 0.75)


def test_sparse_answers(data):
    X, y = data
    model = SparseAnswers().fit(X, y)
    np.testing.assert_array_equal(label_scores(model, X, 4), 0.75 * y)


def test_an_answer_of_the_wrong_shape_is_told(data):
    X, y = data
    model = LogisticRegression().fit(X, y[:, 0])
    with pytest.raises(ValueError, match="one column for each of the 4 labels"):
        label_scores(model, X, 4)
