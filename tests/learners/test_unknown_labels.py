"""Learners on labels that are partly unknown, and on weights of samples and labels."""

import warnings

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.tree import DecisionTreeClassifier

from learners.recorder import Recorder, numbered
from quick import quick_learner
from rarelabels.learners import (
    COCOA,
    ECCRU3,
    BinaryRelevance,
    CalibratedLabelRanking,
    EnsembleOfClassifierChains,
    KernelRidgeClassifier,
    LabelPowerset,
    MLkNN,
    MultiLabelForest,
    RAkEL,
    best_f_thresholds,
    learner_names,
)
from rarelabels.learners._ridge.exact import (
    dual_fit,
    pattern_fit,
    uses_whole_inverse,
    whole_inverse,
)
from rarelabels.measures import ConstantLabelWarning

NAN = np.nan


def masked_data(seed, n_samples=60, n_labels=4, share=0.3):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, 3))
    noise = rng.normal(scale=0.5, size=(n_samples, n_labels))
    Y = (X @ rng.normal(size=(3, n_labels)) + noise > 0.3).astype(float)
    mask = rng.random(Y.shape) < share
    # Some samples know everything, and each label has both classes among them.
    mask[: n_samples // 2] = False
    Y[0], Y[1] = 0.0, 1.0
    # Each sample knows something: others are not used for scaling.
    mask[mask.all(axis=1), 0] = False
    return X, Y, mask


@pytest.mark.parametrize("name", learner_names())
def test_without_the_parameter_unknown_labels_are_an_error_that_names_it(name):
    X, Y, mask = masked_data(0)
    with pytest.raises(ValueError, match="allow_missing_labels=True"):
        quick_learner(name).fit(X, np.where(mask, NAN, Y))


@pytest.mark.parametrize("name", learner_names())
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_hidden_values_change_no_bit_of_a_model(name, seed):
    X, Y, mask = masked_data(seed)
    weights = np.where(mask, 0.0, 1.0)
    models = [
        quick_learner(name).fit(X, np.where(mask, hidden, Y), sample_weight=weights)
        for hidden in (0.0, 1.0, np.random.default_rng(seed).integers(0, 2, Y.shape))
    ]
    first, *others = (joblib.hash(vars(model)) for model in models)
    assert others == [first, first]


@pytest.mark.parametrize("name", learner_names())
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_weight_of_zero_and_an_unknown_label_give_the_same_model(name, seed):
    X, Y, mask = masked_data(seed)
    weights = np.where(mask, 0.0, 1.0)
    unknown = quick_learner(name, allow_missing_labels=True).fit(X, np.where(mask, NAN, Y))
    weighted = quick_learner(name).fit(X, Y, sample_weight=weights)
    for method in ("predict_proba", "predict"):
        np.testing.assert_array_equal(getattr(unknown, method)(X), getattr(weighted, method)(X))
    if hasattr(unknown, "thresholds_"):
        np.testing.assert_array_equal(unknown.thresholds_, weighted.thresholds_)


@pytest.mark.parametrize("name", learner_names())
def test_samples_that_know_nothing_are_kept_and_change_nothing_of_importance(name):
    X, Y, mask = masked_data(1)
    mask[50:] = True
    unknown = quick_learner(name, allow_missing_labels=True).fit(X, np.where(mask, NAN, Y))
    weights = np.r_[np.ones(50), np.zeros(10)]
    same = quick_learner(name, allow_missing_labels=True).fit(
        X, np.where(mask & (np.arange(60) < 50)[:, None], NAN, Y), sample_weight=weights
    )
    np.testing.assert_array_equal(unknown.predict_proba(X), same.predict_proba(X))


@pytest.mark.parametrize("name", learner_names())
def test_a_label_that_no_sample_knows_is_never_predicted_and_named(name):
    X, Y, mask = masked_data(2, share=0.1)
    mask[:, 1] = True
    y = pd.DataFrame(np.where(mask, NAN, Y), columns=["a", "never known", "c", "d"])
    with pytest.warns(ConstantLabelWarning, match="never known has no known entry") as caught:
        model = quick_learner(name, allow_missing_labels=True).fit(X, y)
    assert len(caught) == 1
    assert not model.predict(X)["never known"].any()


@pytest.mark.parametrize("name", learner_names())
def test_a_column_of_equal_weights_counts_as_weights_of_samples(name):
    X, Y, _ = masked_data(3)
    weights = np.random.default_rng(0).integers(1, 4, len(X)).astype(float)
    by_sample = quick_learner(name).fit(X, Y, sample_weight=weights)
    by_label = quick_learner(name).fit(X, Y, sample_weight=np.repeat(weights[:, None], 4, axis=1))
    np.testing.assert_allclose(by_sample.predict_proba(X), by_label.predict_proba(X), atol=1e-12)


@pytest.mark.parametrize("name", learner_names())
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.full((60, 4), -1.0), "Negative values"),
        (np.full((60, 4), NAN), "NaN"),
        (np.full(60, np.inf), "NaN or infinity"),
        (np.zeros((60, 4)), "zero for all samples"),
        (np.ones((60, 3)), "each sample and label"),
        (np.ones((60, 4, 1)), "each"),
    ],
)
def test_wrong_weights_are_refused(name, weights, message):
    X, Y, _ = masked_data(0)
    with pytest.raises(ValueError, match=message):
        quick_learner(name).fit(X, Y, sample_weight=weights)


