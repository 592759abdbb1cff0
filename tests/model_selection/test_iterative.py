"""Iterative stratification: properties, and cases small enough to follow by hand."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from rarelabels.model_selection._iterative import iterative_folds

label_matrices = st.tuples(st.integers(4, 40), st.integers(1, 6)).flatmap(
    lambda shape: arrays(np.int8, shape, elements=st.integers(0, 1))
)


def folds_of(Y, shares=(1, 1), seed=None, **options):
    rng = None if seed is None else np.random.default_rng(seed)
    Y = sparse.csr_array(np.asarray(Y))
    return iterative_folds(Y, np.ones(Y.shape[0], dtype=int), shares, rng=rng, **options)


def test_follows_the_paper_by_hand():
    Y = [[1, 1], [1, 0], [1, 0], [0, 1], [1, 0], [1, 0], [0, 0]]
    # Label 1 is the rarer: its samples 0 and 3 go to folds 0 and 1. For label 0 the folds then want
    # (1.5, 2.5) samples: sample 1 to fold 1; (1.5, 1.5), and (2.5, 1.5) samples of any kind: sample
    # 2 to fold 0; (0.5, 1.5): sample 4 to 1; (0.5, 0.5), and (1.5, 0.5) of any kind: sample 5 to 0.
    # Sample 6 has no label; both folds want half a sample: the first gets it.
    assert folds_of(Y).tolist() == [0, 1, 0, 1, 1, 0, 0]


def test_a_tie_is_broken_by_the_samples_other_labels():
    Y = [[1, 0, 0, 0, 0], [0, 1, 0, 0, 1], [0, 0, 1, 0, 0], [0, 0, 0, 1, 1]]
    # Samples 0, 1, 2 go to folds 0, 1, 0. Sample 3's label 3 is wanted equally. Fold 1 has fewer
    # samples, but label 4 already; fold 0 has none of it.
    assert folds_of(Y).tolist() == [0, 1, 0, 0]


def test_shares_divide_each_label():
    Y = np.tile([[1, 0], [0, 1]], (50, 1))
    folds = folds_of(Y, shares=(3, 1, 1))
    assert [Y[folds == fold].sum(axis=0).tolist() for fold in range(3)] == [
        [30, 30],
        [10, 10],
        [10, 10],
    ]


def test_a_unit_is_never_divided_and_large_ones_come_first():
    counts = sparse.csr_array(np.array([[1], [5], [1], [1], [2]]))
    folds = iterative_folds(counts, np.array([1, 5, 1, 1, 2]), (1, 1))
    assert folds.tolist() == [1, 0, 1, 1, 1]


@given(label_matrices, st.integers(2, 4), st.none() | st.integers(0, 5))
def test_every_sample_has_a_fold_and_no_fold_is_empty(Y, n_folds, seed):
    folds = folds_of(Y, [1] * n_folds, seed)
    assert np.bincount(folds, minlength=n_folds).min() >= 1
    assert folds.min() >= 0
    assert folds.max() < n_folds


@given(label_matrices, st.none() | st.integers(0, 5))
def test_a_single_label_is_spread_as_evenly_as_can_be(Y, seed):
    folds = folds_of(Y[:, :1], [1, 1, 1], seed)
    assert np.ptp(np.bincount(folds[Y[:, 0] == 1], minlength=3)) <= 1
    assert np.ptp(np.bincount(folds, minlength=3)) <= 1


@given(label_matrices, st.integers(1, 3), st.integers(0, 5))
def test_a_capped_fold_has_exactly_its_samples(Y, n_test, seed):
    folds = folds_of(Y, [len(Y) - n_test, n_test], seed, capped=True)
    assert (folds == 1).sum() == n_test


@given(label_matrices, st.integers(0, 5))
def test_a_seed_gives_the_same_folds(Y, seed):
    assert folds_of(Y, seed=seed).tolist() == folds_of(Y, seed=seed).tolist()
