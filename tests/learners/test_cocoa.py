"""COCOA's training sets, partners and scores."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from learners.recorder import Recorder, numbered
from rarelabels.learners import COCOA, best_f_thresholds
from rarelabels.learners._cocoa import random_partners
from rarelabels.learners._undersampling import balanced_tasks, draw_places


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
        np.testing.assert_array_equal(model.seen_y_, Y[model.samples, j])
        assert len(set(model.samples)) == model.samples.size


def test_the_three_classes_of_a_couple(fitted):
    learner, _, Y = fitted
    for j, couplings in enumerate(learner.couplings_):
        assert j not in couplings.partners
        for c, model in zip(couplings.partners, couplings.couples, strict=True):
            classes = [1 if sample[j] else 2 if sample[c] else 0 for sample in Y]
            smallest = np.bincount(classes, minlength=3).min()
            np.testing.assert_array_equal(np.bincount(model.seen_y_), [smallest] * 3)
            np.testing.assert_array_equal(model.seen_y_, np.array(classes)[model.samples])
            assert len(set(model.samples)) == model.samples.size


def test_scores_and_thresholds(fitted):
    learner, X, Y = fitted
    expected = np.empty(Y.shape)
    for j, couplings in enumerate(learner.couplings_):
        found = [couplings.binary.predict_proba(X)[:, 1]]
        found += [model.predict_proba(X)[:, 1] for model in couplings.couples]
        expected[:, j] = np.mean(found, axis=0)
    np.testing.assert_allclose(learner.predict_proba(X), expected)
    np.testing.assert_allclose(learner.thresholds_, best_f_thresholds(Y, expected))
    np.testing.assert_array_equal(learner.predict(X), expected >= learner.thresholds_)


def test_a_couple_without_one_of_its_classes_is_left_out(data):
    X, Y = numbered(data[0]), data[1].copy()
    # Where label 1 is, label 0 is: there is no sample with label 1 alone.
    Y[:, 1] = Y[:, 0] * (X[:, 1] > 0)
    learner = COCOA(Recorder(), n_couples=10, random_state=0).fit(X, Y)
    assert sorted(learner.couplings_[0].partners) == [2, 3]
    assert sorted(learner.couplings_[1].partners) == [0, 2, 3]


def test_partners_differ_from_label_to_label(make):
    X, Y = make(n_samples=600, n_labels=12, seed=0)
    learner = COCOA(n_couples=4, random_state=0).fit(X, Y)
    partners = [tuple(couplings.partners) for couplings in learner.couplings_]
    # A couple without one of its classes is left out.
    assert all(3 <= len(set(chosen)) == len(chosen) <= 4 for chosen in partners)
    assert len(set(partners)) >= 10


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(1, 12))
def test_balanced_tasks_by_their_definition(seed, n_targets, n_samples):
    rng = np.random.default_rng(seed)
    targets = rng.integers(3, size=(n_targets, n_samples))
    tasks = balanced_tasks(targets, 3, rng)
    assert len(tasks) == n_targets
    for t, target in enumerate(targets):
        samples, classes = tasks.of(t)
        present, counts = np.unique(target, return_counts=True)
        np.testing.assert_array_equal(classes, target[samples])
        assert (np.diff(samples) > 0).all()
        found, number = np.unique(classes, return_counts=True)
        np.testing.assert_array_equal(found, present)
        assert set(number) == ({counts.min()} if present.size > 1 else {1})


def test_places_are_drawn_evenly():
    sizes, wanted = np.array([4, 1, 5, 0]), np.array([2, 1, 4, 0])
    rng, counts = np.random.default_rng(0), {}
    for _ in range(3000):
        found = draw_places(sizes, wanted, rng)
        for places in (tuple(found[found < 4]), tuple(found[found > 4])):
            counts[places] = counts.get(places, 0) + 1
        assert (found == 4).sum() == 1
    pairs, fours = ([n for key, n in counts.items() if len(key) == size] for size in (2, 4))
    # 6 pairs of 500 and 5 fours of 600 each: three standard deviations are 61 and 66.
    assert len(pairs) == 6
    assert len(fours) == 5
    assert all(abs(n - 500) < 75 for n in pairs)
    assert all(abs(n - 600) < 80 for n in fours)


def test_partners_are_drawn_evenly():
    counts = np.zeros((5, 5), dtype=int)
    for seed in range(1000):
        owner, partner = random_partners(5, 2, np.random.default_rng(seed))
        np.add.at(counts, (owner, partner), 1)
    assert (counts.diagonal() == 0).all()
    assert (np.abs(counts[~np.eye(5, dtype=bool)] - 500) < 75).all()


def test_blocks_of_labels_hold_whole_labels(data, monkeypatch):
    import rarelabels.learners._cocoa as module

    X, y = numbered(data[0]), data[1]
    monkeypatch.setattr(module, "ENTRIES_AT_ONCE", 4 * len(X))
    learner = COCOA(Recorder(), n_couples=2, random_state=0).fit(X, y)
    for j, couplings in enumerate(learner.couplings_):
        for model in (couplings.binary, *couplings.couples):
            np.testing.assert_array_equal(model.seen_y_ == 1, y[model.samples, j] == 1)


def test_sparse_features(data):
    X, y = data
    dense = COCOA(random_state=0).fit(X, y).predict_proba(X)
    thin = sparse.csr_array(X)
    np.testing.assert_allclose(COCOA(random_state=0).fit(thin, y).predict_proba(thin), dense)


def test_what_is_refused(data):
    with pytest.raises(ValueError, match="n_couples"):
        COCOA(n_couples=-1).fit(*data)
