"""A table of candidates has the nearest of each row first, whatever the order they come in."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rarelabels._neighbors.exact.tiles import (
    LAST_SAMPLE,
    NOTHING,
    packed,
    samples_in,
    values_in,
    with_candidates,
)

values = st.floats(-1, 2.0**127, width=32)
candidates = st.lists(st.tuples(st.integers(0, 3), values, st.integers(0, 2**32 - 2)), max_size=40)


def as_arrays(found):
    row, value, sample = zip(*found, strict=True) if found else ((), (), ())
    return np.array(row, dtype=np.intp), np.array(value, dtype=np.float32), np.array(sample, int)


@given(candidates)
def test_integers_hold_values_and_samples_in_their_order(found):
    _, value, sample = as_arrays(found)
    keys = packed(value, sample)
    np.testing.assert_array_equal(values_in(keys), np.maximum(value, 0))
    np.testing.assert_array_equal(samples_in(keys), sample)
    expected = np.lexsort((sample, np.maximum(value, 0)))
    np.testing.assert_array_equal(np.sort(keys), keys[expected])
    assert (keys < NOTHING).all()


def test_minus_zero_is_zero():
    assert packed(np.float32([-0.0, 0.0]), np.array([1, 1])).tolist() == [1, 1]


def test_nothing_is_infinitely_far():
    assert values_in(np.array([NOTHING])).tolist() == [np.inf]
    assert samples_in(np.array([NOTHING])).tolist() == [LAST_SAMPLE]


@given(first=candidates, second=candidates, most=st.integers(1, 12))
def test_rows_hold_the_nearest_of_all_that_came(first, second, most):
    table = np.full((4, 2), NOTHING)
    kept = [[] for _ in range(4)]
    for found in (first, second):
        row, value, sample = as_arrays(found)
        keys = packed(value, sample)
        table = with_candidates(table, row, keys, most)
        for number in range(4):
            kept[number] = sorted(kept[number] + sorted(keys[row == number])[:most])
    for number in range(4):
        assert table[number][table[number] < NOTHING].tolist() == kept[number]
        assert (table[number][len(kept[number]) :] == NOTHING).all()
