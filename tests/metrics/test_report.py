"""The table of labels."""

import json

import numpy as np
import pandas as pd
import pytest

from rarelabels.metrics import METRICS, macro_auc_pr, macro_f1, multilabel_report


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    Y = (rng.random((60, 8)) < np.linspace(0.6, 0.05, 8)).astype(int)
    Y[:, 7] = 0
    scores = np.clip(Y * 0.4 + rng.random((60, 8)) * 0.6, 0, 1)
    return Y, (scores > 0.5).astype(int), scores


def test_rarest_first_in_three_groups(data):
    report = multilabel_report(*data)
    assert report.labels["positive"] == sorted(data[0].sum(axis=0))
    assert report.labels["label"][0] == "7"
    assert report.labels["group"] == ["rare"] * 3 + ["middle"] * 3 + ["frequent"] * 2


def test_averages_are_those_of_the_labels_shown(data):
    Y, predicted, scores = data
    report = multilabel_report(Y, predicted, scores)
    assert report.averages["all"]["f1"] == pytest.approx(macro_f1(Y, predicted))
    assert report.averages["all"]["auc_pr"] == pytest.approx(macro_auc_pr(Y, scores))
    assert report.averages["rare"]["f1"] == pytest.approx(np.mean(report.labels["f1"][:3]))
    assert report.averages["rare"]["gmean"] == pytest.approx(np.mean(report.labels["gmean"][1:3]))
    counts = {name: (means["labels"], means["left_out"]) for name, means in report.averages.items()}
    assert counts == {"rare": (3, 1), "middle": (3, 0), "frequent": (2, 0), "all": (8, 1)}


def test_without_scores_there_are_no_areas(data):
    report = multilabel_report(*data[:2])
    assert list(report.labels) == ["label", "positive", "group", "f1", "gmean", "balanced_accuracy"]


def test_is_plain_data(data):
    found = multilabel_report(*data).to_dict()
    assert set(found) == {"labels", "averages", "bands", "overall", "intervals"}
    assert found["labels"][1]["label"] == "6"
    assert json.loads(json.dumps(found["averages"])) == found["averages"]
    assert len(pd.DataFrame(multilabel_report(*data).labels)) == 8


def test_names_come_from_the_caller_or_the_columns(data):
    Y, predicted, _ = data
    frame = pd.DataFrame(Y, columns=list("abcdefgh"))
    assert multilabel_report(frame, predicted).labels["label"][0] == "h"
    named = multilabel_report(Y, predicted, label_names=list("ABCDEFGH"))
    assert named.labels["label"][0] == "H"
    with pytest.raises(ValueError, match="each of the 8 labels, got 2 names"):
        multilabel_report(Y, predicted, label_names=["a", "b"])


def test_a_long_table_is_shortened_where_it_is_shown():
    Y = np.random.default_rng(0).integers(0, 2, (50, 40))
    shown = repr(multilabel_report(Y, Y))
    assert "(20 more)" in shown
    # Labels, the averages of three groups, of all and of two bands, and eleven metrics.
    assert len(shown.splitlines()) == (1 + 10 + 1 + 10) + 1 + (4 + 2) + 1 + (1 + 11)


def test_two_labels_leave_a_group_empty():
    report = multilabel_report([[1, 0], [0, 1]], [[1, 0], [0, 1]])
    assert report.averages["frequent"]["labels"] == 0
    assert np.isnan(report.averages["frequent"]["f1"])
    assert "mean of frequent" in repr(report)