@pytest.mark.parametrize("name", learner_names())
def test_nothing_known_at_all_is_refused(name):
    X, Y, _ = masked_data(0)
    with (
        warnings.catch_warnings(action="ignore"),
        pytest.raises(ValueError, match="none of the 4 labels is known"),
    ):
        quick_learner(name, allow_missing_labels=True).fit(X, np.full_like(Y, NAN))


def containers(y):
    objects = np.where(np.isnan(y), None, y).astype(object)
    ints = pd.DataFrame(y).astype("Int64")
    return {
        "objects": objects,
        "list": [[None if np.isnan(v) else int(v) for v in row] for row in y],
        "pandas": ints.rename(columns=str),
        "pandas objects": ints.astype(object).rename(columns=str),
        "array of NA": ints.astype(object).to_numpy(),
        "polars": pl.DataFrame(objects.tolist(), schema=list("abcd"), orient="row"),
        "sparse": sparse.csr_array(y),
    }


@pytest.mark.parametrize("kind", containers(np.ones((1, 4))))
def test_every_container_of_unknown_labels_gives_the_same_model(kind):
    X, Y, mask = masked_data(4)
    y = np.where(mask, NAN, Y)
    plain = BinaryRelevance(allow_missing_labels=True, random_state=0).fit(X, y)
    model = BinaryRelevance(allow_missing_labels=True, random_state=0).fit(X, containers(y)[kind])
    np.testing.assert_array_equal(np.asarray(model.predict_proba(X)), plain.predict_proba(X))
    predicted = model.predict(X)
    predicted = predicted.toarray() if sparse.issparse(predicted) else np.asarray(predicted)
    np.testing.assert_array_equal(predicted, plain.predict(X))


def test_score_leaves_unknown_labels_out():
    X, Y = [[0.0], [1.0], [2.0], [3.0]], np.array([[0, 1], [0, 1], [1, 0], [1, 0]])
    model = BinaryRelevance(allow_missing_labels=True, random_state=0).fit(X, Y)
    y = [[1, NAN], [NAN, 1], [NAN, NAN], [1, 0]]
    # The first is wrong, the second and the last are right, the third knows nothing.
    assert model.score(X, y) == pytest.approx(2 / 3)


