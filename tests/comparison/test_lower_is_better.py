"""Scores of which lower is better: whatever compares methods turns round."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarelabels import does_sampling_help
from rarelabels.comparison import (
    average_ranks,
    comparison_summary,
    gains_over_baseline,
    latex_table,
    wilcoxon_bergmann_hommel,
)
from rarelabels.datasets import make_local_imbalance
from rarelabels.experiment import ScoreTable
from rarelabels.learners import BinaryRelevance
from rarelabels.report import tables_summary


@st.composite
def tables(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values = rng.random((draw(st.integers(6, 14)), 3)).round(2)
    values[:, 0] += draw(st.sampled_from([0.0, 0.5]))
    return dict(zip("abc", values.T.tolist(), strict=True))


def negated(scores):
    return {name: (-np.array(column)).tolist() for name, column in scores.items()}


@given(tables())
@settings(max_examples=30, deadline=None)
def test_losses_are_compared_as_their_negatives_would_be(losses):
    scores, lower = negated(losses), {"lower_is_better": True}
    assert average_ranks(losses, **lower) == average_ranks(scores)
    found = wilcoxon_bergmann_hommel(losses, **lower)
    expected = wilcoxon_bergmann_hommel(scores)
    assert (found.wins, found.losses) == (expected.wins, expected.losses)
    gains = gains_over_baseline(losses, "a", n_splits=2, **lower)
    assert gains == gains_over_baseline(scores, "a", n_splits=2)


def test_the_best_is_bold_and_the_worst_has_the_star():
    losses = {"good": np.linspace(0.1, 0.2, 8), "bad": np.linspace(0.5, 0.7, 8)}
    text = latex_table(losses, lower_is_better=True)
    assert r"\textbf{0.100} & 0.500" in text
    assert r"average rank & 1.00 & 2.00* \\" in text
    table = ScoreTable(np.column_stack([*losses.values()]), tuple("abcdefgh"), tuple(losses))
    assert r"\textbf{0.100} & 0.500" in table.to_latex(lower_is_better=True)
    assert r"0.100 & \textbf{0.500}" in table.to_latex()


def test_tables_of_a_loss():
    values = np.column_stack([np.linspace(0.1, 0.2, 8), np.linspace(0.5, 0.7, 8)])
    found = tables_summary(
        ScoreTable(values, tuple("abcdefgh"), ("good", "bad")), metric="hamming_loss"
    )
    assert found["ranks"] == {"good": 1.0, "bad": 2.0}
    assert found["wins"] == {"good": 1, "bad": 0}


def results_of(change, n_folds=10):
    noise = np.linspace(-0.01, 0.01, n_folds)
    return [
        {"method": name, "fold": fold, "score": 0.5 + by + noise[fold], "seconds": 1.0}
        for name, by in {"none": 0.0, **change}.items()
        for fold in range(n_folds)
    ]


def summary(change, metric):
    return comparison_summary(results_of(change), metric=metric, baseline="none", n_splits=2)


def test_the_recommended_method_has_the_lower_loss():
    change = {"up": 0.1, "down": -0.1}
    assert summary(change, "macro_f1")["recommended"] == "up"
    found = summary(change, "hamming_loss")
    assert found["recommended"] == found["focus"] == "down"
    rows = {row["name"]: row for row in found["methods"]}
    assert rows["down"]["mean"] == pytest.approx(0.4)
    assert rows["down"]["gain"] == pytest.approx(0.1)
    assert rows["down"]["verdict"] == "helps"
    assert rows["up"]["verdict"] == "hurts"
    assert [rows[name]["rank"] for name in ("down", "none", "up")] == [1, 2, 3]
    assert rows["down"]["score_low"] < 0.4 < rows["down"]["score_high"]
    assert rows["down"]["scores"] == pytest.approx(0.4 + np.linspace(-0.01, 0.01, 10))
    assert found["conclusion"]["headline"] == (
        "Use down: Hamming loss falls from 0.500 to 0.400 (−0.100)."
    )


def test_what_is_said_if_no_method_lowers_the_loss():
    found = summary({"up": 0.1}, "hamming_loss")
    assert found["recommended"] == "none"
    assert "No other method has a lower mean." in found["conclusion"]["details"]
    same = summary({"other": -0.001}, "hamming_loss")["conclusion"]
    higher = summary({"other": 0.001}, "macro_f1")["conclusion"]
    assert "the lowest mean" in " ".join([same["headline"], *same["details"]]) or (
        "falls from 0.500 to 0.499" in same["headline"]
    )
    assert same["helps"] == higher["helps"]
    perfect = [{**row, "score": 0.0} for row in results_of({"other": 0.0})]
    found = comparison_summary(perfect, metric="hamming_loss", baseline="none", n_splits=2)
    assert "perfect here, with a Hamming loss of 0 on every fold" in found["conclusion"]["headline"]


@pytest.mark.parametrize("cv", ["2x2", "3x2"])
def test_does_sampling_help_with_a_loss(cv):
    data = make_local_imbalance(90, difficulty=0.4, random_state=0)
    found = does_sampling_help(
        data.X, data.Y, BinaryRelevance(random_state=0), samplers=["mlros"], n_estimators=0,
        metric="hamming_loss", cv=cv, random_state=0, verbose=0,
    )  # fmt: skip
    rows = {row["name"]: row for row in found.summary["methods"]}
    base = rows.pop(found.summary["baseline"])
    assert base["mean"] > 0
    for row in rows.values():
        assert row["gain"] == pytest.approx(base["mean"] - row["mean"], abs=1e-9)
    ranked = sorted([base, *rows.values()], key=lambda row: row["mean"])
    shown = repr(found)
    places = [shown.index(f"\n{row['name']} ") for row in ranked]
    assert places == sorted(places)
    assert "Hamming loss" in shown
    # The program of the recommended method computes the same metric.
    assert "find_metric('hamming_loss')" in found.script("X, y = load()", model="estimator = None")
