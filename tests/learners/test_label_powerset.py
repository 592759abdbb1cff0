"""Labelsets are numbered without a dense Y, in the order of its rows."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from rarelabels.learners import _label_powerset
from rarelabels.learners._label_powerset import numbered_labelsets


@settings(max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_samples=st.integers(1, 40),
    n_labels=st.sampled_from([1, 3, 7, 8, 9, 16, 17, 70]),
    density=st.sampled_from([0.0, 0.05, 0.5, 1.0]),
)
def test_labelsets_are_the_different_rows(seed, n_samples, n_labels, density):
    Y = (np.random.default_rng(seed).random((n_samples, n_labels)) < density).astype(np.int8)
    labelsets, numbers = numbered_labelsets(sparse.csr_array(Y))
    expected, expected_numbers = np.unique(Y, axis=0, return_inverse=True)
    np.testing.assert_array_equal(labelsets, expected)
    np.testing.assert_array_equal(numbers, expected_numbers.reshape(-1))


def test_no_more_than_a_part_of_y_is_made_dense(monkeypatch):
    monkeypatch.setattr(_label_powerset, "ENTRIES_AT_ONCE", 100)
    seen = []
    toarray = sparse.csr_array.toarray
    monkeypatch.setattr(
        sparse.csr_array, "toarray", lambda self: seen.append(self.shape) or toarray(self)
    )
    Y = sparse.csr_array((np.arange(3000).reshape(300, 10) % 7 == 0).astype(np.int8))
    numbered_labelsets(Y)
    assert max(rows * columns for rows, columns in seen) <= 100
