import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import literal
from rarelabels.measures import scumble
from rarelabels.sampling import REMEDIAL
from strategies import data_sets


@settings(max_examples=300)
@given(data=data_sets(max_samples=20, max_labels=6), skip=st.booleans())
def test_equals_the_literal_split(resample, data, skip):
    X, Y, _ = data
    sampler = REMEDIAL(skip_one_sided=skip)
    X_new, Y_new = resample(sampler, X, Y)
    expected, origins = literal.remedial(Y, skip)
    np.testing.assert_array_equal(Y_new, expected)
    np.testing.assert_array_equal(sampler.sample_indices_, [*range(len(Y)), *origins])
    np.testing.assert_array_equal(X_new, X[sampler.sample_indices_])
    assert not sampler.is_synthetic_.any()


@settings(max_examples=100)
@given(data=data_sets(max_samples=20, max_labels=6), skip=st.booleans())
def test_keeps_the_count_of_each_label(resample, data, skip):
    X, Y, _ = data
    _, Y_new = resample(REMEDIAL(skip_one_sided=skip), X, Y)
    np.testing.assert_array_equal(Y_new.sum(axis=0), Y.sum(axis=0))


@settings(max_examples=100)
@given(data=data_sets(max_samples=20, max_labels=6))
def test_leaves_no_sample_without_labels_where_one_sided_ones_are_skipped(resample, data):
    X, Y, _ = data
    sampler = REMEDIAL(skip_one_sided=True)
    _, Y_new = resample(sampler, X, Y)
    had_none = Y.sum(axis=1)[sampler.sample_indices_] == 0
    np.testing.assert_array_equal(Y_new.sum(axis=1) == 0, had_none)


def test_by_hand():
    # Counts 4, 2, 1: IRLbl 1, 2, 4, mean 7/3, so the last label is the minority. SCUMBLE of sample
    # 0, with all three, is 1 − 8^(1/3) / (7/3) = 1 − 6/7 = 0.143; of sample 1, with the first two,
    # it is 1 − √2 / 1.5 = 0.057; of the others 0. The mean of five samples is 0.04 and both are
    # above it. Sample 1 has no minority label: it is left without labels, or whole.
    Y = np.array([[1, 1, 1], [1, 1, 0], [1, 0, 0], [1, 0, 0], [0, 0, 0]])
    sampler = REMEDIAL()
    _, Y_new = sampler.fit_resample(np.zeros((5, 1)), Y)
    unsplit = [[1, 0, 0], [1, 0, 0], [0, 0, 0]]
    assert Y_new.tolist() == [[0, 0, 1], [0, 0, 0], *unsplit, [1, 1, 0], [1, 1, 0]]
    assert sampler.sample_indices_.tolist() == [0, 1, 2, 3, 4, 0, 1]
    sampler.set_params(skip_one_sided=True)
    _, Y_new = sampler.fit_resample(np.zeros((5, 1)), Y)
    assert Y_new.tolist() == [[0, 0, 1], [1, 1, 0], *unsplit, [1, 1, 0]]
    assert sampler.sample_indices_.tolist() == [0, 1, 2, 3, 4, 0]


def test_equals_a_run_of_mulan():
    # Ten samples given to Mulan's REMEDIAL (commit 43f6389): labels and SCUMBLE that came out.
    samples = ["100", "110", "101", "100", "111", "100", "110", "100", "010", "100"]
    Y = np.array([[int(cell) for cell in sample] for sample in samples])
    assert scumble(Y) == pytest.approx(0.054502, abs=5e-7)
    _, Y_new = REMEDIAL().fit_resample(np.zeros((10, 1)), Y)
    expected = [
        "100",
        "000",
        "001",
        "100",
        "001",
        "100",
        "000",
        "100",
        "010",
        "100",
        "110",
        "100",
        "110",
        "110",
    ]
    assert ["".join(map(str, sample)) for sample in Y_new] == expected
    assert scumble(Y_new) == pytest.approx(0.016484, abs=5e-7)


@pytest.mark.parametrize(("name", "n_samples"), [("flags", 262), ("yeast", 3234)])
def test_as_many_samples_as_the_reference_implementation(shared_data, name, n_samples):
    from rarelabels.datasets import load_mulan

    folder = shared_data / name
    data = load_mulan(next(folder.glob("*.arff")), next(folder.glob("*.xml")))
    assert REMEDIAL().fit_resample(data.X, data.Y)[0].shape[0] == n_samples


def test_equal_samples_are_none_above_their_mean(resample):
    # Every sample has the frequent label and one of two rarer ones: all have the same SCUMBLE, and
    # only rounding could put one above the mean.
    for n in range(2, 40, 2):
        Y = np.ones((n, 3), dtype=int)
        Y[::2, 1] = Y[1::2, 2] = 0
        _, Y_new = resample(REMEDIAL(), np.zeros((n, 1)), Y)
        assert Y_new.tolist() == Y.tolist()
