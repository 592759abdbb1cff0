import json

import pytest

from rarelabels.experiment import Store

PLAN = """
datasets = [{path = "made.arff"}]
learners = ["br", "mlknn"]
methods = ["default", "mlsol"]
folds = {n_splits = 2, n_repeats = 1}
"""


@pytest.fixture
def plan(made):
    path = made.with_name("plan.toml")
    path.write_text(PLAN)
    return path


def test_run_then_tables(script, command, plan):
    done = script("run", plan, "--store", "r.sqlite", "--jobs", 1, "--engine", "inline")
    assert done.returncode == 0, done.stderr
    assert "8 done, 0 failed" in done.stderr
    code, out, _ = command("tables", "--store", "r.sqlite", "--metric", "macro_auc_roc")
    assert code == 0
    assert "macro-AUC-ROC, br" in out
    assert "macro-AUC-ROC, mlknn" in out
    assert "average rank" in out
    code, _, err = command("retry", "--store", "r.sqlite", "--jobs", 1)
    assert code == 0
    assert "0 done, 0 failed, 8 had a result before" in err


def test_tables_as_latex(command, plan):
    command("run", plan, "--store", "r.sqlite", "--jobs", "1")
    code, out, _ = command("tables", "--store", "r.sqlite", "--latex")
    assert code == 0
    assert out.startswith("\\begin{tabular}{lr")
    assert out.rstrip().endswith("\\end{tabular}")
    assert "\\textbf{" in out


def test_tables_as_json_and_exported(command, plan, tmp_path):
    assert command("run", plan, "--store", "r.sqlite", "--engine", "inline")[0] == 0
    arguments = ("tables", "--store", "r.sqlite", "--learner", "br", "--export", "all.csv")
    code, out, _ = command(*arguments, "--json")
    (found,) = json.loads(out)
    assert code == 0
    assert found["methods"] == ["Default", "mlsol"]
    lines = (tmp_path / "all.csv").read_text().splitlines()
    assert lines[0].startswith("plan,key,dataset")
    assert command(*arguments)[0] == 1


def test_failures_are_told_and_tried_again(command, plan, monkeypatch):
    from rarelabels.sampling import MLSOL

    def fail(self, X, Y, rng):
        raise ValueError("no luck today")

    with monkeypatch.context() as patched:
        patched.setattr(MLSOL, "_resample", fail)
        code, _, err = command("run", plan, "--store", "r.sqlite", "--engine", "inline")
        assert code == 1
        assert "note: mlsol failed on 4 folds" in err
        _, out, _ = command("tables", "--store", "r.sqlite", "--learner", "br")
        assert "failed: made (2 jobs)" in out
    code, _, err = command("retry", plan, "--store", "r.sqlite", "--jobs", 1)
    assert code == 0, err
    assert "4 done, 0 failed, 4 had a result before" in err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["run", "absent.toml", "--store", "r.sqlite"], "absent.toml does not exist"),
        (["run", "plan.toml"], "--store"),
        (["run", "wrong.toml", "--store", "r.sqlite"], "learners"),
        (["run", "broken.toml", "--store", "r.sqlite"], "is not TOML"),
        (["tables", "--store", "absent.sqlite"], "absent.sqlite does not exist"),
        (["retry", "--store", "absent.sqlite"], "absent.sqlite does not exist"),
        (["tables", "--store", "absent.sqlite", "--metric", "f1"], "no metric is called 'f1'"),
    ],
)
def test_wrong_usage(command, plan, arguments, words):
    plan.with_name("wrong.toml").write_text('datasets = ["flags"]\nmethods = ["default"]\n')
    plan.with_name("broken.toml").write_text("datasets = [")
    code, _, err = command(*arguments)
    assert code == 2
    assert words in err
    assert "Traceback" not in err


def test_a_store_in_a_folder_that_is_not_there(command, plan):
    code, _, err = command("run", plan, "--store", "no/r.sqlite")
    assert code == 1
    assert "the folder no does not exist" in err


def test_data_sets_are_checked_before_the_first_job(command, plan, tmp_path):
    (tmp_path / "bad.csv").write_text("size,y_round\n1,0\n2,3\n")
    text = PLAN.replace("}]", '}, {path = "bad.csv", labels = "y_"}]', 1)
    plan.write_text(text)
    code, _, err = command("run", plan, "--store", "r.sqlite", "--jobs", 1, "--engine", "inline")
    assert code != 0
    assert "the data set 'bad' cannot be read" in err
    assert "bad.csv" in err
    with Store(tmp_path / "r.sqlite") as opened:
        assert opened.records() == []
