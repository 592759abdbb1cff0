"""Thresholds, calibration and ensembles on unknown labels, weights of labels, and groups."""

import joblib
import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import config_context
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GroupKFold, KFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from learners.test_unknown_labels import NAN, masked_data, scaled
from rarelabels.decisions import choose_thresholds
from rarelabels.ensemble import ResampledClassifier, SamplingEnsemble
from rarelabels.learners import (
    BinaryRelevance,
    CalibratedClassifier,
    KernelRidgeClassifier,
    MultiLabelForest,
    RareLabelClassifier,
    ThresholdedClassifier,
)
from rarelabels.learners._calibrated import logistic_curve
from rarelabels.measures import ConstantLabelWarning
from rarelabels.sampling import MLROS, MLSOL

LEARNER = BinaryRelevance(LogisticRegression())
WRAPPERS = {
    "thresholded": ThresholdedClassifier(LEARNER, cv=3, random_state=0),
    "thresholded on training scores": ThresholdedClassifier(LEARNER, cv=None, random_state=0),
    "calibrated": CalibratedClassifier(LEARNER, cv=3, random_state=0),
    "resampled": ResampledClassifier(LEARNER, MLSOL(), threshold="f1", random_state=0),
    "ensemble": SamplingEnsemble(LEARNER, MLROS(), n_estimators=2, random_state=0),
    "nested": ThresholdedClassifier(
        CalibratedClassifier(LEARNER, cv=2), cv=2, rule="f1", random_state=0
    ),
    "pipeline": ThresholdedClassifier(
        make_pipeline(StandardScaler(), LEARNER), cv=3, random_state=0
    ),
}
UNWEIGHTED = {"pipeline"}
SEED = st.integers(0, 2**32 - 1)


def wrapper(name, **params):
    return clone(WRAPPERS[name]).set_params(**params)


def learned(model):
    """Return the thresholds and curves that a model has."""
    names = ("thresholds_", "slopes_", "intercepts_", "expected_")
    return {name: getattr(model, name) for name in names if hasattr(model, name)}


@pytest.mark.parametrize("name", WRAPPERS)
def test_without_the_parameter_unknown_labels_are_an_error_that_names_it(name):
    X, Y, mask = masked_data(0)
    with pytest.raises(ValueError, match="allow_missing_labels=True"):
        wrapper(name).fit(X, np.where(mask, NAN, Y))


@pytest.mark.parametrize("name", sorted(WRAPPERS.keys() - UNWEIGHTED - {"resampled", "ensemble"}))
@settings(max_examples=4, deadline=None)
@given(seed=SEED)
def test_hidden_values_change_no_bit(name, seed):
    X, Y, mask = masked_data(seed)
    weights = np.where(mask, 0.0, 1.0)
    first, second = (
        wrapper(name).fit(X, np.where(mask, hidden, Y), sample_weight=weights) for hidden in (0, 1)
    )
    assert joblib.hash(vars(first)) == joblib.hash(vars(second))
    unknown = wrapper(name, allow_missing_labels=True).fit(X, np.where(mask, NAN, Y))
    assert joblib.hash(learned(unknown)) == joblib.hash(learned(first))
    np.testing.assert_array_equal(unknown.predict_proba(X), first.predict_proba(X))


@pytest.mark.parametrize("name", WRAPPERS)
def test_a_label_that_no_sample_knows_is_named_once_and_never_predicted(name):
    X, Y, mask = masked_data(1)
    mask[:, 2] = True
    y = pd.DataFrame(np.where(mask, NAN, Y), columns=["a", "b", "never known", "d"])
    with pytest.warns(ConstantLabelWarning) as caught:
        model = wrapper(name, allow_missing_labels=True).fit(X, y)
    told = [str(warning.message) for warning in caught]
    assert sum("never known has no known entry" in message for message in told) == 1
    predicted = np.asarray(model.predict(X))
    assert not predicted[:, 2].any()