class WeightRecorder(Recorder):
    """A recorder that also keeps its weights."""

    def fit(self, X, y, sample_weight=None):
        self.weights_ = None if sample_weight is None else np.array(sample_weight)
        return super().fit(X, y)

    @property
    def given(self):
        """The samples, classes and weights it was given."""
        weights = [None] * len(self.samples) if self.weights_ is None else self.weights_.tolist()
        return list(zip(self.samples.tolist(), self.seen_y_.tolist(), weights, strict=True))


# Six samples, three labels: the first label is unknown for sample 1, the second for samples 2 and
# 4, the third for sample 1.
HAND_X = numbered([[-1.0], [-1.0], [-1.0], [1.0], [1.0], [1.0]])
HAND_Y = np.array(
    [[0, 0, 1], [NAN, 1, NAN], [1, NAN, 0], [1, 1, 0], [0, NAN, 1], [0, 0, 0]], dtype=float
)
HAND_WEIGHTS = np.arange(1.0, 19.0).reshape(6, 3)


def hand(kind, **params):
    return kind(WeightRecorder(), allow_missing_labels=True, random_state=0, **params)


def test_binary_relevance_by_hand():
    model = hand(BinaryRelevance).fit(HAND_X, HAND_Y, sample_weight=HAND_WEIGHTS)
    assert model.estimators_[0].given == [
        (0, 0, 1.0), (2, 1, 7.0), (3, 1, 10.0), (4, 0, 13.0), (5, 0, 16.0),
    ]  # fmt: skip
    assert model.estimators_[1].given == [(0, 0, 2.0), (1, 1, 5.0), (3, 1, 11.0), (5, 0, 17.0)]
    plain = hand(BinaryRelevance).fit(HAND_X, HAND_Y)
    assert plain.estimators_[1].given == [(0, 0, None), (1, 1, None), (3, 1, None), (5, 0, None)]


def test_label_powerset_by_hand():
    model = hand(LabelPowerset).fit(HAND_X, HAND_Y, sample_weight=HAND_WEIGHTS)
    # Samples 0, 3 and 5 know all labels; their weights are the smallest of three.
    assert model.labelsets_.tolist() == [[0, 0, 0], [0, 0, 1], [1, 1, 0]]
    assert model.estimator_.given == [(0, 1, 1.0), (3, 2, 10.0), (5, 0, 16.0)]


def test_label_powerset_needs_a_complete_sample():
    y = [[NAN, 1], [0, NAN], [NAN, 0], [1, NAN]]
    with pytest.raises(ValueError, match=r"all 4 samples have unknown labels.*RAkEL"):
        LabelPowerset(allow_missing_labels=True).fit([[0.0], [1.0], [2.0], [3.0]], y)


def test_rakel_by_hand():
    model = hand(RAkEL, labelset_size=2).fit(HAND_X, HAND_Y, sample_weight=HAND_WEIGHTS)
    assert model.labelsets_.tolist() == [[0, 1], [0, 2], [1, 2]]
    # Classes are numbered among the samples that know both labels: (0, 0) and (1, 1).
    assert model.estimators_[0].given == [(0, 0, 1.0), (3, 1, 10.0), (5, 0, 16.0)]
    assert model.estimators_[2].given == [(0, 1, 2.0), (3, 2, 11.0), (5, 0, 17.0)]


def test_rakel_leaves_out_a_labelset_that_no_sample_knows():
    y = np.array([[0, NAN, 1], [1, NAN, 0], [NAN, 1, 1], [NAN, 0, 0]], dtype=float)
    X = numbered([[-1.0], [1.0], [-1.0], [1.0]])
    model = hand(RAkEL, labelset_size=2).fit(X, y)
    assert model.estimators_[0] is None
    assert model.estimators_[1].samples.tolist() == [0, 1]
    assert model.estimators_[2].samples.tolist() == [2, 3]
    assert model.predict_proba(X).shape == (4, 3)


