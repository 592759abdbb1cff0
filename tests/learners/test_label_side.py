"""What learners and writers make of many labels grows with the labels that hold, not with n × q."""

import tracemalloc

import numpy as np
import pytest
from scipy import sparse
from sklearn.dummy import DummyClassifier
from sklearn.tree import DecisionTreeClassifier

from rarelabels.datasets import MultiLabelDataset, save_mulan
from rarelabels.learners import CalibratedLabelRanking, RAkEL, _separate_trainer
from rarelabels.learners._label_powerset import numbered_labelsets


def peak_of(call):
    """Return what a call returns, and the most memory that it took, in bytes."""
    tracemalloc.start()
    try:
        return call(), tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def sparse_labels(n_samples, n_labels, n_different, rng):
    """Return labels of which there are few different rows."""
    rows = sparse.random_array((n_different, n_labels), density=0.002, rng=rng, format="csr")
    rows.data[:] = 1
    return sparse.csr_array(rows[rng.integers(n_different, size=n_samples)], dtype=np.int8)


def test_labelsets_are_numbered_without_a_dense_matrix():
    n_samples, n_labels = 30_000, 4_000
    Y = sparse_labels(n_samples, n_labels, 200, np.random.default_rng(0))
    (labelsets, numbers), peak = peak_of(lambda: numbered_labelsets(Y))
    # A bit for each of all entries would be more than this, and was held three times.
    assert peak < n_samples * n_labels / 8
    some = np.random.default_rng(1).integers(n_samples, size=300)
    np.testing.assert_array_equal(labelsets[numbers[some]], Y[some].toarray())
    _, unique = np.unique(Y[some].toarray(), axis=0, return_inverse=True)
    np.testing.assert_array_equal(np.unique(numbers[some], return_inverse=True)[1], unique.ravel())


@pytest.mark.parametrize("n_labels", [1, 9, 70])
def test_labelsets_are_numbered_in_the_order_of_their_rows(n_labels):
    Y = np.random.default_rng(0).integers(2, size=(50, n_labels))
    labelsets, numbers = numbered_labelsets(sparse.csr_array(Y))
    expected, places = np.unique(Y, axis=0, return_inverse=True)
    np.testing.assert_array_equal(labelsets, expected)
    np.testing.assert_array_equal(numbers, places.ravel())


def test_votes_of_rakel_take_little_more_than_the_scores():
    n_samples, n_labels = 20_000, 50
    rng = np.random.default_rng(0)
    learner = RAkEL(DummyClassifier(), random_state=0)
    learner.fit(rng.normal(size=(30, 2)), rng.integers(2, size=(30, n_labels)))
    scores, peak = peak_of(lambda: learner.predict_proba(np.zeros((n_samples, 2))))
    # The decisions of all 100 models alone would be twice the scores, and held twice.
    assert peak < 3 * scores.nbytes


def test_votes_of_rakel_do_not_depend_on_the_parts(monkeypatch):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(60, 3)), rng.integers(2, size=(60, 12))
    learner = RAkEL(DecisionTreeClassifier(max_depth=2), random_state=0).fit(X, Y)
    expected = learner.predict_proba(X)
    monkeypatch.setattr(_separate_trainer, "PREDICTIONS_AT_ONCE", 1)
    monkeypatch.setattr(_separate_trainer, "LEAST_AT_ONCE", 5)
    np.testing.assert_array_equal(learner.predict_proba(X), expected)


def test_wins_of_label_ranking_are_counted_in_place():
    n_samples, n_labels = 20_000, 20
    rng = np.random.default_rng(0)
    learner = CalibratedLabelRanking(DummyClassifier(), random_state=0)
    learner.fit(rng.normal(size=(30, 2)), rng.integers(2, size=(30, n_labels)))
    models, data = learner.pair_estimators_.models, np.zeros((n_samples, 2))
    wins, peak = peak_of(lambda: models.count_wins(data, *learner.pairs_.T, n_labels, None))
    assert (wins.sum(axis=1) == len(learner.pairs_)).all()
    # The wins in four bytes each, those of the only thread, and what a model predicts.
    assert peak < 3 * 4 * n_samples * n_labels


def test_arff_is_written_some_rows_at_a_time(tmp_path):
    n_samples, n_labels = 2_000, 2_000
    Y = sparse_labels(n_samples, n_labels, 50, np.random.default_rng(0))
    names = [f"l{j}" for j in range(n_labels)]
    data = MultiLabelDataset(np.zeros((n_samples, 1)), Y, ["a"], names)
    _, peak = peak_of(lambda: save_mulan(data, tmp_path / "data.arff", tmp_path / "data.xml"))
    assert peak < n_samples * n_labels