@pytest.mark.parametrize("name", sorted(WRAPPERS.keys() - UNWEIGHTED))
def test_equal_weights_of_labels_are_weights_of_samples(name):
    X, Y, _ = masked_data(2)
    weights = np.random.default_rng(0).integers(1, 4, len(X)).astype(float)
    table = np.repeat(weights[:, None], Y.shape[1], axis=1)
    models = [wrapper(name).fit(X, Y, sample_weight=given) for given in (weights, table)]
    first, second = (model.predict_proba(X) for model in models)
    np.testing.assert_allclose(first, second, atol=1e-12)


def test_weights_of_labels_change_thresholds_and_curves():
    X, Y, _ = masked_data(3)
    heavy = np.ones(Y.shape)
    heavy[:, 1] = np.where(Y[:, 1] == 1, 5.0, 1.0)
    for name in ("thresholded on training scores", "calibrated"):
        plain, weighted = (
            wrapper(name).fit(X, Y, sample_weight=weights) for weights in (np.ones(Y.shape), heavy)
        )
        p, w = (model.predict_proba(X) for model in (plain, weighted))
        np.testing.assert_allclose(p[:, 0], w[:, 0], atol=1e-12)
        assert (w[:, 1] > p[:, 1]).mean() > 0.9


def test_a_sample_of_weight_two_counts_twice_in_a_curve():
    rng = np.random.default_rng(0)
    truth, scores = rng.random(40) < 0.4, rng.random(40)
    weights = rng.integers(1, 3, 40).astype(float)
    repeated = np.repeat(np.arange(40), weights.astype(int))
    found = logistic_curve(truth, scores, weights)
    np.testing.assert_allclose(found, logistic_curve(truth[repeated], scores[repeated]), atol=1e-4)


def test_classifiers_of_other_packages_are_refused_with_a_hint():
    X, Y, mask = masked_data(4)
    model = ThresholdedClassifier(RandomForestClassifier(5), allow_missing_labels=True)
    with pytest.raises(ValueError, match=r"unknown labels, from which RandomForestClassifier"):
        model.fit(X, np.where(mask, NAN, Y))
    with pytest.raises(ValueError, match=r"label by label"):
        model.fit(X, Y, sample_weight=np.ones(Y.shape))


class Remembering(BinaryRelevance):
    """Keeps the samples, by their first feature, that each copy was fitted to."""

    fits: list = []  # noqa: RUF012

    def fit(self, X, y, sample_weight=None):
        Remembering.fits.append(np.asarray(X)[:, 0])
        return super().fit(X, y)


def grouped_data(seed=0, n_groups=12, size=5):
    X, Y, mask = masked_data(seed, n_samples=n_groups * size)
    groups = np.random.default_rng(seed).permutation(np.repeat(np.arange(n_groups), size))
    return np.column_stack([np.arange(len(X)), X]), Y, mask, groups


@pytest.mark.parametrize("kind", [ThresholdedClassifier, CalibratedClassifier])
@pytest.mark.parametrize("cv", [3, GroupKFold(3)])
def test_no_group_is_in_two_folds(kind, cv):
    X, Y, mask, groups = grouped_data()
    Remembering.fits.clear()
    model = kind(Remembering(), cv=cv, allow_missing_labels=True, random_state=0)
    model.fit(X, np.where(mask, NAN, Y), groups=groups)
    whole, *parts = Remembering.fits
    assert len(whole) == len(X)
    assert len(parts) == 3
    for part in parts:
        inside = set(groups[part.astype(int)])
        outside = set(groups[np.setdiff1d(np.arange(len(X)), part.astype(int))])
        assert not inside & outside


def test_folds_of_inner_models_keep_groups_together():
    X, Y, _, groups = grouped_data()
    Remembering.fits.clear()
    inner = CalibratedClassifier(Remembering(), cv=2, random_state=0)
    ThresholdedClassifier(inner, cv=2, random_state=0).fit(X, Y, groups=groups)
    assert len(Remembering.fits) == 3 * 3
    for number in range(3):
        whole, *parts = (set(f.astype(int)) for f in Remembering.fits[3 * number : 3 * number + 3])
        for part in parts:
            assert not set(groups[list(part)]) & set(groups[list(whole - part)])


