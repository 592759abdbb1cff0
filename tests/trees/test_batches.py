"""Many trees at once: the same as one at a time, whatever the path, threads or container."""

import pickle

import numpy as np
import pytest
from scipy import sparse

from rarelabels._tasks import Tasks
from rarelabels.trees import C45Classifier, EntropyTreeClassifier, _forest
from trees.data import CATEGORICAL, make_data, make_tasks, same_forest

ESTIMATORS = [
    C45Classifier(categorical_features=CATEGORICAL),
    C45Classifier(categorical_features=CATEGORICAL, confidence=None, laplace=True),
    EntropyTreeClassifier(),
    EntropyTreeClassifier(confidence=0.25),
]
each_estimator = pytest.mark.parametrize("estimator", ESTIMATORS, ids=str)
each_zeros = pytest.mark.parametrize("share_of_zeros", [0.0, 0.9], ids=["dense", "sparse"])


@each_estimator
@each_zeros
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_batch_is_its_tasks_one_at_a_time(estimator, share_of_zeros, n_classes):
    X, y = make_data(0, share_of_zeros=share_of_zeros, n_classes=n_classes)
    tasks = make_tasks(1, y, n_classes=n_classes)
    coding = estimator.code(X)
    assert coding.codes.is_sparse == (share_of_zeros > 0)
    seeds = np.arange(len(tasks)) + 7
    forest = estimator.fit_many(coding, tasks, seeds=seeds)
    for t in range(len(tasks)):
        samples, classes = tasks.of(t)
        alone = Tasks(np.array([0, samples.size]), samples, classes, n_classes)
        single = estimator.fit_many(coding, alone, seeds=seeds[t : t + 1])
        assert same_forest(single, forest._alone(t))


@each_estimator
@each_zeros
def test_any_number_of_threads_gives_the_same(estimator, share_of_zeros):
    X, y = make_data(2, n=200, share_of_zeros=share_of_zeros)
    tasks = make_tasks(3, y, n_tasks=20)
    coding = estimator.code(X)
    one, two = (estimator.fit_many(coding, tasks, seeds=range(20), n_jobs=n) for n in (1, 2))
    assert same_forest(one, two)
    data = coding.encode(X)
    pairs = np.arange(20) % 4, np.arange(20) % 3
    for name, arguments in (
        ("probability", (1,)),
        ("mean_probability", (1, np.arange(20) % 6, 6)),
        ("decide", ()),
        ("count_wins", (*pairs, 4)),
    ):
        ask = getattr(one, name)
        np.testing.assert_array_equal(ask(data, *arguments), ask(data, *arguments, n_jobs=2))


@each_estimator
@pytest.mark.parametrize("share_of_zeros", [0.5, 0.9])
def test_sparse_and_dense_features_give_the_same_trees(estimator, share_of_zeros, monkeypatch):
    X, y = make_data(4, n=150, share_of_zeros=share_of_zeros)
    tasks = make_tasks(5, y, size=120)
    forests = []
    for share in (0.0, 1.0):
        monkeypatch.setattr("rarelabels.trees._coding.SPARSE_SHARE", share)
        for given in (X, sparse.csr_array(X), sparse.csc_array(X)):
            coding = estimator.code(given)
            forests.append(estimator.fit_many(coding, tasks, seeds=range(5)))
            np.testing.assert_array_equal(
                forests[-1].probability(coding.encode(X), 1),
                forests[0].probability(coding.encode(sparse.csr_array(X)), 1),
            )
    assert all(same_forest(forests[0], forest) for forest in forests)


@each_estimator
@each_zeros
@pytest.mark.parametrize("n_classes", [2, 3])
def test_counting_gives_the_trees_of_the_weighted_path(
    estimator, share_of_zeros, n_classes, monkeypatch
):
    X, y = make_data(6, n=150, share_of_zeros=share_of_zeros, n_classes=n_classes)
    tasks = make_tasks(7, y, size=120, n_classes=n_classes)
    coding = estimator.code(X)
    counted = estimator.fit_many(coding, tasks, seeds=range(5))
    monkeypatch.setattr(_forest, "kernel_weights", lambda *_: np.ones(coding.n_samples))
    weighted = estimator.fit_many(coding, tasks, seeds=range(5))
    assert np.array_equal(counted.roots, weighted.roots)
    np.testing.assert_array_equal(counted.trees.feature, weighted.trees.feature)
    np.testing.assert_array_equal(counted.trees.threshold, weighted.trees.threshold)
    np.testing.assert_allclose(counted.trees.counts, weighted.trees.counts)


