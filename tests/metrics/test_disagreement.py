"""How much classifiers differ."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse

from rarelabels.metrics import disagreement

several = st.tuples(st.integers(2, 5), st.integers(1, 8), st.integers(1, 4)).flatmap(
    lambda shape: arrays(np.int8, shape, elements=st.integers(0, 1))
)


@given(several)
def test_is_the_mean_over_pairs(predictions):
    pairs = [np.mean(a != b) for a, b in combinations(predictions, 2)]
    assert disagreement(predictions) == pytest.approx(np.mean(pairs))
    as_sparse = [sparse.csr_array(member) for member in predictions]
    assert disagreement(as_sparse) == pytest.approx(np.mean(pairs))


def test_extremes():
    ones, zeros = np.ones((3, 2), dtype=int), np.zeros((3, 2), dtype=int)
    assert disagreement([ones, zeros]) == 1.0
    assert disagreement([ones, ones, ones]) == 0.0
    assert disagreement([ones]) == 0.0


def test_errors_say_what_is_wrong():
    with pytest.raises(ValueError, match="predictions is empty"):
        disagreement([])
    with pytest.raises(ValueError, match=r"one shape, got \(2, 2\), \(1, 2\)"):
        disagreement([np.zeros((2, 2)), np.zeros((1, 2))])
    with pytest.raises(ValueError, match=r"predictions\[1\], checked as a y: .*0/1 indicator"):
        disagreement([np.zeros((2, 2)), np.full((2, 2), 0.3)])
