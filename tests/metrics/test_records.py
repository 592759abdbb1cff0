import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import rarelabels
from rarelabels.datasets import make_local_imbalance, save_mulan
from rarelabels.metrics import METRICS, find_metric, label_auc_pr, label_f1

# A new metric: one file …
NEW_FILE = '''
"""The share of samples on which a label is predicted right."""

from rarelabels.metrics._inputs import check_predictions
from rarelabels.metrics._label_scores import LabelScores


def label_hits(y_true, y_pred):
    Y, predicted = check_predictions(y_true, y_pred)
    return LabelScores(1 - abs(Y - predicted).mean(axis=0))
'''
# … and one line.
NEW_LINE = (
    '    Metric("macro_accuracy", "macro-accuracy", '
    'Deferred("rarelabels.metrics._hits:label_hits")),\n'
)


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


@pytest.fixture(scope="module")
def extended(tmp_path_factory):
    """A copy of the package with one metric more, and a data set; runs the command there."""
    folder = tmp_path_factory.mktemp("extended")
    source = Path(rarelabels.__file__).parent
    shutil.copytree(source, folder / "rarelabels", ignore=shutil.ignore_patterns("__pycache__"))
    metrics = folder / "rarelabels" / "metrics"
    (metrics / "_hits.py").write_text(NEW_FILE)
    records = (metrics / "_records.py").read_text(encoding="utf-8")
    start = "METRICS = (\n"
    assert records.count(start) == 1
    (metrics / "_records.py").write_text(records.replace(start, start + NEW_LINE))
    save_mulan(make_local_imbalance(80, difficulty=0.5, random_state=0), folder / "made.arff")

    def run(code, *arguments):
        return subprocess.run(
            [sys.executable, "-P", "-c", code, *arguments],
            cwd=folder,
            env={"PYTHONPATH": str(folder), "NO_COLOR": "1"},
            capture_output=True,
            encoding="utf-8",
        )

    return run


def test_a_new_metric_is_one_file_and_one_line(extended, tmp_path):
    def command(*arguments):
        return extended("import rarelabels.cli; rarelabels.cli.main()", *arguments)

    assert "macro_accuracy" in command("compare", "--help").stdout
    # The command line and the report on one data set, with its page:
    compare = ("compare", "made.arff", "--samplers", "mlros", "--cv", "2x2", "--jobs", "1")
    compare += ("--metric", "macro_accuracy", "--store", "made.sqlite", "--ensemble", "0")
    done = command(*compare, "--json", "--report", str(tmp_path / "page.html"))
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["metric_title"] == "macro-accuracy"
    assert all(0.5 < row["mean"] <= 1 for row in found["methods"])
    assert "gain in accuracy" in (tmp_path / "page.html").read_text(encoding="utf-8")
    # The experiment has scored it with the others, and tables read it from the store:
    tables = command("tables", "--store", "made.sqlite", "--metric", "macro_accuracy")
    assert "macro-accuracy, br" in tables.stdout


def test_a_new_metric_is_a_column_of_the_report(extended):
    code = (
        "from rarelabels.metrics import multilabel_report\n"
        "print(multilabel_report([[1, 0], [0, 1]], [[1, 0], [1, 1]]).labels['accuracy'])"
    )
    assert extended(code).stdout.strip() == "[0.5, 1.0]"
