"""does_sampling_help: any model, the same numbers however it runs, and a model that comes of it."""

import io
import os
import pickle
import re
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from functools import partial

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

import rarelabels
from rarelabels._validation import check_labels
from rarelabels._wording import python_option
from rarelabels.advisor import _estimate, does_sampling_help
from rarelabels.advisor._stored_comparison import comparable
from rarelabels.advisor.methods import as_multilabel, explanation, methods_of, weight_params
from rarelabels.advisor.question import read_folds
from rarelabels.datasets import make_local_imbalance
from rarelabels.ensemble import SamplingEnsemble
from rarelabels.experiment import Plan, Store
from rarelabels.experiment.plan import in_memory_dataset, in_memory_learner
from rarelabels.learners import BinaryRelevance, MLkNN, ThresholdedClassifier
from rarelabels.metrics import macro_f1
from rarelabels.model_selection import RepeatedIterativeStratifiedKFold
from rarelabels.sampling import MLROS, MLSOL

QUICK = {"samplers": "mlsol", "n_estimators": 2, "cv": "1x2", "random_state": 0, "verbose": 0}
LONGER = {"cv": "2x3", "samplers": ["mlsol", "mlros"], "n_estimators": 3}


@pytest.fixture(scope="module")
def data():
    return make_local_imbalance(100, difficulty=0.5, random_state=0)


@pytest.fixture(scope="module")
def answer(data):
    settings = {**QUICK, **LONGER}
    return does_sampling_help(data.X, data.Y, name="made", **settings)


def scores(found):
    return {row["name"]: row["scores"] for row in found.summary["methods"]}


def test_the_rivals_are_always_there(answer):
    rivals = ["model alone", "thresholds alone", "class weights", "RareLabelClassifier"]
    names = [*rivals, "MLSOL", "MLROS", "EMLSOL"]
    assert answer.table["method"].tolist() == [*names, "EMLROS"]
    assert set(answer.verdicts) == {*names[1:], "EMLROS"}
    assert rarelabels.does_sampling_help is does_sampling_help
    allowed = {"helps", "hurts", "no relevant difference", "cannot tell"}
    assert set(answer.verdicts.values()) <= allowed
    text = repr(answer)
    assert "macro-F1" in text
    assert answer.summary["conclusion"]["headline"] in text


@pytest.mark.parametrize("width", [80, 50])
def test_the_answer_fits_a_terminal(answer, monkeypatch, width):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

        def fileno(self):
            return 1

    monkeypatch.setattr("os.get_terminal_size", lambda number: os.terminal_size((width, 24)))
    monkeypatch.setattr(sys, "stdout", Terminal())
    lines = repr(answer).splitlines()
    # A table of short verdicts needs 76 columns; sentences are wrapped.
    assert max(map(len, lines)) <= max(width, 76)
    assert max(len(line) for line in lines if ". " in line or line.endswith(".")) <= width
    table = [line for line in lines if re.match(r"(RareLabelClassifier|E?MLSOL)  ", line)]
    assert all(re.search(r"0\.\d{3}  +[+−]0\.\d{3}  +.* to .*[a-z]$", line) for line in table)
    assert len(table) == 3


def test_every_method_but_the_model_alone_is_explained(answer):
    explained = {method.name: explanation(method) for method in answer.plan.methods}
    assert all(name.lower() in text.lower() for name, text in explained.items())
    assert answer.best == answer.baseline
    assert explained[answer.baseline] not in answer.conclusion
    # A model that hardly ever predicts a rare label needs another threshold.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 2))
    y = (X + 1.5 * rng.normal(size=X.shape) > 2.5).astype(int)
    settings = {**QUICK, "samplers": [], "n_estimators": 0, "cv": "1x5"}
    helped = does_sampling_help(X, y, LogisticRegression(), **settings)
    assert helped.best == "thresholds alone"
    assert helped.conclusion.split("\n")[1] == explained["thresholds alone"]


def test_each_score_is_that_of_the_model_fitted_by_hand(data, answer):
    folds = RepeatedIterativeStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    expected = []
    for fold, (train, test) in enumerate(folds.split(data.X, data.Y)):
        seed = int(np.random.SeedSequence([0, fold]).generate_state(1)[0])
        ensemble = SamplingEnsemble(
            as_multilabel(None), MLSOL(), n_estimators=3, threshold=None, random_state=seed
        )
        model = ThresholdedClassifier(
            ensemble,
            rule="pooled_f1",
            cv=3,
            fold_params={"n_estimators": 2},
            random_state=seed,
        )
        model.fit(data.X[train], data.Y[train])
        expected.append(macro_f1(data.Y[test], model.predict(data.X[test])))
    assert scores(answer)["EMLSOL"] == pytest.approx(expected, abs=1e-12)


