"""does_sampling_help with groups, unknown labels, other splits, and a single label."""

import subprocess
import sys

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, RepeatedKFold, ShuffleSplit

from rarelabels.advisor import does_sampling_help
from rarelabels.advisor._one_label import binary_column
from rarelabels.datasets import make_local_imbalance
from rarelabels.experiment.evaluate._fold import fold_of, splits_of
from rarelabels.experiment.evaluate._memo import Memo
from rarelabels.learners import BinaryRelevance, CalibratedClassifier, RareLabelClassifier

NAN = np.nan
QUICK = {"samplers": ["mlsol"], "n_estimators": 2, "random_state": 0, "verbose": 0}


@pytest.fixture(scope="module")
def data():
    X, y = make_local_imbalance(150, difficulty=0.5, random_state=0)
    rng = np.random.default_rng(0)
    return np.asarray(X), np.asarray(y), rng.random(y.shape) < 0.3, rng.integers(0, 25, 150)


def masked_labels(y, mask, hidden):
    """Return labels in columns of pandas that keep a value behind each missing entry."""
    return pd.DataFrame(
        {
            f"label_{j}": pd.arrays.IntegerArray(
                np.where(mask[:, j], hidden, y[:, j]).astype(np.int64), mask[:, j].copy()
            )
            for j in range(y.shape[1])
        }
    )


class Remembering(BinaryRelevance):
    """Keeps the samples, by the last feature, that each copy was fitted to."""

    fits: list = []  # noqa: RUF012

    def fit(self, X, y, sample_weight=None):
        Remembering.fits.append(np.asarray(X)[:, -1])
        return super().fit(X, y)


@pytest.fixture(scope="module")
def answer(data):
    X, y, mask, groups = data
    return does_sampling_help(
        X, np.where(mask, NAN, y), LogisticRegression(), cv="1x3", groups=groups,
        allow_missing_labels=True, **QUICK,
    )  # fmt: skip


def test_unknown_labels_need_the_parameter(data):
    X, y, mask, _ = data
    with pytest.raises(ValueError, match="allow_missing_labels=True"):
        does_sampling_help(X, np.where(mask, NAN, y), cv=2, **QUICK)


def test_every_method_is_scored_on_known_labels(answer, data):
    _, y, mask, _ = data
    assert not answer.failures
    assert set(answer.verdicts) >= {"thresholds alone", "RareLabelClassifier", "MLSOL", "EMLSOL"}
    known = np.where(mask, 0, y).sum(axis=0)
    assert answer.labels("MLSOL")["positives"].tolist() == known.tolist()
    assert "<html" in answer.to_html()


LOAD = """data = np.load("data.npz")
X, y, groups = data["X"], data["y"], data["groups"]
splits = [(data["first"], data["second"]), (data["second"], data["first"])]
"""


def run_program(program, folder):
    (folder / "train.py").write_text(f"import numpy as np\n{program}", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "train.py"], cwd=folder, capture_output=True, text=True, check=True
    )
    return done.stdout.strip(), joblib.load(folder / "model.joblib")


@pytest.mark.parametrize("method", ["thresholds alone", "RareLabelClassifier", "EMLSOL"])
def test_a_program_repeats_groups_and_unknown_labels(answer, data, method, tmp_path):
    X, y, mask, groups = data
    values = {"X": X, "y": np.where(mask, NAN, y), "groups": groups, "first": [], "second": []}
    np.savez(tmp_path / "data.npz", **values)
    said, model = run_program(answer.script(LOAD, method=method), tmp_path)
    row = next(row for row in answer.summary["methods"] if row["name"] == method)
    assert said.endswith(f": {row['mean']:.6f} on {row['n_folds']} folds")
    expected = answer.fit_best(method).predict_proba(X)
    np.testing.assert_array_equal(model.predict_proba(X), expected)


