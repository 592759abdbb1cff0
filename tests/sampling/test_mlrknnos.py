import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors

import literal
from rarelabels import find_neighbors
from rarelabels._labels import LabelMatrix
from rarelabels._neighbors import feature_space, neighbors_among
from rarelabels._validation import check_features
from rarelabels.sampling import MLRkNNOS, _mlrknnos
from strategies import data_sets


def test_reverse_neighbours_by_hand():
    # Five samples on a line at 0, 1, 2.2, 4 and 9 with k = 2: nobody has the last among its two
    # nearest.
    X = np.array([[0, 0], [1, 0], [2.2, 0], [4, 0], [9, 0]])
    space = feature_space(check_features(X), scale_features=False)
    nearest = neighbors_among(space, np.arange(5), 2, None, None)
    assert nearest.tolist() == [[1, 2], [0, 2], [1, 3], [2, 1], [3, 2]]
    reverse = _mlrknnos.reverse_neighbors(nearest)
    lists = np.split(reverse.sorted_indices().indices, reverse.indptr[1:-1])
    assert [part.tolist() for part in lists] == [[1], [0, 2, 3], [0, 1, 3, 4], [2, 4], []]
    pairs = _mlrknnos.reverse_pairs(reverse, 3000, np.random.default_rng(0))
    drawn = np.zeros((5, 5))
    np.add.at(drawn, tuple(pairs), 1)
    assert ((drawn > 0) == (reverse.toarray() > 0)).all()
    # Seeds alike, then their partners alike.
    np.testing.assert_allclose(drawn.sum(axis=1), [750, 750, 750, 750, 0], atol=90)
    np.testing.assert_allclose(drawn[1][drawn[1] > 0], 250, atol=60)


def test_what_each_label_of_flags_lacks(flags):
    sampler = MLRkNNOS(categorical_features=flags.categorical_features, random_state=0)
    _, Y_new = sampler.fit_resample(flags.X, flags.Y)
    assert sampler.quotas_.tolist() == [112, 12, 4, 12, 98, 90, 142]
    made, start = Y_new[194:], 0
    assert len(made) == 470
    # Negatives are made for labels that most samples carry.
    for label, value in enumerate([0, 1, 0, 1, 0, 1, 1]):
        stop = start + sampler.quotas_[label]
        assert (made[start:stop, label] == value).all()
        start = stop


def test_a_cap_is_spread_in_proportion(flags):
    sampler = MLRkNNOS(sampling_ratio=47, random_state=0)
    X_new, _ = sampler.fit_resample(flags.X, flags.Y)
    assert len(X_new) == 194 + 47
    np.testing.assert_allclose(
        sampler.quotas_, np.array([112, 12, 4, 12, 98, 90, 142]) / 10, atol=1
    )
    # More than the labels lack is never made.
    assert len(MLRkNNOS(sampling_ratio=9.0).fit_resample(flags.X, flags.Y)[0]) == 194 + 470


@settings(max_examples=50)
@given(
    data=data_sets(min_samples=5, max_samples=16, max_labels=4),
    k=st.integers(1, 4),
    as_sparse=st.booleans(),
)
def test_equals_the_literal_rules(resample, data, k, as_sparse):
    X, Y, categorical = data
    n, q = Y.shape
    nearest_one = KNeighborsClassifier(1, algorithm="brute")
    sampler = MLRkNNOS(
        n_neighbors=k,
        estimator=nearest_one,
        categorical_features=categorical,
        random_state=0,
    )
    X_new, Y_new = resample(sampler, sparse.csr_array(X) if as_sparse else X, Y)
    X_new = X_new.toarray() if as_sparse else X_new
    place, own = n, {}
    for j, minority in enumerate(literal.minority_classes(Y)):
        samples = np.flatnonzero(Y[:, j] == minority).tolist()
        lacking = n - 2 * len(samples) if len(samples) > 1 else 0
        assert sampler.quotas_[j] == lacking
        own[j] = range(place, place + lacking)
        reverse = literal.reverse_neighbors(X, samples, k, categorical)
        for new in own[j]:
            seed = sampler.sample_indices_[new]
            assert Y_new[new, j] == minority
            assert any(inside(X_new[new], X[seed], X[r], categorical) for r in reverse[seed])
        place += lacking
    assert place == len(X_new)
    # Each label of the other new samples is what its classifier says.
    wrap = sparse.csr_array if as_sparse else np.asarray
    old, new = (check_features(wrap(part), categorical) for part in (X, X_new))
    points = feature_space(old, new).euclidean()[n:]
    for j in range(q):
        fitting = [*range(n), *own[j]]
        others = [new for new in range(n, place) if new not in own[j]]
        if others and np.unique(Y_new[fitting, j]).size > 1:
            fitted = nearest_one.fit(points[fitting], Y_new[fitting, j])
            np.testing.assert_array_equal(Y_new[others, j], fitted.predict(points[others]))
        else:
            assert (Y_new[others, j] == Y[0, j]).all()


def inside(x, start, end, categorical):
    within = (np.minimum(start, end) <= x) & (x <= np.maximum(start, end))
    return within.all() and all(x[j] in (start[j], end[j]) for j in categorical)


def test_unknown_labels_train_no_classifier():
    Y = LabelMatrix.of([[1, 0], [np.nan, 1], [0, np.nan], [0, 0]])
    sets = list(_mlrknnos.training_sets(Y, np.array([1, 2])))
    assert [part.tolist() for part in sets[0]] == [[0, 2, 3, 4], [1, 0, 0, 1], [4]]
    assert [part.tolist() for part in sets[1]] == [[0, 1, 3, 5, 6], [0, 1, 0, 1, 1], [5, 6]]


def test_refuses_what_does_not_fit_with_its_number():
    # 400 labels on 4 of 3,000 samples each lack 2,992: 1.2 million samples.
    rng = np.random.default_rng(0)
    X, Y = rng.random((3000, 120)), np.zeros((3000, 400), dtype=np.int8)
    for label in range(400):
        Y[rng.choice(3000, 4, replace=False), label] = 1
    with pytest.raises(ValueError, match=r"would add 1196800 samples to 3000 .*sampling_ratio"):
        MLRkNNOS().fit_resample(X, Y)


def test_takes_another_search_but_no_neighbours_of_all_samples(clouds):
    X, Y = clouds
    expected = MLRkNNOS(random_state=0).fit_resample(X, Y)[0]
    found = MLRkNNOS(neighbors=NearestNeighbors(), random_state=0).fit_resample(X, Y)[0]
    np.testing.assert_array_equal(found, expected)
    with pytest.raises(ValueError, match="cannot use the neighbors of all samples"):
        MLRkNNOS(neighbors=find_neighbors(X)).fit_resample(X, Y)


def test_labels_on_one_sample_or_on_half_of_them_get_none():
    Y = np.zeros((8, 2), dtype=int)
    Y[0, 0] = Y[:4, 1] = 1
    sampler = MLRkNNOS()
    assert len(sampler.fit_resample(np.arange(8.0)[:, None], Y)[0]) == 8
    with pytest.warns(UserWarning, match="MLRkNNOS adds no samples"):
        MLRkNNOS(sampling_ratio=3).fit_resample(np.arange(8.0)[:, None], Y)


def test_says_which_value_is_missing(clouds):
    X, Y = clouds
    X = X.copy()
    X[3, 2] = np.nan
    with pytest.raises(ValueError, match=r"missing value \(NaN\) in row 3, column 2"):
        MLRkNNOS().fit_resample(X, Y)