def test_scores_do_not_depend_on_processes(data, answer):
    settings = {**QUICK, **LONGER, "n_jobs": 2}
    assert scores(does_sampling_help(data.X, data.Y, **settings)) == scores(answer)


def test_more_repeats_extend_a_run(data, tmp_path, capsys):
    store = tmp_path / "s.sqlite"
    settings = {**QUICK, "store": store, "verbose": 1}
    first = does_sampling_help(data.X, data.Y, **settings)
    err = capsys.readouterr().err
    # 1 alone, 5 for its thresholds, 1 weighted, RareLabelClassifier, 2 with MLSOL, and 3 × 2 for
    # their thresholds.
    assert re.search(r"The run takes about [^,]*: 2 folds × 16 models of", err)
    assert "12 done, 0 failed, 0 had a result before" in err
    again = does_sampling_help(data.X, data.Y, **settings)
    err = capsys.readouterr().err
    assert "0 done, 0 failed, 12 had a result before" in err
    assert "takes" not in err
    more = does_sampling_help(data.X, data.Y, **{**settings, "cv": "2x2"})
    assert "12 done, 0 failed, 12 had a result before" in capsys.readouterr().err
    assert scores(again) == scores(first)
    assert {name: row[:2] for name, row in scores(more).items()} == scores(first)


def test_other_data_models_and_samplers_have_results_of_their_own(data, tmp_path):
    store = tmp_path / "s.sqlite"
    does_sampling_help(data.X, data.Y, store=store, **QUICK)
    does_sampling_help(data.X + 1, data.Y, store=store, **QUICK)
    does_sampling_help(data.X, data.Y, MLkNN(), store=store, **QUICK)
    own = {**QUICK, "samplers": [MLSOL(n_neighbors=3)]}
    does_sampling_help(data.X, data.Y, store=store, **own)
    with Store(store) as opened:
        n_results = len(opened.records())
    # Six methods on two folds; ML-kNN has no class weights; with a sampler of one's own the model
    # alone, thresholds and weights are those of before.
    assert n_results == 12 + 12 + 10 + 4


def test_a_store_needs_a_seed(data, tmp_path):
    with pytest.raises(ValueError, match="random_state must be an int"):
        does_sampling_help(
            data.X, data.Y, **{**QUICK, "random_state": None}, store=tmp_path / "s.sqlite"
        )


def test_stored_jobs_of_objects_say_that_they_were_not_kept(data, tmp_path):
    store = tmp_path / "s.sqlite"
    own = {**QUICK, "samplers": {"mine": MLROS()}}
    does_sampling_help(data.X, data.Y, LogisticRegression(), store=store, **own)
    with Store(store) as opened:
        jobs = {job.method.name: job for job in opened.jobs()}
    for build in (
        jobs["mine"].dataset.load, jobs["mine"].learner.build, jobs["mine"].method.build,
    ):  # fmt: skip
        with pytest.raises(ValueError, match="given in memory"):
            build()


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_it_stops_in_the_middle_of_a_fit_and_answers_with_what_is_there(
    data, tmp_path, monkeypatch, n_jobs
):
    counter, hangs = tmp_path / "fits", tmp_path / "hangs"

    class Hanging(LogisticRegression):
        """Hangs from its 41st fit on; a class of the running program, as in a notebook."""

        def fit(self, X, y):
            from pathlib import Path

            with Path(counter).open("a") as file:
                file.write("x")
            if Path(counter).stat().st_size > 40:
                Path(hangs).touch()
                time.sleep(600)
            return super().fit(X, y)

    @contextmanager
    def time_is_up(minutes):
        """Set the event when a fit hangs, however fast the machine is."""
        stop, is_over = threading.Event(), threading.Event()

        def watch():
            while not hangs.exists() and not is_over.wait(0.05):
                pass
            stop.set()

        watcher = threading.Thread(target=watch, daemon=True)
        watcher.start()
        yield stop
        is_over.set()
        watcher.join()

    monkeypatch.setattr("rarelabels.experiment._run.stop_after", time_is_up)
    settings = {**QUICK, "cv": "10x2", "max_minutes": 60, "n_jobs": n_jobs, "n_estimators": 0}
    found = does_sampling_help(data.X, data.Y, Hanging(), **settings)
    assert hangs.exists()
    # A fold takes 3 labels × (1 alone + 5 for thresholds + 1 weighted + 1 with MLSOL) fits, so that
    # 40 are enough for one fold, or for thresholds on two.
    assert found.summary["n_folds"] in (1, 2)
    assert "thresholds alone" in found.verdicts


