"""Metrics of labels that are not all known, and of samples and entries with weights."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.metrics import average_precision_score, f1_score, roc_auc_score

from rarelabels.metrics import (
    METRICS,
    label_auc_pr,
    label_auc_roc,
    label_f1,
    macro_auc_pr,
    macro_auc_roc,
    macro_balanced_accuracy,
    macro_f1,
    macro_gmean,
    multilabel_report,
)

NAN = np.nan
LABEL_WISE = [metric for metric in METRICS if metric.per_label is not None]
OF_DECISIONS = (macro_f1, macro_gmean, macro_balanced_accuracy)
OF_SCORES = (macro_auc_roc, macro_auc_pr)


@st.composite
def predictions(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, q = draw(st.integers(8, 30)), draw(st.integers(1, 4))
    y = rng.integers(0, 2, size=(n, q))
    # Few different scores, so that there are ties.
    scores = rng.integers(0, 6, size=(n, q)) / 5
    return rng, y, scores


def values_of(metric, y, scores, **options):
    return metric.label_scores(
        y, y_pred=(scores > 0.5).astype(int), y_score=scores, **options
    ).values


@given(predictions())
@settings(deadline=None, max_examples=60)
def test_an_unknown_entry_counts_as_little_as_one_of_weight_zero(case):
    rng, y, scores = case
    hidden = rng.random(y.shape) < 0.3
    unknown = np.where(hidden, NAN, y)
    for metric in LABEL_WISE:
        masked = values_of(metric, unknown, scores, allow_missing_labels=True)
        for truth in (y, np.where(hidden, 1 - y, y)):
            weighted = values_of(metric, truth, scores, sample_weight=(~hidden).astype(float))
            np.testing.assert_allclose(masked, weighted, atol=1e-12)
        for j in range(y.shape[1]):
            known = ~hidden[:, j]
            if known.any():
                alone = values_of(metric, y[known, j : j + 1], scores[known, j : j + 1])
                np.testing.assert_allclose(masked[j], alone[0], atol=1e-12)


@given(predictions())
@settings(deadline=None, max_examples=60)
def test_a_weight_of_two_does_what_two_samples_do(case):
    rng, y, scores = case
    weights = rng.integers(0, 3, size=len(y))
    repeated = np.repeat(np.arange(len(y)), weights)
    if repeated.size == 0:
        return
    for metric in LABEL_WISE:
        for scale in (1.0, 1e-3):
            np.testing.assert_allclose(
                values_of(metric, y, scores, sample_weight=scale * weights),
                values_of(metric, y[repeated], scores[repeated]),
                atol=1e-12,
            )


@given(predictions())
@settings(deadline=None, max_examples=40)
def test_weighted_areas_and_f_are_those_of_scikit_learn(case):
    rng, y, scores = case
    weights = rng.uniform(0.1, 3, size=y.shape)
    found = {
        label_auc_roc: roc_auc_score,
        label_auc_pr: average_precision_score,
    }
    for ours, theirs in found.items():
        values = ours(y, scores, sample_weight=weights).values
        for j in range(y.shape[1]):
            if 0 < y[:, j].sum() < len(y):
                expected = theirs(y[:, j], scores[:, j], sample_weight=weights[:, j])
                np.testing.assert_allclose(values[j], expected, atol=1e-12)
            else:
                assert np.isnan(values[j])
    predicted = (scores > 0.5).astype(int)
    f1 = label_f1(y, predicted, sample_weight=weights).values
    for j in range(y.shape[1]):
        if y[:, j].any() or predicted[:, j].any():
            expected = f1_score(y[:, j], predicted[:, j], sample_weight=weights[:, j])
            np.testing.assert_allclose(f1[j], expected, atol=1e-12)


def test_a_case_by_hand():
    # Known of the first label: 1, 0, 1 with predictions 1, 1, 0: one hit, one wrong, one missed,
    # F = 2 / 4. The second label is known once and right.
    y = [[1, NAN], [0, NAN], [1, 1], [NAN, NAN]]
    predicted = [[1, 0], [1, 1], [0, 1], [1, 1]]
    scores = label_f1(y, predicted, allow_missing_labels=True)
    assert scores.values.tolist() == [0.5, 1.0]


def test_a_label_that_is_unknown_everywhere_is_left_out():
    y = np.array([[1.0, NAN], [0.0, NAN], [1.0, NAN]])
    predicted = np.array([[1, 1], [0, 0], [0, 1]])
    for metric in LABEL_WISE:
        scores = metric.label_scores(
            y, y_pred=predicted, y_score=predicted, allow_missing_labels=True
        )
        assert scores.left_out.tolist() == [1]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_reports_take_both(form):
    y = np.array([[1, 0.0], [NAN, 1], [0, 0], [1, 1]])
    predicted = np.array([[1, 0], [0, 1], [1, 0], [1, 0]])
    report = multilabel_report(
        form(y), predicted, predicted / 2, sample_weight=[1, 1, 2, 1], allow_missing_labels=True
    )
    by_label = dict(zip(report.labels["label"], report.labels["f1"], strict=True))
    # Two hits and a false positive of weight 2; one hit and one miss.
    assert by_label == {"0": pytest.approx(4 / 6), "1": pytest.approx(2 / 3)}


@pytest.mark.parametrize("metric", [*OF_DECISIONS, *OF_SCORES])
def test_unknown_labels_are_refused_with_the_parameter_that_allows_them(metric):
    with pytest.raises(ValueError, match="allow_missing_labels=True"):
        metric([[1.0], [NAN]], [[1], [0]])


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0], r"shape \(2,\), a weight for each sample, or \(2, 1\)"),
        ([1.0, -1.0], "1 weights are not"),
        ([NAN, NAN], "2 weights are not"),
        ([np.inf, 1.0], "1 weights are not"),
    ],
)
def test_bad_weights_are_counted(weights, message):
    with pytest.raises(ValueError, match=message):
        macro_f1([[1], [0]], [[1], [0]], sample_weight=weights)
