"""The table of labels."""

import json

import numpy as np
import pandas as pd
import pytest

from rarelabels.metrics import macro_auc_pr, macro_f1, multilabel_report


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
    assert set(found) == {"labels", "averages"}
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
    assert len(shown.splitlines()) == 1 + 10 + 1 + 10 + 1 + 4


def test_two_labels_leave_a_group_empty():
    report = multilabel_report([[1, 0], [0, 1]], [[1, 0], [0, 1]])
    assert report.averages["frequent"]["labels"] == 0
    assert np.isnan(report.averages["frequent"]["f1"])
    assert "mean of frequent" in repr(report)