def test_calibrated_label_ranking_by_hand():
    model = hand(CalibratedLabelRanking).fit(HAND_X, HAND_Y, sample_weight=HAND_WEIGHTS)
    assert model.estimators_[1].samples.tolist() == [0, 1, 3, 5]
    # Labels 0 and 1: no sample that knows both has exactly one of them.
    assert model.pair_estimators_[0] is None
    # Labels 0 and 2: samples 0, 2, 3 and 4, class 1 for the first label.
    assert model.pair_estimators_[1].given == [
        (0, 0, 1.0), (2, 1, 7.0), (3, 1, 10.0), (4, 0, 13.0),
    ]  # fmt: skip
    assert model.pair_estimators_[2].given == [(0, 0, 2.0), (3, 1, 11.0)]


def test_chains_by_hand():
    model = hand(EnsembleOfClassifierChains, n_chains=2).fit(HAND_X, HAND_Y)
    for chain in model.chains_:
        bootstrap = None
        for link, label in enumerate(chain.labels):
            seen = chain.models[link]
            if hasattr(seen, "value"):  # a bootstrap with a single class
                continue
            is_known = ~np.isnan(HAND_Y[seen.samples, label])
            assert is_known.all()
            np.testing.assert_array_equal(seen.seen_y_, HAND_Y[seen.samples, label])
            for before, earlier in enumerate(chain.labels[:link]):
                fed = seen.seen_X_[:, 2 + before]
                truth = HAND_Y[seen.samples, earlier]
                known = ~np.isnan(truth)
                np.testing.assert_array_equal(fed[known], truth[known])
                rows = seen.seen_X_[~known][:, : 2 + before]
                if len(rows):
                    said = np.asarray(chain.models[before].predict_proba(rows))
                    column = np.flatnonzero(chain.models[before].classes_ == 1)
                    said = said[:, column[0]] if column.size else np.zeros(len(rows))
                    np.testing.assert_array_equal(fed[~known], said >= 0.5)
            bootstrap = seen.samples if bootstrap is None else bootstrap


def test_links_of_balanced_chains_know_their_labels():
    model = hand(ECCRU3, n_chains=4).fit(HAND_X, HAND_Y)
    # Minority classes of 2, 2 and 2 known samples.
    assert model.chains_per_label_.tolist() == [4, 4, 4]
    n_links = 0
    for chain in model.chains_:
        for link, label in enumerate(chain.labels):
            seen = chain.models[link]
            if isinstance(seen, WeightRecorder):
                np.testing.assert_array_equal(seen.seen_y_, HAND_Y[seen.samples, label])
                n_links += 1
    assert n_links


def test_cocoa_by_hand():
    y = np.array(
        [[1, NAN], [1, 0], [0, NAN], [0, 1], [0, 0], [NAN, 1], [0, 0], [NAN, 0]], dtype=float
    )
    weights = np.column_stack([np.arange(1.0, 9.0), np.full(8, 4.0)])
    X = numbered([[1.0], [-1.0]] * 4)
    model = hand(COCOA, n_couples=1).fit(X, y, sample_weight=weights)
    # Label 0: two positives (0, 1) and two of the negatives 2, 3, 4 and 6.
    binary = model.couplings_[0].binary
    assert set(binary.samples) <= {0, 1, 2, 3, 4, 6}
    assert {0, 1} <= set(binary.samples)
    assert all(weight == sample + 1 for sample, _, weight in binary.given)
    # With its partner: class 1 for samples 0 and 1, class 2 for 3, class 0 for 4 and 6.
    (couple,) = model.couplings_[0].couples
    assert set(couple.samples) <= {0, 1, 3, 4, 6}
    expected = {0: (1, 1.0), 1: (1, 2.0), 3: (2, 4.0), 4: (0, 4.0), 6: (0, 4.0)}
    assert all(expected[sample] == (kind, weight) for sample, kind, weight in couple.given)
    assert sorted(couple.seen_y_) == [0, 1, 2]


