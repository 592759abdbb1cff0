"""IBLR against the paper's features, written as loops, and scikit-learn's logistic regression."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.linear_model import LogisticRegression

from layouts import layouts
from learners.test_mlknn import nearest
from rarelabels import find_neighbors
from rarelabels.learners import IBLR, MLkNN
from rarelabels.metrics import macro_auc_pr, macro_auc_roc


def literal_shares(Y, neighborhoods):
    """Return the share of the neighbors that know each label and have it, label by label."""
    shares = np.empty((len(neighborhoods), Y.shape[1]))
    for i, neighbors in enumerate(neighborhoods):
        for j in range(Y.shape[1]):
            known = [Y[a, j] for a in neighbors if not np.isnan(Y[a, j])]
            shares[i, j] = np.mean(known) if known else np.nanmean(Y[:, j])
    return shares


def literal_scores(X, Y, X_new, k, C, add_features, metric="euclidean", weights=None):
    """Return the scores of one logistic regression after the other."""
    n, q = Y.shape
    train = literal_shares(Y, [nearest(X, X[i], k, i, metric) for i in range(n)])
    test = literal_shares(Y, [nearest(X, sample, k, metric=metric) for sample in X_new])
    if add_features:
        low, high = X.min(axis=0), X.max(axis=0)
        span = np.where(high > low, high - low, 1)
        train = np.hstack([(X - (low + high) / 2) / span, train])
        test = np.hstack([(X_new - (low + high) / 2) / span, test])
    scores = np.empty((len(X_new), q))
    for j in range(q):
        known = ~np.isnan(Y[:, j])
        if len({*Y[known, j]}) == 1:
            scores[:, j] = Y[known, j][0]
            continue
        counted = None if weights is None else weights[known, j]
        model = LogisticRegression(C=C, tol=1e-7, max_iter=1000)
        model.fit(train[known], Y[known, j], sample_weight=counted)
        scores[:, j] = model.predict_proba(test)[:, 1]
    return scores


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10_000),
    k=st.integers(1, 6),
    C=st.sampled_from([0.1, 1.0, 20.0]),
    add_features=st.booleans(),
    layout=layouts(),
    metric=st.sampled_from(["euclidean", "cosine"]),
)
def test_scores(seed, k, C, add_features, layout, metric):
    rng = np.random.default_rng(seed)
    # Few values, so that there are ties and duplicates.
    X, X_new = rng.integers(3, size=(25, 3)).astype(float), rng.integers(5, size=(9, 3)) * 1.0
    Y = (rng.random((25, 4)) < [0.5, 0.2, 0.0, 1.0]).astype(float)
    expected = literal_scores(X, Y, X_new, k, C, add_features, metric)
    learner = IBLR(n_neighbors=k, C=C, add_features=add_features, metric=metric)
    learner.fit(layout(X), layout(Y.astype(int)))
    # The solver stops at a small gradient, on sparse columns elsewhere than on dense ones.
    np.testing.assert_allclose(learner.predict_proba(layout(X_new)), expected, atol=1e-4)


@settings(max_examples=25)
@given(seed=st.integers(0, 10_000), k=st.integers(1, 5), add_features=st.booleans())
def test_unknown_labels_and_weights(seed, k, add_features):
    rng = np.random.default_rng(seed)
    X, X_new = rng.normal(size=(25, 3)), rng.normal(size=(9, 3))
    Y = (rng.random((25, 3)) < [0.5, 0.2, 0.7]).astype(float)
    Y[rng.random(Y.shape) < 0.4] = np.nan
    Y[:2] = [[0.0] * 3, [1.0] * 3]
    # Each sample knows something: others are not used.
    Y[np.isnan(Y).all(axis=1), 0] = 0.0
    weights = rng.integers(1, 4, Y.shape).astype(float)
    expected = literal_scores(X, Y, X_new, k, 1.0, add_features, weights=weights)
    learner = IBLR(n_neighbors=k, add_features=add_features, allow_missing_labels=True)
    found = learner.fit(X, Y, sample_weight=weights).predict_proba(X_new)
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_by_hand():
    # One neighbor each: 0 and 1 are neighbors, and so are 2 and 3. The share of the label is 1 for
    # the first two and 0 for the others. With the intercept -a / 2, which is right by symmetry, the
    # loss is a² / (2 C) + 4 log(1 + exp(-a / 2)), so a = 2 C / (1 + exp(a / 2)).
    X, y = [[0.0], [1.0], [9.0], [10.0]], [[1], [1], [0], [0]]
    learner = IBLR(n_neighbors=1, add_features=False, C=2.0).fit(X, y)
    slope = 1.0
    for _ in range(200):
        slope = (slope + 2 * 2.0 / (1 + np.exp(slope / 2))) / 2
    (model,) = learner.estimators_
    np.testing.assert_allclose(model.coef_, [[slope]], rtol=1e-3)
    np.testing.assert_allclose(model.intercept_, [-slope / 2], rtol=1e-3)
    yes = 1 / (1 + np.exp(-slope / 2))
    np.testing.assert_allclose(learner.predict_proba([[0.4], [9.9]]), [[yes], [1 - yes]], rtol=1e-3)
    np.testing.assert_array_equal(learner.shares_, [0.5])


def test_a_sample_is_not_its_own_neighbor():
    # Each sample's nearest other sample differs from it in the label: a share of 1 speaks against.
    X, y = [[0.0], [1.0], [3.0], [7.0]], [[1], [0], [1], [0]]
    learner = IBLR(n_neighbors=1, add_features=False).fit(X, y)
    assert learner.estimators_[0].coef_[0, 0] < 0


def test_a_share_of_which_no_neighbor_knows_anything():
    # Sample 0 is the only neighbor of sample 1 and the new one, and does not know label 1.
    X, y = [[0.0], [1.0], [9.0], [10.0]], [[1, np.nan], [1, 1], [0, 0], [0, 0]]
    learner = IBLR(n_neighbors=1, add_features=False, allow_missing_labels=True).fit(X, y)
    np.testing.assert_allclose(learner.shares_, [1 / 2, 1 / 3])
    columns = learner._columns(learner._features.numbers, np.array([[0], [2]]))
    np.testing.assert_allclose(columns, [[1, 1 / 3], [0, 0]])


def test_what_labels_tell_of_each_other():
    # A tenth of the samples with label 0 have label 1: the share of label 0 says where it occurs.
    rng = np.random.default_rng(0)
    X = rng.random((2000, 2))
    first = (np.sin(9 * X[:, 0]) + np.sin(9 * X[:, 1]) > 0.8).astype(int)
    Y = np.column_stack([first, first & (rng.random(2000) < 0.1)])
    train, test = slice(1000), slice(1000, None)
    both = IBLR(add_features=False).fit(X[train], Y[train])
    alone = IBLR(add_features=False).fit(X[train], Y[train, 1:])
    assert both.estimators_[1].coef_[0, 0] > 1
    ranked = macro_auc_roc(Y[test, 1:], both.predict_proba(X[test])[:, 1:])
    assert ranked > macro_auc_roc(Y[test, 1:], alone.predict_proba(X[test])) + 0.1


def test_neighbors_found_before_and_jobs(data):
    X, y = data
    plain = IBLR(n_neighbors=4).fit(X, y).predict_proba(X)
    found = find_neighbors(X, n_neighbors=9)
    for same in (IBLR(n_neighbors=4, neighbors=found), IBLR(n_neighbors=4, n_jobs=2)):
        np.testing.assert_array_equal(same.fit(X, y).predict_proba(X), plain)


@pytest.mark.parametrize("trained_on", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_large_tables_are_sparse(data, monkeypatch, trained_on, form):
    import rarelabels.learners._iblr as module

    X, y = np.where(data[0] > 0.3, data[0], 0.0), data[1]
    X[:, 4] += 7
    dense = IBLR().fit(trained_on(X), y)
    expected = dense.predict_proba(X)
    np.testing.assert_allclose(dense.predict_proba(form(X)), expected, rtol=1e-12)
    monkeypatch.setattr(module, "DENSE_ENTRIES", 50)
    monkeypatch.setattr(module, "DENSE_IF_SPARSE", 50)
    thin = IBLR().fit(trained_on(X), y)
    assert not dense._is_sparse
    assert thin._is_sparse
    np.testing.assert_allclose(thin.predict_proba(form(X)), expected, atol=1e-4)


def test_new_samples_are_scored_in_blocks(data, monkeypatch):
    import rarelabels.learners._iblr as module

    X, y = data
    learner = IBLR().fit(X, y)
    whole = learner.predict_proba(X)
    monkeypatch.setattr(module, "row_blocks", lambda n, width: [slice(0, 7), slice(7, n)])
    np.testing.assert_allclose(learner.predict_proba(X), whole, rtol=1e-12)


def test_categories_and_missing_values_are_indicators():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"kind": rng.choice(["a", "b", "c"], 60), "size": rng.random(60)})
    y = np.column_stack([frame["kind"] == "b", frame["size"] > 0.7]).astype(int)
    frame.loc[3, "size"] = None
    learner = IBLR(n_neighbors=3).fit(frame, y)
    # Two columns, an indicator of the missing value, three of categories, and two shares.
    assert learner.estimators_[0].coef_.shape == (1, 2 + 1 + 3 + 2)
    np.testing.assert_array_equal(learner.predict(frame)[:, 0], y[:, 0])
    new = pd.DataFrame({"kind": ["never seen"], "size": [None]}).astype({"size": float})
    assert np.isfinite(learner.predict_proba(new)).all()


def test_features_help_where_neighbors_do_not():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 40))
    y = (X[:, :2] > 1).astype(int)
    scores = {
        name: macro_auc_pr(y[200:], learner.fit(X[:200], y[:200]).predict_proba(X[200:]))
        for name, learner in (("IBLR", IBLR()), ("MLkNN", MLkNN()))
    }
    assert scores["IBLR"] > scores["MLkNN"] + 0.3


def test_what_is_refused(data):
    X, y = data
    with pytest.raises(ValueError, match="needs at least 11 samples"):
        IBLR().fit(X[:10], y[:10])
    for C in (0, -1, np.inf, "one", True):
        with pytest.raises(ValueError, match="C must be"):
            IBLR(C=C).fit(X, y)
