from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarelabels.sampling import LPROS, LPRUS
from strategies import data_sets


def labelsets(Y):
    return [tuple(sample) for sample in Y.tolist()]


def assert_equal_shares(shares, room, amount):
    """Nobody beyond its room; whoever got less than another by two or more is full."""
    assert all(0 <= shares[s] <= room[s] for s in room)
    assert sum(shares.values()) == min(amount, sum(room.values()))
    for one in room:
        for other in room:
            if shares[one] < shares[other] - 1:
                assert shares[one] == room[one]


@settings(max_examples=200)
@given(data=data_sets(max_samples=25), amount=st.integers(0, 60))
def test_oversampling_fills_rare_labelsets_in_equal_shares(resample, data, amount):
    X, Y, _ = data
    n = X.shape[0]
    sampler = LPROS(sampling_ratio=amount, random_state=0)
    X_new, Y_new = resample(sampler, X, Y)
    samples = sampler.sample_indices_
    np.testing.assert_array_equal(samples[:n], np.arange(n))
    np.testing.assert_array_equal(X_new, X[samples])
    np.testing.assert_array_equal(Y_new, Y[samples])
    assert samples.size == n + amount
    sizes = Counter(labelsets(Y))
    mean = n / len(sizes)
    room = {s: max(0, int(np.ceil(mean)) - size) for s, size in sizes.items()}
    shared = min(amount, sum(room.values()))
    gained = Counter(labelsets(Y[samples[n : n + shared]]))
    assert_equal_shares({s: gained[s] for s in room}, room, amount)


@settings(max_examples=200)
@given(data=data_sets(max_samples=25), share=st.floats(0, 0.999))
def test_undersampling_cuts_frequent_labelsets_in_equal_shares(resample, data, share):
    X, Y, _ = data
    sampler = LPRUS(sampling_ratio=share, random_state=0)
    X_new, Y_new = resample(sampler, X, Y)
    kept = sampler.sample_indices_
    assert (np.diff(kept) > 0).all()
    np.testing.assert_array_equal(X_new, X[kept])
    np.testing.assert_array_equal(Y_new, Y[kept])
    sizes, left = Counter(labelsets(Y)), Counter(labelsets(Y_new))
    mean = len(Y) / len(sizes)
    room = {s: max(0, size - int(mean)) for s, size in sizes.items()}
    assert_equal_shares({s: sizes[s] - left[s] for s in room}, room, int(share * len(Y)))
    assert set(left) == set(sizes)


def toy():
    """Labelsets of 7, 4, 3, 1 and 1 samples: the mean is 16 / 5 = 3.2."""
    return np.repeat(
        [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0], [0, 1, 1]], [7, 4, 3, 1, 1], axis=0
    )


def counts_after(sampler):
    Y = toy()
    Y_new = sampler.fit_resample(np.zeros((16, 1)), Y)[1]
    counts = Counter(labelsets(Y_new))
    return [counts[s] for s in dict.fromkeys(labelsets(Y))]


def test_oversampling_by_hand():
    # Below 3.2 are those of 3, 1 and 1 samples, with room for 1, 3 and 3 up to 4. Of five, the
    # first is due 5 // 3 = 1, the next 4 // 2 = 2, the last 2.
    assert counts_after(LPROS(sampling_ratio=5, random_state=0)) == [7, 4, 4, 3, 3]
    # Of six, the one left over by division goes to one of the rarest.
    assert sorted(counts_after(LPROS(sampling_ratio=6, random_state=0))) == [3, 4, 4, 4, 7]
    # Seven fill all the room; the three of ten that are left go anywhere.
    assert counts_after(LPROS(sampling_ratio=7, random_state=0)) == [7, 4, 4, 4, 4]
    assert sum(counts_after(LPROS(sampling_ratio=10, random_state=0))) == 26


def test_undersampling_by_hand():
    # Above 3.2 are those of 7 and 4 samples, with 4 and 1 to give down to 3. Of two, each gives
    # one; of four, the smaller gives its one and the larger three; of six, five are all there is.
    assert counts_after(LPRUS(sampling_ratio=2, random_state=0)) == [6, 3, 3, 1, 1]
    assert counts_after(LPRUS(sampling_ratio=4, random_state=0)) == [4, 3, 3, 1, 1]
    assert counts_after(LPRUS(sampling_ratio=6, random_state=0)) == [3, 3, 3, 1, 1]


def test_clones_uniformly_where_every_labelset_is_unique():
    Y = np.array([[0, 1, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]])
    drawn = np.zeros(4)
    for seed in range(50):
        sampler = LPROS(sampling_ratio=8, random_state=seed)
        with pytest.warns(UserWarning, match="all 4 labelsets are equally frequent, so LPROS"):
            X_new, _ = sampler.fit_resample(np.zeros((4, 1)), Y)
        assert X_new.shape == (12, 1)
        drawn += np.bincount(sampler.sample_indices_[4:], minlength=4)
    # Mean 100, standard deviation 8.7.
    assert (abs(drawn - 100) < 35).all()


def test_removes_nothing_where_every_labelset_is_unique():
    Y = np.array([[0, 1, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1]])
    with pytest.warns(UserWarning, match="LPRUS removes nothing"):
        X_new, _ = LPRUS(sampling_ratio=2).fit_resample(np.zeros((4, 1)), Y)
    assert X_new.shape == (4, 1)


def test_chance_decides_between_labelsets_of_a_size():
    # Two labelsets of one sample and one of four: a single clone goes to either.
    Y = np.repeat([[1, 0, 0], [0, 1, 0], [0, 0, 1]], [4, 1, 1], axis=0)
    clones = set()
    for seed in range(20):
        sampler = LPROS(sampling_ratio=1, random_state=seed)
        sampler.fit_resample(np.zeros((6, 1)), Y)
        clones.add(int(sampler.sample_indices_[-1]))
    assert clones == {4, 5}