def test_mlknn_by_hand():
    X = [[0.0], [0.1], [0.3], [0.7], [0.9], [1.0]]
    y = [[0, 0], [0, 0], [NAN, 1], [1, 1], [NAN, 0], [1, 1]]
    model = MLkNN(n_neighbors=1, allow_missing_labels=True).fit(X, y)
    # Two of four samples that know the first label have it, and three of six the second.
    np.testing.assert_allclose(model.priors_, [3 / 6, 4 / 8])
    # Nearest: 0 → 1, 1 → 0, 3 → 4 (unknown: not counted), 5 → 4 (unknown).
    np.testing.assert_allclose(model.likelihoods_[:, 0], [[3 / 4, 1 / 4], [3 / 4, 1 / 4]])


def test_weights_of_mlknn_by_hand():
    X = [[0.0], [0.1], [0.8], [0.9]]
    weights = [[2.0], [1.0], [1.0], [4.0]]
    model = MLkNN(n_neighbors=1).fit(X, [[0], [0], [1], [1]], sample_weight=weights)
    np.testing.assert_allclose(model.priors_, [6 / 10])
    np.testing.assert_allclose(model.likelihoods_[:, 0], [[4 / 5, 1 / 5], [1 / 7, 6 / 7]])


def test_shares_of_a_forest_by_hand():
    X = np.array([[0.0], [0.0], [0.0], [1.0], [1.0], [1.0]])
    y = np.array([[0, 1], [1, 1], [NAN, 1], [1, NAN], [NAN, NAN], [1, NAN]], dtype=float)
    options = {"bootstrap": False, "max_depth": 1, "allow_missing_labels": True}
    model = MultiLabelForest(20, random_state=0, **options).fit(X, y)
    # Values of 0: one of two, and all; values of 1: all, and the share of the root.
    np.testing.assert_allclose(model.predict_proba([[0.0], [1.0]]), [[0.5, 1.0], [1.0, 1.0]])


def test_weights_of_a_forest_by_hand():
    X, y = np.zeros((3, 1)), [[1, 1], [0, 0], [0, 1]]
    weights = np.array([[1.0, 2.0], [3.0, 1.0], [0.0, 1.0]])
    model = MultiLabelForest(2, bootstrap=False).fit(X, y, sample_weight=weights)
    np.testing.assert_allclose(model.predict_proba(X[:1]), [[1 / 4, 3 / 4]])


def scaled(X):
    low, high = X.min(axis=0), X.max(axis=0)
    return (X - (low + high) / 2) / (high - low)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), is_weighted=st.booleans())
def test_kernel_ridge_is_fitted_to_what_each_label_knows(seed, is_weighted):
    X, Y, mask = masked_data(seed, n_samples=30, n_labels=3)
    weights = np.random.default_rng(seed).uniform(0.5, 2, Y.shape) if is_weighted else None
    model = KernelRidgeClassifier(
        kernel=rbf_kernel, penalties=[1.0], linear_share=0, scaling="unit",
        allow_missing_labels=True, threshold=None,
    ).fit(X, np.where(mask, NAN, Y), sample_weight=weights)  # fmt: skip
    K = rbf_kernel(scaled(X))
    part = model._parts["kernel"]
    for j in range(3):
        known = ~mask[:, j]
        w = np.ones(known.sum()) if weights is None else weights[known, j]
        mean = np.average(Y[known, j], weights=w)

        def fitted(kept, w=w, j=j, known=known, mean=mean):
            chosen = np.flatnonzero(known)[kept]
            system = K[np.ix_(chosen, chosen)] + np.diag(1 / w[kept])
            return K[:, chosen] @ np.linalg.solve(system, Y[chosen, j] - mean) + mean

        everything = fitted(np.arange(known.sum()))
        np.testing.assert_allclose(part.scores(X)[:, j], everything, atol=1e-8)
        # Leave-one-out scores before they are standardized; those of unknown labels are scores.
        shift, scale = (getattr(model._standardizations[0], n)[j] for n in ("means", "deviations"))
        loo = model.leave_one_out_scores_[:, j] * scale + shift
        np.testing.assert_allclose(loo[~known], everything[~known], atol=1e-5)
        for place, sample in enumerate(np.flatnonzero(known)):
            others = np.delete(np.arange(known.sum()), place)
            assert loo[sample] == pytest.approx(fitted(others)[sample], abs=1e-5)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), is_weighted=st.booleans())
