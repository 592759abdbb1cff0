import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import literal
from rarelabels import Neighbors
from rarelabels._labels import LabelMatrix
from rarelabels._local import flip_labels, local_imbalance_of, minority_entries, row_numbers
from strategies import data_sets, n_neighbors_for


def dense_of(local, values, fill):
    made = np.full(local.entries.shape, fill)
    made[row_numbers(local.entries), local.entries.indices] = values
    return made


@settings(max_examples=400)
@given(data=data_sets(max_samples=20), choose=st.data())
def test_everything_local_equals_literal_loops(data, choose):
    X, Y, _ = data
    k = n_neighbors_for(X, choose.draw, largest=10)
    N = literal.neighbors(X, k)
    local = local_imbalance_of(LabelMatrix.of(Y), Neighbors(N))
    np.testing.assert_array_equal(dense_of(local, local.imbalance, np.nan), literal.imbalance(Y, N))
    np.testing.assert_array_equal(dense_of(local, local.types, np.int8(4)), literal.types(Y, N))
    expected = np.array(
        [[0.0 if s is None else s for s in sample] for sample in literal.scores(Y, N)]
    )
    np.testing.assert_allclose(dense_of(local, local.scores, 0.0), expected, atol=1e-14)
    np.testing.assert_allclose(local.weights, literal.weights(Y, N), atol=1e-13)
    np.testing.assert_allclose(local.influence, literal.influence(Y, N), atol=1e-13)
    np.testing.assert_allclose(local.importance, literal.importance(Y, N), atol=1e-12)
    assert local.importance.min() == 0


@settings(max_examples=100)
@given(data=data_sets())
def test_minority_entries_and_back(data):
    _, Y, _ = data
    g = np.array(literal.minority_classes(Y))
    entries = minority_entries(LabelMatrix.of(Y))
    np.testing.assert_array_equal(entries.toarray(), Y == g)
    back = flip_labels(LabelMatrix(entries), np.flatnonzero(g == 0))
    np.testing.assert_array_equal(back.positives.toarray(), Y)


def test_by_hand():
    # Five samples on a line, k = 2; neighbours: 0: 1 2, 1: 0 2, 2: 1 3, 3: 2 4, 4: 3 2.
    N = np.array([[1, 2], [0, 2], [1, 3], [2, 4], [3, 2]])
    Y = np.array([[1, 1], [1, 0], [0, 1], [0, 0], [0, 1]])
    local = local_imbalance_of(LabelMatrix.of(Y), Neighbors(N))
    # Label 0: minority samples 0 and 1 see one 0 among two: C = 1/2 each, S = 1/2 each.
    # Label 1: minority class 0 in samples 1 (sees 1, 1) and 3 (sees 1, 1): outliers both.
    C = [[0.5, np.nan], [0.5, 1.0], [np.nan, np.nan], [np.nan, 1.0], [np.nan, np.nan]]
    np.testing.assert_array_equal(dense_of(local, local.imbalance, np.nan), C)
    np.testing.assert_array_equal(local.weights, [0.5, 0.5, 0, 0, 0])
    # Sample 0 is a neighbour of 1 alone, of its class in label 0: + 1/2. Sample 1 is one of 0 and
    # 2: (1/2 + 0) / 2. Sample 2 is one of 0, 1, 3 and 4, against the first two: -(1/2 + 1/2) / 4.
    # Sample 3 is one of 2 and 4, sample 4 of 3: nothing informative there.
    np.testing.assert_allclose(local.influence, [0.5, 0.25, -0.25, 0, 0])
    np.testing.assert_allclose(local.importance, [1.25, 1.0, 0.0, 0.25, 0.25])
    types = [[1, 4], [1, 3], [4, 4], [4, 3], [4, 4]]
    np.testing.assert_array_equal(dense_of(local, local.types, np.int8(4)), types)


def test_promotion_travels_along_a_chain():
    # k = 4. Sample 0 is borderline; sample 1 is rare but sees sample 0; sample 2 is rare and sees
    # sample 1 only after its promotion; sample 9 is rare and sees none but an outlier-free
    # stranger.
    n = 12
    Y = np.zeros((n, 1), dtype=int)
    Y[[0, 1, 2, 3, 9, 10]] = 1
    N = np.full((n, 4), 5)
    N[:] = [5, 6, 7, 8]
    N[0] = [1, 3, 5, 6]  # two of four opposite: 0.5, borderline
    N[1] = [0, 5, 6, 7]  # 0.75: rare, beside sample 0
    N[2] = [1, 5, 6, 7]  # 0.75: rare, beside sample 1
    N[3] = [2, 5, 6, 7]  # 0.75: rare, beside sample 2
    N[9] = [10, 5, 6, 7]  # 0.75: rare, beside another rare one
    N[10] = [9, 5, 6, 7]
    local = local_imbalance_of(LabelMatrix.of(Y), Neighbors(N))
    types = dense_of(local, local.types, np.int8(4)).ravel()
    np.testing.assert_array_equal(types[[0, 1, 2, 3, 9, 10]], [1, 1, 1, 1, 2, 2])


def test_shares_at_the_bounds_are_compared_as_counts():
    # 3 of 10 is 0.3 and not below it, 7 of 10 is 0.7: in floats 0.1 * 3 would say otherwise.
    n = 40
    Y = np.zeros((n, 1), dtype=int)
    Y[:15] = 1
    N = np.empty((n, 10), dtype=int)
    for i in range(n):
        opposite = {0: 2, 1: 3, 2: 6, 3: 7}.get(i, 10)
        N[i] = [*range(20, 20 + opposite), *range(4, 14 - opposite)]
    local = local_imbalance_of(LabelMatrix.of(Y), Neighbors(N))
    np.testing.assert_array_equal(local.opposite[:4], [2, 3, 6, 7])
    np.testing.assert_array_equal(local.types[:4], [0, 1, 1, 2])
