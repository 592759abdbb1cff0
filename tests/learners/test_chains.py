"""Chains: what each link learns from and sees, and in how many chains a label is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from learners.recorder import Recorder, numbered
from rarelabels._labels import LabelMatrix
from rarelabels.learners import ECCRU3, EnsembleOfClassifierChains, best_f_thresholds
from rarelabels.learners._chain_features import with_last_feature
from rarelabels.learners._eccru3 import chains_per_label


@pytest.fixture
def numbers(data):
    return numbered(data[0]), data[1]


def test_links_of_an_ensemble_see_the_true_labels(numbers):
    X, Y = numbers
    learner = EnsembleOfClassifierChains(Recorder(), n_chains=4, random_state=0).fit(X, Y)
    bootstraps = set()
    for chain in learner.chains_:
        assert sorted(chain.labels) == [0, 1, 2, 3]
        for place, (label, model) in enumerate(zip(chain.labels, chain.models, strict=True)):
            samples = model.samples
            assert samples.size == len(X)
            np.testing.assert_array_equal(model.seen_X_[:, :6], X[samples])
            np.testing.assert_array_equal(model.seen_X_[:, 6:], Y[samples][:, chain.labels[:place]])
            np.testing.assert_array_equal(model.seen_y_, Y[samples, label])
            bootstraps.add(tuple(samples))
    # One bootstrap for each chain.
    assert len(bootstraps) == 4


def literal_chain_scores(chain, X):
    found = np.empty((len(X), len(chain.labels)))
    for i, sample in enumerate(X):
        seen = list(sample)
        for place, model in enumerate(chain.models):
            classes = list(model.classes_)
            score = model.predict_proba([seen])[0][classes.index(1)] if 1 in classes else 0.0
            found[i, place] = score
            seen.append(float(score >= 0.5))
    return found


@pytest.mark.parametrize(
    "learner",
    [
        EnsembleOfClassifierChains(Recorder(), n_chains=3, random_state=0),
        ECCRU3(Recorder(), n_chains=3, random_state=0),
    ],
    ids=["ECC", "ECCRU3"],
)
def test_scores_are_the_mean_over_the_chains_with_the_label(learner, numbers):
    X, Y = numbers
    learner.fit(X, Y)
    per_label = [[] for _ in range(4)]
    for chain in learner.chains_:
        found = literal_chain_scores(chain, X)
        for place, label in enumerate(chain.labels):
            per_label[label].append(found[:, place])
    expected = np.column_stack([np.mean(found, axis=0) for found in per_label])
    np.testing.assert_allclose(learner.predict_proba(X), expected)


def test_links_of_eccru3_are_balanced_and_see_predictions(numbers):
    X, Y = numbers
    learner = ECCRU3(Recorder(), n_chains=2, random_state=0).fit(X, Y)
    for chain in learner.chains_:
        for place, (label, model) in enumerate(zip(chain.labels, chain.models, strict=True)):
            counts = np.bincount(model.seen_y_)
            assert counts[0] == counts[1]
            np.testing.assert_array_equal(model.seen_y_, Y[model.samples, label])
            np.testing.assert_array_equal(model.seen_X_[:, :6], X[model.samples])
            said = literal_chain_scores(chain, model.seen_X_[:, :6])[:, :place] >= 0.5
            np.testing.assert_array_equal(model.seen_X_[:, 6:], said)


def test_thresholds_of_eccru3(numbers):
    X, Y = numbers
    learner = ECCRU3(n_chains=2, random_state=0).fit(X, Y)
    scores = learner.predict_proba(X)
    np.testing.assert_allclose(learner.thresholds_, best_f_thresholds(Y, scores))
    np.testing.assert_array_equal(learner.predict(X), scores >= learner.thresholds_)


def test_a_label_takes_part_in_its_number_of_chains(make):
    X, Y = make(n_samples=150, n_labels=5, seed=2)
    learner = ECCRU3(n_chains=3, random_state=0).fit(X, Y)
    counts = np.bincount(np.concatenate([chain.labels for chain in learner.chains_]), minlength=5)
    np.testing.assert_array_equal(counts, learner.chains_per_label_)


@given(st.lists(st.integers(0, 20), min_size=1, max_size=6), st.integers(1, 12))
def test_number_of_chains_by_the_formula(positives, n_chains):
    Y = np.column_stack([np.arange(20) < count for count in positives]).astype(int)
    found = chains_per_label(LabelMatrix.of(Y), n_chains, 0.5, 10)
    minority = [min(count, 20 - count) for count in positives]
    two_classes = [m for m in minority if m]
    for m, number in zip(minority, found, strict=True):
        if m == 0:
            assert number == n_chains
            continue
        wanted = int(n_chains * (sum(two_classes) / len(two_classes)) / m + 1e-12)
        assert number == max(1, int(min(max(wanted, 0.5 * n_chains), 10 * n_chains)))


def test_chains_by_hand():
    # Minorities 40, 10 and 1, mean 17: floor(10 * 17 / m) = 4, 17, 170, within 5 and 100.
    Y = np.column_stack([np.arange(100) < count for count in (60, 10, 1)]).astype(int)
    found = chains_per_label(LabelMatrix.of(Y), 10, 0.5, 10)
    np.testing.assert_array_equal(found, [5, 17, 100])


def test_what_is_refused(data):
    for learner in (EnsembleOfClassifierChains(n_chains=0), ECCRU3(n_chains=1.5)):
        with pytest.raises(ValueError, match="n_chains"):
            learner.fit(*data)
    with pytest.raises(ValueError, match="max_ratio must be a number of at least 2"):
        ECCRU3(min_ratio=2, max_ratio=1).fit(*data)
    with pytest.raises(ValueError, match="min_ratio must be a number"):
        ECCRU3(min_ratio=True).fit(*data)


@given(
    seed=st.integers(0, 2**32 - 1),
    shape=st.tuples(st.integers(1, 9), st.integers(0, 4)),
    kind=st.sampled_from([sparse.csr_array, sparse.csr_matrix, sparse.csc_array]),
)
def test_a_label_becomes_the_last_feature(seed, shape, kind):
    rng = np.random.default_rng(seed)
    X = rng.integers(3, size=shape).astype(np.float32)
    label = rng.random(shape[0]) < 0.5
    made = with_last_feature(kind(X), label)
    assert made.format == kind(X).format
    assert made.dtype == np.float32
    assert made.has_sorted_indices
    assert made.nnz == np.count_nonzero(X) + label.sum()
    np.testing.assert_array_equal(made.toarray(), np.column_stack([X, label]))