def test_splits_can_be_given_and_untested_samples_do_not_count():
    X, Y, _, _ = grouped_data()
    splits = list(KFold(3).split(X))
    given = [
        ThresholdedClassifier(LEARNER, cv=cv, random_state=0).fit(X, Y).thresholds_
        for cv in (KFold(3), splits, iter(splits))
    ]
    np.testing.assert_array_equal(given[0], given[1])
    np.testing.assert_array_equal(given[0], given[2])
    one = ThresholdedClassifier(LEARNER, cv=splits[:1], rule="f1", random_state=0).fit(X, Y)
    train, test = splits[0]
    scores = clone(LEARNER).fit(X[train], Y[train]).predict_proba(X[test])
    # The same thresholds as from the scores of the tested samples alone.
    np.testing.assert_allclose(
        one.thresholds_, choose_thresholds(Y[test], scores, "f1"), rtol=1e-12
    )
    untested = np.setdiff1d(np.arange(len(X)), np.r_[train, test])
    assert untested.size == 0
    half = [(train[::2], test)]
    other = Y.copy()
    other[train[1::2]] = 1 - other[train[1::2]]
    model = ThresholdedClassifier(LEARNER, cv=half, rule="f1", random_state=0)
    # Samples that are in neither part are not in the thresholds.
    np.testing.assert_array_equal(
        clone(model).fit(X, Y).thresholds_, clone(model).fit(X, other).thresholds_
    )


def test_splits_that_divide_groups_are_refused():
    X, Y, _, groups = grouped_data()
    for kind in (ThresholdedClassifier, CalibratedClassifier):
        model = kind(LEARNER, cv=list(KFold(3).split(X)))
        with pytest.raises(ValueError, match=r"cv divides \d+ groups between training and test"):
            model.fit(X, Y, groups=groups)


SAMPLED = {
    "resampled": ResampledClassifier(Remembering(), MLROS(), random_state=0),
    "ensemble": SamplingEnsemble(Remembering(), MLROS(), n_estimators=2, random_state=0),
}


@pytest.mark.parametrize("name", SAMPLED)
@pytest.mark.parametrize("is_pipeline", [False, True])
def test_models_inside_of_resampled_ones_get_groups(name, is_pipeline):
    X, Y, _, groups = grouped_data()
    Remembering.fits.clear()
    inner = ThresholdedClassifier(Remembering(), cv=2, random_state=0)
    if is_pipeline:
        inner = make_pipeline("passthrough", inner)
    model = clone(SAMPLED[name]).set_params(estimator=inner)
    CalibratedClassifier(model, cv=2, random_state=0).fit(X, Y, groups=groups)
    n_members = 2 if name == "ensemble" else 1
    assert len(Remembering.fits) == 3 * 3 * n_members
    for number in range(3 * n_members):
        whole, *parts = (set(f.astype(int)) for f in Remembering.fits[3 * number : 3 * number + 3])
        for part in parts:
            assert not set(groups[list(part)]) & set(groups[list(whole - part)])


@pytest.mark.parametrize("name", SAMPLED)
def test_resampled_models_check_groups_and_do_not_need_them(name):
    X, Y, _, groups = grouped_data()
    model = clone(SAMPLED[name])
    with pytest.raises(ValueError, match="groups has 5 missing values"):
        model.fit(X, Y, groups=np.where(groups == 0, NAN, groups))
    with_groups, without = (clone(model).fit(X, Y, groups=given) for given in (groups, None))
    np.testing.assert_array_equal(with_groups.predict_proba(X), without.predict_proba(X))