def test_provisional_means_come_while_it_runs(data, tmp_path, capsys):
    settings = {
        **QUICK,
        "cv": "3x2",
        "n_estimators": 0,
        "store": tmp_path / "s",
        "verbose": 1,
        "all_folds": True,
    }
    found = does_sampling_help(data.X, data.Y, **settings)
    parts = capsys.readouterr().err.split("provisional:\n")
    assert [part.splitlines()[-1] for part in parts[:-1]] == [
        f"After {n} of at most 6 folds, " for n in (1, 2, 4)
    ]
    n_methods = len(found.summary["methods"])
    lines = [re.split(r" {2,}", line) for line in parts[2].splitlines()[: n_methods + 1]]
    assert lines[0] == ["method", "macro-F1", "gain", "95 % interval"]
    own = {row["name"]: f"{np.mean(row['scores'][:2]):.3f}" for row in found.summary["methods"]}
    assert {name: mean for name, mean, *_ in lines[1:]} == own
    does_sampling_help(data.X, data.Y, **{**settings, "cv": "4x2"})
    # Those that are known already are not said again.
    assert "After 7 of at most 8 folds, provisional" in capsys.readouterr().err


def test_in_a_long_fold_the_first_table_does_not_wait_for_ensembles(data, monkeypatch, capsys):
    heads = {}
    for seconds in (0.0, 1e9):
        monkeypatch.setattr("rarelabels.advisor._watch.LONG_FOLD", seconds)
        does_sampling_help(data.X, data.Y, **{**QUICK, "verbose": 1})
        said = capsys.readouterr().err
        heads[seconds] = re.findall(r"After .* provisional:", said)
        first = said.partition("provisional:\n")[2].partition("\nAfter ")[0]
        assert "RareLabelClassifier" in first
        assert ("EMLSOL" in first) == (seconds > 0)
    after_one = "After 1 of at most 2 folds, provisional:"
    assert heads[0.0] == ["After the first fold without ensembles, provisional:", after_one]
    assert heads[1e9] == [after_one]


def test_nothing_finished_is_said(data):
    with pytest.raises(RuntimeError, match=r"no fit of the model alone to \d+ samples"):
        does_sampling_help(data.X, data.Y, max_minutes=0, **QUICK)


def test_methods_without_common_folds_are_left_out():
    rows = {"none": range(5), "a": range(4), "b": [0], "c": [3, 4]}
    results = [{"method": name, "fold": fold} for name, folds in rows.items() for fold in folds]
    kept = {row["method"] for row in comparable(results, "none")}
    # Two folds in common with the model alone are enough, one is not.
    assert kept == {"none", "a", "c"}
    alone = [row for row in results if row["method"] in ("none", "b")]
    assert {row["method"] for row in comparable(alone, "none")} == {"none", "b"}


def test_a_large_run_is_estimated_from_a_few_samples_and_faster_ways_are_said(capsys):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12_000, 2))
    y = (X + rng.normal(size=X.shape) > 1).astype(int)
    plan = Plan(
        "large",
        datasets=(in_memory_dataset(X, check_labels(y), (), "large"),),
        learners=(in_memory_learner(as_multilabel(LogisticRegression()), "BR"),),
        methods=methods_of([], 0, {}),
        n_splits=5,
        n_repeats=5,
    )
    advice = partial(_estimate.advice_on_time, plan, option=python_option)
    assert advice(3000.0) == []
    fewer_folds, fewer_samples = advice(4 * 3600.0)
    assert (
        fewer_folds == 'cv="1x5" would take about 48 min and could show gains 1.6 times as large.'
    )
    assert fewer_samples.startswith(
        "max_samples=3000, samples drawn at random, would take about 60 min"
    )
    assert fewer_samples.endswith("could show gains about 2.0 times as large.")
    # A fifth of four hours are 48 minutes, of which 40 are enough for 10,000 samples.
    assert advice(4 * 3600.0, limit=2400.0) == [
        'With cv="1x5" and max_samples=10000, the run would take about 40 min.'
    ]
    # Too few samples to say anything about rare labels, and a limit that is not reached.
    assert advice(4 * 3600.0, limit=60.0) == []
    assert advice(3000.0, limit=3100.0) == []


