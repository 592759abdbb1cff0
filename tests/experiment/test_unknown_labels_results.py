"""What the guide says about hidden labels, against the committed results."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script():
    place = ROOT / "experiments" / "unknown_labels.py"
    spec = importlib.util.spec_from_file_location("unknown_labels", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def gaps(script, model, share, metric="macro_auc_pr"):
    """Return how far known labels are ahead of zeros on each data set."""
    found, names = script.means(), [spec.name for spec in script.DATASETS]
    ways = script.KNOWN, script.ZEROS
    scores = [[found[name, model, way, share][metric] for way in ways] for name in names]
    return np.array([known - zeros for known, zeros in scores])


def test_known_labels_are_never_worse_than_zeros(script):
    every = [gaps(script, model, share) for model in script.models() for share in script.SHARES]
    assert np.min(every) > -0.0005
    largest = max(gaps(script, "BR", share).max() for share in script.SHARES)
    assert largest == pytest.approx(0.020, abs=0.001)
    ridge = [gaps(script, "KernelRidgeClassifier", share) for share in (0.1, 0.3, 0.7)]
    assert np.max(ridge[:2]) < 0.006
    assert ridge[2].min() == pytest.approx(0.007, abs=0.0006)
    assert ridge[2].max() == pytest.approx(0.017, abs=0.0006)


def test_decisions_of_logistic_regression(script):
    found = script.means()

    def f1(name, way, share):
        return found[name, "BR", way, share]["macro_f1"]

    for spec in script.DATASETS:
        assert f1(spec.name, script.ZEROS, 0.7) < 0.025
    losses = [
        f1(spec.name, script.COMPLETE, 0.0) - f1(spec.name, script.KNOWN, 0.7)
        for spec in script.DATASETS
    ]
    np.testing.assert_allclose(losses, [0.0, 0.021, 0.052], atol=0.001)


def test_labels_that_are_hidden_and_what_is_left(script):
    Y = np.random.default_rng(0).integers(0, 2, (500, 5))
    (_, _, known), (_, _, zeros), (_, kept, complete) = script.ways(Y, 0.5, [0, 50])
    hidden = np.isnan(known)
    assert 0.4 < hidden.mean() < 0.6
    np.testing.assert_array_equal(zeros, np.where(hidden, 0, Y))
    np.testing.assert_array_equal(kept, np.flatnonzero(~hidden.any(axis=1)))
    np.testing.assert_array_equal(complete, Y[kept])


def test_the_figure_and_the_tables_are_made(script, tmp_path):
    script.draw_curves(tmp_path / "curves.svg")
    assert (tmp_path / "curves.svg").stat().st_size > 10_000
    _, header, rows = script.table_of("macro_f1")
    assert len(rows) == 3 * 2 * 3
    assert all(len(row) == len(header) for row in rows)
