"""What the advice says of the study must be in the study's results."""

from pathlib import Path

import numpy as np
import pytest

from rarelabels.experiment import Store, unpack
from rarelabels.measures._advice import BORDER_EVIDENCE, SCUMBLE_EVIDENCE

RESULTS = Path(__file__).parents[2] / "experiments" / "results" / "paper.json.xz"
# With a SCUMBLE of at least 0.1 in the paper's Table 1.
MIXED = {"cal500", "corel5k", "enron", "rcv1subset1", "rcv1subset2", "yahoo-Business1", "yeast"}


@pytest.fixture(scope="module")
def scores():
    """Macro-F1 by data set, learner, method and fold."""
    if not RESULTS.is_file():
        pytest.skip("the study's results are not here")
    with Store(":memory:") as store:
        unpack(RESULTS, store)
        rows = [row for row in store.rows("paper") if row["metric"] == "macro_f1"]
    return {(r["dataset"], r["learner"], r["method"], r["fold"]): r["value"] for r in rows}


def gains(scores, method):
    """Return the mean gain over the learner alone, on the folds of both, by pair."""
    found = {}
    for (data, learner, name, fold), value in scores.items():
        base = scores.get((data, learner, "Default", fold))
        if name == method and base is not None and value is not None:
            found.setdefault((data, learner), []).append(value - base)
    return {pair: np.mean(values) for pair, values in found.items()}


def with_much_scumble(scores, method):
    found = gains(scores, method)
    return np.mean([g for (data, learner), g in found.items() if data in MIXED and learner == "BR"])


def test_an_ensemble_over_mlsol_helps_most_of_the_time(scores):
    ensemble, alone = gains(scores, "EMLSOL"), gains(scores, "MLSOL")
    assert len(ensemble) >= 40
    up = np.array(list(ensemble.values())) > 0
    assert up.mean() > 0.8
    assert 0.03 < np.mean(list(ensemble.values())) < 0.07
    assert 0.0 < np.mean(list(alone.values())) < 0.025
    assert "four of five pairs" in BORDER_EVIDENCE


def test_where_labels_mix_synthetic_samples_gain_more_than_clones(scores):
    figures = {name: with_much_scumble(scores, name) for name in ("MLSOL", "MLROS", "RHwRSMT")}
    assert figures["MLSOL"] > figures["MLROS"] + 0.005
    said = {"MLSOL": 0.02, "MLROS": 0.01, "RHwRSMT": -0.08}
    assert figures == pytest.approx(said, abs=0.01)
    assert "gained 0.02 macro-F1 by MLSOL, 0.01 by MLROS, and lost 0.08" in SCUMBLE_EVIDENCE


def test_where_samples_are_safe_local_samplers_change_little(scores):
    for name in ("MLSOL", "MLUL"):
        assert abs(gains(scores, name)["genbase", "BR"]) < 0.01