def test_the_linear_part_is_fitted_to_what_each_label_knows(seed, is_weighted):
    X, Y, mask = masked_data(seed, n_samples=40, n_labels=3)
    weights = np.random.default_rng(seed).uniform(0.5, 2, Y.shape) if is_weighted else None
    model = KernelRidgeClassifier(
        linear_share=1, linear_penalties=[2.0], scaling="unit", allow_missing_labels=True
    ).fit(X, np.where(mask, NAN, Y), sample_weight=weights)
    scores = model._parts["linear"].scores(X)
    for j in range(3):
        known = ~mask[:, j]
        w = None if weights is None else weights[known, j]
        ridge = Ridge(alpha=2.0).fit(scaled(X)[known], Y[known, j], sample_weight=w)
        np.testing.assert_allclose(scores[:, j], ridge.predict(scaled(X)), atol=1e-7)


def test_landmarks_with_unknown_labels_are_exact_where_all_samples_are_landmarks():
    X, Y, mask = masked_data(5, n_samples=50, n_labels=3)
    params = {
        "kernel": rbf_kernel, "penalties": [3.0], "linear_share": 0, "scaling": "unit",
        "allow_missing_labels": True, "random_state": 0,
    }  # fmt: skip
    y = np.where(mask, NAN, Y)
    exact = KernelRidgeClassifier(n_landmarks=None, **params).fit(X, y)
    landmarks = KernelRidgeClassifier(n_landmarks=50, **params).fit(X, y)
    scores = [model._parts["kernel"].scores(X) for model in (exact, landmarks)]
    np.testing.assert_allclose(*scores, atol=1e-4)
    correlation = np.corrcoef(
        exact.leave_one_out_scores_.ravel(), landmarks.leave_one_out_scores_.ravel()
    )[0, 1]
    assert correlation > 0.95


def test_many_patterns_of_unknown_labels_take_landmarks(monkeypatch):
    X, Y, mask = masked_data(6)
    monkeypatch.setattr("rarelabels.learners._kernel_ridge.MOST_PATTERN_COST", 10.0)
    y = np.where(mask, NAN, Y)
    model = KernelRidgeClassifier(allow_missing_labels=True, random_state=0).fit(X, y)
    assert model.n_landmarks_ == len(X)
    assert KernelRidgeClassifier(random_state=0).fit(X, Y).n_landmarks_ is None


def test_labels_that_the_same_samples_know_share_a_factorization(monkeypatch):
    from rarelabels.learners._ridge import exact

    solved = []
    monkeypatch.setattr(exact, "factorized", _counting(exact.factorized, solved))
    X, Y, mask = masked_data(7, n_labels=6)
    mask[:, 1:] = mask[:, :1]
    mask[5, 5] = True
    model = KernelRidgeClassifier(
        penalties=[1.0], linear_share=0, scaling="unit", allow_missing_labels=True
    )
    model.fit(X, np.where(mask, NAN, Y))
    # The inverse of the whole system serves all labels.
    assert len(solved) == 1
    monkeypatch.setattr(exact, "uses_whole_inverse", lambda *_: False)
    model.fit(X, np.where(mask, NAN, Y))
    assert len(solved) - 1 == len(np.unique(mask, axis=1).T) == 2


def _counting(function, calls):
    def counted(*args):
        calls.append(args)
        return function(*args)

    return counted


def test_best_thresholds_leave_unknown_labels_out():
    scores = [[0.9], [0.8], [0.6], [0.2], [0.1]]
    found = best_f_thresholds([[1], [NAN], [1], [0], [0]], scores, allow_missing_labels=True)
    np.testing.assert_allclose(found, [0.4])
    with pytest.raises(ValueError, match="allow_missing_labels"):
        best_f_thresholds([[1], [NAN], [1], [0], [0]], scores)