@pytest.mark.parametrize("kind", [KernelRidgeClassifier, MultiLabelForest, RareLabelClassifier])
def test_a_single_group_leaves_nothing_to_learn_from(kind):
    X, Y, _, _ = grouped_data()
    with pytest.raises(ValueError, match="groups has 1 different values, but at least 2"):
        kind(random_state=0).fit(X, Y, groups=np.zeros(len(X)))


def test_bad_groups_are_refused():
    X, Y, _, groups = grouped_data()
    model = ThresholdedClassifier(LEARNER, cv=3, random_state=0)
    missing = np.where(groups == 0, NAN, groups)
    with pytest.raises(ValueError, match="groups has 5 missing values"):
        model.fit(X, Y, groups=missing)
    with pytest.raises(ValueError, match="at least 3 groups, got 2"):
        model.fit(X, Y, groups=groups % 2)
    with pytest.raises(ValueError, match="a group for each of the 60 samples"):
        model.fit(X, Y, groups=groups[:-1])
    mixed = np.array([*groups[:30], *map(str, groups[30:])], dtype=object)
    with pytest.raises(ValueError, match="values of different types, int64, str"):
        model.fit(X, Y, groups=mixed)
    # Groups of one sample are plain folds.
    alone = model.fit(X, Y, groups=np.arange(len(X))).thresholds_
    np.testing.assert_array_equal(alone, clone(model).fit(X, Y).thresholds_)


def test_metadata_routing_carries_groups():
    X, Y, _, groups = grouped_data()
    Remembering.fits.clear()
    model = ThresholdedClassifier(Remembering(), cv=2, random_state=0)
    with config_context(enable_metadata_routing=True):
        cross_validate(
            model, X, Y, cv=GroupKFold(2), params={"groups": groups}, scoring=lambda *_: 0.0
        )
    for number in range(2):
        whole, *parts = (set(f.astype(int)) for f in Remembering.fits[3 * number : 3 * number + 3])
        for part in parts:
            assert not set(groups[list(part)]) & set(groups[list(whole - part)])


@settings(max_examples=15, deadline=None)
@given(seed=SEED, is_weighted=st.booleans(), is_masked=st.booleans(), is_linear=st.booleans())
def test_scores_of_kernel_ridge_are_those_of_models_without_the_group(
    seed, is_weighted, is_masked, is_linear
):
    X, Y, mask = masked_data(seed, n_samples=24, n_labels=2)
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 8, len(X))
    mask &= is_masked
    weights = rng.uniform(0.5, 2, len(X)) if is_weighted else None
    kernel = (lambda a, b: a @ b.T) if is_linear else rbf_kernel
    model = KernelRidgeClassifier(
        kernel=kernel, penalties=[1.0], linear_share=0, scaling="unit",
        allow_missing_labels=True, threshold=None,
    ).fit(X, np.where(mask, NAN, Y), weights, groups=groups)  # fmt: skip
    K = kernel(scaled(X), scaled(X))
    for j in range(2):
        known = ~mask[:, j]
        w = np.ones(len(X)) if weights is None else weights
        mean = np.average(Y[known, j], weights=w[known])
        shift, scale = (getattr(model._standardizations[0], n)[j] for n in ("means", "deviations"))
        loo = model.leave_one_out_scores_[:, j] * scale + shift
        for group in np.unique(groups):
            kept, left = (
                np.flatnonzero(known & is_in) for is_in in (groups != group, groups == group)
            )
            system = K[np.ix_(kept, kept)] + np.diag(1 / w[kept])
            refit = K[np.ix_(left, kept)] @ np.linalg.solve(system, Y[kept, j] - mean) + mean
            np.testing.assert_allclose(loo[left], refit, atol=1e-4)


