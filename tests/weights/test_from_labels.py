"""Weights from labels alone, against worked numbers and literal loops."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from scipy import sparse

from rarelabels import weights
from rarelabels.measures import ConstantLabelWarning
from strategies import data_sets

# n = 8, c = 6, 3, 2; the last sample has no label.
Y = np.array(
    [[1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 0, 0], [1, 1, 1], [0, 1, 0], [1, 0, 0], [0, 0, 0]]
)


def assert_printed(found, expected):
    np.testing.assert_array_equal(np.round(found, 6), expected)


def test_worked_example():
    assert_printed(weights.positive_weights(Y), [0.333333, 1.666667, 3])
    assert_printed(weights.inverse_frequency_weights(Y), [1.333333, 2.666667, 4])
    assert_printed(weights.inverse_frequency_weights(Y, power=0.5), [1.154701, 1.632993, 2])
    assert_printed(weights.class_balanced_weights(Y), [0.213420, 0.369004, 0.526316])
    scaled = weights.class_balanced_weights(Y, normalize=True)
    assert_printed(scaled, [0.577467, 0.998441, 1.424092])
    scaled = weights.class_balanced_weights(Y, beta=0.999, normalize=True)
    assert_printed(scaled, [0.500750, 1.000000, 1.499250])
    assert_printed(-weights.logit_bias(Y), [-1.098612, 0.510826, 1.098612])
    assert_printed(weights.logit_bias(Y, scale=0.5), [0.549306, -0.255413, -0.549306])


def test_worked_example_of_samples():
    averages = weights.class_balanced_sample_weights(Y)
    expected = [0.213420, 0.291212, 0.369868, 0.213420, 0.369580, 0.369004, 0.213420]
    assert_printed(averages[:7], expected)
    assert averages[7] == pytest.approx(averages[:7].mean())
    smallest = weights.class_balanced_sample_weights(Y, how="min_n")
    expected = [0.213420, 0.369004, 0.526316, 0.213420, 0.526316, 0.369004, 0.213420, 0.1]
    assert_printed(smallest, expected)
    # Samples 1, 2 and 4: mean counts 4.5, 4 and 11/3.
    found = weights.class_balanced_sample_weights(Y, how="average_n")[[1, 2, 4]]
    np.testing.assert_allclose(found, [0.1 / (1 - 0.9**c) for c in (4.5, 4, 11 / 3)])
    chances = weights.class_aware_probabilities(Y)
    sums = [0.166667, 0.5, 0.666667, 0.166667, 1, 0.333333, 0.166667, 0]
    assert_printed(3 * chances, sums)
    assert chances.sum() == pytest.approx(1)


def test_worked_example_of_the_rebalanced_weights():
    found = weights.distribution_balanced_weights(Y)
    expected = {
        0: [1.099665, 1.1, 1.1],
        1: [0.891391, 1.090684, 1.099665],
        2: [0.722459, 1.052574, 1.095930],
        4: [0.517430, 0.891391, 1.052574],
        5: [1.052574, 1.099665, 1.099998],
        7: [1.1, 1.1, 1.1],
    }
    assert_printed(found[list(expected)], list(expected.values()))
    at_positives = weights.distribution_balanced_weights(sparse.csr_array(Y), positives_only=True)
    assert isinstance(at_positives, sparse.csr_array)
    np.testing.assert_array_equal(at_positives.toarray(), np.where(Y, found, 0))
    batch = [4, 0, 7]
    np.testing.assert_array_equal(
        weights.distribution_balanced_weights(Y, samples=batch), found[batch]
    )
    part = weights.distribution_balanced_weights(Y, samples=batch, positives_only=True)
    np.testing.assert_array_equal(part.toarray(), np.where(Y, found, 0)[batch])


@pytest.mark.filterwarnings("ignore::rarelabels.measures.ConstantLabelWarning")
@given(data=data_sets(max_samples=20, max_labels=6))
def test_equal_literal_loops(data):
    _, Y, _ = data
    n, q = Y.shape
    counts = [int(sum(Y[:, j])) for j in range(q)]
    pos = [(n - c) / c if c else 0 for c in counts]
    np.testing.assert_allclose(weights.positive_weights(Y), pos)
    beta = 0.8
    by_label = [(1 - beta) / (1 - beta**c) if c else 0 for c in counts]
    np.testing.assert_allclose(weights.class_balanced_weights(Y, beta=beta), by_label)
    found = {
        how: weights.class_balanced_sample_weights(Y, beta=beta, how=how)
        for how in ("average_w", "average_n", "min_n")
    }
    ratios = weights.distribution_balanced_weights(Y)
    for i in range(n):
        held = [j for j in range(q) if Y[i, j]]
        if held:
            mean = sum(by_label[j] for j in held) / len(held)
            of_mean = sum(counts[j] for j in held) / len(held)
            assert found["average_w"][i] == pytest.approx(mean)
            assert found["average_n"][i] == pytest.approx((1 - beta) / (1 - beta**of_mean))
            assert found["min_n"][i] == pytest.approx(max(by_label[j] for j in held))
        for j in range(q):
            chance = sum(1 / counts[k] for k in held)
            r = np.inf if not held or not counts[j] else 1 / counts[j] / chance
            assert ratios[i, j] == pytest.approx(0.1 + 1 / (1 + np.exp(-10 * (r - 0.2))))
    if any(counts):
        # A label, uniformly; then one of its samples, uniformly.
        present = [j for j in range(q) if counts[j]]
        drawn = [sum(Y[i, j] / counts[j] for j in present) / len(present) for i in range(n)]
        np.testing.assert_allclose(weights.class_aware_probabilities(Y), drawn)


def test_labels_without_positives_weigh_nothing_and_are_named():
    y = pd.DataFrame({"some": [1, 0, 0], "never": [0, 0, 0], "always": [1, 1, 1]})
    for scheme in (
        weights.positive_weights,
        weights.inverse_frequency_weights,
        weights.class_balanced_weights,
    ):
        with pytest.warns(ConstantLabelWarning, match="label never has no positives"):
            assert scheme(y)[1] == 0
    with pytest.warns(ConstantLabelWarning, match="labels never, always have a single class"):
        np.testing.assert_allclose(weights.logit_bias(y), [-np.log(2), 0, 0])
    assert (weights.distribution_balanced_weights(y)[:, 1] == 1.1).all()


def test_unknown_labels_are_left_out_of_the_counts():
    y = np.array([[1, 0], [0, 1], [np.nan, 0], [0, np.nan], [0, 0]])
    found = weights.positive_weights(y, allow_missing_labels=True)
    np.testing.assert_array_equal(found, [3, 3])
    with pytest.raises(ValueError, match="NaN in row 2, column 0"):
        weights.positive_weights(y)


def test_many_sparse_labels_stay_sparse():
    rng = np.random.default_rng(0)
    y = sparse.random_array((50_000, 10_000), density=4e-4, rng=rng, format="csr")
    y.data[:] = 1
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConstantLabelWarning)
        assert weights.positive_weights(y).shape == (10_000,)
    assert weights.class_aware_probabilities(y).shape == (50_000,)
    found = weights.distribution_balanced_weights(y, positives_only=True)
    assert found.nnz == y.nnz
    batch = weights.distribution_balanced_weights(y, samples=np.arange(64))
    assert batch.shape == (64, 10_000)


def test_refuses_what_makes_no_weight():
    for wrong in (1, -0.1, 1.5):
        with pytest.raises(ValueError, match="beta must be a number from 0 to less than 1"):
            weights.class_balanced_weights(Y, beta=wrong)
    with pytest.raises(ValueError, match="'average_w', 'average_n', 'min_n', got 'mean'"):
        weights.class_balanced_sample_weights(Y, how="mean")
    with pytest.raises(ValueError, match="no positive labels"):
        weights.class_aware_probabilities(np.zeros((3, 2)))
