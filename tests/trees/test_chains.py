"""A chain is its links one at a time, each on the features and what the links before it say."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from rarelabels._tasks import Tasks
from rarelabels.trees import C45Classifier, EntropyTreeClassifier
from trees.data import CATEGORICAL, make_data, same_forest

N_LINKS = 4


def make_chain_tasks(seed, Y, size=50):
    rng = np.random.default_rng(seed)
    positions = np.array([rng.permutation(Y.shape[0])[:size] for _ in range(N_LINKS)])
    classes = np.array([Y[own, link] for link, own in enumerate(positions)])
    return Tasks(np.arange(N_LINKS + 1) * size, positions.ravel(), classes.ravel(), 2)


def link_by_link(X, boot, tasks, feed, new):
    """Grow the chain by `fit_many`, on samples that declare both values of every link."""
    A, B, columns = X[boot], new, []
    for link in range(N_LINKS):
        added = np.zeros((X.shape[0], link))
        full = np.vstack([np.hstack([X, added]), np.hstack([X, added + 1]), A])
        categorical = [*CATEGORICAL, *range(X.shape[1], X.shape[1] + link)]
        tree = C45Classifier(categorical_features=categorical)
        coding = tree.code(full)
        positions, classes = tasks.of(link)
        one = Tasks(np.array([0, positions.size]), positions + 2 * X.shape[0], classes, 2)
        forest = tree.fit_many(coding, one)
        columns.append(forest.probability(coding.encode(B), 1)[:, 0])
        decided = forest.probability(coding.encode(A), 1)[:, 0] >= 0.5
        A = np.column_stack([A, decided if feed is None else feed[:, link]])
        B = np.column_stack([B, columns[-1] >= 0.5])
    return np.column_stack(columns), B


@pytest.mark.parametrize("fed", [False, True], ids=["decisions", "labels"])
@pytest.mark.parametrize(
    ("zeros", "missing"), [(0.0, 0.0), (0.9, 0.0), (0.0, 0.1)], ids=["dense", "sparse", "missing"]
)
@pytest.mark.parametrize("seed", range(3))
def test_a_chain_is_its_links(fed, zeros, missing, seed):
    X, y = make_data(seed, share_of_zeros=zeros, missing=missing)
    rng = np.random.default_rng(seed)
    Y = y[:, None] ^ (rng.random((y.size, N_LINKS)) < 0.2)
    boot = rng.integers(0, y.size, y.size)
    tasks = make_chain_tasks(seed, Y[boot])
    feed = Y[boot] if fed else None
    new, _ = make_data(seed + 10, n=40, share_of_zeros=zeros, missing=missing)
    expected, with_links = link_by_link(X, boot, tasks, feed, new)

    tree = C45Classifier(categorical_features=CATEGORICAL)
    coding = tree.code(sparse.csr_array(X) if zeros else X)
    chain = pickle.loads(pickle.dumps(tree.fit_chain(coding, boot, tasks, feed)))
    assert len(chain) == N_LINKS
    got = chain.probability(coding.encode(new))
    np.testing.assert_array_equal(got, expected)
    for link in range(N_LINKS):
        single = chain[link]
        assert single.n_features_in_ == X.shape[1] + link
        given = with_links[:, : X.shape[1] + link]
        own = single.predict_proba(given)[:, single.classes_.tolist().index(1)]
        np.testing.assert_array_equal(own, got[:, link])


def test_links_have_two_classes():
    X, y = make_data(0)
    tree = C45Classifier()
    tasks = Tasks.same_samples(80, y[:, None], 3)
    with pytest.raises(ValueError, match="two classes, got 3"):
        tree.fit_chain(tree.code(X), np.arange(80), tasks)


@pytest.mark.parametrize("estimator", [C45Classifier(), EntropyTreeClassifier()], ids=str)
@settings(max_examples=20)
@given(seed=st.integers(0, 10**6))
def test_a_chain_does_not_depend_on_the_order_of_its_positions(estimator, seed):
    X, y = make_data(seed)
    rng = np.random.default_rng(seed)
    Y = y[:, None] ^ (rng.random((y.size, N_LINKS)) < 0.2)
    # Sorted, the positions of a sample lie beside each other.
    boot, shuffled = np.sort(rng.integers(0, y.size, y.size)), rng.permutation(y.size)
    tasks = make_chain_tasks(seed, Y[boot])
    moved = Tasks(tasks.starts, np.argsort(shuffled)[tasks.samples], tasks.classes, 2)
    coding, seeds = estimator.code(X), range(N_LINKS)
    one = estimator.fit_chain(coding, boot, tasks, seeds=seeds)
    other = estimator.fit_chain(coding, boot[shuffled], moved, seeds=seeds)
    assert same_forest(one.forest, other.forest)
