"""How sure thresholds are, on data where it is known."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from rarelabels.decisions import PrecisionTarget, choose_thresholds, threshold_report
from rarelabels.decisions.intervals import trials_for_width, wilson_interval


def make(n, share, gain, seed):
    rng = np.random.default_rng(seed)
    Y = (rng.random((n, len(share))) < share).astype(int)
    return Y, rng.normal(size=Y.shape) + gain * Y


def test_the_table():
    Y, scores = make(500, [0.3, 0.02], 2, 0)
    names = ["frequent", "rare"]
    report = threshold_report(
        pd.DataFrame(Y, columns=names), scores, n_resamples=50, random_state=1
    )
    columns = report.labels
    assert columns["label"] == names
    assert columns["positives"] == Y.sum(axis=0).tolist()
    np.testing.assert_array_equal(columns["threshold"], choose_thresholds(Y, scores))
    for name in ("threshold", "precision", "recall"):
        low, high = np.array(columns[f"{name}_low"]), np.array(columns[f"{name}_high"])
        assert (low <= high).all()
        if name != "threshold":
            value = np.array(columns[name])
            assert ((low <= value) & (value <= high)).all()
            # Fewer positives tell less.
            assert (high - low)[0] < (high - low)[1]
    assert columns["verdict"] == ["", f"too few positives to tell ({Y[:, 1].sum()} of 39)"]
    assert "frequent" in repr(report)
    page = report._repr_html_()
    assert page.startswith("<table>")
    assert page.count("<svg") == 2
    again = threshold_report(pd.DataFrame(Y, columns=names), scores, n_resamples=50, random_state=1)
    assert again.labels == columns


def test_intervals_hold_what_new_samples_show():
    """Precision and recall of new samples lie in about 95 % of the intervals."""
    inside = {"precision": [], "recall": []}
    for seed in range(40):
        Y, scores = make(400, [0.1, 0.2], 2, seed)
        report = threshold_report(Y, scores, "f1", n_resamples=30, random_state=seed)
        Y_new, new = make(20_000, [0.1, 0.2], 2, seed + 1000)
        said = new >= np.array(report.labels["threshold"])
        hits = (said & (Y_new == 1)).sum(axis=0)
        for name, below in (("precision", said), ("recall", Y_new)):
            value = hits / below.sum(axis=0)
            low, high = (np.array(report.labels[f"{name}_{end}"]) for end in ("low", "high"))
            inside[name] += ((low <= value) & (value <= high)).tolist()
    assert np.mean(inside["precision"]) > 0.9
    assert np.mean(inside["recall"]) > 0.9


def test_what_does_not_fit():
    Y, scores = make(60, [0.3], 2, 0)
    with pytest.raises(ValueError, match="confidence"):
        threshold_report(Y, scores, confidence=1.5)
    with pytest.raises(ValueError, match="n_resamples"):
        threshold_report(Y, scores, n_resamples=0)
    with pytest.raises(ValueError, match="no label is called 'flu'; the labels are 0"):
        threshold_report(Y, scores, n_resamples=2).plot("flu")


def test_unknown_entries_weights_and_sparse_scores():
    Y, scores = make(200, [0.3, 0.2], 2, 0)
    partly = np.where(np.random.default_rng(0).random(Y.shape) < 0.9, Y, np.nan)
    report = threshold_report(partly, sparse.csr_array(scores + 10), n_resamples=5, random_state=0)
    assert report.labels["positives"] == np.nansum(partly, axis=0).tolist()
    weights = np.random.default_rng(0).integers(1, 3, 200)
    weighted = threshold_report(Y, scores, weights=weights, n_resamples=5, random_state=0)
    np.testing.assert_array_equal(
        weighted.labels["threshold"], choose_thresholds(Y, scores, weights=weights)
    )


def test_targets_that_a_resample_cannot_promise_do_not_end_it():
    Y, scores = make(300, [0.5], 4, 0)
    report = threshold_report(Y, scores, PrecisionTarget(0.9), n_resamples=20, random_state=0)
    assert report.labels["precision"][0] > 0.9


def test_the_chart():
    plt = pytest.importorskip("matplotlib.pyplot")
    Y, scores = make(200, [0.3, 0.02], 2, 0)
    report = threshold_report(Y, scores, n_resamples=5, random_state=0)
    ax = report.plot(1)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["precision", "recall"]
    assert ax.get_xlabel() == "threshold"
    # The recall falls with the threshold, from 1 at the lowest.
    lines = [line for line in ax.get_lines() if len(line.get_xdata()) > 2]
    at, value = lines[1].get_data()
    assert (np.diff(value[np.argsort(at)]) <= 0).all()
    assert value.max() == 1
    plt.close(ax.figure)


def test_names_in_a_notebook_are_escaped_and_charts_are_few():
    Y, scores = make(60, np.full(15, 0.3), 2, 0)
    names = ["<b>", *map(str, range(14))]
    report = threshold_report(pd.DataFrame(Y, columns=names), scores, n_resamples=2, random_state=0)
    page = report._repr_html_()
    assert "<b>" not in page
    assert page.count("<svg") == 12
    assert "and 3 more labels" in page


def test_trials_for_a_width():
    for width in (0.1, 0.3, 0.5):
        n = trials_for_width(width)
        widths = [
            (lambda interval: interval[2] - interval[1])(
                wilson_interval(np.array([k / 2]), np.array([k]))
            )
            for k in (n, n - 1)
        ]
        assert widths[0] <= width < widths[1]