def test_a_program_repeats_splits_that_were_given(data, tmp_path):
    X, y, _, groups = data
    halves = np.flatnonzero(np.arange(150) % 2 == 0), np.flatnonzero(np.arange(150) % 2)
    values = {"X": X, "y": y, "groups": groups, "first": halves[0], "second": halves[1]}
    np.savez(tmp_path / "data.npz", **values)
    found = does_sampling_help(
        X, y, LogisticRegression(), samplers=[], n_estimators=0, cv=[halves, halves[::-1]],
        random_state=0, verbose=0,
    )  # fmt: skip
    said, _ = run_program(found.script(LOAD, method="class weights"), tmp_path)
    row = next(row for row in found.summary["methods"] if row["name"] == "class weights")
    assert said.endswith(f": {row['mean']:.6f} on 2 folds")


def test_the_best_model_learns_from_whole_groups_inside(answer, data, monkeypatch):
    """RareLabelClassifier leaves out groups, too, although a wrapper and folds are around it."""
    given = []
    fit = RareLabelClassifier.fit

    def remember(self, X, y, sample_weight=None, *, groups=None):
        given.append(groups)
        return fit(self, X, y, sample_weight, groups=groups)

    monkeypatch.setattr(RareLabelClassifier, "fit", remember)
    answer.fit_best("RareLabelClassifier")
    assert [len(groups) for groups in given[:1]] == [len(data[0])]
    assert len(given) == 6
    assert all(groups is not None for groups in given)


def test_hidden_values_change_no_score(data):
    X, y, mask, groups = data
    tables = [
        does_sampling_help(
            X,
            masked_labels(y, mask, hidden),
            LogisticRegression(),
            cv="1x2",
            allow_missing_labels=True,
            groups=groups,
            **QUICK,
        ).table
        for hidden in (0, 1)
    ]
    for name in ("method", "mean", "gain", "low", "high", "p_value", "verdict"):
        np.testing.assert_array_equal(tables[0][name], tables[1][name])


def test_folds_have_no_groups_in_common(answer, data):
    groups = data[3]
    job = answer.plan.jobs()[0]
    tests = []
    for train, test in splits_of(answer.data, job, 0):
        assert not set(groups[train]) & set(groups[test])
        tests.append(test)
    np.testing.assert_array_equal(np.sort(np.concatenate(tests)), np.arange(150))
    fold = fold_of(job, Memo())
    assert len(fold.groups_train) == len(fold.Y_train)


def test_inner_folds_have_no_groups_in_common(data):
    X, y, _, groups = data
    X = np.column_stack([X, np.arange(len(X))])
    Remembering.fits.clear()
    does_sampling_help(
        X, y, Remembering(LogisticRegression()), samplers=[], n_estimators=0, cv="1x2",
        groups=groups, random_state=0, verbose=0,
    )  # fmt: skip
    fits = [set(fit.astype(int)) for fit in Remembering.fits]
    assert len(fits) > 10
    everything = set(range(len(X)))
    folds = [whole for whole in fits if any(part < whole for part in fits)]
    for whole in folds:
        assert not set(groups[list(whole)]) & set(groups[list(everything - whole)])
        for part in fits:
            if part < whole:
                assert not set(groups[list(part)]) & set(groups[list(whole - part)])


def test_the_best_model_keeps_groups_together(answer, data, monkeypatch):
    given = []
    fit = CalibratedClassifier.fit

    def remember(self, X, y, sample_weight=None, *, groups=None, **params):
        given.append(groups)
        return fit(self, X, y, sample_weight, groups=groups, **params)

    monkeypatch.setattr(CalibratedClassifier, "fit", remember)
    model = answer.fit_best("thresholds alone")
    np.testing.assert_array_equal(given[0], np.unique(data[3], return_inverse=True)[1])
    assert "Precision and recall" in answer.card(model)


