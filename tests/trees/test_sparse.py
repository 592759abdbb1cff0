"""Shortcuts of trees on sparse features: bounds that hold, lists sorted once, sets of samples."""

from types import SimpleNamespace
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from rarelabels._tasks import Tasks
from rarelabels.trees import C45Classifier, EntropyTreeClassifier
from rarelabels.trees._kernels import criterion, workspace
from rarelabels.trees._kernels.split import sparse_lists
from trees.data import CATEGORICAL, make_data, same_forest


def python(kernel):
    """Return a kernel as Python runs it."""
    return getattr(kernel, "py_func", kernel)


def grown_densely_and_sparsely(estimator, X, tasks):
    """Return the forests of dense features and of the same taken as sparse ones."""
    forests = []
    for share in (0.0, 1.0):
        with patch("rarelabels.trees._coding.SPARSE_SHARE", share):
            coding = estimator.code(X)
        assert coding.codes.is_sparse == (share > 0)
        forests.append(estimator.fit_many(coding, tasks, seeds=range(tasks.starts.size - 1)))
    return forests


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


def node_of(counts):
    """Return the scratch of a node with these class counts, its score tables filled in."""
    n = int(counts.sum())
    node = SimpleNamespace(
        table=np.array([0.0, 0.0, *(i * np.log2(i) for i in range(2, n + 2))]),
        sizes=np.empty(n + 1),
        shares=np.empty(n + counts.size),
        rises=np.empty(n + counts.size),
        shares_start=np.empty(counts.size, dtype=np.int64),
        counts=counts,
    )
    python(criterion.fill_score_tables)(node, n)
    return node


@given(given=counted())
def test_tables_give_the_score(given):
    counts, _, side = given
    score = python(criterion.score_of_two)(node_of(counts), side[None, :], 0, int(side.sum()))
    assert np.isclose(score, literal_score(counts, side))


@given(given=counted())
def test_no_part_of_the_stored_samples_scores_above_the_bound(given):
    counts, stored, side = given
    score, node = literal_score(counts, side), node_of(counts)
    assert score <= python(criterion.score_apart)(node, stored[None, :], 0) + 1e-9
    if counts.size <= 3:
        assert score <= python(criterion.highest_score)(node, stored[None, :], 0) + 1e-9


def test_the_bound_is_reached_where_classes_part():
    # Of 4 and 6 samples, 3 and 2 are stored: best apart are the 3 from the other 1 and 6.
    counts, stored = np.array([4, 6]), np.array([[3, 2]])
    bound = python(criterion.highest_score)(node_of(counts), stored, 0)
    assert np.isclose(bound, np.log2(1 / 7) + 6 * np.log2(6 / 7))


@given(
    pairs=st.lists(st.tuples(st.integers(0, 5000), st.integers(0, 9)), max_size=40),
    below=st.integers(0, 7),
)
def test_sorting_by_digits_is_stable(pairs, below):
    items = np.array([(code << 3) | below for code, _ in pairs], dtype=np.int64)
    features = np.array([feature for _, feature in pairs], dtype=np.int32)
    order = np.argsort(items, kind="stable")
    made = python(sparse_lists.sorted_by_code)(items, features, 3, 13)
    np.testing.assert_array_equal(made[0], items[order])
    np.testing.assert_array_equal(made[1], features[order])


@given(
    items=st.lists(st.integers(-50, 50) | st.integers(-(2**62), 2**62), max_size=300),
    start=st.integers(0, 30),
    left_out=st.integers(0, 30),
)
def test_a_range_is_sorted_in_place(items, start, left_out):
    sorted_items = np.array(items, dtype=np.int64)
    end = max(start, len(items) - left_out)
    expected = [*items[:start], *sorted(items[start:end]), *items[end:]]
    python(workspace.sort_range)(sorted_items, start, min(end, len(items)))
    assert sorted_items.tolist() == expected


@pytest.mark.parametrize("shape", ["ascending", "descending", "equal", "organ pipe", "random"])
def test_long_ranges_are_sorted(shape):
    n = 5000
    items = {
        "ascending": np.arange(n),
        "descending": np.arange(n)[::-1],
        "equal": np.zeros(n),
        "organ pipe": np.minimum(np.arange(n), n - np.arange(n)),
        "random": np.random.default_rng(0).integers(0, n, n),
    }[shape].astype(np.int64)
    expected = np.sort(items)
    python(workspace.sort_range)(items, 0, n)
    np.testing.assert_array_equal(items, expected)


