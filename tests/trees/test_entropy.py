"""Entropy trees against scikit-learn's: the same gain at every node."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.tree import DecisionTreeClassifier

from rarelabels.datasets import load_mulan, select_frequent_features
from rarelabels.trees import EntropyTreeClassifier
from trees.data import make_data


def node_samples(forest, X):
    """Return which samples reach each node of a forest's only tree."""
    trees = forest.trees
    X = X.astype(np.float32).astype(float)
    reach = {0: np.arange(X.shape[0])}
    for node in range(trees.feature.size):
        if trees.feature[node] >= 0:
            right = X[reach[node], trees.feature[node]] > trees.threshold[node]
            first = int(trees.child[node])
            reach[first], reach[first + 1] = reach[node][~right], reach[node][right]
    return reach


def best_stump_gain(X, y, weight):
    """Return the entropy that scikit-learn's best split of these samples leaves, per weight."""
    stump = DecisionTreeClassifier(
        criterion="entropy", min_samples_leaf=2, max_depth=1, random_state=0
    ).fit(X.astype(np.float32), y, sample_weight=weight)
    nodes = stump.tree_
    if nodes.node_count == 1:
        return None
    return (nodes.impurity[1:] * nodes.weighted_n_node_samples[1:]).sum() / weight.sum()


def entropy_of(y, weight):
    share = np.bincount(y, weight) / weight.sum()
    share = share[share > 0]
    return -(share * np.log2(share)).sum()


def check_every_node(X, y, given=None, weight=None, **options):
    tree = EntropyTreeClassifier(random_state=0, **options)
    tree.fit(X if given is None else given, y, sample_weight=weight)
    weight = np.ones(y.size) if weight is None else weight
    forest = tree._forest
    reach = node_samples(forest, X)
    assert len(reach) == tree.n_nodes_
    for node, samples in reach.items():
        own = y[samples]
        mixed = np.unique(own).size > 1
        left = best_stump_gain(X[samples], own, weight[samples]) if mixed else None
        if forest.trees.feature[node] < 0:
            assert left is None
            continue
        first = int(forest.trees.child[node])
        sides = [reach[first], reach[first + 1]]
        assert min(side.size for side in sides) >= 2
        left_over = [entropy_of(y[side], weight[side]) * weight[side].sum() for side in sides]
        ours = sum(left_over) / weight[samples].sum()
        assert ours == pytest.approx(left, abs=1e-9)


@pytest.mark.parametrize("zeros", [0.0, 0.5, 0.9])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_every_split_is_as_good_as_scikit_learns(zeros, n_classes):
    X, y = make_data(20, n=150, share_of_zeros=zeros, n_classes=n_classes)
    check_every_node(X, y)
    check_every_node(X, y, sparse.csr_array(X))


@given(st.integers(0, 2**32 - 1), st.integers(4, 40), st.integers(1, 3), st.integers(2, 6))
def test_every_split_is_as_good_on_any_data(seed, n, d, n_values):
    rng = np.random.default_rng(seed)
    X = rng.integers(-1, n_values, (n, d)).astype(float)
    y = rng.integers(0, 3, n)
    check_every_node(X, y)
    check_every_node(X, y, sparse.csr_array(X))


@pytest.mark.parametrize("name", ["yeast", "scene", "medical", "flags"])
def test_every_split_is_as_good_on_real_data(name, shared_data):
    data = load_mulan(shared_data / name / f"{name}.arff", shared_data / name / f"{name}.xml")
    X = data.X[:400].toarray() if sparse.issparse(data.X) else data.X[:400]
    Y = data.Y.toarray() if sparse.issparse(data.Y) else data.Y
    for j in (0, 1):
        check_every_node(X, Y[:400, j].astype(int))


