"""A tie is a yes, everywhere."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone

from rarelabels.learners import (
    BinaryRelevance,
    CalibratedLabelRanking,
    EnsembleOfClassifierChains,
    LabelPowerset,
    MLkNN,
    RAkEL,
)


class Coin(ClassifierMixin, BaseEstimator):
    """Takes all classes for equally likely; keeps what it is asked about."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X):
        self.asked_ = np.array(X)
        return np.full((X.shape[0], self.classes_.size), 1 / self.classes_.size)

    def predict(self, X):
        return np.full(X.shape[0], self.classes_[0])


@pytest.mark.parametrize(
    "learner",
    [BinaryRelevance(), EnsembleOfClassifierChains(n_chains=2), RAkEL(labelset_size=1)],
    ids=str,
)
def test_every_label_is_predicted(learner, data):
    X, y = data
    model = clone(learner).set_params(estimator=Coin(), random_state=0).fit(X, y)
    assert model.predict(X).all()
    expected = 1.0 if isinstance(learner, RAkEL) else 0.5
    np.testing.assert_array_equal(model.predict_proba(X), np.full(y.shape, expected))


def test_later_links_are_fed_a_yes(data):
    X, y = data
    learner = EnsembleOfClassifierChains(Coin(), n_chains=1, random_state=0).fit(X, y)
    learner.predict(X)
    for place, model in enumerate(learner.chains_[0].models):
        np.testing.assert_array_equal(model.asked_[:, 5:], np.ones((len(X), place)))


def test_a_tied_pair_votes_for_its_first_label(data):
    X, y = data[0], data[1][:, :3]
    learner = CalibratedLabelRanking(Coin()).fit(X, y)
    # Pairs 0-1, 0-2 and 1-2 go to 0, 0 and 1; against the virtual label all win.
    np.testing.assert_allclose(learner.predict_proba(X[:1]), [[3 / 3, 2 / 3, 1 / 3]])
    np.testing.assert_array_equal(learner.predict(X[:1]), [[1, 1, 1]])


def test_a_tie_of_labelsets_goes_to_the_first(data):
    X, y = data
    y = y[:, [0, 0]] * [1, 1]
    learner = LabelPowerset(Coin()).fit(X, y)
    np.testing.assert_array_equal(learner.labelsets_, [[0, 0], [1, 1]])
    assert not learner.predict(X).any()
    assert LabelPowerset(Coin()).fit(X, y[:, :1]).predict(X).all()


def test_nearest_neighbours_that_say_nothing():
    # Twins: with the label, without, and twice one of each. A neighbour with the label is as
    # frequent around positives as around negatives, and so are the classes.
    X = np.array([[0.0], [1.0], [10.0], [11.0], [20.0], [21.0], [30.0], [31.0]])
    y = np.array([[1], [1], [0], [0], [1], [0], [1], [0]])
    learner = MLkNN(n_neighbors=1).fit(X, y)
    np.testing.assert_array_equal(learner.predict_proba(X), np.full((8, 1), 0.5))
    assert learner.predict(X).all()
