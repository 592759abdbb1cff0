"""RAkEL against its votes counted one by one; label powerset."""

from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.tree import DecisionTreeClassifier

from learners.recorder import Recorder, numbered
from rarelabels.learners import LabelPowerset, RAkEL
from rarelabels.learners._rakel import check_labelsets, random_labelsets


def shallow():
    return DecisionTreeClassifier(max_depth=3, random_state=0)


def test_votes(make):
    X, Y = make(n_samples=80, n_labels=5, seed=1)
    X_new = np.random.default_rng(2).normal(size=(30, 5))
    learner = RAkEL(shallow(), n_labelsets=6, random_state=0).fit(X, Y)
    votes, asked = np.zeros((30, 5)), np.zeros(5)
    for held in learner.labelsets_:
        names = ["".join(map(str, sample)) for sample in Y[:, held]]
        said = shallow().fit(X, names).predict(X_new)
        for t, labelset in enumerate(said):
            votes[t, held] += [int(digit) for digit in labelset]
        asked[held] += 1
    expected = votes / asked
    np.testing.assert_allclose(learner.predict_proba(X_new), expected)
    np.testing.assert_array_equal(learner.predict(X_new), expected >= 0.5)
    assert (expected == 0.5).any()


def test_a_label_in_no_labelset_has_no_votes(data):
    learner = RAkEL(labelset_size=2, n_labelsets=1, random_state=0).fit(*data)
    left_out = np.setdiff1d(np.arange(4), learner.labelsets_)
    assert (learner.predict_proba(data[0])[:, left_out] == 0).all()


@given(st.integers(1, 9), st.integers(1, 4), st.integers(0, 1000))
def test_labelsets_are_different_and_as_many_as_asked(n_labels, size, seed):
    size, number = check_labelsets(size, None, n_labels)
    found = random_labelsets(n_labels, size, number, np.random.default_rng(seed))
    assert found.shape == (min(2 * n_labels, comb(n_labels, size)), size)
    assert len({tuple(row) for row in found}) == number
    assert (np.diff(found, axis=1) > 0).all()
    assert found.min() >= 0
    assert found.max() < n_labels


def test_labelsets_are_drawn_evenly():
    counts = dict.fromkeys([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)], 0)
    for seed in range(600):
        for sample in random_labelsets(4, 2, 3, np.random.default_rng(seed)):
            counts[tuple(sample)] += 1
    assert max(counts.values()) < 1.25 * min(counts.values())


def test_what_is_refused(data):
    with pytest.raises(ValueError, match="from 1 to 4"):
        RAkEL(n_labelsets=5).fit(*data)
    with pytest.raises(ValueError, match="n_labelsets must be an int"):
        RAkEL(n_labelsets=True).fit(*data)
    with pytest.raises(ValueError, match="labelset_size"):
        RAkEL(labelset_size=0).fit(*data)


def test_powerset_probabilities_and_decisions(data):
    X, Y = numbered(data[0]), data[1]
    learner = LabelPowerset(Recorder()).fit(X, Y)
    model = learner.estimator_
    np.testing.assert_array_equal(learner.labelsets_[model.seen_y_], Y)
    assert len(np.unique(learner.labelsets_, axis=0)) == len(learner.labelsets_)
    expected = np.zeros(Y.shape)
    for column, labelset in enumerate(learner.labelsets_):
        expected += model.predict_proba(X)[:, [column]] * labelset
    np.testing.assert_allclose(learner.predict_proba(X), expected)
    np.testing.assert_array_equal(learner.predict(X), learner.labelsets_[model.predict(X)])