def test_bands_of_positive_samples(data):
    Y, predicted, scores = data
    counts = Y.sum(axis=0)
    report = multilabel_report(Y, predicted, scores)
    f1 = dict(zip(report.labels["label"], report.labels["f1"], strict=True))
    limits = {"0": (0, 0), "1–9": (1, 9), "10–29": (10, 29), "30–99": (30, 99)}
    assert {*report.bands} == {*limits}
    for name, (low, high) in limits.items():
        inside = [str(j) for j in range(8) if low <= counts[j] <= high]
        assert report.bands[name]["labels"] == len(inside)
        np.testing.assert_allclose(report.bands[name]["f1"], np.mean([f1[j] for j in inside]))
    assert "10–29 positive" in repr(report)
    # Counts of the training data, say.
    given = multilabel_report(Y, predicted, label_counts=[100, 99, 30, 29, 10, 9, 1, 0])
    assert [(name, means["labels"]) for name, means in given.bands.items()] == [
        ("0", 1), ("1–9", 2), ("10–29", 2), ("30–99", 2), ("100+", 1),
    ]  # fmt: skip
    for wrong in ([1, 2], [1.5] * 8, [-1] * 8):
        with pytest.raises(ValueError, match="label_counts must have a number"):
            multilabel_report(Y, predicted, label_counts=wrong)


def test_overall_scores_are_those_of_the_metrics(data):
    Y, predicted, scores = data
    weights = np.random.default_rng(0).random(60) + 0.5
    report = multilabel_report(Y, predicted, scores, sample_weight=weights)
    given = {"y_pred": predicted, "y_score": scores, "sample_weight": weights}
    for metric in METRICS:
        assert report.overall[metric.name] == pytest.approx(metric.score(Y, **given))


def literal_intervals(Y, predicted, groups, n_draws, seed):
    """Return the interval of the Hamming loss over groups that are drawn one by one."""
    rng, values = np.random.default_rng(seed), []
    names = sorted({*groups})
    for _ in range(n_draws):
        chosen = rng.integers(len(names), size=len(names))
        rows = [i for at in chosen for i in range(len(Y)) if groups[i] == names[at]]
        values.append(np.mean(Y[rows] != predicted[rows]))
    return tuple(np.quantile(values, [0.05, 0.95]))


@pytest.mark.parametrize("by_group", [True, False])
def test_intervals_by_sample_and_by_group(data, by_group):
    Y, predicted, scores = data
    groups = (
        [f"patient {i // 4}" for i in range(60)] if by_group else [f"{i:02}" for i in range(60)]
    )
    report = multilabel_report(
        Y, predicted, scores, n_bootstrap=80, groups=groups if by_group else None,
        confidence=0.9, random_state=3,
    )  # fmt: skip
    found = report.intervals["overall"]["hamming_loss"]
    assert found == pytest.approx(literal_intervals(Y, predicted, groups, 80, 3))
    for name, (low, high) in report.intervals["overall"].items():
        assert low <= report.overall[name] <= high
    assert {*report.intervals["bands"]} == {*report.bands}
    of_labels = report.intervals["labels"]["f1"]
    assert len(of_labels) == 8
    for (low, high), value in zip(of_labels[1:], report.labels["f1"][1:], strict=True):
        assert low <= value <= high
    assert " to " in repr(report)
    json.dumps(report.to_dict()["intervals"])


def test_intervals_of_correlated_samples_are_wider_by_group():
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(20), 10)
    is_right = np.repeat(rng.random(20) < 0.7, 10)
    Y = rng.integers(0, 2, (200, 2))
    predicted = np.where(is_right[:, None], Y, 1 - Y)
    widths = {}
    for name, given in (("group", groups), ("sample", None)):
        report = multilabel_report(Y, predicted, n_bootstrap=200, groups=given, random_state=0)
        low, high = report.intervals["overall"]["hamming_loss"]
        widths[name] = high - low
    # Ten copies count once: the interval is wider by the square root of ten, about.
    assert 2 < widths["group"] / widths["sample"] < 5


def test_what_the_intervals_refuse(data):
    Y, predicted, _ = data
    with pytest.raises(ValueError, match="n_bootstrap must be an int of at least 0"):
        multilabel_report(Y, predicted, n_bootstrap=-1)
    with pytest.raises(ValueError, match="confidence must be between 0 and 1"):
        multilabel_report(Y, predicted, n_bootstrap=5, confidence=95)
    with pytest.raises(ValueError, match="groups must name a group for each of the 60 samples"):
        multilabel_report(Y, predicted, n_bootstrap=5, groups=[1, 2])
