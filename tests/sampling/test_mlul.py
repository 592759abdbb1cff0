import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse, stats

import literal
from literal import LEVEL
from rarelabels.sampling import MLUL
from strategies import data_sets, n_neighbors_for

pytestmark = pytest.mark.filterwarnings("ignore::rarelabels.measures.ConstantLabelWarning")


@settings(max_examples=200)
@given(data=data_sets(), choose=st.data())
def test_importance_equals_literal_loops_and_samples_keep_their_order(data, choose):
    X, Y, categorical = data
    n, k = X.shape[0], n_neighbors_for(X, choose.draw)
    ratio = choose.draw(st.floats(0, 0.95))
    sampler = MLUL(
        sampling_ratio=ratio, n_neighbors=k, categorical_features=categorical, random_state=0
    )
    X_new, Y_new = sampler.fit_resample(X, sparse.csr_matrix(Y))
    N = literal.neighbors(X, k, categorical)
    np.testing.assert_allclose(sampler.weights_, literal.weights(Y, N), atol=1e-13)
    np.testing.assert_allclose(sampler.influence_, literal.influence(Y, N), atol=1e-13)
    np.testing.assert_allclose(sampler.importance_, literal.importance(Y, N), atol=1e-12)
    kept = sampler.sample_indices_
    assert kept.size == n - int(ratio * n)
    assert (np.diff(kept) > 0).all()
    np.testing.assert_array_equal(X_new, X[kept])
    np.testing.assert_array_equal(Y_new.toarray(), Y[kept])
    assert not sampler.is_synthetic_.any()


def test_what_is_kept_follows_the_importance():
    rng = np.random.default_rng(4)
    X, Y = rng.normal(size=(7, 2)), (rng.random((7, 5)) < 0.5).astype(int)
    v = literal.importance(Y, literal.neighbors(X, 2))
    assert np.unique(np.round(v, 6)).size >= 6
    n_trials, counts = 1500, {}
    for seed in range(n_trials):
        sampler = MLUL(sampling_ratio=4, n_neighbors=2, random_state=seed)
        sampler.fit_resample(X, Y)
        kept = tuple(sampler.sample_indices_.tolist())
        counts[kept] = counts.get(kept, 0) + 1
    likely = [
        samples for samples in counts if literal.probability_of_set(v, samples) * n_trials >= 5
    ]
    expected = [literal.probability_of_set(v, samples) * n_trials for samples in likely]
    seen = [counts[samples] for samples in likely]
    rest = n_trials - sum(seen), n_trials - sum(expected)
    if rest[1] > 1e-6:
        seen, expected = [*seen, rest[0]], [*expected, rest[1]]
    assert len(seen) > 5
    assert stats.chisquare(seen, expected).pvalue > LEVEL


def test_by_hand():
    # Samples on a line, k = 2, worked out in tests/test_local.py: v = 5/4, 1, 0, 1/4, 1/4.
    X = np.array([[0.0], [1.0], [2.0], [3.5], [5.0]])
    Y = np.array([[1, 1], [1, 0], [0, 1], [0, 0], [0, 1]])
    sampler = MLUL(sampling_ratio=1, n_neighbors=2, random_state=0)
    sampler.fit_resample(X, Y)
    np.testing.assert_allclose(sampler.importance_, [1.25, 1.0, 0.0, 0.25, 0.25])
    # The one sample of no importance goes, whatever the seed.
    for seed in range(20):
        sampler.set_params(random_state=seed).fit_resample(X, Y)
        assert sampler.sample_indices_.tolist() == [0, 1, 3, 4]


def test_an_outlier_is_no_enemy_of_its_own_class():
    # The paper's code lets a minority outlier count against reverse neighbours of its own class. k
    # = 1: sample 0 sees sample 1 (minority, friend); sample 1 sees sample 2 (majority): an outlier.
    # Only sample 0 is informative (C = 0), so give it weight with k = 2 instead: samples 0 and 1 of
    # the minority.
    X = np.array([[0.0], [0.3], [0.5], [0.6], [3.0], [4.0]])
    Y = np.array([[1], [0], [1], [0], [0], [0]])
    sampler = MLUL(sampling_ratio=0.0, n_neighbors=2, random_state=0)
    sampler.fit_resample(X, Y)
    N = literal.neighbors(X, 2)
    assert N[2].tolist() == [3, 1]  # sample 2 sees two of the majority: an outlier
    assert N[0].tolist() == [1, 2]  # sample 0 sees sample 2 of its own class: informative
    # Sample 2's reverse neighbours are samples 0, 1 and 3; only sample 0 is informative, with S =
    # 1: + 1/3.
    assert sampler.influence_[2] == pytest.approx(1 / 3)


def test_all_labels_zero_keeps_samples_by_chance():
    X, Y = np.arange(20.0)[:, None], np.zeros((20, 2), dtype=int)
    kept = set()
    for seed in range(30):
        sampler = MLUL(sampling_ratio=0.5, random_state=seed)
        sampler.fit_resample(X, Y)
        assert sampler.sample_indices_.size == 10
        kept |= set(sampler.sample_indices_.tolist())
    assert kept == set(range(20))


@pytest.mark.parametrize("ratio", [-0.1, 1.0, 1.5, 8, np.nan, "0.1", None, True])
def test_a_ratio_outside_its_range(ratio):
    with pytest.raises(ValueError, match=r"sampling_ratio must be a float in \[0, 1\)"):
        MLUL(sampling_ratio=ratio).fit_resample(np.eye(8), np.eye(8))