def test_decisions_follow_the_probabilities():
    X, y = make_data(8, n=150, missing=0.1)
    estimator = ESTIMATORS[0]
    tasks = make_tasks(9, y)
    coding = estimator.code(X)
    forest, data = estimator.fit_many(coding, tasks), coding.encode(X)
    probability = forest.probability(data, 1)
    np.testing.assert_allclose(probability + forest.probability(data, 0), 1)
    said = probability >= 0.5
    np.testing.assert_array_equal(forest.decide(data), said)
    first, second = np.array([0, 0, 1, 2, 2]), np.array([1, 2, 2, 3, 0])
    wins = np.zeros((150, 4), int)
    for t in range(5):
        wins[:, first[t]] += said[:, t]
        wins[:, second[t]] += ~said[:, t]
    np.testing.assert_array_equal(forest.count_wins(data, first, second, 4), wins)
    means = forest.mean_probability(data, 1, np.array([0, 0, 2, 2, 2]), 3)
    np.testing.assert_allclose(means[:, 0], probability[:, :2].mean(axis=1))
    np.testing.assert_allclose(means[:, 2], probability[:, 2:].mean(axis=1))
    assert not means[:, 1].any()


def test_ties_of_several_classes_go_to_the_lowest():
    X, y = np.zeros((4, 1)), np.array([2, 1, 1, 2])
    estimator = C45Classifier()
    coding = estimator.code(X)
    forest = estimator.fit_many(coding, Tasks.same_samples(4, y[:, None], 3))
    assert forest.decide(coding.encode(X)).tolist() == [[1]] * 4
    assert forest[0].classes_.tolist() == [1, 2]


def test_the_same_samples_are_written_once():
    classes = np.arange(12).reshape(4, 3) % 2
    tasks = Tasks.same_samples(4, classes, 2)
    assert len(tasks) == 3
    assert tasks.samples.size == 4
    samples, own = tasks.of(1)
    assert samples.tolist() == [0, 1, 2, 3]
    assert own.tolist() == classes[:, 1].tolist()


def test_forests_pickle_and_give_single_trees():
    X, y = make_data(10)
    estimator = ESTIMATORS[0]
    coding = estimator.code(X)
    forest = estimator.fit_many(coding, make_tasks(11, y))
    again = pickle.loads(pickle.dumps(forest))
    assert same_forest(forest, again)
    assert len(again) == 5
    np.testing.assert_array_equal(
        again[2].predict_proba(X)[:, 1], forest.probability(coding.encode(X), 1)[:, 2]
    )


def test_what_reads_new_samples_does_without_those_of_training():
    X, y = make_data(13, n=2000)
    estimator = ESTIMATORS[0]
    coding = estimator.code(X)
    forest = estimator.fit_many(coding, make_tasks(14, y))
    again = pickle.loads(pickle.dumps(coding.encoder))
    np.testing.assert_array_equal(
        forest.probability(again.encode(X), 1), forest.probability(coding.encode(X), 1)
    )
    assert len(pickle.dumps(coding.encoder)) < 5_000 < len(pickle.dumps(coding))


@each_estimator
@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_sample_has_the_same_answers_alone_and_among_many(estimator, n_jobs, monkeypatch):
    # Sets of samples go down the trees together, few of them one by one.
    X, y = make_data(15, n=300, missing=0.05 if "C45" in str(estimator) else 0.0)
    X[:7, 0], X[7:9, 1] = 9, -3  # categories that no sample of training has
    tasks = make_tasks(16, y[20:], size=250)
    coding = estimator.code(X[20:])
    forest = estimator.fit_many(coding, tasks, seeds=range(5))
    alone = [coding.encode(X[[i]]) for i in range(X.shape[0])]
    monkeypatch.setattr("rarelabels.trees._coding.BLOCK_SAMPLES", 128)
    together, groups = coding.encode(X), np.array([0, 0, 1, 1, 1])
    pairs = np.array([0, 0, 1, 2, 2]), np.array([1, 2, 2, 3, 0])
    for name, arguments in (
        ("probability", (1,)),
        ("mean_probability", (1, groups, 2)),
        ("decide", ()),
        ("count_wins", (*pairs, 4)),
    ):
        ask = getattr(forest, name)
        one_by_one = np.vstack([ask(data, *arguments) for data in alone])
        np.testing.assert_array_equal(ask(together, *arguments, n_jobs=n_jobs), one_by_one)


def test_samples_that_are_not_there_are_refused():
    X, _ = make_data(12)
    estimator = C45Classifier()
    wrong = Tasks(np.array([0, 1]), np.array([80]), np.array([0]), 2)
    with pytest.raises(ValueError, match="outside of 0 … 79"):
        estimator.fit_many(estimator.code(X), wrong)
    with pytest.raises(ValueError, match="at least one sample"):
        estimator.fit_many(
            estimator.code(X), Tasks(np.array([0, 0, 1]), np.array([1]), np.array([0]), 2)
        )
    with pytest.raises(ValueError, match="starts must end"):
        Tasks(np.array([0, 3]), np.array([1]), np.array([0]), 2)