@st.composite
def few_of_many(draw):
    """Give sparse samples, and a task of some of them with repeats."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n, n_classes = draw(st.integers(30, 300)), draw(st.sampled_from([2, 3, 5]))
    X = rng.normal(size=(n, 8)).round(draw(st.sampled_from([0, 1, 8])))
    X[rng.random(X.shape) < 0.85] = 0
    samples = rng.integers(0, n, draw(st.integers(5, n)))
    y = np.digitize(X[:, :3].sum(axis=1) + rng.normal(scale=0.3, size=n), np.arange(n_classes - 1))
    return X, samples, y[samples], n_classes


@pytest.mark.parametrize("estimator", [C45Classifier(), EntropyTreeClassifier()], ids=str)
@settings(max_examples=40)
@given(given=few_of_many())
def test_few_of_many_samples_give_the_tree_of_these_alone(estimator, given):
    # Few are listed sample by sample, all of them feature by feature.
    X, samples, classes, n_classes = given
    starts = np.array([0, samples.size])
    among, alone = (
        estimator.fit_many(
            estimator.code(sparse.csr_array(features)),
            Tasks(starts, rows, classes, n_classes),
            seeds=[1],
        )
        for features, rows in ((X, samples), (X[samples], np.arange(samples.size)))
    )
    assert same_forest(among, alone)


@st.composite
def of_two_values(draw):
    """Give samples of features with at most two values, and tasks of up to so many of them."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    most, n_classes = draw(st.sampled_from([5, 64, 65, 200, 512, 600])), draw(st.integers(2, 5))
    n_samples, rare = draw(st.integers(5, 300)), draw(st.sampled_from([0.05, 0.2, 0.5]))
    # The most frequent value is the lower one of most features, the higher one of some.
    values = np.array([[0, 1], [0, 1], [0, 5], [-2, 0], [1, 0], [0, 1], [0, 1e-6], [3, 3]])
    X = values[np.arange(8), (rng.random((n_samples, 8)) < rare).astype(int)]
    score = X[:, 0] + X[:, 1] * X[:, 3] + rng.normal(scale=0.5, size=n_samples)
    y = np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))
    sizes = rng.integers(1, most + 1, 4)
    samples = rng.integers(0, n_samples, sizes.sum())
    assert EntropyTreeClassifier().code(X).codes.all_two_valued
    return X, Tasks(np.append(0, sizes.cumsum()), samples, y[samples], n_classes)


@pytest.mark.parametrize(
    "estimator",
    [
        C45Classifier(),
        C45Classifier(categorical_features=CATEGORICAL, min_samples_leaf=1),
        EntropyTreeClassifier(min_samples_leaf=3),
        EntropyTreeClassifier(min_samples_leaf=1, confidence=0.4),
    ],
    ids=str,
)
@settings(max_examples=40)
@given(given=of_two_values())
def test_trees_of_sets_are_those_of_dense_features(estimator, given):
    # Small tasks on sparse features of two values are grown as sets, larger ones by counts.
    assert same_forest(*grown_densely_and_sparsely(estimator, *given))


@st.composite
def of_few_values(draw):
    """Give samples of features with a few values, and tasks of up to so many of them."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    most, n_classes = draw(st.sampled_from([20, 60, 300])), draw(st.integers(2, 6))
    n_samples = draw(st.integers(40, 300))
    # The most frequent value is the lowest one, one between, the highest one, or one of two; some
    # values are too close to others to be separated.
    values = np.array(
        [[0, 1, 2, 3], [0, 1, 1 + 1e-8, 7], [0, -1, 2, 5], [9, 1, 2, 3], [0, 4, 4, 4]]
    )
    X = np.column_stack([rng.choice(own, n_samples, p=[0.6, 0.2, 0.1, 0.1]) for own in values])
    score = X[:, 0] + X[:, 2] * X[:, 3] / 9 + rng.normal(scale=0.5, size=n_samples)
    y = np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))
    sizes = rng.integers(1, most + 1, 4)
    samples = rng.integers(0, n_samples, sizes.sum())
    return X, Tasks(np.append(0, sizes.cumsum()), samples, y[samples], n_classes)


@pytest.mark.parametrize(
    "estimator",
    [
        C45Classifier(),
        C45Classifier(categorical_features=[4], min_samples_leaf=1),
        EntropyTreeClassifier(),
        EntropyTreeClassifier(min_samples_leaf=1, confidence=0.4),
    ],
    ids=str,
)
@settings(max_examples=40)
@given(given=of_few_values())
def test_trees_by_counts_of_codes_are_those_of_dense_features(estimator, given):
    assert same_forest(*grown_densely_and_sparsely(estimator, *given))


def test_a_threshold_beyond_the_base_where_the_base_is_too_small_for_a_leaf():
    # One sample has the most frequent value 0, and what is left of it is of one class.
    X = np.repeat([[0.0], [0.0], [1.0], [2.0]], [20, 1, 4, 5], axis=0)
    y = np.repeat([0, 1, 0, 0], [20, 1, 4, 5])
    tasks = Tasks(np.array([0, 10]), np.arange(20, 30), y[20:], 2)
    dense, sparse_ = grown_densely_and_sparsely(EntropyTreeClassifier(), X, tasks)
    assert dense.trees.threshold[0] == sparse_.trees.threshold[0] == 1.5


@pytest.mark.parametrize(
    "estimator",
    [C45Classifier(categorical_features=CATEGORICAL), EntropyTreeClassifier()],
    ids=str,
)
@pytest.mark.parametrize("seed", range(4))
def test_links_decide_by_sets_as_they_do_sample_by_sample(estimator, seed, monkeypatch):
    # Sparse features are decided on as sets, dense ones sample by sample.
    X, y = make_data(seed, n=150, share_of_zeros=0.8)
    rng = np.random.default_rng(seed)
    boot = rng.integers(0, 150, 130)
    labels = y[boot, None] ^ (rng.random((130, 6)) < 0.2)
    chains = []
    for share in (0.0, 1.0):
        monkeypatch.setattr("rarelabels.trees._coding.SPARSE_SHARE", share)
        coding = estimator.code(X)
        assert coding.codes.is_sparse == (share > 0)
        tasks = Tasks.same_samples(130, labels, 2)
        chains.append(estimator.fit_chain(coding, boot, tasks, seeds=range(6)))
    assert (chains[0].forest.trees.feature >= 6).any()
    assert same_forest(chains[0].forest, chains[1].forest)
