"""COCOA's training sets, partners and scores."""

import numpy as np
import pytest
from scipy import sparse

from learners.recorder import Recorder, numbered
from rarelabels.learners import COCOA, best_f_thresholds
from rarelabels.learners._undersampling import balanced_rows


@pytest.fixture
def fitted(data):
    X, Y = numbered(data[0]), data[1].copy()
    Y[:, 3] = Y[:, 2] * (X[:, 1] > 0)
    return COCOA(Recorder(), n_couples=2, random_state=0).fit(X, Y), X, Y


def test_the_binary_models_are_balanced(fitted):
    learner, _, Y = fitted
    for j, couplings in enumerate(learner.couplings_):
        model, smallest = couplings.binary, min(Y[:, j].sum(), (1 - Y[:, j]).sum())
        np.testing.assert_array_equal(np.bincount(model.seen_y_), [smallest, smallest])
        np.testing.assert_array_equal(model.seen_y_, Y[model.rows, j])
        assert len(set(model.rows)) == model.rows.size


def test_the_three_classes_of_a_couple(fitted):
    learner, _, Y = fitted
    for j, couplings in enumerate(learner.couplings_):
        assert j not in couplings.partners
        for c, model in zip(couplings.partners, couplings.couples, strict=True):
            classes = [2 if row[j] else 1 if row[c] else 0 for row in Y]
            smallest = np.bincount(classes, minlength=3).min()
            np.testing.assert_array_equal(np.bincount(model.seen_y_), [smallest] * 3)
            np.testing.assert_array_equal(model.seen_y_, np.array(classes)[model.rows])
            assert len(set(model.rows)) == model.rows.size


def test_scores_and_thresholds(fitted):
    learner, X, Y = fitted
    expected = np.empty(Y.shape)
    for j, couplings in enumerate(learner.couplings_):
        found = [couplings.binary.predict_proba(X)[:, 1]]
        found += [model.predict_proba(X)[:, 2] for model in couplings.couples]
        expected[:, j] = np.mean(found, axis=0)
    np.testing.assert_allclose(learner.predict_proba(X), expected)
    np.testing.assert_allclose(learner.thresholds_, best_f_thresholds(Y, expected))
    np.testing.assert_array_equal(learner.predict(X), expected >= learner.thresholds_)


def test_a_couple_without_one_of_its_classes_is_left_out(data):
    X, Y = numbered(data[0]), data[1].copy()
    # Where label 1 is, label 0 is: there is no row with label 1 alone.
    Y[:, 1] = Y[:, 0] * (X[:, 1] > 0)
    learner = COCOA(Recorder(), n_couples=10, random_state=0).fit(X, Y)
    assert sorted(learner.couplings_[0].partners) == [2, 3]
    assert sorted(learner.couplings_[1].partners) == [0, 2, 3]


def test_partners_differ_from_label_to_label(make):
    X, Y = make(n_samples=200, n_labels=12, seed=0)
    learner = COCOA(n_couples=4, random_state=0).fit(X, Y)
    partners = [tuple(couplings.partners) for couplings in learner.couplings_]
    assert all(len(set(chosen)) == len(chosen) == 4 for chosen in partners)
    assert len(set(partners)) == 12


def test_balanced_rows_are_drawn_from_all():
    classes = np.repeat([0, 1, 2], [50, 3, 7])
    drawn = [balanced_rows(classes, np.random.default_rng(seed)) for seed in range(200)]
    assert all(np.bincount(classes[rows]).tolist() == [3, 3, 3] for rows in drawn)
    assert set(np.concatenate(drawn)) == set(range(60))


def test_sparse_features(data):
    X, y = data
    dense = COCOA(random_state=0).fit(X, y).predict_proba(X)
    thin = sparse.csr_array(X)
    np.testing.assert_allclose(COCOA(random_state=0).fit(thin, y).predict_proba(thin), dense)


def test_what_is_refused(data):
    with pytest.raises(ValueError, match="n_couples"):
        COCOA(n_couples=-1).fit(*data)
