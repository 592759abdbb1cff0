"""What the page on RareLabelClassifier says of it is what was measured."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
RESULTS = json.loads((ROOT / "experiments" / "results" / "model_cost.json").read_text())
PAGE = " ".join((ROOT / "docs" / "methods" / "rare_label.rst").read_text().split())
LOGISTIC, TUNED = "logistic regression", "logistic regression, thresholds"


def column(model, name):
    return np.array([of_dataset[model][name] for of_dataset in RESULTS.values()])


@pytest.mark.parametrize(
    ("model", "said"),
    [
        ("RareLabelClassifier", "a fit takes {mean} times the CPU time of one logistic regression"),
        ("RareLabelClassifier", "and {most} times at most. The kernel"),
        ("KernelRidgeClassifier", "alone takes {mean} times, and {most} times at most"),
        (TUNED, "thresholds from five folds takes {mean} times"),
    ],
)
def test_times_are_ratios_of_one_run(model, said):
    ratios = column(model, "fit_cpu_seconds") / column(LOGISTIC, "fit_cpu_seconds")
    assert ratios.size == 13
    mean, most = np.exp(np.log(ratios).mean()), ratios.max()
    assert said.format(mean=f"{mean:.1f}", most=f"{most:.1f}") in PAGE


def test_gains():
    f = column("RareLabelClassifier", "macro_f1") - column(TUNED, "macro_f1")
    ap = column("RareLabelClassifier", "macro_auc_pr") - column(TUNED, "macro_auc_pr")
    expected = (
        f"is higher by {f.mean():.3f} on average, on {(f > 0).sum()} of the 13 data sets, "
        f"and average precision by {ap.mean():.3f}, on all {(ap > 0).sum()}"
    )
    assert expected.replace("0.", ".") in PAGE


def test_boosting_takes_longer_everywhere():
    share = column("RareLabelClassifier", "fit_cpu_seconds") / column(
        "gradient boosting", "fit_cpu_seconds"
    )
    said = f"less time than gradient boosting on all {(share < 1).sum()} data sets"
    assert f"{said}, at most {share.max():.0%} of it".replace("%", " %") in PAGE


@pytest.fixture(scope="module")
def tables():
    sys.path.append(str(ROOT / "experiments"))
    try:
        import model_tables
    finally:
        sys.path.remove(str(ROOT / "experiments"))
    return model_tables


def test_every_table_has_cells_for_its_columns(tables):
    for name, make in tables.TABLES.items():
        table = make()
        assert table.rows, name
        assert {len(row) for row in table.rows} == {len(table.header)}, name


def test_pooled_calibration_has_the_smaller_log_loss(tables):
    for model in ("KernelRidgeClassifier", "RareLabelClassifier"):
        pooled, platt, frequency = (
            tables.error_means(model, way, "log_loss")
            for way in ("pooled", "Platt, label by label", "frequency in training")
        )
        assert (pooled < platt).all()
        # With one or two positives, Platt's method is worse than the frequency of the label.
        assert pooled[0] < frequency[0] < platt[0]


def test_errors_by_hand():
    sys.path.append(str(ROOT / "experiments"))
    try:
        from calibration import by_band, errors_of
    finally:
        sys.path.remove(str(ROOT / "experiments"))
    Y, p = np.array([[1], [0]], dtype=bool), np.array([[0.8], [0.4]])
    errors = errors_of(Y, p)
    assert errors["brier"] == pytest.approx((0.04 + 0.16) / 2)
    assert errors["log_loss"] == pytest.approx(-(np.log(0.8) + np.log(0.6)) / 2, abs=1e-7)
    # Each entry has a bin.
    assert errors["calibration_error"] == pytest.approx((0.2 + 0.4) / 2)
    bands = by_band(np.array([1, 7]), np.repeat(Y, 2, axis=1), np.repeat(p, 2, axis=1))
    assert [band and band["n_labels"] for band in bands] == [1, None, 1, None, None, None]
