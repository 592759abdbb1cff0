import subprocess
import sys

import numpy as np
import pytest

from rarelabels.metrics import METRICS, find_metric, label_auc_pr, label_f1


def test_a_metric_scores_labels_by_its_function():
    Y = np.array([[1, 0], [0, 1], [1, 1]])
    predicted, scores = np.array([[1, 0], [0, 0], [0, 1]]), np.array([[3, 1], [1, 2], [0, 3]])
    of_decisions = find_metric("macro_f1").label_scores(Y, y_pred=predicted, y_score=scores)
    of_scores = find_metric("macro_auc_pr").label_scores(Y, y_pred=predicted, y_score=scores)
    np.testing.assert_array_equal(of_decisions.values, label_f1(Y, predicted).values)
    np.testing.assert_array_equal(of_scores.values, label_auc_pr(Y, scores).values)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_names_and_titles_are_distinct_and_say_what_is_averaged(metric):
    if metric.per_label is not None:
        assert metric.name.startswith("macro_")
        assert metric.title.startswith("macro")
        assert not metric.label_title.startswith("macro")
    else:
        assert metric.overall is not None
    assert sum(metric.name == other.name or metric.title == other.title for other in METRICS) == 1


def test_an_unknown_metric_is_told_with_the_nearest_names():
    with pytest.raises(ValueError, match="no metric is called 'macro_f2'; did you mean 'macro_f1'"):
        find_metric("macro_f2")


def test_the_records_load_nothing_heavy():
    code = "import sys, rarelabels.metrics; rarelabels.metrics.METRICS; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numpy", "scipy", "sklearn"} & set(done.stdout.split())