@pytest.mark.parametrize("name", ["rcv1subset1", "yahoo-Arts1"])
def test_every_split_is_as_good_on_sparse_real_data(name, shared_data):
    # Features of many values, most of them zero.
    data = load_mulan(shared_data / name / f"{name}.arff", shared_data / name / f"{name}.xml")
    X = sparse.csr_array(data.X)[:1500]
    X, _ = select_frequent_features(X, 0.01)
    Y = data.Y.toarray() if sparse.issparse(data.Y) else data.Y
    for j in np.argsort(-Y.sum(axis=0))[:2]:
        check_every_node(X.toarray(), Y[:1500, j].astype(int), X)


def test_without_ties_it_is_scikit_learns_tree():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(scale=0.2, size=300) > 0.5).astype(int)
    # Small nodes have ties.
    theirs = DecisionTreeClassifier(criterion="entropy", min_samples_leaf=20, random_state=0)
    new = rng.normal(size=(500, 3))
    ours = EntropyTreeClassifier(min_samples_leaf=20, random_state=0).fit(X, y)
    np.testing.assert_allclose(ours.predict_proba(new), theirs.fit(X, y).predict_proba(new))
    assert ours.n_leaves_ == theirs.get_n_leaves()
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-9)


def test_ties_are_broken_by_the_seed():
    X = np.repeat([[0.0] * 8, [1.0] * 8], 4, axis=0)
    y = np.repeat([0, 1], 4)
    chosen = {
        int(EntropyTreeClassifier(random_state=seed).fit(X, y)._forest.trees.feature[0])
        for seed in range(60)
    }
    assert len(chosen) >= 6
    again = [EntropyTreeClassifier(random_state=3).fit(X, y).export_text() for _ in range(2)]
    assert again[0] == again[1]


def weighted_data(seed, n=60):
    X, y = make_data(seed, n=n, n_classes=3)
    return X, y, np.random.default_rng(seed).lognormal(sigma=2, size=n)


@given(st.integers(0, 2**32 - 1), st.floats(-12, 12), st.floats(0, 6))
def test_every_split_is_as_good_with_weights_of_any_scale(seed, scale, spread):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 5, (30, 2)).astype(float), rng.integers(0, 3, 30)
    check_every_node(X, y, weight=10.0 ** (scale + spread * rng.random(30)))


@given(st.integers(0, 1000), st.integers(-900, 900), st.sampled_from([None, 0.25]))
def test_weights_times_a_power_of_two_give_the_same_tree(seed, power, confidence):
    X, y, weight = weighted_data(seed)
    one, other = (
        EntropyTreeClassifier(random_state=0, confidence=confidence).fit(X, y, sample_weight=w)
        for w in (weight, weight * 2.0**power)
    )
    for name in ("feature", "threshold", "child", "probability"):
        np.testing.assert_array_equal(
            getattr(one._forest.trees, name), getattr(other._forest.trees, name)
        )
    np.testing.assert_array_equal(one._forest.trees.counts * 2.0**power, other._forest.trees.counts)


@pytest.mark.parametrize("scale", [1e-5, 1 / 3, 1e-12, 7e9])
def test_weights_times_a_number_give_the_same_tree(scale):
    for seed in range(20):
        X, y, weight = weighted_data(seed)
        found = [
            EntropyTreeClassifier(random_state=0).fit(X, y, sample_weight=w).predict_proba(X)
            for w in (weight, weight * scale)
        ]
        np.testing.assert_allclose(*found, rtol=1e-9)


@pytest.mark.parametrize("weight", [0.1, 1e-300, 5e-324, 1e300, 3])
def test_equal_weights_give_the_tree_without_weights(weight):
    X, y = make_data(0)
    found = [
        EntropyTreeClassifier(random_state=0, confidence=0.25).fit(X, y, sample_weight=w)
        for w in (None, np.full(y.size, weight))
    ]
    np.testing.assert_array_equal(*(tree.predict_proba(X) for tree in found))


def test_text_has_the_weights_that_were_given():
    X, y = [[1.0], [2.0], [6.0], [7.0]], [0, 0, 1, 1]
    tree = EntropyTreeClassifier().fit(X, y, sample_weight=[1, 2, 4, 4])
    assert tree.export_text() == "feature 0 <= 4: 0 (3)\nfeature 0 > 4: 1 (8)"
