"""Callbacks of scikit-learn, from version 1.9 on."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rarelabels.advisor import does_sampling_help
from rarelabels.datasets import make_local_imbalance
from rarelabels.ensemble import ResampledClassifier, SamplingEnsemble
from rarelabels.learners import (
    BinaryRelevance,
    CalibratedClassifier,
    MLkNN,
    RareLabelClassifier,
    ThresholdedClassifier,
)
from rarelabels.sampling import MLROS

callback = pytest.importorskip("sklearn.callback")


class Notes:
    """Writes down which tasks begin and end, of the outermost estimator and those in it."""

    max_propagation_depth = None

    def __init__(self):
        self.begun, self.ended, self.is_torn_down = [], [], False

    def setup(self, estimator, context):
        pass

    def teardown(self, estimator, context):
        self.is_torn_down = True

    def on_fit_task_begin(self, estimator, context):
        self.begun.append((context.estimator_name, context.task_name, context.task_id))

    def on_fit_task_end(self, estimator, context):
        self.ended.append((context.estimator_name, context.task_name, context.task_id))


@pytest.fixture(scope="module")
def data():
    return tuple(make_local_imbalance(90, difficulty=0.4, random_state=0))


def logistic():
    return BinaryRelevance(LogisticRegression())


@pytest.mark.parametrize(
    ("model", "inner", "n_inner"),
    [
        (MLkNN(), "MLkNN", 0),
        (BinaryRelevance(), "BinaryRelevance", 0),
        (RareLabelClassifier(), "RareLabelClassifier", 0),
        (ResampledClassifier(logistic(), MLROS()), "BinaryRelevance", 1),
        (SamplingEnsemble(logistic(), MLROS(), n_estimators=3, n_jobs=2), "BinaryRelevance", 3),
        (ThresholdedClassifier(logistic(), cv=3), "BinaryRelevance", 4),
        (ThresholdedClassifier(logistic(), cv=None), "BinaryRelevance", 1),
        (CalibratedClassifier(logistic(), cv=2), "BinaryRelevance", 3),
    ],
)
def test_each_fit_in_a_fit_is_a_task(data, model, inner, n_inner):
    notes = Notes()
    assert model.set_callbacks(notes) is model
    model.fit(*data)
    outer = type(model).__name__
    assert notes.begun[0] == (outer, "fit", 0)
    assert notes.ended[-1] == (outer, "fit", 0)
    assert sorted(notes.begun) == sorted(notes.ended)
    assert notes.is_torn_down
    # The task of an inner fit and that of the model fitted there are one.
    tasks = [task for task in notes.ended if task != (outer, "fit", 0)]
    assert sorted(tasks) == [(inner, "fit", place) for place in range(n_inner)]


def test_a_model_without_callbacks_is_followed_from_outside(data):
    notes = Notes()
    model = ThresholdedClassifier(KNeighborsClassifier(), cv=2).set_callbacks(notes)
    model.fit(*data)
    assert notes.ended == [
        ("ThresholdedClassifier", "all samples", 0),
        ("ThresholdedClassifier", "fold", 1),
        ("ThresholdedClassifier", "fold", 2),
        ("ThresholdedClassifier", "fit", 0),
    ]


def test_callbacks_change_no_prediction_and_end_with_an_error(data):
    X, y = data
    model = SamplingEnsemble(logistic(), MLROS(), n_estimators=2, random_state=0)
    expected = model.fit(X, y).predict_proba(X)
    notes = Notes()
    np.testing.assert_array_equal(model.set_callbacks(notes).fit(X, y).predict_proba(X), expected)
    model = ThresholdedClassifier(logistic(), rule="none such").set_callbacks(Notes())
    with pytest.raises(ValueError, match="none such"):
        model.fit(X, y)
    assert model._skl_callbacks[0].is_torn_down


def test_searches_and_pipelines_hand_callbacks_on(data):
    notes = Notes()
    pipeline = make_pipeline(StandardScaler(), BinaryRelevance(LogisticRegression()))
    search = GridSearchCV(pipeline, {"binaryrelevance__estimator__C": [1, 10]}, cv=2)
    # Warnings are errors here: scikit-learn warns of estimators that take no callbacks.
    search.set_callbacks(notes).fit(*data)
    assert sum(name == "BinaryRelevance" for name, _, _ in notes.ended) == 5


def test_progress_bars_are_drawn(data, capsys):
    pytest.importorskip("rich")
    model = SamplingEnsemble(logistic(), MLROS(), n_estimators=2)
    model.set_callbacks(callback.ProgressBar()).fit(*data)
    assert "SamplingEnsemble - fit" in capsys.readouterr().out


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_comparison_is_followed(data, n_jobs):
    notes = Notes()
    found = does_sampling_help(
        *data, samplers=["mlros"], n_estimators=0, cv=2, random_state=0, verbose=0, n_jobs=n_jobs,
        callbacks=[notes],
    )  # fmt: skip
    tasks = sorted(name for _, name, _ in notes.ended[:-1])
    methods = [row["name"] for row in found.summary["methods"]]
    assert tasks == sorted(f"{name}, fold {fold}" for name in methods for fold in (1, 2))
    assert notes.ended[-1] == ("Comparison", "fit", 0)
    assert notes.is_torn_down


def test_what_is_no_callback_is_refused(data):
    with pytest.raises(TypeError, match="FitCallback"):
        does_sampling_help(*data, callbacks=["bar"])
