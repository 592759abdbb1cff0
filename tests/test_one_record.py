"""A sampler, learner, metric, format, chart, distance and engine are one file and one record each.

A copy of the package gets a dummy of each kind, in one new file and one new record. The dummies
must then be everywhere: on the command line, in plans, results, the page and the common tests.
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import rarelabels
from rarelabels.datasets import make_local_imbalance, save_mulan

TESTS = Path(__file__).parent

# For each kind: a new file, the file with the records, the line above the new record, the record.
KINDS = {
    "sampler": (
        "sampling/_dummy.py",
        """
import numpy as np
from rarelabels.base import BaseSampler, Resample

class DummySampler(BaseSampler):
    def __init__(self, *, random_state=None, n_jobs=None, allow_missing_labels=False):
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.allow_missing_labels = allow_missing_labels

    def _resample(self, X, Y, rng):
        return Resample(kept=np.arange(X.n_samples))
""",
        "_samplers.py",
        "SAMPLERS: tuple[Named, ...] = (\n",
        '    Named("dummy", Deferred("rarelabels.sampling._dummy:DummySampler"), "DUmmY"),\n',
    ),
    "learner": (
        "learners/_dummy.py",
        """
from rarelabels.learners._mlknn import MLkNN

class DummyLearner(MLkNN):
    pass
""",
        "_learners.py",
        "LEARNERS: tuple[Named, ...] = (\n",
        '    Named("dummy", Deferred("rarelabels.learners._dummy:DummyLearner")),\n',
    ),
    "metric": (
        "metrics/_dummy.py",
        """
from rarelabels.metrics._inputs import check_predictions
from rarelabels.metrics._label_scores import LabelScores

def label_hits(y_true, y_pred):
    Y, predicted = check_predictions(y_true, y_pred)
    return LabelScores(1 - abs(Y - predicted).mean(axis=0))
""",
        "metrics/_records.py",
        "METRICS = (\n",
        '    _mean("macro_dummy", "macro-dummy", "_dummy:label_hits"),\n',
    ),
    "file format": (
        "datasets/dummy.py",
        """
import json
import numpy as np
from rarelabels.datasets import MultiLabelDataset

def load_dummy(path, labels=None):
    with open(path) as file:
        X, Y = json.load(file)
    return MultiLabelDataset(np.array(X), np.array(Y), name="dummy")

def save_dummy(dataset, path):
    with open(path, "w") as file:
        json.dump([dataset.X.tolist(), dataset.Y.tolist()], file)
""",
        "_formats.py",
        "FORMATS: tuple[Format, ...] = (\n",
        """    Format(
        "dummy",
        "a dummy",
        (".dummy",),
        Deferred("rarelabels.datasets.dummy:load_dummy"),
        Deferred("rarelabels.datasets.dummy:save_dummy"),
    ),
""",
    ),
    "chart": (
        "report/figures/_dummy.py",
        """
from markupsafe import Markup

def dummy_figure(view):
    return Markup('<svg id="dummy-chart"></svg>')
""",
        "report/figures/__init__.py",
        "CHARTS = (\n",
        """    Chart("labels", dummy_figure, "A dummy."),
""",
    ),
    "distance": (
        "_neighbors/dummy.py",
        """
import numpy as np

def mirrored(matrix):
    return np.column_stack([-matrix, np.zeros(len(matrix))])
""",
        "_distances.py",
        "    EUCLIDEAN,\n",
        """    Distance(
        "dummy",
        "for tests",
        "mirrors samples.",
        Deferred("rarelabels._neighbors.tie_keys:RelativeTies"),
        Deferred("rarelabels._neighbors.dummy:mirrored"),
    ),
""",
    ),
    "engine": (
        "experiment/engines/_dummy.py",
        """
from rarelabels.experiment.engines._inline import inline_records

def dummy_records(tasks, workers, stop):
    print("the dummy engine runs")
    yield from inline_records(tasks, workers, stop)
""",
        "_engines.py",
        """:process_records"),
    ),
""",
        """    Engine(
        "dummy",
        "on a dummy",
        Deferred("rarelabels.experiment.engines._dummy:dummy_records"),
        has_workers=False,
    ),
""",
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a copy of the package that has a dummy of each kind, and a data set."""
    folder = tmp_path_factory.mktemp("extended")
    package, ignored = folder / "rarelabels", shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(rarelabels.__file__).parent, package, ignore=ignored)
    for path, code, records, place, record in KINDS.values():
        assert not (package / path).exists()
        (package / path).write_text(code, encoding="utf-8")
        before = (package / records).read_text(encoding="utf-8")
        assert before.count(place) == 1, place
        if path.startswith("report"):
            before = "from rarelabels.report.figures._dummy import dummy_figure\n" + before
        (package / records).write_text(before.replace(place, place + record), encoding="utf-8")
    save_mulan(make_local_imbalance(80, difficulty=0.5, random_state=0), folder / "made.arff")
    return folder


@pytest.fixture(scope="module")
def python(folder):
    """Run code in the copy, and return what it prints."""

    def run(*arguments):
        done = subprocess.run(
            [sys.executable, "-P", *arguments],
            cwd=folder,
            env={"PYTHONPATH": f"{folder}:{TESTS}", "NO_COLOR": "1", "COLUMNS": "2000"},
            capture_output=True,
            encoding="utf-8",
        )
        assert done.returncode == 0, done.stderr + done.stdout
        return done.stdout

    return run