@pytest.mark.parametrize(
    ("cv", "shape"),
    [
        (GroupKFold(3), (1, 3)),
        (ShuffleSplit(4, test_size=0.5, random_state=0), (2, 2)),
        (RepeatedKFold(n_splits=2, n_repeats=2, random_state=0), (2, 2)),
        ("splits", (1, 2)),
    ],
)
def test_other_splits(data, cv, shape):
    X, y, _, groups = data
    half = np.arange(150) % 2 == 0
    given = [
        (np.flatnonzero(half), np.flatnonzero(~half)),
        (np.flatnonzero(~half), np.flatnonzero(half)),
    ]
    groups = groups if isinstance(cv, GroupKFold) else None
    found = does_sampling_help(
        X, y, LogisticRegression(), samplers=[], n_estimators=0, groups=groups,
        cv=given if cv == "splits" else cv, random_state=0, verbose=0,
    )  # fmt: skip
    assert (found.plan.n_repeats, found.plan.n_splits) == shape
    expected = given if cv == "splits" else list(cv.split(X, y, groups))
    used = [
        split
        for repetition in range(shape[0])
        for split in splits_of(found.data, found.plan.jobs()[0], repetition)
    ]
    for (train, test), (wanted_train, wanted_test) in zip(used, expected, strict=True):
        np.testing.assert_array_equal(train, wanted_train)
        np.testing.assert_array_equal(test, wanted_test)


def test_bad_groups_and_splits(data):
    X, y, _, groups = data
    with pytest.raises(ValueError, match="groups has 1 missing"):
        does_sampling_help(X, y, groups=np.r_[NAN, groups[1:]], cv=2, **QUICK)
    half = np.arange(150) < 75
    splits = [(np.flatnonzero(half), np.flatnonzero(~half))] * 2
    with pytest.raises(ValueError, match=r"cv divides 2[0-9] groups"):
        does_sampling_help(X, y, groups=groups, cv=splits, **QUICK)
    with pytest.raises(ValueError, match="groups has 3 different values, but at least 5"):
        does_sampling_help(X, y, groups=groups % 3, cv=5, **QUICK)
    with pytest.raises(ValueError, match="cv has no splits"):
        does_sampling_help(X, y, cv=[], **QUICK)
    with pytest.raises(ValueError, match="cv must be like 5x5"):
        does_sampling_help(X, y, cv="many", **QUICK)


def test_one_label_of_any_two_values(data):
    X, y, _, _ = data
    words = np.where(y[:, 1] == 1, "ill", "well")
    found = [
        does_sampling_help(X, target, LogisticRegression(), cv="1x2", **QUICK).table
        for target in (words, pd.Series(words), y[:, 1], y[:, [1]])
    ]
    for table in found[1:]:
        np.testing.assert_array_equal(table["mean"], found[0]["mean"])


def test_samplers_of_imbalanced_learn_for_one_label(data):
    over = pytest.importorskip("imblearn.over_sampling")
    X, y, _, _ = data
    found = does_sampling_help(
        X, y[:, 1], LogisticRegression(), cv="1x2", n_estimators=2, random_state=0, verbose=0,
        samplers={"random": over.RandomOverSampler(), "SMOTE": over.SMOTE(k_neighbors=2)},
    )  # fmt: skip
    assert not found.failures
    assert {"random", "SMOTE", "Erandom", "ESMOTE"} <= set(found.verdicts)
    assert found.fit_best("SMOTE").predict(X).shape == (150, 1)


def test_columns_of_one_dimension():
    assert binary_column([True, False, False]).tolist() == [[1], [0], [0]]
    assert binary_column(["b", "a", "b"]).tolist() == [[0], [1], [0]]
    np.testing.assert_array_equal(binary_column([1.0, NAN, 0.0, 0.0]), [[1], [NAN], [0], [0]])
    table = [[0, 1], [1, 0]]
    assert binary_column(table) is table
    sets = [["a"], [], ["a", "b"]]
    assert binary_column(sets) is sets
    with pytest.raises(ValueError, match="two classes, got 3"):
        binary_column([0, 1, 2])
