"""Messages that say what is the matter."""

import json
import shutil

import pytest

PLAN = """
datasets = [{path = "made.arff"}]
learners = ["br"]
methods = ["default", "mlsol"]
folds = {n_splits = 2, n_repeats = 1}
"""


@pytest.fixture
def plan(made):
    path = made.with_name("plan.toml")
    path.write_text(PLAN)
    return path


def test_an_unknown_plan_is_named_with_those_there_are(command, plan):
    assert command("run", plan, "--store", "r.sqlite", "--engine", "inline")[0] == 0
    code, _, err = command("tables", "--store", "r.sqlite", "--plan", "nosuch")
    assert code == 2
    assert "the store has no plan 'nosuch'; it has plan." in err
    code, _, err = command("tables", "--store", "r.sqlite", "--learner", "clr")
    assert code == 2
    assert "the store has no learner 'clr'; it has br." in err


def test_failed_and_unfinished_data_sets_are_told_apart(command, plan, monkeypatch):
    from rarelabels.sampling import MLSOL

    def fail(self, X, Y, rng):
        raise ValueError("no luck today")

    with monkeypatch.context() as patched:
        patched.setattr(MLSOL, "_resample", fail)
        code, _, err = command("run", plan, "--store", "r.sqlite", "--engine", "inline")
    assert code == 1
    assert "2 jobs failed, see above. Once the cause is removed, rarelabels retry" in err
    out = command("tables", "--store", "r.sqlite")[1]
    assert "failed: made (2 jobs)" in out
    assert "not done yet" not in out
    found = json.loads(command("tables", "--store", "r.sqlite", "--json")[1])
    assert found[0]["failed"] == {"made": 2}
    command("run", plan, "--store", "s.sqlite", "--engine", "inline", "--max-minutes", 0)
    out = command("tables", "--store", "s.sqlite")[1]
    assert "not done yet: made" in out
    assert "failed" not in out


def test_options_are_called_as_they_were_typed(command, made):
    _, _, err = command("resample", made, "o.csv", "--ratio", "-1")
    assert "--ratio" in err
    assert "sampling_ratio" not in err
    assert " int" not in err
    _, _, err = command("resample", made, "o.csv", "--k", "500")
    assert "--k" in err
    assert "n_neighbors" not in err
    _, _, err = command("resample", made, "o.csv", "--sampler", "remedial", "--ratio", "0.2")
    assert "has no option '--ratio'" in err


@pytest.mark.parametrize("name", ["compare", "describe", "resample", "retry", "fetch", "run"])
def test_help_speaks_the_language_of_shells(command, name):
    _, out, _ = command(name, "--help")
    for sign in ("{", "}", "[[", "<", "list["):
        assert sign not in out
    usage = {"retry": "[PLAN.toml]", "fetch": "NAME...", "run": "PLAN.toml", "resample": "DATA OUT"}
    assert usage.get(name, "DATA") in out.splitlines()[0]


def test_cv_is_explained(command, made):
    assert "10 is ten folds, once" in " ".join(command("compare", "--help")[1].split())
    _, _, err = command("compare", made, "--cv", "ten")
    assert "10 (ten folds, once)" in err


def test_the_width_of_a_pipe_is_columns(command, made, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    wide = command("describe", made)[1]
    monkeypatch.setenv("COLUMNS", "70")
    narrow = command("describe", made)[1]
    assert max(map(len, narrow.splitlines())) <= 70 < max(map(len, wide.splitlines()))
    monkeypatch.setenv("COLUMNS", "none")
    assert command("describe", made)[1] == wide


def test_data_sets_of_the_local_folder_are_listed(command, made, tmp_path, monkeypatch):
    folder = tmp_path / "data" / "mine"
    folder.mkdir(parents=True)
    for suffix in (".arff", ".xml"):
        shutil.copy(made.with_suffix(suffix), folder / f"mine{suffix}")
    (tmp_path / "data" / "empty").mkdir()
    monkeypatch.setenv("RARELABELS_DATA", str(tmp_path / "data"))
    _, out, _ = command("datasets")
    assert str(folder / "mine.arff") in out
    assert "empty" not in out
    assert command("describe", "mine")[0] == 0


def test_a_missing_file_is_missing_whatever_its_labels(command):
    from rarelabels.datasets import load

    with pytest.raises(FileNotFoundError):
        load("/nonexist.parquet")
    code, _, err = command("describe", "/nonexist.parquet")
    assert code == 2
    assert "/nonexist.parquet does not exist" in err