@pytest.fixture(scope="module")
def command(python):
    """Run a command in the copy."""
    return lambda *arguments: python(
        "-c", "import rarelabels.cli; rarelabels.cli.main()", *map(str, arguments)
    )


def test_the_help_of_commands_names_them(command):
    pytest.importorskip("typer")
    names = ("resample", "compare", "describe", "run")
    resample, compare, describe, run = (" ".join(command(name, "--help").split()) for name in names)
    assert "One of dummy, lpros" in resample
    assert ".dummy, .arff" in resample
    assert "One of dummy, br, clr" in compare
    assert "One of macro_dummy, macro_f1" in compare
    assert '"dummy" for tests, or "cosine"' in describe
    assert "processes, dummy, dask" in run


def test_results_and_the_page_have_them(command, tmp_path):
    pytest.importorskip("typer")
    command("resample", "made.arff", "made.dummy", "--sampler", "dummy", "--force")
    page = tmp_path / "page.html"
    options = ["--learner", "dummy", "--samplers", "dummy", "--metric", "macro_dummy"]
    options += ["--cv", "2x2", "--ensemble", "0", "--jobs", "1", "--json"]
    options += ["--store", "results.sqlite"]
    summary = json.loads(command("compare", "made.dummy", *options, "--report", page))
    assert summary["metric_title"] == "macro-dummy"
    assert "DUmmY" in [row["name"] for row in summary["methods"]]
    assert all(0.5 < row["mean"] <= 1 for row in summary["methods"])
    text = page.read_text(encoding="utf-8")
    assert "gain in dummy" in text
    assert "DUmmY" in text
    assert '<svg id="dummy-chart">' in text
    assert "A dummy." in text
    tables = command("tables", "--store", "results.sqlite", "--metric", "macro_dummy")
    assert "macro-dummy, dummy" in tables


def test_a_plan_has_them(python, folder):
    (folder / "plan.toml").write_text(
        'name = "dummies"\ndatasets = ["made.arff"]\nlearners = ["dummy"]\n'
        'methods = ["default", "dummy"]\nengine = "dummy"\n'
        "folds = { n_splits = 2, n_repeats = 1 }\n"
    )
    code = """
from rarelabels.experiment import Store, load_plan, run
with Store("plan.sqlite") as store:
    print(run(load_plan("plan.toml"), store))
    print(store.values("macro_dummy"))
"""
    printed = python("-c", code)
    assert "the dummy engine runs" in printed


def test_the_library_knows_their_names(python):
    code = """
import numpy as np
from rarelabels import find_neighbors
from rarelabels.datasets import load
from rarelabels.experiment import run
from rarelabels.learners import learner, learner_names
from rarelabels.measures import limb
from rarelabels.metrics import find_metric, multilabel_report
from rarelabels.sampling import MLSOL, sampler, sampler_names

assert "``dummy`` (``.dummy``)" in load.__doc__
assert '"dummy"' in limb.__doc__
assert '"dummy" mirrors samples.' in find_neighbors.__doc__
assert '"dummy": on a dummy.' in run.__doc__
data = load("made.arff")
assert "dummy" in sampler_names() and "dummy" in learner_names()
print(sampler("dummy"), learner("dummy"), find_metric("macro_dummy").title)
print(multilabel_report(data.Y, data.Y).labels["dummy"][0])
as_usual = find_neighbors(data.X, scale_features=False)
np.testing.assert_array_equal(find_neighbors(data.X, metric="dummy").indices, as_usual.indices)
assert limb(data.X, data.Y, metric="dummy") > 0
assert not MLSOL(metric="dummy").__sklearn_tags__().input_tags.allow_nan
try:
    MLSOL(metric="dumy").fit_resample(data.X, data.Y)
except ValueError as error:
    print(error)
"""
    printed = python("-c", code)
    assert "DummySampler() DummyLearner() macro-dummy" in printed
    assert "metric must be one of 'euclidean', 'dummy', 'cosine', got 'dumy'" in printed


def test_common_tests_include_them(python):
    files = (
        "sampling/test_common.py",
        "sampling/test_sklearn_checks.py",
        "learners/test_sklearn_checks.py",
        "learners/test_unknown_labels.py",
        "test_matrix.py",
        "test_types.py",
        "metrics/test_records.py",
        "datasets/test_new_format.py",
        "neighbors/test_cosine.py",
    )
    options = (
        "--collect-only",
        "-q",
        "-c",
        TESTS.parent / "pyproject.toml",
        "-p",
        "no:cacheprovider",
    )
    names = python("-m", "pytest", *map(str, options), *(str(TESTS / file) for file in files))
    for expected in (
        "sampling/test_common.py::test_keeps_the_contract[DummySampler()]",
        "learners/test_sklearn_checks.py::test_dtypes[float32-DummyLearner]",
        "test_matrix.py::test_samplers[dummy-numpy]",
        "test_matrix.py::test_learners_that_read_categories[dummy-numpy]",
        "test_types.py::test_every_sampler_gives_every_column_back_as_it_came[dummy-pandas]",
        "metrics/test_records.py::test_names_and_titles_are_distinct_and_say_what_is_averaged"
        "[macro_dummy]",
        "datasets/test_new_format.py::test_every_format_remembers_its_labels[dummy]",
    ):
        assert expected in names
    assert "test_scikit_learn_checks[DummySampler()-check" in names
    assert "test_scikit_learn_checks[OneTarget(DummyLearner" in names
