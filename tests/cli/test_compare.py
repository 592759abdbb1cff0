import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

import joblib
import numpy as np
import pytest

from rarelabels.datasets import load, make_local_imbalance, save_csv, save_mulan
from rarelabels.experiment import Store

SCRIPT = Path(sys.executable).with_name("rarelabels")
QUICK = ("--cv", "2x2", "--jobs", "1", "--ensemble", "0")


def test_a_comparison_concludes_and_writes_its_page(script, command, made, tmp_path):
    arguments = ("compare", made, "--samplers", "none,mlsol,mlul", "--ensemble", 2, "--cv", "2x2")
    done = script(*arguments, "--report", "page.html")
    assert done.returncode == 0, done.stderr
    rivals = ("model alone", "thresholds alone", "class weights", "RareLabelClassifier")
    for name in (*rivals, "MLSOL", "MLUL", "EMLSOL", "EMLUL"):
        assert name in done.stdout
    assert done.stdout.startswith("Use the model alone: this run cannot show")
    assert "This run can detect gains of" in done.stdout
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert 'id="gains-local-imbalance"' in page
    # 7 that are fitted to the fold, 5 for thresholds, and 3 × 2 for those of each ensemble.
    assert re.search(r"The run takes about .*: 4 folds × 24 models of", done.stderr)
    assert "32 done, 0 failed, 0 had a result before" in done.stderr
    _, out, err = command(*arguments, "--report", "page.html", "--force")
    assert "0 done, 0 failed, 32 had a result before" in err
    assert out.splitlines()[-3:] == done.stdout.splitlines()[-3:]


def test_json_holds_the_comparison(command, made, tmp_path):
    code, out, _ = command("compare", made, "--samplers", "mlros", *QUICK, "--json")
    found = json.loads(out)
    assert code == 0
    names = ["model alone", "thresholds alone", "class weights", "RareLabelClassifier", "MLROS"]
    assert [row["name"] for row in found["methods"]] == names
    assert found["n_folds"] == 4
    assert len(found["gains"]["MLROS"]) == 3
    assert (tmp_path / "compare-made.sqlite").is_file()


def test_a_table_with_labels_named(command, made, tmp_path):
    save_csv(load(made), tmp_path / "made.csv")
    arguments = ("made.csv", "--labels", "label_", "--samplers", "mlros", "--store", "s.sqlite")
    assert command("compare", *arguments, *QUICK, "--metric", "macro_auc_pr")[0] == 0
    assert (tmp_path / "s.sqlite").is_file()


def test_a_known_name_and_another_learner(command, monkeypatch, shared_data):
    monkeypatch.setenv("RARELABELS_DATA", str(shared_data))
    arguments = ("flags", "--samplers", "mlros", "--learner", "mlknn")
    code, out, _ = command("compare", *arguments, *QUICK)
    assert code == 0
    assert "MLROS" in out


def test_more_repeats_extend_a_run(command, made):
    arguments = ("compare", made, "--samplers", "mlros", "--jobs", "1", "--ensemble", "0")
    assert "10 done, 0 failed, 0 had" in command(*arguments, "--cv", "1x2")[2]
    assert "10 done, 0 failed, 10 had a result before" in command(*arguments, "--cv", "2x2")[2]


MODEL = """
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

model = make_pipeline(StandardScaler(), LogisticRegression())
"""