@pytest.mark.parametrize(
    ("model", "weights"),
    [
        (LogisticRegression(), {"estimator__class_weight": "balanced"}),
        (
            make_pipeline(StandardScaler(), RidgeClassifier()),
            {"ridgeclassifier__class_weight": "balanced"},
        ),
        (
            MultiOutputClassifier(LogisticRegression()),
            {"estimator__class_weight": "balanced"},
        ),
        (KNeighborsClassifier(), {}),
        (BinaryRelevance(KNeighborsClassifier()), {}),
        (MLkNN(), {}),
        ("mlknn", {}),
    ],
)
def test_any_classifier_will_do(data, model, weights):
    assert weight_params(as_multilabel(model)) == weights
    found = does_sampling_help(data.X, data.Y, model, **QUICK)
    assert ("class weights" in found.verdicts) is bool(weights)
    assert found.failures == {}
    assert found.fit_best("EMLSOL").predict(data.X).shape == data.Y.shape


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_matrix, np.asfortranarray])
def test_any_container_will_do(data, kind):
    found = does_sampling_help(kind(data.X), data.Y, **QUICK)
    assert found.failures == {}


@pytest.fixture(scope="module")
def frame(data):
    """A table with gaps and categories, and a pipeline that takes it."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(data.X.copy(), columns=[f"f{j}" for j in range(data.X.shape[1])])
    X["colour"] = pd.Categorical(rng.choice(["red", "green"], len(X)))
    X.loc[rng.random(len(X)) < 0.2, "f0"] = np.nan
    numbers = [name for name in X.columns if name != "colour"]
    columns = make_column_transformer(
        (SimpleImputer(), numbers), (OneHotEncoder(handle_unknown="ignore"), ["colour"])
    )
    return X, make_pipeline(columns, RidgeClassifier())


def test_a_pipeline_takes_the_frame_as_it_is(data, frame):
    X, model = frame
    y = pd.DataFrame(data.Y, columns=["a", "b", "c"])
    found = does_sampling_help(X, y, model, **QUICK)
    assert found.failures == {}
    assert found.labels("EMLSOL")["label"].tolist() == ["a", "b", "c"]
    best = found.fit_best("EMLSOL")
    assert best.predict_proba(X).shape == (100, 3)
    assert best.predict(X).columns.tolist() == ["a", "b", "c"]
    assert 'id="map"' in found.to_html()


def test_labels_of_an_array_can_be_named(data):
    names = ["rain", "snow", "hail"]
    found = does_sampling_help(data.X, data.Y, label_names=names, **QUICK)
    assert found.labels()["label"].tolist() == names
    with pytest.raises(ValueError, match="2 label names for 3"):
        does_sampling_help(data.X, data.Y, label_names=names[:2], **QUICK)


def test_labels_have_their_counts_and_verdicts(data, answer):
    table = answer.labels("EMLSOL")
    assert table["positives"].tolist() == data.Y.sum(axis=0).tolist()
    few = table["positives"] < 20
    assert few.any()
    assert set(table["verdict"][few]) == {"too few to judge"}
    assert np.isnan(table["low"][few]).all()
    judged = table[~few]
    assert ((judged["low"] <= judged["gain"]) & (judged["gain"] <= judged["high"])).all()
    with pytest.raises(ValueError, match="did you mean 'EMLSOL'"):
        answer.labels("EMLSOLO")
    assert len(answer.labels()) == 3
    assert pd.DataFrame(table).shape == (3, 7)


class Unable(ClassifierMixin, BaseEstimator):
    """Fails where it has enough samples to."""

    def fit(self, X, y):
        raise ValueError("no luck today")

    def predict(self, X):
        raise NotImplementedError


def test_a_model_that_cannot_be_fitted_is_said_at_once(data):
    with pytest.raises(RuntimeError, match=r"the model alone cannot be fitted.*no luck today"):
        does_sampling_help(data.X, data.Y, Unable(), **QUICK)


class Broken(MLROS):
    """A sampler that fails."""

    def _resample(self, X, Y, rng):
        raise ValueError("nothing to clone")


def test_a_sampler_that_fails_is_named_and_the_others_are_judged(data):
    own = {**QUICK, "samplers": {"mine": Broken(), "MLSOL": "mlsol"}}
    found = does_sampling_help(data.X, data.Y, **own)
    assert found.failures["mine"] == (2, "ValueError: nothing to clone")
    assert "mine failed on 2 folds" in repr(found)
    assert "mine" not in found.verdicts
    assert "EMLSOL" in found.verdicts


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"estimator": LogisticRegression}, "estimator must be a scikit-learn classifier"),
        ({"samplers": "mlsolo"}, "did you mean 'mlsol'"),
        ({"samplers": [StandardScaler()]}, "fit_resample"),
        ({"metric": "macro_f2"}, "did you mean 'macro_f1'"),
        ({"cv": "5x1"}, "cv must be like 5x5"),
        ({"n_estimators": -1}, "n_estimators"),
        ({"margin": -1}, "margin"),
    ],
)
def test_what_is_wrong_is_said(data, wrong, words):
    with pytest.raises((ValueError, TypeError), match=words):
        does_sampling_help(data.X, data.Y, **{**QUICK, **wrong})


def test_folds_are_read():
    assert read_folds("10x5") == {"n_repeats": 10, "n_splits": 5}
    assert read_folds((3, 2)) == read_folds("3×2") == {"n_repeats": 3, "n_splits": 2}


def test_the_best_is_what_helps_or_the_model_alone(answer):
    helping = [name for name, verdict in answer.verdicts.items() if verdict == "helps"]
    assert answer.best in (helping or ["model alone"])
    with pytest.raises(ValueError, match="no method is called 'none'"):
        answer.fit_best("none")


def test_the_saved_model_predicts_the_same_in_a_fresh_process(answer, data, tmp_path):
    model = answer.fit_best("EMLSOL")
    joblib.dump(model, tmp_path / "model.joblib")
    np.save(tmp_path / "X.npy", data.X)
    code = (
        "import joblib, numpy as np; X = np.load('X.npy'); m = joblib.load('model.joblib'); "
        "np.savez('found.npz', predicted=m.predict(X), proba=m.predict_proba(X))"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    found = np.load(tmp_path / "found.npz")
    np.testing.assert_array_equal(found["predicted"], model.predict(data.X))
    np.testing.assert_array_equal(found["proba"], model.predict_proba(data.X))


LOAD = """from rarelabels.datasets import make_local_imbalance

