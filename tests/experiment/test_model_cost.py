"""What the page on RareLabelClassifier and the README say of it is what was measured."""

import json
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
        f"macro F is higher by {f.mean():.3f} in the mean, on {(f > 0).sum()} of the 13 data sets, "
        f"and average precision by {ap.mean():.3f}, on all {(ap > 0).sum()}"
    )
    assert expected.replace("0.", ".") in PAGE


def test_the_readme_has_the_gain():
    f = column("RareLabelClassifier", "macro_f1") - column(TUNED, "macro_f1")
    said = f"on {(f > 0).sum()} of the {f.size} data sets, by {f.mean():.3f} in the mean"
    assert said.replace("0.", ".") in (ROOT / "README.md").read_text(encoding="utf-8")
