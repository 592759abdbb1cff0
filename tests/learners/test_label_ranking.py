"""Calibrated label ranking against its votes counted one by one."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.tree import DecisionTreeClassifier

from learners.recorder import Recorder, numbered
from rarelabels.learners import BinaryRelevance, CalibratedLabelRanking


def literal_votes(base, X, Y, X_new):
    """Count by the definition: votes of labels, votes of the virtual label."""
    q = Y.shape[1]
    votes = np.zeros((len(X_new), q), dtype=int)
    virtual = np.zeros(len(X_new), dtype=int)
    for j in range(q):
        if Y[:, j].min() == Y[:, j].max():
            said = np.full(len(X_new), Y[0, j])
        else:
            said = (base().fit(X, Y[:, j]).predict_proba(X_new)[:, 1] >= 0.5).astype(int)
        votes[:, j] += said == 1
        virtual += said == 0
        for k in range(j + 1, q):
            samples = [i for i in range(len(X)) if Y[i, j] != Y[i, k]]
            if not samples:
                continue
            first = Y[samples, j]
            if first.min() == first.max():
                winner = np.full(len(X_new), first[0])
            else:
                winner = (base().fit(X[samples], first).predict_proba(X_new)[:, 1] >= 0.5).astype(
                    int
                )
            votes[:, j] += winner == 1
            votes[:, k] += winner == 0
    return votes, virtual


@pytest.mark.parametrize(
    "base",
    [lambda: DecisionTreeClassifier(max_depth=2, random_state=0), LogisticRegression],
    ids=["tree", "logistic"],
)
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_votes(base, n_jobs, make):
    X, Y = make(n_samples=60, n_labels=5, seed=3)
    # One label like another (a pair without samples), one that only comes with another (a pair with
    # one class), one without positives.
    Y[:, 1] = Y[:, 0]
    Y[:, 3] = Y[:, 2] * (X[:, 0] > 0)
    Y[:, 4] = 0
    X_new = np.random.default_rng(9).normal(size=(40, 5))
    learner = CalibratedLabelRanking(base(), n_jobs=n_jobs).fit(X, Y)
    votes, virtual = literal_votes(base, X, Y, X_new)
    np.testing.assert_allclose(learner.predict_proba(X_new), votes / 5)
    np.testing.assert_array_equal(learner.predict(X_new), votes >= virtual[:, None])
    assert learner.pairs_[0].tolist() == [0, 1]
    assert learner.pair_estimators_[0] is None
    assert None not in learner.pair_estimators_[1:]


def test_samples_and_classes_of_a_pair(data):
    X, Y = numbered(data[0]), data[1]
    learner = CalibratedLabelRanking(Recorder()).fit(X, Y)
    for (j, k), model in zip(learner.pairs_, learner.pair_estimators_, strict=True):
        samples = np.flatnonzero(Y[:, j] != Y[:, k])
        np.testing.assert_array_equal(model.samples, samples)
        np.testing.assert_array_equal(model.seen_y_, Y[samples, j])


def test_against_the_virtual_label_it_is_binary_relevance(data):
    X, y = data
    tree = DecisionTreeClassifier(random_state=0)
    learner, single = CalibratedLabelRanking(tree).fit(X, y), BinaryRelevance(tree).fit(X, y)
    for ours, theirs in zip(learner.estimators_, single.estimators_, strict=True):
        np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_sparse_features_small_and_large_blocks(data, monkeypatch):
    import rarelabels.learners._tree_shortcuts as trees

    X, y = sparse.csr_array(np.where(data[0] > 0, data[0], 0)), data[1]
    scores = []
    for limit in (0, 10**9):
        monkeypatch.setattr(trees, "DENSE_TO_FIT", limit)
        monkeypatch.setattr(trees, "DENSE_TO_PREDICT", limit)
        scores.append(CalibratedLabelRanking(random_state=0).fit(X, y).predict_proba(X))
    np.testing.assert_array_equal(*scores)


def test_one_label_is_binary_relevance(data):
    X, y = data[0], data[1][:, :1]
    learner = CalibratedLabelRanking(random_state=0).fit(X, y)
    np.testing.assert_array_equal(
        learner.predict(X), BinaryRelevance(random_state=0).fit(X, y).predict(X)
    )
