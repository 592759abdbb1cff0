"""What the guide says about patients, against the committed results."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script():
    place = ROOT / "experiments" / "patient_groups.py"
    spec = importlib.util.spec_from_file_location("patient_groups", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def results(script):
    return script.read_results()


def test_scores_on_plain_folds_are_too_high(script, results):
    found = script.mean_scores(results["folds"], "model", "folds")

    def both(model, metric):
        return [found[model, way][metric] for way in (script.PLAIN, script.GROUPED)]

    close = {"abs": 0.0006}
    assert both("gradient boosting", "macro_auc_roc") == pytest.approx([0.690, 0.651], **close)
    assert both("RareLabelClassifier", "macro_auc_roc") == pytest.approx([0.695, 0.633], **close)
    assert both("RareLabelClassifier", "macro_f1") == pytest.approx([0.173, 0.105], **close)


def test_only_plain_folds_share_patients(script, results):
    shared = {way: [] for way in (script.PLAIN, script.GROUPED)}
    for row in results["folds"]:
        if row["model"] == "gradient boosting":
            shared[row["folds"]].append(row["shared_patients"])
    assert np.mean(shared[script.PLAIN]) == pytest.approx(8000, abs=100)
    assert not any(shared[script.GROUPED])
    for counts in results["shared_by_path"].values():
        assert counts[script.PLAIN] > 100
        assert counts[script.GROUPED] == 0


def test_neighbors_of_other_patients(script, results):
    near = results["neighborhoods"]
    assert near["same_patient_all"] == pytest.approx(0.08, abs=0.005)
    assert near["same_patient_others"] == 0
    assert [near["limb_all"], near["limb_others"]] == pytest.approx([0.904, 0.934], abs=0.0006)
    found = script.mean_scores(results["sampling"], "method")
    for metric in script.TITLES:
        gap = found[script.OTHERS,][metric] - found[script.ALL_NEIGHBORS,][metric]
        assert abs(gap) < 0.002


def test_tables_and_patients_that_are_drawn(script):
    for name, n_rows in (("folds", 4), ("sampling", 3)):
        _, header, rows = script.table_of(name)
        assert len(rows) == n_rows
        assert all(len(row) == len(header) for row in rows)
    patients = np.repeat(np.arange(50), 3)
    X, Y, kept = script.some_patients((patients[:, None], patients[:, None], patients), 10)
    assert np.unique(kept).size == 10
    assert len(X) == len(Y) == len(kept) == 30


def test_fits_that_share_patients_are_counted(script):
    patients = np.array([0, 0, 1, 1, 2, 2])

    def fit(groups):
        # All samples, then two parts: the first divides patient 1.
        script.Remembering.fits += [set(range(6)), {0, 1, 2}, {0, 1, 2, 3}]

    assert script._shared(fit, None, patients) == 1
