"""What the page on decision rules says, held against the packed results."""

import sys
from pathlib import Path

import numpy as np
import pytest

from rarelabels.decisions import RULES

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


@pytest.fixture(scope="module")
def tables():
    sys.path.append(str(EXPERIMENTS))
    try:
        import decision_tables
    finally:
        sys.path.remove(str(EXPERIMENTS))
    return decision_tables


def test_every_table_has_cells_for_its_columns(tables):
    for name, make in tables.TABLES.items():
        table = make()
        assert table.rows, name
        assert {len(row) for row in table.rows} == {len(table.header)}, name


def test_every_rule_is_shown(tables):
    assert {rule.name for rule in RULES} <= set(tables.SHOWN)


def gain(tables, model, other, value="macro_f1"):
    of = getattr(tables, value)
    return (of(model, "pooled_f1") - of(model, other)).mean()


def test_the_default_is_highest_or_near_it(tables):
    for model in tables.models():
        others = set(tables.SHOWN) - {"f1, training scores", "pooled_f1"}
        assert min(gain(tables, model, other) for other in others) > -0.0055
        low, high = (-0.0005, 0.0005) if model == "boosting" else (0.0005, 0.0035)
        assert low < gain(tables, model, "f1") < high


def test_what_the_repair_changes(tables):
    for model in tables.models():
        share, exact = (
            tables.predicted_share(model, rule).mean() for rule in ("pooled_f1", "f1, exact")
        )
        assert 1.3 * share < exact < 3 * share
        assert 0.135 < gain(tables, model, "f1, exact", "micro_f1") < 0.255
        low, high = {"trees": (-0.0055, 0), "EMLSOL": (-0.0005, 0.0005)}.get(
            model, (0.0055, 0.0165)
        )
        assert low < gain(tables, model, "f1, exact") < high
    rarest = {row[0]: row[1] for row in tables.bands().rows}
    assert (rarest["pooled_f1"], rarest["f1, exact"]) == ("0.088", "0.049")


def test_thresholds_on_training_scores_overfit(tables):
    for model in tables.models():
        low, high = (-0.0045, -0.0035) if model == "MLkNN" else (0.0065, 0.0665)
        assert low < gain(tables, model, "f1, training scores") < high


def test_five_folds_agree(tables):
    for model in tables.models():
        ours, *others = (
            tables.macro_f1(model, rule, tables.FIVE_FOLDS)
            for rule in ("pooled_f1", "f1", "f1, exact", "f1, training scores")
        )
        assert ours.size == (8 if model == "boosting" else 13)
        over_f1, over_exact, over_training = ((ours - other).mean() for other in others)
        assert 0 < over_f1 < 0.0045
        assert 0.0015 < over_exact < 0.0095
        low, high = (-0.0015, -0.0005) if model == "MLkNN" else (0.0035, 0.0545)
        assert low < over_training < high


def test_what_micromacro_trades(tables):
    for model in tables.models():
        assert 0.0025 < gain(tables, model, "micromacro") < 0.0075
        assert -0.0225 < gain(tables, model, "micromacro", "micro_f1") < -0.0105


def test_by_rank_and_by_score(tables):
    for model in tables.models():
        by_rank = gain(tables, model, "pooled_f1, by rank")
        low, high = {
            "logistic regression": (-0.0045, -0.0035),
            "kernel ridge": (-0.001, 0.001),
        }.get(model, (0.0035, 0.0105))
        assert low < by_rank < high


def test_no_rule_predicts_noise_but_those_that_must(tables):
    for model, shares in tables.checks()["noise"]["shares"].items():
        for rule, share in shares.items():
            if rule not in ("f1, exact", "recall 0.5", "at least one"):
                assert max(share) < 0.15, (model, rule)


def test_promises_are_kept(tables):
    checks = tables.checks()
    for row in (*checks["violations"], *checks["real violations"]):
        assert row["violated"] <= 1 - row["confidence"] + 1e-9


def test_the_figure(tables, tmp_path):
    pytest.importorskip("matplotlib")
    tables.draw_bands(tmp_path / "bands.svg")
    assert "positives in the training half" in (tmp_path / "bands.svg").read_text()


def test_sums_by_hand():
    sys.path.append(str(EXPERIMENTS))
    try:
        from decision_rules import by_rank, sums_of
    finally:
        sys.path.remove(str(EXPERIMENTS))
    Y = np.array([[1, 0], [0, 0], [1, 0]], dtype=bool)
    said = np.array([[1, 0], [1, 0], [0, 0]], dtype=bool)
    # One label has one hit, two predicted and two positive samples; the other has no F.
    (sums,) = sums_of([np.array([True, True])], Y, said)
    assert sums == [1, 0.5, 1, 2, 2, 6]
    chosen = by_rank(np.array([[0.1], [0.9], [0.5]]), np.array([2 / 3]))
    assert chosen.ravel().tolist() == [False, True, True]