def test_a_model_of_ones_own(command, made, tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(MODEL)
    monkeypatch.setattr(sys, "path", [*sys.path])
    arguments = ("--samplers", "mlros", "--model", "mine:model", *QUICK)
    code, out, err = command("compare", made, *arguments)
    sys.modules.pop("mine")
    assert code == 0, err
    assert "class weights" in out


def test_a_model_of_ones_own_is_found_by_worker_processes(script, made, tmp_path):
    (tmp_path / "mine.py").write_text(MODEL)
    arguments = ("--samplers", "mlros", "--cv", "1x2", "--ensemble", "0", "--jobs", "2")
    done = script("compare", made, "--model", "mine:model", *arguments)
    assert done.returncode == 0, done.stderr
    assert "class weights" in done.stdout


def test_another_base_classifier(command, made):
    of_base = ("--estimator", "sklearn.linear_model.LogisticRegression")
    code, out, _ = command("compare", made, "--samplers", "mlros", *QUICK, *of_base)
    assert code == 0
    assert "class weights" in out


def test_the_best_is_saved_with_its_card_and_the_program_that_makes_it(command, made, tmp_path):
    keep = ("--save", "model.joblib", "--script", "train.py")
    code, _, err = command("compare", made, "--samplers", "mlsol", *QUICK, *keep)
    assert code == 0, err
    assert "a pickle: load it only if you trust it" in err
    X = load(made).X
    saved = joblib.load(tmp_path / "model.joblib")
    assert (tmp_path / "model.md").read_text(encoding="utf-8").startswith("# ")
    (tmp_path / "model.joblib").unlink()
    again = subprocess.run(
        [sys.executable, "train.py"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert " on 4 folds" in again.stdout
    made_anew = joblib.load(tmp_path / "model.joblib")
    np.testing.assert_array_equal(made_anew.predict_proba(X), saved.predict_proba(X))
    code, _, err = command("compare", made, "--samplers", "mlsol", *QUICK, *keep)
    assert code == 1
    assert "use --force" in err


def test_the_best_is_saved_without_a_pickle(command, made, tmp_path):
    pytest.importorskip("skops")
    from rarelabels.advisor import load_model

    keep = ("--save", str(tmp_path / "model.skops"))
    code, _, err = command("compare", made, "--samplers", "mlsol", *QUICK, *keep)
    assert code == 0, err
    assert "load_model loads it" in err
    X = load(made).X
    assert load_model(tmp_path / "model.skops").predict(X).shape[0] == len(X)


def test_without_skops_it_is_said_before_the_work(command, made, monkeypatch):
    monkeypatch.setattr("rarelabels.cli._comparing.find_spec", lambda name: None)
    code, _, err = command("compare", made, *QUICK, "--save", "model.skops")
    assert code == 1
    assert 'needs skops: pip install "rarelabels[models]"' in err
    assert "results are kept" not in err


def test_the_page_goes_to_standard_output(command, made):
    code, out, err = command("compare", made, "--samplers", "mlros", *QUICK, "--report", "-")
    assert code == 0
    assert out.startswith("<!DOCTYPE html>")
    assert "macro-F1" in err


def test_a_sampler_that_fails_is_told(command, made, monkeypatch):
    from rarelabels.sampling import MLSOL

    def fail(self, X, Y, rng):
        raise ValueError("no luck today")

    monkeypatch.setattr(MLSOL, "_resample", fail)
    code, out, err = command("compare", made, "--samplers", "mlsol,mlros", *QUICK)
    assert code == 1
    assert "note: MLSOL failed on 4 folds" in err
    assert "no luck today" in err
    assert "4 fits failed" in err
    assert "MLROS" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--samplers", "mlsolo"], "did you mean 'mlsol'"),
        (["--learner", "bra"], "did you mean 'br'"),
        (["--metric", "macro_f2"], "did you mean 'macro_f1'"),
        (["--cv", "five"], "--cv must be like 5x5"),
        (["--cv", "5x1"], "--cv must be like 5x5"),
        (["--estimator", "os.system"], "is not of a trusted package"),
        (["--model", "nosuch"], "--model must be like module:object"),
        (["--model", "nosuch:model"], "No module named 'nosuch'"),
        (["--ensemble", "-1"], "--ensemble"),
    ],
)
def test_wrong_options(command, made, tmp_path, arguments, words):
    code, out, err = command("compare", made, *arguments)
    assert (code, out) == (2, "")
    assert words in err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["made.arff", "made.xml"]


def test_a_page_that_is_there_is_refused_before_the_work(command, made, tmp_path):
    (tmp_path / "page.html").write_text("mine")
    code, _, err = command("compare", made, "--report", "page.html")
    assert code == 1
    assert "--force" in err
    assert not (tmp_path / "page.sqlite").exists()


def test_a_store_that_is_none(command, made, tmp_path):
    (tmp_path / "s.sqlite").write_text("This is no store, and long enough to be one." * 9)
    code, _, err = command("compare", made, "--store", "s.sqlite")
    assert code == 1
    assert "Traceback" not in err


def test_interrupted_it_goes_on_where_it_was(command, environment, tmp_path):
    save_mulan(make_local_imbalance(4000, n_labels=6, random_state=0), tmp_path / "large.arff")
    arguments = ["compare", "large.arff", "--samplers", "mlros", "--cv", "5x2", "--ensemble", 0]
    arguments += ["--report", "p.html", "--all-folds"]
    process = subprocess.Popen(
        [SCRIPT, *map(str, arguments)],
        cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        encoding="utf-8", start_new_session=True,
    )  # fmt: skip
    store = tmp_path / "p.sqlite"
    _wait_for_results(store)
    # A terminal's Ctrl-C goes to the whole group.
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert out == ""
    assert "interrupted" in err
    assert "Traceback" not in err
    assert not (tmp_path / "p.html").exists()
    with Store(store) as opened:
        n_done = len({row["key"] for row in opened.rows()})
    assert 0 < n_done < 50
    code, _, err = command(*arguments, "--jobs", 1)
    assert code == 0, err
    assert f"{50 - n_done} done, 0 failed, {n_done} had a result before" in err
    assert (tmp_path / "p.html").exists()


def _read_only(store):
    return sqlite3.connect(f"file:{store}?mode=ro", uri=True)


def _wait_for_results(store):
    for _ in range(3000):
        time.sleep(0.02)
        with suppress(sqlite3.OperationalError), closing(_read_only(store)) as opened:
            if opened.execute("SELECT count(*) FROM results").fetchone()[0]:
                return
    raise AssertionError("no result within a minute")


def test_unknown_labels_and_groups_of_a_table(command, tmp_path):
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(120, 2)), rng.integers(0, 2, (120, 2))
    Y[rng.random(Y.shape) < 0.2] = -1
    patients = rng.integers(0, 20, 120)
    rows = np.column_stack([X.round(3), patients, Y])
    lines = [",".join(f"{v:g}" for v in row) for row in rows]
    (tmp_path / "x.csv").write_text("\n".join(["u,v,patient,y_a,y_b", *lines]))
    arguments = ("x.csv", "--labels", "y_", "--groups", "patient", "--samplers", "mlros", *QUICK)
    code, _, err = command("compare", *arguments)
    assert code == 1
    assert "--unknown" in err
    options = ("--unknown", "-1", "--script", "s.py", "--json")
    code, out, err = command("compare", *arguments, *options)
    assert code == 0, err
    found = json.loads(out)
    done = subprocess.run(
        [sys.executable, "s.py"], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    best = next(row for row in found["methods"] if row["name"] == found["recommended"])
    assert f"{best['mean']:.6f} on {best['n_folds']} folds" in done.stdout
    code, _, err = command("resample", "x.csv", "new.csv", *arguments[1:5], "--unknown", "-1")
    assert code == 0, err
    table = [row.split(",") for row in (tmp_path / "new.csv").read_text().splitlines()]
    # The groups stay, as the last feature; a new sample has the group of its seed.
    assert table[0] == ["u", "v", "patient", "y_a", "y_b"]
    assert [row[2] for row in table[1:121]] == [str(patient) for patient in patients]
    assert {row[2] for row in table[121:]} <= {str(patient) for patient in patients}
    assert found["positives"] == [int((column == 1).sum()) for column in Y.T]
    assert command("describe", *arguments[:5], "--unknown", "-1", "--k", 3)[0] == 0
