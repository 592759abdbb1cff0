"""The advice: every rule applies from its threshold on, and not below."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from rarelabels._equal_rows import equal_row_groups
from rarelabels.base import LabelMatrix
from rarelabels.measures import describe
from rarelabels.measures._advice import RULES, Measured, advise
from rarelabels.measures.conflicts import conflicting_samples

N_SAMPLES = 1000


def measured(scumble=0.0, n_conflicting=0, are_embeddings=False, metric="euclidean", **columns):
    """Make up what was measured, of labels that no rule is about unless told otherwise."""
    n_labels = len(next(iter(columns.values()))) if columns else 4
    usual = {
        "label": [f"l{j}" for j in range(n_labels)], "count": [100] * n_labels,
        "minority_class": [1] * n_labels, "irlbl": [1.0] * n_labels, "safe": [0.6] * n_labels,
        "borderline": [0.2] * n_labels, "rare": [0.1] * n_labels, "outlier": [0.1] * n_labels,
    }  # fmt: skip
    table = pd.DataFrame({**usual, **columns})
    kinds = {"label": "U10", "count": int, "minority_class": int}
    labels = table.to_records(index=False, column_dtypes=kinds)
    summary = {"n_samples": N_SAMPLES, "mean_ir": 2.0, "scumble": scumble, "metric": metric}
    return Measured(np.asarray(labels), summary, n_conflicting, are_embeddings)


def topics(found):
    return [step.topic for step in advise(found)]


def step(found, topic):
    (only,) = [one for one in advise(found) if one.topic == topic]
    return only


def test_where_nothing_is_wrong_there_is_one_step_left():
    assert topics(measured()) == ["find out"]


@pytest.mark.parametrize(
    ("topic", "at", "below"),
    [
        ("equal samples, different labels", {"n_conflicting": 10}, {"n_conflicting": 9}),
        ("embeddings", {"are_embeddings": True}, {"are_embeddings": True, "metric": "cosine"}),
        (
            "labels the features cannot predict",
            {"outlier": [0.5, 0.1], "safe": [0.3, 0.6]},
            {"outlier": [0.49, 0.1], "safe": [0.3, 0.6]},
        ),
        ("labels too rare to learn from", {"count": [9, 90, 90]}, {"count": [10, 90, 90]}),
        ("few samples for these labels", {"count": [19, 90]}, {"count": [19, 90, 90]}),
        (
            "labels at a border",
            {"borderline": [0.3, 0.2], "rare": [0.2, 0.1], "safe": [0.4, 0.6]},
            {"borderline": [0.29, 0.2], "rare": [0.2, 0.1], "safe": [0.4, 0.6]},
        ),
        ("rare labels with frequent ones", {"scumble": 0.1}, {"scumble": 0.099}),
        (
            "rare but easy",
            {"count": [300, 100], "safe": [0.7, 0.6]},
            {"count": [301, 100], "safe": [0.7, 0.69]},
        ),
    ],
)
def test_a_rule_applies_from_its_threshold_on(topic, at, below):
    assert topic in topics(measured(**at))
    assert topic not in topics(measured(**below))


def test_labels_are_ranked_and_named():
    found = measured(count=[9, 3, 5, 8, 7, 6, 500])
    only = step(found, "labels too rare to learn from")
    assert only.labels == (1, 2, 5, 4, 3, 0)
    assert "'l1', 'l2', 'l5', 'l4' and 2 more" in only.what
    assert only.code == "y, kept = drop_rare_labels(y, min_positive=10)"


def test_the_rarer_class_counts_where_most_samples_carry_a_label():
    found = measured(count=[N_SAMPLES - 5, 100, 100], minority_class=[0, 1, 1])
    assert step(found, "labels too rare to learn from").labels == (0,)


def test_outliers_are_not_called_borderline_too():
    found = measured(outlier=[0.5, 0.1], borderline=[0.5, 0.2], safe=[0.0, 0.6])
    assert "labels at a border" not in topics(found)


def test_what_no_method_mends_comes_first():
    found = measured(
        n_conflicting=50, scumble=0.3, count=[5, 15, 100, 100], outlier=[0.1, 0.1, 0.8, 0.1],
        borderline=[0.2, 0.2, 0.1, 0.9], safe=[0.6, 0.6, 0.1, 0.0],
    )  # fmt: skip
    assert topics(found) == [
        "equal samples, different labels", "labels the features cannot predict",
        "labels too rare to learn from", "few samples for these labels", "labels at a border",
        "rare labels with frequent ones", "find out",
    ]  # fmt: skip


def test_every_step_has_a_reason():
    rules = [rule for rule in RULES if rule(measured()) is not None]
    assert len(rules) == 1
    for one in advise(measured(n_conflicting=50, scumble=0.3, count=[5, 5], safe=[0.9, 0.9])):
        assert one.what
        assert one.why
        assert str(one) == f"{one.topic}: {one.what} ({one.why})"


def test_describe_gives_the_plan_with_the_names_of_the_labels():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = pd.DataFrame({"often": X[:, 0] > 0, "seldom": X[:, 1] > 2.2}).astype(int)
    found = describe(X, y)
    (few,) = [one for one in found.advice if one.topic == "labels too rare to learn from"]
    assert "'seldom'" in few.what
    assert "what to do" in repr(found)
    assert few.code in repr(found)
    assert "labels too rare" in found._repr_html_()
    renamed = found.with_names(["first of a long name", "second"])
    assert any("'second'" in one.what for one in renamed.advice)
    assert renamed.labels["label"].tolist() == ["first of a long name", "second"]


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_equal_samples_with_other_labels_are_counted(kind):
    X = np.array([[1.0, 0.0], [1.0, 0.0], [2.0, 3.0], [2.0, 3.0], [-0.0, 1.0], [0.0, 1.0]])
    Y = sparse.csr_array(np.array([[1, 0], [0, 1], [1, 1], [1, 1], [0, 0], [1, 0]]))
    assert conflicting_samples(kind(X), LabelMatrix.of(Y)) == 4
    assert equal_row_groups(np.array([[np.nan], [0.0], [np.nan]])).tolist() == [0, 1, 0]
    ones = np.array([[1, 0], [0, 1], [1, 0], [0, 0]])
    for matrix in (
        ones,
        sparse.csr_array(ones),
        sparse.csc_array(ones),
        sparse.csr_array(2 * ones),
    ):
        assert equal_row_groups(matrix).tolist() == [0, 1, 0, 2]


def test_unknown_labels_are_not_in_conflict_with_known_ones():
    nan = np.nan
    X = np.array([[1.0], [1.0], [1.0], [2.0], [2.0], [3.0]])
    # Of the first three, only the first and the last differ in a label that both know.
    Y = np.array([[1, 0], [nan, 0], [0, nan], [1, nan], [1, 1], [0, 0]])
    assert conflicting_samples(X, LabelMatrix.of(Y)) == 2
    # Samples without equals, and no repeated sample at all.
    assert conflicting_samples(np.arange(6.0)[:, None], LabelMatrix.of(Y)) == 0
