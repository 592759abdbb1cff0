import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import literal
from rarelabels import find_neighbors
from rarelabels.base import LabelMatrix
from rarelabels.sampling import MLeNN
from rarelabels.sampling._labelsets import adjusted_hamming
from strategies import data_sets, n_neighbors_for


def distance(a, b):
    in_all = int(a.sum() + b.sum())
    return sum(x != y for x, y in zip(a, b, strict=True)) / in_all if in_all else 0.0


def kept_literally(Y, N, threshold):
    counts = Y.sum(axis=0)
    ratios = [counts.max() / count if count else np.inf for count in counts]
    mean = np.mean([r for r in ratios if np.isfinite(r)] or [np.nan])
    kept = []
    for i in range(Y.shape[0]):
        is_safe = any(Y[i, j] and ratios[j] > mean for j in range(Y.shape[1]))
        n_different = sum(distance(Y[i], Y[m]) > threshold for m in N[i])
        if is_safe or n_different < len(N[i]) / 2:
            kept.append(i)
    return kept


@settings(max_examples=200)
@given(data=st.data(), threshold=st.sampled_from([0.0, 0.3, 0.5, 0.75, 1.0]))
def test_equals_the_literal_rule(resample, data, threshold):
    X, Y, categorical = data.draw(data_sets())
    k = n_neighbors_for(X, data.draw)
    sampler = MLeNN(n_neighbors=k, threshold=threshold, categorical_features=categorical)
    X_new, Y_new = resample(sampler, X, Y)
    expected = kept_literally(Y, literal.neighbors(X, k, categorical), threshold)
    assert sampler.sample_indices_.tolist() == expected
    np.testing.assert_array_equal(X_new, X[expected])
    np.testing.assert_array_equal(Y_new, Y[expected])


def line(labelsets):
    """Samples on a line, 0, 1, 2 …, with the given labels of three."""
    Y = np.array([[int(j in held) for j in "abc"] for held in labelsets])
    return np.arange(float(len(Y)))[:, None], Y


def test_by_hand():
    # Counts a 6, b 4, c 1: IRLbl 1, 1.5, 6, mean 2.83: c alone is a minority label, and sample 6
    # stays for it. The distance of b and bc is 1/3, of others with nothing in common 1. Of each
    # sample the three nearest and how many of them differ:
    # 0 (a): 1 a, 2 b, 3 a: one.         5 (b): 4 a, 6 bc, 3 a: two, it goes.
    # 1 (a): 0 a, 2 b, 3 a: one.         7 (b): 6 bc, 8 a, 5 b: one.
    # 2 (b): 1 a, 3 a, 0 a: three, goes. 8 (a): 7 b, 9 a, 6 bc: two, it goes.
    # 3 (a): 2 b, 4 a, 1 a: one.         9 (a): 8 a, 7 b, 6 bc: two, it goes.
    # 4 (a): 3 a, 5 b, 2 b: two, it goes.
    X, Y = line(["a", "a", "b", "a", "a", "b", "bc", "b", "a", "a"])
    sampler = MLeNN()
    sampler.fit_resample(X, Y)
    assert sampler.sample_indices_.tolist() == [0, 1, 3, 6, 7]


def test_samples_with_a_minority_label_stay_whatever_their_neighbours_have():
    X, Y = line(["a", "a", "c", "a", "a", "a", "b", "b", "b", "b"])
    sampler = MLeNN()
    sampler.fit_resample(X, Y)
    assert 2 in sampler.sample_indices_


def test_half_of_three_neighbours_is_two():
    # Sample 3 has a beside it twice and b once: one of three is less than half.
    X, Y = line(["a", "a", "b", "a", "a", "a", "b", "b", "b", "b"])
    sampler = MLeNN()
    sampler.fit_resample(X, Y[:, :2])
    assert {0, 1, 3} <= set(sampler.sample_indices_)


def test_the_sample_itself_is_no_neighbour_but_its_duplicate_is():
    # Five samples at 0, the first with b: its three nearest, all there, have a.
    X = np.array([[0.0], [0.0], [0.0], [0.0], [0.0], [9.0], [9.0], [9.0], [9.0]])
    Y = np.array([[0, 1], *[[1, 0]] * 4, *[[0, 1]] * 4])
    sampler = MLeNN()
    sampler.fit_resample(X, Y)
    assert sampler.sample_indices_.tolist() == [1, 2, 3, 4, 5, 6, 7, 8]


def test_distance_of_labelsets():
    Y = np.array([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 0, 0], [1, 1, 1, 1], [0, 0, 0, 1]])
    left, right = np.array([0, 0, 0, 2, 2, 0]), np.array([0, 1, 2, 2, 3, 4])
    found = adjusted_hamming(LabelMatrix.of(Y), left, right)
    # {a, b} against itself, {b, c} (2 of 4) and nothing (2 of 2); nothing against nothing and
    # {a, b, c, d}; {a, b} against {d}.
    np.testing.assert_array_equal(found, [0, 0.5, 1, 0, 1, 1])


def test_counts_more_labels_than_a_byte_holds():
    Y = np.zeros((2, 700), dtype=np.int8)
    Y[0, :400] = Y[1, 100:600] = 1
    found = adjusted_hamming(LabelMatrix.of(Y), np.array([0]), np.array([1]))
    np.testing.assert_array_equal(found, [300 / 900])


def test_uses_neighbours_found_before(clouds):
    X, Y = clouds
    expected = MLeNN(n_neighbors=4, threshold=0.5).fit_resample(X, Y)[0]
    handed = MLeNN(n_neighbors=4, threshold=0.5, neighbors=find_neighbors(X, n_neighbors=7))
    np.testing.assert_array_equal(handed.fit_resample(X, Y)[0], expected)
    assert MLeNN._shares_neighbors


@pytest.mark.parametrize("wrong", [-0.1, 1.1, "auto", None, True])
def test_refuses_thresholds_that_are_no_distance(wrong, clouds):
    with pytest.raises(ValueError, match="threshold must be a number from 0 to 1, got"):
        MLeNN(threshold=wrong).fit_resample(*clouds)
