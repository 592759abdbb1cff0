import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import literal
from rarelabels import find_neighbors
from rarelabels.sampling import MLTL
from rarelabels.sampling._mltl import threshold_by_imbalance
from strategies import data_sets


@settings(max_examples=200)
@given(
    data=data_sets(),
    threshold=st.sampled_from([0.0, 0.15, 0.3, 0.5, 1.0]),
    remove=st.sampled_from(["majority", "both"]),
    mutual=st.booleans(),
)
def test_equals_the_literal_rule(resample, data, threshold, remove, mutual):
    X, Y, categorical = data
    sampler = MLTL(
        threshold=threshold, remove=remove, mutual=mutual, categorical_features=categorical
    )
    X_new, Y_new = resample(sampler, X, Y)
    nearest = literal.neighbors(X, 1, categorical)[:, 0]
    expected = literal.mltl(Y, nearest, threshold, remove, mutual)
    assert sampler.sample_indices_.tolist() == expected
    np.testing.assert_array_equal(X_new, X[expected])
    np.testing.assert_array_equal(Y_new, Y[expected])


@settings(max_examples=100)
@given(data=data_sets(), remove=st.sampled_from(["majority", "both"]))
def test_every_mutual_link_is_one_without_that_condition(resample, data, remove):
    X, Y, _ = data
    kept = []
    for mutual in (True, False):
        sampler = MLTL(remove=remove, mutual=mutual)
        resample(sampler, X, Y)
        kept.append(set(sampler.sample_indices_.tolist()))
    assert kept[1] <= kept[0]


def toy():
    """Three near pairs on a line and a sample apart, with the labels a, b of

    a and a; a and b; ab and b; b. Counts a 4, b 4 … and one sample of c far off.
    """
    X = np.array([[0.0], [1.0], [10.0], [11.0], [20.0], [21.0], [25.0], [60.0]])
    held = ["a", "a", "a", "b", "ab", "b", "a", "c"]
    return X, np.array([[int(label in sample) for label in "abc"] for sample in held])


def test_by_hand():
    # Counts a 5, b 3, c 1: IRLbl 1, 5/3, 5, mean 23/9: a and b are majority labels, 1/√(23/9) =
    # 0.63 gives the threshold 0.5. Nearest pairs: 0–1 with equal labels; 2–3 with none in common, a
    # link; 4–5, ab and b, at 1 of 3, no link; sample 6 is next to 5 and sample 7 to 6, but not the
    # other way round.
    X, Y = toy()
    sampler = MLTL()
    sampler.fit_resample(X, Y)
    assert sampler.threshold_ == 0.5
    assert sampler.sample_indices_.tolist() == [0, 1, 4, 5, 6, 7]
    # With a lower threshold ab and b are a link too.
    sampler.set_params(threshold=0.3).fit_resample(X, Y)
    assert sampler.sample_indices_.tolist() == [0, 1, 6, 7]


def test_the_released_code_by_hand():
    # As above, without the condition that the nearest be mutual: sample 6 (a) differs from its
    # nearest, 5 (b), wholly; sample 7 (c) from 6 too, but carries no majority label. ab and b
    # share one of two labels: 1/2, not above the threshold, and above 0.4 where it was 1/3.
    X, Y = toy()
    sampler = MLTL(mutual=False)
    sampler.fit_resample(X, Y)
    assert sampler.sample_indices_.tolist() == [0, 1, 4, 5, 7]
    sampler.set_params(threshold=0.4).fit_resample(X, Y)
    assert sampler.sample_indices_.tolist() == [0, 1, 7]
    sampler.set_params(mutual=True).fit_resample(X, Y)
    assert sampler.sample_indices_.tolist() == [0, 1, 4, 5, 6, 7]
    # Every sample is judged on its own account, so 7 goes although 6 stays its neighbour.
    sampler.set_params(mutual=False, remove="both").fit_resample(X, Y)
    assert sampler.sample_indices_.tolist() == [0, 1]


def test_a_sample_with_minority_labels_alone_stays_unless_both_go():
    X, Y = toy()
    X[7] = 26.0  # now a, at 25, and c are each other's nearest
    sampler = MLTL()
    sampler.fit_resample(X, Y)
    assert sampler.sample_indices_.tolist() == [0, 1, 4, 5, 7]
    sampler.set_params(remove="both").fit_resample(X, Y)
    assert sampler.sample_indices_.tolist() == [0, 1, 4, 5]


def labels_with_counts(counts, n_rows):
    """Samples of one label each, as many of each as asked, the rest without."""
    Y = np.zeros((n_rows, len(counts)), dtype=np.int8)
    ends = np.cumsum(counts)
    for j, (count, end) in enumerate(zip(counts, ends, strict=True)):
        Y[end - count : end, j] = 1
    return sparse.csr_array(Y)


@pytest.mark.parametrize(
    ("counts", "threshold"),
    [
        ([5, 5], 0.5),  # MeanIR 1
        ([12, 2], 0.5),  # 3.5: 1/√3.5 = 0.53
        ([14, 2], 0.3),  # 4: 1/√4 = 0.5, not above
        ([20, 1], 0.3),  # 10.5: 0.309
        ([22, 1], 0.15),  # 11.5: 0.295
    ],
)
def test_the_threshold_goes_by_mean_ir(counts, threshold):
    assert threshold_by_imbalance(labels_with_counts(counts, 40)) == threshold


def test_the_threshold_is_high_where_rare_labels_share_their_samples():
    # Twenty samples, all with a; each rare label on one sample. A sample with both has SCUMBLE
    # 1 − √20 / 10.5 = 0.57, and so all but the two.
    Y = np.hstack([np.ones((20, 1)), np.eye(20)]).astype(np.int8)
    assert threshold_by_imbalance(sparse.csr_array(Y)) == 0.5
    assert threshold_by_imbalance(sparse.csr_array(np.zeros((4, 2), dtype=np.int8))) == 0.5


def test_the_sample_itself_is_not_its_nearest_but_its_duplicate_is():
    X = np.array([[0.0], [0.0], [3.0], [9.0], [9.5]])
    Y = np.array([[1, 0], [0, 1], [1, 0], [1, 0], [1, 0]])
    # Counts 4 and 1, mean 2.5: the first is the majority; samples 0 and 1, in one place, are a
    # link.
    sampler = MLTL()
    sampler.fit_resample(X, Y)
    assert sampler.sample_indices_.tolist() == [1, 2, 3, 4]


def test_uses_neighbours_found_before(clouds):
    X, Y = clouds
    expected = MLTL().fit_resample(X, Y)[0]
    assert len(expected) < len(X)
    handed = MLTL(neighbors=find_neighbors(X, n_neighbors=7))
    np.testing.assert_array_equal(handed.fit_resample(X, Y)[0], expected)
    assert MLTL._shares_neighbors


@pytest.mark.parametrize("wrong", [-0.1, 1.1, "high", None])
def test_refuses_thresholds_that_are_no_distance(wrong, clouds):
    with pytest.raises(ValueError, match='from 0 to 1 or "auto"'):
        MLTL(threshold=wrong).fit_resample(*clouds)


def test_refuses_other_ways_to_remove(clouds):
    with pytest.raises(ValueError, match='remove must be "majority" or "both"'):
        MLTL(remove="all").fit_resample(*clouds)
