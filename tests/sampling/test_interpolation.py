import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse, stats

from literal import LEVEL
from rarelabels.sampling._interpolation import interpolate


@settings(max_examples=200)
@given(seed=st.integers(0, 2**32 - 1), dtype=st.sampled_from([np.float32, np.float64]))
def test_samples_lie_in_the_box_and_categories_are_one_of_the_two(seed, dtype):
    rng = np.random.default_rng(seed)
    shape = (rng.integers(1, 8), rng.integers(1, 6))
    start, end = (rng.normal(size=shape) * (rng.random(shape) < 0.6) for _ in range(2))
    start, end = start.astype(dtype), end.astype(dtype)
    categorical = rng.random(shape[1]) < 0.4
    for container in (np.asarray, sparse.csr_array):
        made = interpolate(container(start), container(end), categorical, rng)
        assert made.dtype == dtype
        assert sparse.issparse(made) == (container is sparse.csr_array)
        values = made.toarray() if sparse.issparse(made) else made
        assert (values >= np.minimum(start, end)).all()
        assert (values <= np.maximum(start, end)).all()
        either = (values == start) | (values == end)
        assert either[:, categorical].all()


def test_each_feature_has_its_own_chance():
    start, end = np.zeros((500, 2)), np.ones((500, 2))
    made = interpolate(start, end, np.zeros(2, dtype=bool), np.random.default_rng(0))
    assert abs(np.corrcoef(made.T)[0, 1]) < 0.1
    assert stats.kstest(made[:, 0], "uniform").pvalue > LEVEL


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_categories_are_a_fair_pick(container):
    start, end = container(np.full((4000, 1), 2.0)), container(np.full((4000, 1), 7.0))
    made = interpolate(start, end, np.array([True]), np.random.default_rng(0))
    n_ends = int((made.toarray() if sparse.issparse(made) else made).sum() - 2 * 4000) // 5
    assert stats.binomtest(n_ends, 4000).pvalue > LEVEL


@pytest.mark.parametrize(("first", "last"), [(0.0, 3.0), (3.0, 0.0), (1.0, 3.0), (3.0, -1.0)])
def test_sparse_samples_follow_the_law_of_dense_ones(first, last):
    """Their numbers are others, since nothing is drawn for features that are 0 in both samples."""
    start, end = (np.tile([[0.0, one, one]], (4000, 1)) for one in (first, last))
    no_category = np.zeros(3, dtype=bool)
    on_sparse = interpolate(
        sparse.csr_array(start), sparse.csr_array(end), no_category, np.random.default_rng(0)
    ).toarray()
    on_dense = interpolate(start, end, no_category, np.random.default_rng(1))
    assert not on_sparse[:, 0].any()
    assert abs(np.corrcoef(on_sparse[:, 1:].T)[0, 1]) < 0.05
    for j in (1, 2):
        assert stats.ks_2samp(on_sparse[:, j], on_dense[:, j]).pvalue > LEVEL


def test_sparse_samples_stay_sparse():
    start = sparse.random_array((50, 10_000), density=0.001, format="csr", rng=0)
    end = sparse.random_array((50, 10_000), density=0.001, format="csr", rng=1)
    made = interpolate(start, end, np.zeros(10_000, dtype=bool), np.random.default_rng(0))
    assert made.nnz <= start.nnz + end.nnz
