"""MLkNN against the paper's formulas, written as loops."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.neighbors import NearestNeighbors

import literal
from layouts import layouts
from rarelabels import find_neighbors
from rarelabels.learners import MLkNN


def nearest(X, sample, k, left_out=None, metric="euclidean"):
    if metric == "cosine":
        away = [literal.on_grid(literal.squared_chord(sample, one)) for one in X]
        return [i for i in np.lexsort((np.arange(len(X)), away)) if i != left_out][:k]
    low, high = X.min(axis=0), X.max(axis=0)
    span = np.where(high > low, high - low, np.inf)
    squared = (((X - sample) / span) ** 2).sum(axis=1).round(9)
    order = [i for i in np.lexsort((np.arange(len(X)), squared)) if i != left_out]
    return order[:k]


def literal_posteriors(X, Y, X_new, k, s, metric="euclidean"):
    n, q = Y.shape
    found = np.empty((len(X_new), q))
    of_training = [nearest(X, X[i], k, i, metric) for i in range(n)]
    of_new = [nearest(X, sample, k, metric=metric) for sample in X_new]
    for j in range(q):
        prior = (s + Y[:, j].sum()) / (2 * s + n)
        with_label, without = [0] * (k + 1), [0] * (k + 1)
        for i in range(n):
            delta = sum(Y[a, j] for a in of_training[i])
            if Y[i, j]:
                with_label[delta] += 1
            else:
                without[delta] += 1
        for t, neighbors in enumerate(of_new):
            c = sum(Y[a, j] for a in neighbors)
            yes = prior * (s + with_label[c]) / (s * (k + 1) + sum(with_label))
            no = (1 - prior) * (s + without[c]) / (s * (k + 1) + sum(without))
            found[t, j] = yes / (yes + no)
    return found


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10_000),
    k=st.integers(1, 6),
    smoothing=st.sampled_from([0.1, 1.0, 2.5]),
    layout=layouts(),
    metric=st.sampled_from(["euclidean", "cosine"]),
)
def test_posteriors(seed, k, smoothing, layout, metric):
    rng = np.random.default_rng(seed)
    # Few values, so that there are ties and duplicates.
    X, X_new = rng.integers(3, size=(25, 3)).astype(float), rng.integers(5, size=(9, 3)) * 1.0
    Y = (rng.random((25, 4)) < [0.5, 0.2, 0.0, 1.0]).astype(int)
    expected = literal_posteriors(X, Y, X_new, k, smoothing, metric)
    learner = MLkNN(n_neighbors=k, smoothing=smoothing, metric=metric).fit(layout(X), layout(Y))
    np.testing.assert_allclose(learner.predict_proba(layout(X_new)), expected)


def test_by_hand():
    # One neighbour each. Samples 0 and 1 are neighbours, so are 2 and 3: those with the label have
    # one neighbour with it, those without none.
    X, y = [[0.0], [1.0], [9.0], [10.0]], [[1], [1], [0], [0]]
    learner = MLkNN(n_neighbors=1).fit(X, y)
    np.testing.assert_allclose(learner.priors_, [3 / 6])
    np.testing.assert_allclose(learner.likelihoods_[:, 0], [[3 / 4, 1 / 4], [1 / 4, 3 / 4]])
    np.testing.assert_allclose(learner.predict_proba([[0.4], [9.9]]), [[3 / 4], [1 / 4]])


def test_a_sample_is_not_its_own_neighbour():
    # Each sample's nearest other sample differs from it in the label.
    X, y = [[0.0], [1.0], [3.0], [7.0]], [[1], [0], [1], [0]]
    learner = MLkNN(n_neighbors=1).fit(X, y)
    np.testing.assert_allclose(learner.likelihoods_[:, 0], [[1 / 4, 3 / 4], [3 / 4, 1 / 4]])


def test_neighbours_found_before_or_by_another_search(data):
    X, y = data
    plain = MLkNN(n_neighbors=4).fit(X, y).predict_proba(X)
    found = find_neighbors(X, n_neighbors=9)
    np.testing.assert_array_equal(
        MLkNN(n_neighbors=4, neighbors=found).fit(X, y).predict_proba(X), plain
    )
    other = MLkNN(n_neighbors=4, neighbors=NearestNeighbors(algorithm="kd_tree")).fit(X, y)
    np.testing.assert_allclose(other.predict_proba(X), plain)


def test_blocks_do_not_matter(data, monkeypatch):
    import rarelabels.learners._mlknn as module

    X, y = data
    whole = MLkNN().fit(X, y).likelihoods_
    monkeypatch.setattr(module, "ENTRIES_AT_ONCE", 50)
    np.testing.assert_array_equal(MLkNN().fit(X, y).likelihoods_, whole)


def test_what_is_refused(data):
    X, y = data
    with pytest.raises(ValueError, match="needs at least 11 samples"):
        MLkNN().fit(X[:10], y[:10])
    for smoothing in (0, -1, np.inf, "one", True):
        with pytest.raises(ValueError, match="smoothing must be"):
            MLkNN(smoothing=smoothing).fit(X, y)
