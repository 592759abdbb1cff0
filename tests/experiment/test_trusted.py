"""A plan or a store of unknown origin runs nothing but estimators of trusted packages."""

import json
import sqlite3
import sys

import pytest

from rarelabels.experiment import Plan, PlanError, Store, load_plan, run

MARKED = """
from pathlib import Path
from sklearn.naive_bayes import GaussianNB
Path(__file__).with_name("ran").touch()
"""


@pytest.fixture
def marked(tmp_path, monkeypatch):
    """Return a module that leaves a file where it was imported, and that file."""
    (tmp_path / "marked_module.py").write_text(MARKED)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path / "ran"
    sys.modules.pop("marked_module", None)


def learners(path, **params):
    return [{"name": "it", "learner": "BR", "estimator": path, "estimator_params": params}]


@pytest.mark.parametrize(
    ("path", "params", "words"),
    [
        ("os.system", {"command": "touch {ran}"}, "not of a trusted package"),
        ("builtins.open", {"file": "{ran}", "mode": "w"}, "not of a trusted package"),
        ("marked_module.GaussianNB", {}, "not of a trusted package"),
        ("sklearnish.Thing", {}, "not of a trusted package"),
        ("GaussianNB", {}, "not of a trusted package"),
        ("sklearn.base.clone", {"estimator": "x"}, "is no estimator"),
        ("sklearn.utils.Bunch", {}, "is no estimator"),
        ("sklearn.utils._joblib.os.system", {"command": "touch {ran}"}, "there is no"),
        ("rarelabels.experiment.run", {}, "is no estimator"),
    ],
)
def test_nothing_is_called_or_imported_when_a_plan_is_read(
    plan_values, marked, path, params, words
):
    given = {name: value.format(ran=marked) for name, value in params.items()}
    with pytest.raises(PlanError, match=words):
        load_plan(plan_values(learners=learners(path, **given)))
    assert not marked.exists()


def test_a_package_is_trusted_where_the_caller_says_so(plan_values, marked):
    values = plan_values(learners=learners("marked_module.GaussianNB"), methods=["default"])
    with pytest.raises(PlanError, match="has no field 'trusted'"):
        load_plan({**values, "trusted": ["marked_module"]})
    assert not marked.exists()
    with Store(":memory:") as store:
        summary = run(values, store, engine="inline", trusted=["marked_module"])
        assert (summary.done, summary.failed) == (2, 0)
    assert marked.exists()


@pytest.mark.parametrize("engine", ["inline", "joblib"])
@pytest.mark.parametrize("path", ["os.system", "marked_module.GaussianNB"])
def test_a_store_that_was_edited_runs_nothing_else(
    plan_values, marked, tmp_path, monkeypatch, path, engine
):
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    plan = load_plan(plan_values(learners=["BR"], methods=["default"]))
    file = tmp_path / "results.sqlite"
    with Store(file) as store:
        store.register(plan.name, plan.jobs())
    edit(file, path, {"command": f"touch {marked}"} if path == "os.system" else {})
    with Store(file) as store:
        stored = Plan.of_jobs(plan.name, store.jobs())
        summary = run(stored, store, engine=engine, retry=True)
        assert (summary.done, summary.failed) == (0, 2)
        assert all("not of a trusted package" in row["error"] for row in store.failures())
    assert not marked.exists()


def edit(file, path, params):
    with sqlite3.connect(file) as connection:
        for key, text in connection.execute("SELECT key, job FROM jobs").fetchall():
            job = json.loads(text)
            job["learner"].update(estimator=path, estimator_params=params)
            connection.execute("UPDATE jobs SET job = ? WHERE key = ?", [json.dumps(job), key])
    connection.close()


def test_packages_that_add_to_this_one_are_trusted(plan_values, marked, monkeypatch):
    from importlib.metadata import EntryPoint

    from rarelabels.experiment.plan import _trusted

    point = EntryPoint("mine", "marked_module:GaussianNB", "rarelabels.learners")
    monkeypatch.setattr(_trusted, "entry_points", lambda group: [point])
    values = plan_values(learners=learners("marked_module.GaussianNB"))
    assert load_plan(values).trusted == ()
