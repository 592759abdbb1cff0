"""Shortcuts of trees on sparse features: bounds that hold, and sorting by counting."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rarelabels.trees._kernels import placing


def python(kernel):
    """Return a kernel as Python runs it."""
    return getattr(kernel, "py_func", kernel)


@st.composite
def counted(draw):
    """Give the class counts of a node, of its stored samples and of some of these."""
    n_classes = draw(st.integers(2, 5))
    counts = np.array(draw(st.lists(st.integers(0, 12), min_size=n_classes, max_size=n_classes)))
    stored = np.array([draw(st.integers(0, count)) for count in counts.tolist()])
    side = np.array([draw(st.integers(0, count)) for count in stored.tolist()])
    return counts, stored, side


def literal_score(counts, side):
    """Return minus the entropy of both sides, times their weight, in bits."""
    return sum(
        count * np.log2(count / part.sum())
        for part in (side, counts - side)
        for count in part
        if count
    )


@given(given=counted())
def test_no_part_of_the_stored_samples_scores_above_the_bound(given):
    counts, stored, side = given
    n = int(counts.sum())
    table = np.array([0.0, 0.0, *(i * np.log2(i) for i in range(2, n + 2))])
    bound = python(placing.highest_score)(counts, stored[None, :], 0, table, n)
    assert literal_score(counts, side) <= bound + 1e-9


def test_the_bound_is_reached_where_classes_part():
    # Of 4 and 6 samples, 3 and 2 are stored: best apart are the 3 from the other 1 and 6.
    counts, stored = np.array([4, 6]), np.array([[3, 2]])
    table = np.array([0.0, 0.0, *(i * np.log2(i) for i in range(2, 12))])
    bound = python(placing.highest_score)(counts, stored, 0, table, 10)
    assert np.isclose(bound, np.log2(1 / 7) + 6 * np.log2(6 / 7))


@given(
    pairs=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2)), max_size=40),
    before=st.integers(0, 3),
)
def test_sorting_by_counting_equals_sorting(pairs, before):
    bits = 2
    packed = np.array(
        [7] * before + [(code << (bits + 1)) | k for code, k in pairs], dtype=np.int64
    )
    expected = np.concatenate([packed[:before], np.sort(packed[before:])])
    slots = np.full(10 << bits, 5, dtype=np.int64)
    python(placing.count_sort)(packed, before, packed.size, bits, slots)
    np.testing.assert_array_equal(packed, expected)
