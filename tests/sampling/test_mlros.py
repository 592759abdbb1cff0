import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarelabels.sampling import MLROS
from strategies import data_sets


def ratio(top, count):
    return top / count if count else np.inf


def minority_labels(Y):
    counts = Y.sum(axis=0)
    ratios = [ratio(counts.max(), count) for count in counts]
    finite = [r for r in ratios if np.isfinite(r)]
    mean = np.mean(finite) if finite else np.nan
    return [j for j, r in enumerate(ratios) if np.isfinite(r) and r > mean], mean


def replay(Y, clones, n_asked):
    """Go through the turns literally: whose turn it is, and that the clone carries that label."""
    labels, mean = minority_labels(Y)
    counts, top, made = Y.sum(axis=0), Y.sum(axis=0).max(), list(clones)
    while labels and n_asked:
        for label in list(labels):
            if not n_asked:
                break
            if ratio(top, counts[label]) <= mean:
                labels.remove(label)
                continue
            sample = made.pop(0)
            assert Y[sample, label]
            counts = counts + Y[sample]
            n_asked -= 1
    assert not made


@settings(max_examples=200)
@given(data=data_sets(max_samples=20, max_labels=6), amount=st.integers(0, 40))
def test_takes_turns_as_written(resample, data, amount):
    X, Y, _ = data
    sampler = MLROS(sampling_ratio=amount, random_state=0)
    X_new, Y_new = resample(sampler, X, Y)
    n = X.shape[0]
    np.testing.assert_array_equal(sampler.sample_indices_[:n], np.arange(n))
    np.testing.assert_array_equal(X_new, X[sampler.sample_indices_])
    np.testing.assert_array_equal(Y_new, Y[sampler.sample_indices_])
    assert not sampler.is_synthetic_.any()
    replay(Y, sampler.sample_indices_[n:], amount)


def test_by_hand():
    # Counts 6, 2, 1: IRLbl 1, 3, 6, their mean 10/3. Only the last is above, by one sample.
    # Its clone makes 2 of it: 6/2 = 3 is below 10/3, so it leaves and nothing is left to do.
    Y = np.zeros((10, 3), dtype=int)
    Y[:6, 0] = Y[6:8, 1] = Y[8, 2] = 1
    sampler = MLROS(sampling_ratio=0.9, random_state=0)
    sampler.fit_resample(np.zeros((10, 1)), Y)
    assert sampler.sample_indices_[10:].tolist() == [8]


def test_a_clone_counts_for_all_its_labels():
    # Counts 9, 1, 1: IRLbl 1, 9, 9, mean 19/3. Both rare labels sit on sample 9, so the clone for
    # the first lifts the second as well: 9/2 = 4.5 is below 19/3, and its turn is over before it
    # began.
    Y = np.zeros((11, 3), dtype=int)
    Y[:9, 0] = Y[9, 1] = Y[9, 2] = 1
    sampler = MLROS(sampling_ratio=5, random_state=0)
    sampler.fit_resample(np.zeros((11, 1)), Y)
    assert sampler.sample_indices_[11:].tolist() == [9]


def test_labels_take_turns_fairly():
    # Counts 40, 2, 2: IRLbl 1, 20, 20, mean 41/3: two clones each, to 40/4 = 10, in turns; but
    # after the first, 40/3 = 13.33 is below 13.67 already.
    Y = np.zeros((44, 3), dtype=int)
    Y[:40, 0] = Y[40:42, 1] = Y[42:, 2] = 1
    sampler = MLROS(sampling_ratio=1.0, random_state=0)
    _, Y_new = sampler.fit_resample(np.zeros((44, 1)), Y)
    assert Y_new.sum(axis=0).tolist() == [40, 3, 3]


def test_nothing_to_do_where_labels_are_equally_frequent():
    Y = np.array([[1, 0], [0, 1], [1, 0], [0, 1]])
    X_new, _ = MLROS(sampling_ratio=3).fit_resample(np.zeros((4, 1)), Y)
    assert X_new.shape == (4, 1)


@pytest.mark.parametrize("position", [0, 1])
def test_every_carrier_is_as_likely(position):
    # 60 samples of the frequent label, 4 of the rare one: IRLbl 1 and 15, mean 8, so 4 clones reach
    # 60/8 = 7.5. Each of the 4 carriers is drawn alike at first and later.
    Y = np.zeros((64, 2), dtype=int)
    Y[:60, 0] = Y[60:, 1] = 1
    drawn = np.zeros(64)
    for seed in range(800):
        sampler = MLROS(sampling_ratio=2, random_state=seed)
        sampler.fit_resample(np.zeros((64, 1)), Y)
        drawn[sampler.sample_indices_[64 + position]] += 1
    assert drawn[:60].sum() == 0
    # Mean 200, standard deviation 12.2.
    assert (abs(drawn[60:] - 200) < 50).all()