def test_weights_reach_a_step_of_a_pipeline_label_by_label():
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    pipeline = make_pipeline(FunctionTransformer(), WeightRecorder())
    model = BinaryRelevance(pipeline, allow_missing_labels=True)
    model.fit(HAND_X, HAND_Y, weightrecorder__sample_weight=HAND_WEIGHTS)
    assert model.estimators_[1][-1].given == [
        (0, 0, 2.0), (1, 1, 5.0), (3, 1, 11.0), (5, 0, 17.0),
    ]  # fmt: skip


@pytest.mark.parametrize("kind", [BinaryRelevance, EnsembleOfClassifierChains, RAkEL])
def test_models_do_not_depend_on_threads(kind):
    X, Y, mask = masked_data(8)
    y = np.where(mask, NAN, Y)
    for estimator in (LogisticRegression(), DecisionTreeClassifier()):
        one, two = (
            kind(estimator, allow_missing_labels=True, n_jobs=n_jobs, random_state=0).fit(X, y)
            for n_jobs in (1, 2)
        )
        np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    share=st.sampled_from([0.02, 0.1, 0.3]),
    is_linear=st.booleans(),
    has_groups=st.booleans(),
)
def test_the_inverse_of_all_samples_gives_the_systems_of_known_samples(
    seed, share, is_linear, has_groups
):
    rng = np.random.default_rng(seed)
    n_samples, n_labels = 60, 12
    X = rng.normal(size=(n_samples, 4))
    K = X @ X.T if is_linear else rbf_kernel(X)
    values = (rng.random((n_samples, n_labels)) < 0.3).astype(float)
    table = (rng.random(values.shape) >= share).astype(float)
    means = rng.random(n_labels)
    groups = np.sort(rng.integers(0, 20, n_samples)) if has_groups else None
    patterns = [np.array([label]) for label in range(n_labels)]
    assert uses_whole_inverse(table, patterns)
    options = {"fit_intercept": is_linear}
    found = pattern_fit(
        K, values, 0.5, means, table=table, patterns=patterns, groups=groups, **options
    )
    for label in range(n_labels):
        known = np.flatnonzero(table[:, label])
        own = dual_fit(
            K[np.ix_(known, known)], values[known, label : label + 1], 0.5,
            means[label : label + 1], groups=None if groups is None else groups[known], **options,
        )  # fmt: skip
        np.testing.assert_allclose(found.coefficients[known, label], own.coefficients[:, 0])
        np.testing.assert_allclose(found.intercept[label], own.intercept[0])
        np.testing.assert_allclose(
            found.leave_one_out[known, label], own.leave_one_out[:, 0], atol=1e-9
        )


def test_single_precision_is_given_up_where_it_is_not_exact_enough():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    K = (1e4 * X @ X.T).astype(np.float32)
    values = (rng.random((80, 10)) < 0.3).astype(np.float32)
    table = (rng.random(values.shape) >= 0.1).astype(float)
    patterns = [np.array([label]) for label in range(10)]
    found, exact = (
        pattern_fit(
            K.astype(dtype), values.astype(dtype), 0.1, np.zeros(10), table=table, patterns=patterns
        )
        for dtype in (np.float32, np.float64)
    )
    assert found.coefficients.dtype == np.float32
    assert whole_inverse(K, values, 0.1).dtype == np.float64
    # Unknown entries are scored by products with the kernel, in its precision.
    known = table > 0
    np.testing.assert_allclose(found.leave_one_out[known], exact.leave_one_out[known], atol=1e-5)


def test_the_inverse_of_all_samples_is_not_used_where_it_does_not_pay():
    table = np.ones((50, 3))
    table[:5] = 0
    assert not uses_whole_inverse(table, [np.arange(3)])
    half = (np.random.default_rng(0).random((50, 30)) < 0.5).astype(float)
    assert not uses_whole_inverse(half, [np.array([label]) for label in range(30)])
