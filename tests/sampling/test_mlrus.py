import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import literal
from rarelabels.sampling import MLRUS
from rarelabels.sampling._mlrus import majority_removals
from strategies import data_sets


def ratio(top, count):
    return top / count if count else np.inf


def majority_labels(Y):
    counts = Y.sum(axis=0)
    ratios = [ratio(counts.max(), count) for count in counts]
    finite = [r for r in ratios if np.isfinite(r)]
    mean = np.mean(finite) if finite else np.nan
    return [j for j, r in enumerate(ratios) if r < mean], mean


def replay(Y, removed, n_asked):
    """Go through the turns literally: whose turn it is, and that the sample carries that label."""
    labels, mean = majority_labels(Y)
    counts, top, gone = Y.sum(axis=0), Y.sum(axis=0).max(), list(removed)
    while labels and n_asked:
        for label in list(labels):
            if not n_asked:
                break
            if not ratio(top, counts[label]) < mean:
                labels.remove(label)
                continue
            sample = gone.pop(0)
            assert Y[sample, label]
            counts = counts - Y[sample]
            n_asked -= 1
    assert not gone


@settings(max_examples=200)
@given(data=data_sets(max_samples=20, max_labels=6), share=st.floats(0, 0.999))
def test_takes_turns_as_written_and_removes_no_sample_twice(data, share):
    Y = data[1]
    n_asked = int(share * Y.shape[0])
    matrix = sparse.csr_array(Y.astype(np.int8))
    removed = majority_removals(matrix, n_removed=n_asked, rng=np.random.default_rng(0))
    assert len(set(removed.tolist())) == removed.size
    replay(Y, removed, n_asked)


@settings(max_examples=100)
@given(data=data_sets(max_samples=20, max_labels=6), share=st.floats(0, 0.999))
def test_keeps_the_others_in_their_order(resample, data, share):
    X, Y, _ = data
    sampler = MLRUS(sampling_ratio=share, random_state=0)
    X_new, Y_new = resample(sampler, X, Y)
    kept = sampler.sample_indices_
    assert (np.diff(kept) > 0).all()
    np.testing.assert_array_equal(X_new, X[kept])
    np.testing.assert_array_equal(Y_new, Y[kept])
    # Samples without labels are in nobody's way.
    assert set(np.flatnonzero(Y.sum(axis=1) == 0)) <= set(kept)


def test_by_hand():
    # Counts 6, 4, 1: IRLbl 1, 1.5, 6, mean 17/6. Both frequent labels are below and lose a sample
    # in turn until 6 / count reaches 17/6, that is until 2 are left: 4 samples and 2 samples go.
    Y = np.zeros((11, 3), dtype=int)
    Y[:6, 0] = Y[6:10, 1] = Y[10, 2] = 1
    _, Y_new = MLRUS(sampling_ratio=0.9, random_state=0).fit_resample(np.zeros((11, 1)), Y)
    assert Y_new.sum(axis=0).tolist() == [2, 2, 1]
    # Of five, the first label gives three and the second two.
    _, Y_new = MLRUS(sampling_ratio=5, random_state=0).fit_resample(np.zeros((11, 1)), Y)
    assert Y_new.sum(axis=0).tolist() == [3, 2, 1]


def test_removes_as_many_as_asked_though_draws_would_repeat():
    # 20 samples of the frequent label, of which 15 go: drawing with replacement would name some
    # twice.
    Y = np.zeros((21, 2), dtype=int)
    Y[:20, 0] = Y[20, 1] = 1
    for seed in range(20):
        sampler = MLRUS(sampling_ratio=15, random_state=seed)
        assert len(sampler.fit_resample(np.zeros((21, 1)), Y)[0]) == 6


def test_a_label_that_has_run_out_of_samples_leaves():
    # Counts 4, 4, 2 and ten times 1: IRLbl 1, 1, 2, 4, mean 44/13 = 3.4. The first two labels lose
    # a sample each before the third has its turn, and these may be both of its samples.
    Y = np.zeros((14, 13), dtype=int)
    Y[:4, :2] = 1
    Y[:2, 2] = 1
    Y[4:, 3:] = np.eye(10, dtype=int)
    ran_out = 0
    for seed in range(60):
        sampler = MLRUS(sampling_ratio=3, random_state=seed)
        _, Y_new = sampler.fit_resample(np.zeros((14, 1)), Y)
        assert Y_new.sum(axis=0)[3:].tolist() == [1] * 10
        ran_out += not Y_new[:, 2].any()
    assert ran_out


def test_every_sample_left_is_as_likely():
    # Ten samples, of which three go: each with chance 3/10. Counts 10 and 1, mean 5.5: 10/10, 10/9
    # and 10/8 are below it.
    Y = np.zeros((11, 2), dtype=int)
    Y[:10, 0] = Y[10, 1] = 1
    kept = np.zeros(11)
    for seed in range(1000):
        sampler = MLRUS(sampling_ratio=3, random_state=seed)
        sampler.fit_resample(np.zeros((11, 1)), Y)
        kept[sampler.sample_indices_] += 1
    assert kept[10] == 1000
    # Mean 700, standard deviation 14.5.
    assert (abs(kept[:10] - 700) < 60).all()


@settings(max_examples=200)
@given(data=data_sets(max_samples=20, max_labels=6), share=st.floats(0, 0.999))
def test_sparing_minority_labels_removes_as_many_as_may_go(resample, data, share):
    X, Y, _ = data
    sampler = MLRUS(sampling_ratio=share, spare_minority=True, random_state=0)
    resample(sampler, X, Y)
    removed = set(range(len(Y))) - set(sampler.sample_indices_.tolist())
    may_go = literal.without_minority_labels(Y)
    assert removed <= set(may_go)
    assert len(removed) == min(int(share * len(Y)), len(may_go))
    assert (np.diff(sampler.sample_indices_) > 0).all()


def test_sparing_minority_labels_by_hand():
    # Counts 6, 4, 1: IRLbl 1, 1.5, 6, mean 17/6: the last label is the minority, and one sample
    # carries it beside the first. Nine of the others may go, the one without labels among them.
    Y = np.zeros((11, 3), dtype=int)
    Y[:6, 0] = Y[6:10, 1] = Y[0, 2] = 1
    X = np.zeros((11, 1))
    sampler = MLRUS(sampling_ratio=10, spare_minority=True, random_state=0)
    sampler.fit_resample(X, Y)
    assert sampler.sample_indices_.tolist() == [0]
    _, Y_new = sampler.set_params(sampling_ratio=0.5).fit_resample(X, Y)
    assert len(Y_new) == 6
    assert Y_new[:, 2].sum() == 1


def test_sparing_minority_labels_draws_all_others_alike():
    # Of the ten samples that may go three do: each with chance 3/10, with labels or without.
    Y = np.zeros((11, 2), dtype=int)
    Y[:8, 0] = Y[10, 1] = 1
    kept = np.zeros(11)
    for seed in range(1000):
        sampler = MLRUS(sampling_ratio=3, spare_minority=True, random_state=seed)
        sampler.fit_resample(np.zeros((11, 1)), Y)
        kept[sampler.sample_indices_] += 1
    assert kept[10] == 1000
    # Mean 700, standard deviation 14.5.
    assert (abs(kept[:10] - 700) < 60).all()
