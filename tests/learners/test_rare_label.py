"""RareLabelClassifier: the blend, what it keeps of both models, explanations, bad input."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from rarelabels.datasets import make_local_imbalance
from rarelabels.decisions import choose_thresholds
from rarelabels.learners import KernelRidgeClassifier, MultiLabelForest, RareLabelClassifier
from rarelabels.learners._ridge.calibration import reliability_table
from rarelabels.metrics import macro_auc_pr


@pytest.fixture(scope="module")
def fitted(data):
    X, y = data
    return RareLabelClassifier(random_state=0).fit(X, y)


def standardized(scores, of):
    return (scores - of.mean(axis=0)) / of.std(axis=0)


def test_the_score_is_the_weighted_mean_of_standardized_scores(data, fitted):
    X, _ = data
    ridge, forest = fitted.kernel_ridge_, fitted.forest_
    expected = 0.7 * standardized(
        ridge.decision_function(X), ridge.leave_one_out_scores_
    ) + 0.3 * standardized(forest.predict_proba(X), forest.oob_scores_)
    np.testing.assert_allclose(fitted.decision_function(X), expected, rtol=1e-4, atol=1e-4)


def test_thresholds_are_chosen_on_out_of_sample_scores(data, fitted):
    X, y = data
    scores = fitted.out_of_sample_scores_.astype(float)
    np.testing.assert_allclose(fitted.thresholds_, choose_thresholds(y, scores), atol=1e-5)
    np.testing.assert_array_equal(
        fitted.predict(X), fitted.decision_function(X) >= fitted.thresholds_
    )


def test_it_ranks_better_than_the_worse_of_both_models():
    X, y = make_local_imbalance(800, n_labels=6, difficulty=0.4, random_state=3)
    train, test = slice(0, 400), slice(400, 800)
    found = {}
    for model in (KernelRidgeClassifier(), MultiLabelForest(), RareLabelClassifier()):
        model.set_params(random_state=0).fit(X[train], y[train])
        found[type(model).__name__] = float(macro_auc_pr(y[test], model.predict_proba(X[test])))
    blend = found.pop("RareLabelClassifier")
    assert min(found.values()) < blend


def test_seeds_and_threads(data, fitted):
    X, y = data
    again = RareLabelClassifier(random_state=0, n_jobs=2).fit(X, y)
    np.testing.assert_array_equal(again.decision_function(X), fitted.decision_function(X))
    other = RareLabelClassifier(random_state=1).fit(X, y)
    assert not np.array_equal(other.decision_function(X), fitted.decision_function(X))


def test_sparse_features_give_the_same_decisions(data):
    X = np.where(data[0] > 0.3, data[0], 0.0)
    dense = RareLabelClassifier(random_state=0).fit(X, data[1])
    thin = RareLabelClassifier(random_state=0).fit(sparse.csr_array(X), data[1])
    np.testing.assert_array_equal(dense.predict(X), thin.predict(sparse.csr_array(X)))


def test_a_sample_of_weight_zero_does_not_influence_the_model(data):
    X, y = data
    weights = np.ones(len(X))
    weights[::3] = 0
    changed = np.where(weights[:, None] > 0, y, 1 - y)
    first, second = (
        RareLabelClassifier(random_state=0).fit(X, labels, sample_weight=weights)
        for labels in (y, changed)
    )
    np.testing.assert_array_equal(first.decision_function(X), second.decision_function(X))
    np.testing.assert_array_equal(first.thresholds_, second.thresholds_)
    np.testing.assert_array_equal(first.predict_proba(X), second.predict_proba(X))


def test_a_dataframe_with_categories_missing_values_and_label_names():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {"size": rng.normal(size=80), "ward": pd.Categorical(rng.choice(["north", "west"], 80))}
    )
    frame.loc[::9, "size"] = np.nan
    y = pd.DataFrame({"flu": (frame["ward"] == "north").astype(int)})
    model = RareLabelClassifier(random_state=0).fit(frame, y)
    pd.testing.assert_frame_equal(model.predict(frame), y)
    assert list(model.decision_function(frame).columns) == ["flu"]


def test_an_explanation_adds_up(data, fitted):
    X, y = data
    facts = fitted.explain(X[:6], 2, n_samples=2)
    np.testing.assert_allclose(facts["score"], fitted.decision_function(X[:6])[:, 2], atol=1e-6)
    np.testing.assert_allclose(
        facts["kernel"] + facts["linear"] + facts["forest"], facts["score"], atol=1e-3
    )
    np.testing.assert_allclose(facts["probability"], fitted.predict_proba(X[:6])[:, 2])
    assert facts["similar"].shape == (6, 2)
    assert (y[facts["similar"], 2] == 1).all()


def test_probabilities_and_their_reliability(make):
    X, y = make(n_samples=600, n_labels=5, seed=2)
    model = RareLabelClassifier(random_state=0).fit(X, y)
    table = model.reliability(n_bins=5)
    assert table["entries"].sum() == y.size
    assert (np.abs(table["probability"] - table["frequency"]) < 0.08).all()
    assert (table["low"] <= table["frequency"] + 1e-12).all()
    assert (table["frequency"] <= table["high"] + 1e-12).all()


def test_a_reliability_table_by_hand():
    # Two bins, cut at the median of the positives' probabilities (0.2 and 0.8, so 0.5): below it
    # one of three entries is positive, above it one of one.
    Y = sparse.csr_array([[1, 0], [0, 1]])
    table = reliability_table(Y, np.array([[0.2, 0.1], [0.3, 0.8]]), 2)
    assert table["entries"].tolist() == [3, 1]
    np.testing.assert_allclose(table["probability"], [0.2, 0.8])
    np.testing.assert_allclose(table["frequency"], [1 / 3, 1])


def test_parts_with_their_own_settings(data):
    X, y = data
    model = RareLabelClassifier(
        KernelRidgeClassifier(linear_share=0),
        MultiLabelForest(n_estimators=20, random_state=5),
        random_state=0,
    ).fit(X, y)
    assert model.forest_.random_state == 5
    assert model.kernel_ridge_.linear_scaling_ is None
    facts = model.explain(X[:2], 0)
    assert "linear" not in facts.dtype.names


def test_without_a_rule_a_label_is_predicted_from_one_half(data):
    X, y = data
    model = RareLabelClassifier(threshold=None, random_state=0).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), model.predict_proba(X) >= 0.5)


@pytest.mark.parametrize("n_samples", [1, 2, 4])
def test_few_samples(n_samples):
    rng = np.random.default_rng(n_samples)
    X, y = rng.normal(size=(n_samples, 3)), rng.integers(0, 2, size=(n_samples, 2))
    model = RareLabelClassifier(random_state=0)
    if n_samples == 1:
        with pytest.warns(UserWarning, match="bootstrap sample of every tree"):
            model.fit(X, y)
    else:
        model.fit(X, y)
    assert np.isfinite(model.decision_function(X)).all()


def test_labels_of_a_single_class(data):
    X, y = data
    y = np.column_stack([y, np.zeros(len(y), int), np.ones(len(y), int)])
    model = RareLabelClassifier(random_state=0).fit(X, y)
    assert (model.predict(X)[:, -2:] == [0, 1]).all()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"forest_share": -0.1}, "forest_share must be from 0 to 1"),
        ({"threshold": "best"}, "rule must be one of"),
        ({"forest": MultiLabelForest(bootstrap=False)}, "bootstrap=True"),
    ],
)
def test_bad_parameters_are_named(params, message, data):
    X, y = data
    with pytest.raises(ValueError, match=message):
        RareLabelClassifier(**params).fit(X, y)


def test_bad_arguments_of_facts(data, fitted):
    X, _ = data
    with pytest.raises(ValueError, match="no label is called 'flu'"):
        fitted.explain(X[:1], "flu")
    with pytest.raises(ValueError, match="n_bins must be an int"):
        fitted.reliability(n_bins=0)
