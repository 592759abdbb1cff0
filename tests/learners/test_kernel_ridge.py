"""KernelRidgeClassifier: leave-one-out scores against refits, choices, containers, bad input."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.metrics.pairwise import laplacian_kernel

from rarelabels.learners import KernelRidgeClassifier
from rarelabels.learners._ridge import memory
from rarelabels.learners._ridge.calibration import PooledCalibration
from rarelabels.learners._ridge.exact import dual_fit
from rarelabels.learners._ridge.feature_blocks import LocalBlocks
from rarelabels.learners._ridge.kernels import (
    LinearKernel,
    RBFKernel,
    ScaledSamples,
    kernel_matrix,
    typical_squared_distance,
)
from rarelabels.learners._ridge.landmarks import LandmarkFeatures, draw_landmarks
from rarelabels.learners._ridge.primal import PrimalPath
from rarelabels.learners._ridge.targets import Targets


@st.composite
def problems(draw):
    """Few samples with labels, weights or none, and a penalty."""
    n, d, q = draw(st.integers(4, 12)), draw(st.integers(1, 4)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.normal(size=(n, d))
    Y = sparse.csr_array(rng.integers(0, 2, size=(n, q)).astype(np.int8))
    weights = rng.uniform(0.2, 3, size=n) if draw(st.booleans()) else None
    return (
        ScaledSamples.of(X, np.float64),
        Targets(Y, weights),
        draw(st.sampled_from([0.3, 1.0, 10.0])),
    )


def without(i, *arrays):
    return [None if array is None else np.delete(array, i, axis=0) for array in arrays]


@given(problems())
@settings(deadline=None, max_examples=40)
def test_leave_one_out_scores_of_a_kernel_are_those_of_refits(problem):
    points, targets, penalty = problem
    K = kernel_matrix(RBFKernel(0.5), points, points)
    values, means = targets.values(), targets.means
    fit = dual_fit(K, values, penalty, means, weights=targets.weights)
    for i in range(len(K)):
        kept, weights = without(i, values - means, targets.weights)
        others = np.delete(np.delete(K, i, 0), i, 1)
        model = KernelRidge(alpha=penalty, kernel="precomputed")
        model.fit(others, kept, sample_weight=weights)
        expected = model.predict(np.delete(K, i, 1)[i : i + 1])[0] + means
        np.testing.assert_allclose(fit.leave_one_out[i], expected.ravel(), atol=1e-5)


@given(problems())
@settings(deadline=None, max_examples=40)
def test_leave_one_out_scores_of_both_linear_solutions_are_those_of_refits(problem):
    points, targets, penalty = problem
    X, values = points.matrix, targets.values()
    K = kernel_matrix(LinearKernel.centered(points), points, points)
    dual = dual_fit(K, values, penalty, targets.means, weights=targets.weights, fit_intercept=True)
    primal = PrimalPath.fit(LocalBlocks(X.__getitem__, X.shape[1]), targets, fit_intercept=True)
    penalties = np.full(values.shape[1], penalty)
    for i in range(len(X)):
        features, kept, weights = without(i, X, values, targets.weights)
        model = Ridge(alpha=penalty).fit(features.astype(float), kept, sample_weight=weights)
        expected = np.ravel(model.predict(X[i : i + 1].astype(float)))
        np.testing.assert_allclose(dual.leave_one_out[i], expected, atol=1e-4)
        np.testing.assert_allclose(primal.leave_one_out(penalties)[i], expected, atol=1e-5)


@given(problems(), st.integers(1, 6))
@settings(deadline=None, max_examples=40)
def test_leave_one_out_scores_with_landmarks_are_those_of_refits(problem, n_landmarks):
    points, targets, penalty = problem
    chosen = draw_landmarks(targets.Y, n_landmarks, np.random.default_rng(0))
    features = LandmarkFeatures.fit(RBFKernel(0.5), points.take(chosen)).of(points)
    blocks = LocalBlocks(features.__getitem__, len(chosen))
    path = PrimalPath.fit(blocks, targets, fit_intercept=False)
    values, means = targets.values(), targets.means
    scores = path.leave_one_out(np.full(values.shape[1], penalty))
    for i in range(len(features)):
        kept_features, kept, weights = without(i, features, values - means, targets.weights)
        model = Ridge(alpha=penalty, fit_intercept=False)
        model.fit(kept_features.astype(float), kept, sample_weight=weights)
        expected = np.ravel(model.predict(features[i : i + 1].astype(float))) + means
        np.testing.assert_allclose(scores[i], expected, atol=1e-5)


def test_all_samples_as_landmarks_give_the_exact_scores(data):
    X, y = data
    exact = KernelRidgeClassifier(n_landmarks=None, linear_share=0).fit(X, y)
    approximate = KernelRidgeClassifier(n_landmarks=len(X), linear_share=0).fit(X, y)
    np.testing.assert_array_equal(exact.penalties_, approximate.penalties_)
    np.testing.assert_allclose(
        exact.decision_function(X), approximate.decision_function(X), atol=2e-3
    )


def test_a_case_by_hand():
    # Two samples at distance 1 with gamma = 2 / 1, so K_12 = exp(-2) = 0.1353. Labels 1 and 0,
    # mean 0.5, penalty 1: left-out sample 1 is predicted by sample 2 alone, whose coefficient is
    # -0.5 / 2 = -0.25, as 0.5 - 0.25 * 0.1353 = 0.4662; sample 2 as 0.5338.
    points, Y = ScaledSamples.of(np.array([[0.0], [1.0]], dtype=np.float32)), [[1.0], [0.0]]
    assert typical_squared_distance(points, np.random.default_rng(0)) == 1
    K = kernel_matrix(RBFKernel(2.0), points, points)
    fit = dual_fit(K, np.array(Y, dtype=np.float32), 1.0, np.array([0.5]))
    np.testing.assert_allclose(fit.leave_one_out.ravel(), [0.46617, 0.53383], atol=1e-5)


def test_landmarks_are_drawn_where_labels_are_rare():
    # One of 200 samples has the rare label: rarity 1, against 1/100 for those with the frequent
    # label, and half the mean, 2 / 200 / 2 = 0.005, for all.
    Y = np.zeros((200, 2), dtype=np.int8)
    Y[0, 0], Y[100:, 1] = 1, 1
    drawn = [
        draw_landmarks(sparse.csr_array(Y), 10, np.random.default_rng(seed)) for seed in range(50)
    ]
    assert sum(0 in landmarks for landmarks in drawn) >= 48
    assert all(np.unique(landmarks).size == 10 for landmarks in drawn)


def test_equal_samples_give_the_mean_distance_and_then_one():
    rng = np.random.default_rng(0)
    points = ScaledSamples.of(np.array([[0.0]] * 8 + [[2.0]], dtype=np.float32))
    # 8 of 36 pairs are at squared distance 4.
    assert typical_squared_distance(points, rng) == pytest.approx(8 * 4 / 36)
    assert typical_squared_distance(points.take(slice(0, 8)), rng) == 1


def test_a_kernel_that_float32_cannot_solve_is_solved_in_float64():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    K = 1e7 * np.exp(-((X[:, None] - X) ** 2).sum(-1))
    values = rng.integers(0, 2, size=(60, 2)).astype(np.float32)
    means = values.mean(axis=0).astype(float)
    fit = dual_fit(K.astype(np.float32), values, 1.0, means)
    exact = np.linalg.solve(K.astype(np.float32).astype(float) + np.eye(60), values - means)
    np.testing.assert_allclose(fit.coefficients, exact, atol=1e-3)


def test_a_kernel_that_is_not_positive_definite_is_refused():
    with pytest.raises(ValueError, match="not positive definite with penalty 1"):
        dual_fit(-5 * np.eye(3, dtype=np.float32), np.ones((3, 1), np.float32), 1.0, np.ones(1))


@pytest.fixture(scope="module")
def fitted(data):
    X, y = data
    return KernelRidgeClassifier(random_state=0).fit(X, y)


def test_decisions_do_not_depend_on_the_form_of_the_features(data, fitted):
    X, y = data
    expected = fitted.predict(X)
    for form in (X.astype(np.float32), sparse.csr_array(X), sparse.csc_matrix(X), X.tolist()):
        model = KernelRidgeClassifier(random_state=0).fit(form, y)
        np.testing.assert_array_equal(model.predict(form), expected)


def test_decisions_do_not_depend_on_the_order_of_samples_and_features(data, fitted):
    X, y = data
    rng = np.random.default_rng(1)
    samples, features = rng.permutation(len(X)), rng.permutation(X.shape[1])
    model = KernelRidgeClassifier(random_state=0).fit(X[samples][:, features], y[samples])
    np.testing.assert_array_equal(model.predict(X[:, features]), fitted.predict(X))
    np.testing.assert_allclose(
        model.leave_one_out_scores_, fitted.leave_one_out_scores_[samples], atol=1e-4
    )


def test_threads_change_nothing(make):
    X, y = make(n_samples=1100, n_labels=5, seed=3)
    one, two = (KernelRidgeClassifier(n_jobs=n, random_state=0).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.leave_one_out_scores_, two.leave_one_out_scores_)
    np.testing.assert_array_equal(one.decision_function(X), two.decision_function(X))


@pytest.mark.parametrize("n_landmarks", [None, 30])
def test_a_sample_of_weight_zero_does_not_influence_the_model(data, n_landmarks):
    X, y = data
    weights = np.ones(len(X))
    weights[::3] = 0
    kept = weights > 0
    changed = y.copy()
    changed[~kept] = 1 - changed[~kept]
    models = [
        KernelRidgeClassifier(n_landmarks=n_landmarks, random_state=0).fit(*args)
        for args in ((X, y, weights), (X, changed, weights), (X[kept], y[kept], weights[kept]))
    ]
    for model in models[1:]:
        np.testing.assert_array_equal(model.decision_function(X), models[0].decision_function(X))
        np.testing.assert_array_equal(model.thresholds_, models[0].thresholds_)
    np.testing.assert_array_equal(
        models[0].leave_one_out_scores_[~kept],
        models[0].decision_function(X)[~kept].astype(np.float32),
    )


def test_categories_and_missing_values_of_a_dataframe():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "size": rng.normal(size=80),
            "ward": pd.Categorical(rng.choice(["north", "south", "west"], size=80)),
        }
    )
    frame.loc[::9, "size"] = np.nan
    y = pd.DataFrame({"flu": (frame["ward"] == "north").astype(int)})
    model = KernelRidgeClassifier().fit(frame, y)
    assert model.predict(frame).equals(y.set_axis(frame.index))
    wards = pd.Categorical(["north", "south", "east"])
    new = pd.DataFrame({"size": [0.0, np.nan, 0.0], "ward": wards})
    assert model.predict(new)["flu"].tolist()[:2] == [1, 0]
    # A ward that was not seen at fit lies between the others.
    north, south, east = model.predict_proba(new)["flu"]
    assert south < east < north


def test_a_value_that_is_missing_only_in_new_samples(data, fitted):
    X, _ = data
    changed = X[:3].copy()
    changed[0, 0] = np.nan
    assert np.isfinite(fitted.predict_proba(changed)).all()


def test_labels_of_a_single_class(data):
    X, y = data
    y = np.column_stack([y, np.zeros(len(y), int), np.ones(len(y), int)])
    model = KernelRidgeClassifier().fit(X, y)
    assert (model.predict(X)[:, -2:] == [0, 1]).all()
    probabilities = model.predict_proba(X)[:, -2:]
    np.testing.assert_allclose(probabilities, [[1 / 122, 121 / 122]] * 120, rtol=0.01)


def test_text_like_features_are_scaled_by_rows():
    rng = np.random.default_rng(0)
    X = rng.poisson(0.15, size=(150, 40))
    y = (X[:, :2] > 0).astype(int)
    model = KernelRidgeClassifier(scaling="auto").fit(sparse.csr_array(X), y)
    dense = KernelRidgeClassifier(scaling="auto").fit(X.astype(float), y)
    assert (model.scaling_, model.linear_scaling_) == (dense.scaling_, dense.linear_scaling_)
    np.testing.assert_array_equal(model.predict(X), dense.predict(X))
    rows = KernelRidgeClassifier(scaling="rows").fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(
        rows.decision_function(X[:5]), rows.decision_function(3 * (X[:5] > 0)), atol=2
    )


def test_a_kernel_of_the_caller(data):
    X, y = data
    model = KernelRidgeClassifier(kernel=laplacian_kernel).fit(X, y)
    assert model.gamma_ is None
    assert (model.predict(X) == y).mean() > 0.85


def test_parts_alone(data):
    X, y = data
    linear = KernelRidgeClassifier(linear_share=1).fit(X, y)
    kernel = KernelRidgeClassifier(linear_share=0).fit(X, y)
    both = KernelRidgeClassifier(linear_share=0.3).fit(X, y)
    assert linear.scaling_ is None
    assert kernel.linear_scaling_ is None
    np.testing.assert_allclose(
        both.decision_function(X),
        0.7 * kernel.decision_function(X) + 0.3 * linear.decision_function(X),
        atol=1e-6,
    )


def test_without_a_rule_a_label_is_predicted_from_one_half(data):
    X, y = data
    model = KernelRidgeClassifier(threshold=None).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), model.predict_proba(X) >= 0.5)


def test_probabilities_keep_the_order_of_scores_and_are_calibrated(make):
    X, y = make(n_samples=800, n_labels=6, seed=1)
    model = KernelRidgeClassifier(random_state=0).fit(X[:400], y[:400])
    scores, probabilities = model.decision_function(X[400:]), model.predict_proba(X[400:])
    for j in range(6):
        order = np.argsort(scores[:, j])
        assert (np.diff(probabilities[order, j]) >= 0).all()
    edges = np.quantile(probabilities, np.linspace(0, 1, 6))
    bins = np.digitize(probabilities, edges[1:-1])
    for number in range(5):
        part = bins == number
        assert abs(y[400:][part].mean() - probabilities[part].mean()) < 0.06


def test_a_curve_by_hand():
    # One label, scores -1 and 1: of 100 samples at -1 ten have the label, of 100 at 1 ninety. The
    # smoothed targets are 101/102 and 1/102, so the shares become .1078 and .8922.
    scores = np.repeat([[-1.0], [1.0]], 100, axis=0)
    Y = np.zeros((200, 1), dtype=np.int8)
    Y[:10], Y[110:] = 1, 1
    found = PooledCalibration.fit(sparse.csr_array(Y), scores).probabilities(
        np.array([[-1.0], [1.0]])
    )
    low = (10 * 101 / 102 + 90 / 102) / 100
    np.testing.assert_allclose(found.ravel(), [low, 1 - low], atol=1e-3)


def test_label_sets_and_one_label():
    X = np.linspace(0, 1, 30)[:, None]
    sets = [["late"] if x > 0.7 else [] for x in X[:, 0]]
    model = KernelRidgeClassifier().fit(X, sets)
    assert model.predict([[0.1], [0.95]]) == [[], ["late"]]


@pytest.mark.parametrize("n_samples", [1, 2, 3, 4])
def test_few_samples(n_samples):
    rng = np.random.default_rng(n_samples)
    X, y = rng.normal(size=(n_samples, 3)), rng.integers(0, 2, size=(n_samples, 2))
    model = KernelRidgeClassifier().fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()
    assert model.predict(X).shape == y.shape


def test_equal_samples_are_learned_from():
    y = np.zeros((20, 2), dtype=int)
    y[:6, 0], y[0, 1] = 1, 1
    model = KernelRidgeClassifier().fit(np.ones((20, 3)), y)
    assert np.isfinite(model.leave_one_out_scores_).all()
    np.testing.assert_allclose(model.predict_proba(np.ones((1, 3)))[0, 0], 0.3, atol=0.05)


def test_more_features_than_samples():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 500))
    y = (X[:, :2] > 0).astype(int)
    thin = KernelRidgeClassifier().fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(
        KernelRidgeClassifier().fit(X, y).decision_function(X),
        thin.decision_function(X),
        atol=1e-4,
    )


def test_more_landmarks_than_samples(data):
    X, y = data
    assert KernelRidgeClassifier(n_landmarks=10_000).fit(X, y).n_landmarks_ == len(X)


def test_memory_that_does_not_suffice_is_refused_before_it_is_used(data, monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 50_000)
    X, y = data
    with pytest.raises(MemoryError, match=r"exact solutions for 120 samples .* n_landmarks=2000"):
        KernelRidgeClassifier(n_landmarks=None).fit(X, y)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"kernel": "poly"}, 'kernel must be "rbf" or a function'),
        ({"kernel": lambda a, b: np.ones((1, 1))}, "kernel must return an array of shape"),
        ({"kernel": lambda a, b: np.full((len(a), len(b)), np.nan)}, "NaN or infinite"),
        ({"penalties": ()}, "penalties must be a list of positive numbers"),
        ({"penalties": (1, 0)}, "penalties must be a number above 0"),
        ({"linear_penalties": "auto"}, "linear_penalties must be a list"),
        ({"linear_share": 1.5}, "linear_share must be from 0 to 1"),
        ({"scaling": "minmax"}, "scaling must be one of 'auto', 'unit', 'standard', 'rows'"),
        ({"scaling": "rows"}, "X has negative values"),
        ({"n_landmarks": 0}, "n_landmarks must be an int of at least 1"),
        ({"n_landmarks": "many"}, 'n_landmarks must be an int, None or "auto"'),
        ({"threshold": "best"}, "best"),
    ],
)
def test_bad_parameters_are_named(params, message, data):
    X, y = data
    with pytest.raises(ValueError, match=message):
        KernelRidgeClassifier(**params).fit(X, y)


@pytest.mark.parametrize("weights", [[1.0] * 3, [0.0] * 120, [-1.0] + [1.0] * 119])
def test_bad_weights_are_refused(weights, data):
    X, y = data
    with pytest.raises(ValueError, match=r"sample_weight|weights"):
        KernelRidgeClassifier().fit(X, y, sample_weight=weights)


def test_infinite_values_are_refused(data):
    X, y = data
    with pytest.raises(ValueError, match="infinity"):
        KernelRidgeClassifier().fit(np.where(X > 2, np.inf, X), y)


@pytest.mark.parametrize("n_landmarks", [None, 40])
def test_similar_samples_have_the_label_and_add_up(data, n_landmarks):
    X, y = data
    names = ["a", "b", "c", "d"]
    model = KernelRidgeClassifier(n_landmarks=n_landmarks, linear_share=0, random_state=0)
    model.fit(X, pd.DataFrame(y, columns=names))
    samples, amounts = model.similar_samples(X[:5], "b", n_samples=200)
    for row, each in zip(samples, amounts, strict=True):
        kept = row[row >= 0]
        assert (y[kept, 1] == 1).all()
        assert (np.diff(each[: kept.size]) <= 0).all()
    if n_landmarks is None:
        part = model._parts["kernel"]
        added = part.contributions(X[:5], 1)
        np.testing.assert_allclose(added.sum(axis=1) + y[:, 1].mean(), part.scores(X[:5])[:, 1])
        np.testing.assert_allclose(amounts.sum(axis=1), added[:, y[:, 1] == 1].sum(axis=1))
        assert (samples[0] >= 0).sum() == y[:, 1].sum()
    with pytest.raises(ValueError, match="no label is called 'e'"):
        model.similar_samples(X[:1], "e")
    with pytest.raises(ValueError, match="n_samples must be an int"):
        model.similar_samples(X[:1], "a", n_samples=0)


def test_parts_add_up(data, fitted):
    X, _ = data
    parts = fitted.part_scores(X)
    assert list(parts) == ["kernel", "linear"]
    np.testing.assert_allclose(
        parts["kernel"] + parts["linear"], fitted.decision_function(X), atol=1e-12
    )