@settings(max_examples=15, deadline=None)
@given(seed=SEED, is_weighted=st.booleans())
def test_scores_of_the_linear_part_are_those_of_models_without_the_group(seed, is_weighted):
    from sklearn.linear_model import Ridge

    X, Y, _ = masked_data(seed, n_samples=30, n_labels=2)
    rng = np.random.default_rng(seed)
    groups = rng.integers(0, 8, len(X))
    weights = rng.uniform(0.5, 2, len(X)) if is_weighted else None
    model = KernelRidgeClassifier(linear_share=1, linear_penalties=[2.0], scaling="unit")
    model.fit(X, Y, weights, groups=groups)
    shift, scale = (getattr(model._standardizations[0], n) for n in ("means", "deviations"))
    loo = model.leave_one_out_scores_ * scale + shift
    for group in np.unique(groups):
        kept = groups != group
        own = None if weights is None else weights[kept]
        ridge = Ridge(alpha=2.0).fit(scaled(X)[kept], Y[kept], sample_weight=own)
        np.testing.assert_allclose(loo[~kept], ridge.predict(scaled(X)[~kept]), atol=1e-4)


def test_groups_of_one_sample_change_nothing():
    X, Y, mask = masked_data(5)
    for y in (Y, np.where(mask, NAN, Y)):
        for params in ({}, {"n_landmarks": 20}):
            plain, grouped = (
                KernelRidgeClassifier(allow_missing_labels=True, random_state=0, **params).fit(
                    X, y, groups=groups
                )
                for groups in (None, np.arange(len(X)))
            )
            np.testing.assert_allclose(
                plain.leave_one_out_scores_, grouped.leave_one_out_scores_, atol=1e-5
            )


def test_blocks_do_not_divide_groups(monkeypatch):
    monkeypatch.setattr("rarelabels.learners._ridge.kernels.ENTRIES_AT_ONCE", 40)
    X, Y, mask, groups = grouped_data(6)
    for y in (Y, np.where(mask, NAN, Y)):
        small = KernelRidgeClassifier(linear_share=1, scaling="unit", allow_missing_labels=True)
        in_blocks = clone(small).fit(X, y, groups=groups).leave_one_out_scores_
        monkeypatch.undo()
        whole = clone(small).fit(X, y, groups=groups).leave_one_out_scores_
        np.testing.assert_allclose(in_blocks, whole, atol=1e-5)
        monkeypatch.setattr("rarelabels.learners._ridge.kernels.ENTRIES_AT_ONCE", 40)


def test_leaving_groups_out_is_harder_where_groups_repeat_samples():
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(40, 5))
    groups = np.repeat(np.arange(40), 5)
    X = centers[groups] + 0.01 * rng.normal(size=(200, 5))
    Y = (rng.random((40, 2)) < 0.3)[groups].astype(int)  # labels that nothing predicts
    for model in (
        KernelRidgeClassifier(random_state=0),
        RareLabelClassifier(forest=MultiLabelForest(20), random_state=0),
    ):
        scores = [
            getattr(fitted, name)
            for fitted in (clone(model).fit(X, Y), clone(model).fit(X, Y, groups=groups))
            for name in ("leave_one_out_scores_", "out_of_sample_scores_")
            if hasattr(fitted, name)
        ]
        plain, grouped = (np.corrcoef(table[:, 0], Y[:, 0])[0, 1] for table in scores)
        assert plain > 0.8
        assert grouped < 0.3


def test_bags_of_a_forest_hold_whole_groups():
    groups = grouped_data(7)[3]
    # Each group is one point, so a tree that has seen any of its samples knows its label.
    points = np.random.default_rng(0).normal(size=(12, 2))[groups]
    Y = (np.arange(12) % 3 == 0)[groups][:, None].astype(int)
    plain = MultiLabelForest(40, random_state=0).fit(points, Y)
    grouped = MultiLabelForest(40, random_state=0).fit(points, Y, groups=groups)
    assert np.abs(plain.oob_scores_ - Y).mean() < 0.1
    assert np.abs(grouped.oob_scores_ - Y).mean() > 0.3
    for group in range(12):
        assert np.ptp(grouped.oob_scores_[groups == group]) == pytest.approx(0)