X, y = make_local_imbalance(100, difficulty=0.5, random_state=0)"""


@pytest.mark.parametrize("method", ["model alone", "thresholds alone", "class weights", "EMLSOL"])
def test_the_script_gives_the_same_scores_and_the_same_model(answer, data, tmp_path, method):
    (tmp_path / "train.py").write_text(answer.script(LOAD, method=method), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "train.py"], cwd=tmp_path, capture_output=True, text=True, check=True,
        env={**os.environ, "PYTHONWARNINGS": "error"},
    )  # fmt: skip
    mean = np.mean(scores(answer)[method])
    assert done.stdout.strip() == f"{method} with BinaryRelevance: {mean:.6f} on 6 folds"
    made, ours = joblib.load(tmp_path / "model.joblib"), answer.fit_best(method)
    np.testing.assert_array_equal(made.predict_proba(data.X), ours.predict_proba(data.X))


def test_a_script_writes_pipelines_out(data, frame):
    X, model = frame
    found = does_sampling_help(X, data.Y, model, **QUICK)
    program = found.script("X, y = load()", method="MLSOL")
    compile(program, "train.py", "exec")
    assert "ColumnTransformer([('simpleimputer', SimpleImputer(), ['f0', 'f1'])" in program
    assert "from sklearn.pipeline import Pipeline" in program


def test_what_cannot_be_written_is_said(data):
    # A lambda has no name that a program could import.
    own = make_pipeline(FunctionTransformer(lambda X: 2 * X), LogisticRegression())
    found = does_sampling_help(data.X, data.Y, own, **QUICK)
    with pytest.raises(ValueError, match="pass model= with the lines"):
        found.script("X, y = load()")
    own = "from mine import estimator"
    assert own in found.script("X, y = load()", model=own)


def test_the_card_says_what_to_expect(answer):
    card = answer.card(answer.fit_best("EMLSOL"), "EMLSOL")
    assert card.startswith("# EMLSOL on made")
    assert "100 samples" in card
    assert card.count(" to 1.00)") + card.count(" to 0.") >= 6
    assert "a pickle: loading it runs code" in card


def test_an_answer_can_be_pickled(answer):
    assert pickle.loads(pickle.dumps(answer)).verdicts == answer.verdicts


def test_the_page_is_shown_in_a_notebook_and_saved(answer, tmp_path):
    answer.save_report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert answer.summary["conclusion"]["headline"].split(",")[0] in page
    # The map shows one sampler: that of the method with the highest gain.
    gains = {row["name"]: row["gain"] for row in answer.summary["methods"]}
    best = max(("MLSOL", "EMLSOL", "MLROS", "EMLROS"), key=gains.get)
    assert re.findall('<option value="(ml.*?)"', page) == [best.lower().removeprefix("e")]
    assert answer._repr_html_().startswith("<iframe srcdoc=")
