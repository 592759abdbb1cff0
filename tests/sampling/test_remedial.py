import math

import numpy as np
from hypothesis import given, settings

from rarelabels.sampling import REMEDIAL
from strategies import data_sets


def split_literally(Y):
    """The rows that stay in place, then the clones, with the rows they are of."""
    counts = Y.sum(axis=0)
    ratios = [counts.max() / count if count else math.inf for count in counts]
    finite = [r for r in ratios if math.isfinite(r)]
    mean = sum(finite) / len(finite) if finite else math.nan
    level = []
    for row in Y:
        held = [ratios[j] for j in np.flatnonzero(row)]
        if len(held) < 2:
            level.append(0.0)
        else:
            level.append(1 - math.prod(held) ** (1 / len(held)) / (sum(held) / len(held)))
    mean_level = sum(level) / len(level)
    stay, clones, origins = Y.copy(), [], []
    for i, row in enumerate(Y):
        rare = np.array([row[j] and ratios[j] > mean for j in range(Y.shape[1])], dtype=int)
        rest = row - rare
        if level[i] > mean_level + 1e-12 and rare.any() and rest.any():
            stay[i] = rare
            clones.append(rest)
            origins.append(i)
    return np.vstack([stay, *clones]), origins


@settings(max_examples=300)
@given(data=data_sets(max_samples=20, max_labels=6))
def test_equals_the_literal_split(resample, data):
    X, Y, _ = data
    sampler = REMEDIAL()
    X_new, Y_new = resample(sampler, X, Y)
    expected, origins = split_literally(Y)
    np.testing.assert_array_equal(Y_new, expected)
    np.testing.assert_array_equal(sampler.sample_indices_, [*range(len(Y)), *origins])
    np.testing.assert_array_equal(X_new, X[sampler.sample_indices_])
    assert not sampler.is_synthetic_.any()


@settings(max_examples=100)
@given(data=data_sets(max_samples=20, max_labels=6))
def test_keeps_each_labels_count_and_leaves_no_row_bare(resample, data):
    X, Y, _ = data
    sampler = REMEDIAL()
    _, Y_new = resample(sampler, X, Y)
    np.testing.assert_array_equal(Y_new.sum(axis=0), Y.sum(axis=0))
    had_none = Y.sum(axis=1)[sampler.sample_indices_] == 0
    np.testing.assert_array_equal(Y_new.sum(axis=1) == 0, had_none)


def test_by_hand():
    # Counts 4, 2, 1: IRLbl 1, 2, 4, mean 7/3, so the last label is the minority. SCUMBLE of row 0,
    # with all three, is 1 − 8^(1/3) / (7/3) = 1 − 6/7 = 0.143; of row 1, with the first two, it is
    # 1 − √2 / 1.5 = 0.057; of the others 0. The mean of five rows is 0.04 and both are above it,
    # but row 1 has no minority label to part from, and stays.
    Y = np.array([[1, 1, 1], [1, 1, 0], [1, 0, 0], [1, 0, 0], [0, 0, 0]])
    sampler = REMEDIAL()
    _, Y_new = sampler.fit_resample(np.zeros((5, 1)), Y)
    assert Y_new.tolist() == [[0, 0, 1], [1, 1, 0], [1, 0, 0], [1, 0, 0], [0, 0, 0], [1, 1, 0]]
    assert sampler.sample_indices_.tolist() == [0, 1, 2, 3, 4, 0]


def test_equal_rows_are_none_above_their_mean(resample):
    # Every row has the frequent label and one of two rarer ones, so all have the same SCUMBLE and
    # only rounding could put one above the mean.
    for n in range(2, 40, 2):
        Y = np.ones((n, 3), dtype=int)
        Y[::2, 1] = Y[1::2, 2] = 0
        _, Y_new = resample(REMEDIAL(), np.zeros((n, 1)), Y)
        assert Y_new.tolist() == Y.tolist()
