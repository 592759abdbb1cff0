"""Metrics over all labels or samples: by hand, against scikit-learn, and against literal loops."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn import metrics as sklearn_metrics
from sklearn.exceptions import UndefinedMetricWarning

from rarelabels.metrics import (
    METRICS,
    coverage,
    find_metric,
    hamming_loss,
    micro_f1,
    micro_precision,
    micro_recall,
    one_error,
    precision_at_k,
    ranking_loss,
    samples_f1,
    samples_precision,
    samples_recall,
    subset_accuracy,
)

NAN = np.nan
OVERALL = [metric for metric in METRICS if metric.per_label is None]
LOSSES = {"hamming_loss", "ranking_loss", "coverage", "one_error"}
each_overall = pytest.mark.parametrize("metric", OVERALL, ids=lambda metric: metric.name)


@st.composite
def predictions(draw, least_labels=5):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, q = draw(st.integers(4, 20)), draw(st.integers(least_labels, 8))
    y = (rng.random((n, q)) < draw(st.sampled_from([0.15, 0.5]))).astype(int)
    # Few different scores, so that there are ties.
    return rng, y, rng.integers(0, 6, size=(n, q)) / 5


def score(metric, y, scores, **options):
    return metric.score(y, y_pred=(scores > 0.5).astype(int), y_score=scores, **options)


# The definitions as loops over samples and labels; entries that do not count are not there.


def literal(name, y, scores, counts):
    """Return the values of samples, None where one is left out."""
    values = []
    for i in range(len(y)):
        known = [j for j in range(y.shape[1]) if counts[i, j]]
        truth = {j for j in known if y[i, j]}
        said = {j for j in known if scores[i, j] > 0.5}
        values.append(LITERAL[name](known, truth, said, scores[i]))
    return values


def literal_pairs(known, truth, said, scores):
    pairs = [(a, b) for a in truth for b in known if b not in truth]
    return np.mean([scores[a] <= scores[b] for a, b in pairs]) if pairs else None


def literal_top(k):
    def value(known, truth, said, scores):
        if not known:
            return None
        # The mean over all orders of the labels that tie.
        drawn = [
            sorted(known, key=lambda j: (-scores[j], order[j]))[:k]
            for order in np.random.default_rng(0).random((400, len(scores)))
        ]
        return np.mean([np.mean([j in truth for j in best]) for best in drawn])

    return value


LITERAL = {
    "subset_accuracy": lambda known, truth, said, _: float(truth == said) if known else None,
    "samples_precision": lambda known, truth, said, _: (
        len(truth & said) / max(len(said), 1) if truth | said else None
    ),
    "samples_recall": lambda known, truth, said, _: (
        len(truth & said) / max(len(truth), 1) if truth | said else None
    ),
    "samples_f1": lambda known, truth, said, _: (
        2 * len(truth & said) / (len(truth) + len(said)) if truth | said else None
    ),
    "ranking_loss": literal_pairs,
    "coverage": lambda known, truth, said, scores: (
        sum(scores[j] >= min(scores[a] for a in truth) for j in known) if truth else None
    ),
    "precision_at_1": literal_top(1),
    "precision_at_3": literal_top(3),
    "precision_at_5": literal_top(5),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("name", LITERAL)
@settings(max_examples=25, deadline=None)
@given(case=predictions())
def test_means_over_samples_are_those_of_loops(name, case):
    rng, y, scores = case
    known = rng.random(y.shape) < 0.8
    values = literal(name, y, scores, known)
    kept = [value for value in values if value is not None]
    found = score(find_metric(name), np.where(known, y, NAN), scores, allow_missing_labels=True)
    # Orders of ties are drawn, so their mean is not exact.
    tolerance = 0.05 if name.startswith("precision") else 1e-12
    expected = np.mean(kept) if kept else NAN
    np.testing.assert_allclose(found, expected, atol=tolerance)


@settings(max_examples=60, deadline=None)
@given(predictions())
def test_scikit_learn_gives_the_same_where_nothing_is_undefined(case):
    rng, y, scores = case
    # Each sample has a label and lacks one, and is predicted one.
    y[:, 0], y[:, 1], scores[:, 2] = 1, 0, 0.8
    predicted, weights = (scores > 0.5).astype(int), rng.uniform(0.1, 3, len(y))
    for kind, average in (("micro", "micro"), ("samples", "samples")):
        for what in ("precision", "recall", "f1"):
            theirs = getattr(sklearn_metrics, f"{what}_score")
            expected = theirs(y, predicted, average=average, sample_weight=weights)
            ours = find_metric(f"{kind}_{what}")
            found = score(ours, y, scores, sample_weight=weights)
            np.testing.assert_allclose(found, expected, atol=1e-12)
    same = {
        "hamming_loss": sklearn_metrics.hamming_loss,
        "subset_accuracy": sklearn_metrics.accuracy_score,
        "ranking_loss": sklearn_metrics.label_ranking_loss,
        "coverage": sklearn_metrics.coverage_error,
    }
    for name, theirs in same.items():
        given_to = scores if find_metric(name).needs_scores else predicted
        expected = theirs(y, given_to, sample_weight=weights)
        found = score(find_metric(name), y, scores, sample_weight=weights)
        np.testing.assert_allclose(found, expected, atol=1e-12)


@each_overall
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@settings(max_examples=25, deadline=None)
@given(case=predictions())
def test_an_unknown_entry_counts_as_little_as_one_of_weight_zero(metric, case):
    rng, y, scores = case
    hidden = rng.random(y.shape) < 0.3
    masked = score(metric, np.where(hidden, NAN, y), scores, allow_missing_labels=True)
    for truth in (y, np.where(hidden, 1 - y, y)):
        weighted = score(metric, truth, scores, sample_weight=(~hidden).astype(float))
        np.testing.assert_allclose(masked, weighted, atol=1e-12)


@each_overall
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@settings(max_examples=25, deadline=None)
@given(case=predictions())
def test_a_weight_of_two_does_what_two_samples_do(metric, case):
    rng, y, scores = case
    weights = rng.integers(0, 3, size=len(y))
    weights[0] = 1
    repeated = np.repeat(np.arange(len(y)), weights)
    expected = score(metric, y[repeated], scores[repeated])
    for scale in (1.0, 1e-3):
        for given_weights in (weights, np.repeat(weights[:, None], y.shape[1], axis=1)):
            found = score(metric, y, scores, sample_weight=scale * given_weights)
            np.testing.assert_allclose(found, expected, atol=1e-12)


def test_by_hand():
    y = [[1, 0, 1, 0], [0, 1, 0, 0], [0, 0, 0, 0]]
    predicted = [[1, 1, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0]]
    scores = [[0.9, 0.6, 0.4, 0.1], [0.2, 0.2, 0.1, 0.0], [0.3, 0.2, 0.1, 0.0]]
    # Two of three positives are predicted, with three predictions; two of twelve entries are wrong.
    assert micro_precision(y, predicted) == micro_recall(y, predicted) == 2 / 3
    assert micro_f1(y, predicted) == pytest.approx(2 / 3)
    assert hamming_loss(y, predicted) == pytest.approx(2 / 12)
    # The samples have F 1/2 and 1; the last one has nothing to be right or wrong about.
    assert samples_precision(y, predicted) == samples_recall(y, predicted) == 3 / 4
    assert samples_f1(y, predicted) == 3 / 4
    assert subset_accuracy(y, predicted) == pytest.approx(2 / 3)
    # Of the pairs of sample 0, label 2 ranks below label 1: 1 of 4. Label 1 of sample 1 ties with
    # label 0: 1 of 3. The last sample has no pair.
    assert ranking_loss(y, scores) == pytest.approx((1 / 4 + 1 / 3) / 2)
    # Three labels cover sample 0, two cover sample 1.
    assert coverage(y, scores) == 2.5
    # The first label is right, is right for one of two that tie, and is wrong.
    assert one_error(y, scores) == pytest.approx(1 - (1 + 1 / 2 + 0) / 3)
    assert precision_at_k(y, scores, 2) == pytest.approx((1 / 2 + 1 / 2 + 0) / 3)


def test_weights_of_entries_by_hand():
    # Within sample 0 the wrong entry has weight 3 of 4; sample 1 has the weight 1 and no error.
    y, predicted = [[1, 0], [1, 0]], [[1, 1], [1, 0]]
    weights = [[1.0, 3.0], [1.0, 1.0]]
    assert hamming_loss(y, predicted, sample_weight=weights) == 3 / 6
    # The samples' weights are 2 and 1, and the precision of sample 0 is 1 / 4.
    found = samples_precision(y, predicted, sample_weight=weights)
    assert found == pytest.approx((2 * 1 / 4 + 1 * 1) / 3)
    assert subset_accuracy(y, predicted, sample_weight=weights) == pytest.approx(1 / 3)


@each_overall
def test_undefined_scores_are_nan_with_a_warning(metric):
    unknown = np.full((3, 6), NAN)
    with pytest.warns(UndefinedMetricWarning, match=f"{metric.name} is NaN"):
        found = score(metric, unknown, np.zeros((3, 6)), allow_missing_labels=True)
    assert np.isnan(found)


def test_which_metrics_are_losses():
    assert {metric.name for metric in METRICS if metric.lower_is_better} == LOSSES
    y = np.eye(6, dtype=int)
    for metric in OVERALL:
        perfect, wrong = score(metric, y, y * 0.9), score(metric, y, (1 - y) * 0.9)
        assert (perfect < wrong) == metric.lower_is_better


@each_overall
def test_containers_and_blocks_do_not_matter(metric, monkeypatch):
    import rarelabels.metrics.sample_means as module

    rng = np.random.default_rng(0)
    y, scores = rng.integers(0, 2, (30, 6)), rng.random((30, 6)).round(1)
    expected = score(metric, y, scores)
    predicted = (scores > 0.5).astype(int)
    for make in (sparse.csr_array, sparse.csc_matrix, lambda table: table.tolist()):
        found = metric.score(make(y), y_pred=make(predicted), y_score=make(scores))
        assert found == pytest.approx(expected, abs=1e-15)
    monkeypatch.setattr(module, "BLOCK_ENTRIES", 20)
    assert score(metric, y, scores) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    "metric", [metric for metric in METRICS if metric.needs_scores], ids=lambda metric: metric.name
)
def test_scores_of_the_best_labels_alone(metric):
    """A model for very many labels gives the best few of each sample, as a sparse matrix."""
    rng = np.random.default_rng(0)
    y, logits = rng.integers(0, 2, (30, 8)), rng.normal(-3, 1, (30, 8))
    kept = np.argsort(-logits, axis=1)[:, :5]
    is_kept = np.zeros(y.shape, dtype=bool)
    np.put_along_axis(is_kept, kept, True, axis=1)
    rows, columns = np.nonzero(is_kept)
    stored = sparse.csr_array((logits[is_kept], (rows, columns)), shape=y.shape)
    lowest = np.where(is_kept, logits, logits.min() - 1)
    assert metric.score(y, y_score=stored) == pytest.approx(metric.score(y, y_score=lowest))


def test_what_is_refused():
    y, scores = np.eye(3, dtype=int), np.eye(3)
    for k in (0, 2.5, "one"):
        with pytest.raises(ValueError, match="k must be an int of at least 1"):
            precision_at_k(y, scores, k)
    with pytest.raises(ValueError, match="k must be at most the number of labels, 3, got 4"):
        precision_at_k(y, scores, 4)
    assert np.isnan(find_metric("precision_at_5").score(y, y_score=scores))
    with pytest.raises(ValueError, match="ranking_loss scores all labels together"):
        find_metric("ranking_loss").label_scores(y, y_score=scores)
    with pytest.raises(ValueError, match="allow_missing_labels=True"):
        hamming_loss([[1.0], [NAN]], [[1], [0]])
