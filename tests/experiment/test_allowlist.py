"""A plan, a store or a packed store of unknown origin runs no code of its own."""

import inspect
import json
import socket
import sqlite3
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.utils import all_estimators

from rarelabels._learners import LEARNERS
from rarelabels._samplers import SAMPLERS
from rarelabels.advisor._script import training_script
from rarelabels.experiment import (
    Job,
    Plan,
    PlanError,
    Store,
    StoreError,
    load_plan,
    pack,
    run,
    unpack,
)
from rarelabels.experiment.plan import _allowlist
from rarelabels.experiment.plan._allowlist import (
    MODULES,
    allowed_estimator,
    check_params,
    listed_classes,
)

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
        ("sklearn.base.clone", {"estimator": "x"}, "not on the list"),
        ("sklearn.utils.Bunch", {}, "not on the list"),
        ("sklearn.utils._joblib.os.system", {"command": "touch {ran}"}, "not on the list"),
        ("sklearn.conftest.GaussianNB", {}, "not on the list"),
        ("sklearn.cluster.HDBSCAN", {}, "not on the list"),
        ("sklearn.preprocessing.FunctionTransformer", {"func": "os.system"}, "not on the list"),
        ("sklearn.feature_extraction.text.TfidfVectorizer", {}, "not on the list"),
        ("sklearn.datasets.fetch_openml", {}, "not on the list"),
        ("sklearn.experimental.enable_halving_search_cv.X", {}, "not on the list"),
        ("rarelabels.cli.__main__.app", {}, "not on the list"),
        ("rarelabels.experiment.run", {}, "not on the list"),
        ("rarelabels.experiment.engines._worker.serve", {}, "not on the list"),
        ("rarelabels.learners.learner", {}, "is not an estimator"),
        ("rarelabels.learners.__init__", {}, "not on the list"),
        ("rarelabels.learners..BinaryRelevance", {}, "not on the list"),
        ("sklearn.cluster.FeatureAgglomeration", {"memory": "{ran}"}, "may not have memory="),
        ("sklearn.pipeline.Pipeline", {"steps": [], "memory": "{ran}"}, "may not have memory="),
        ("sklearn.pipeline.Pipeline", {"steps": [["a", "{ran}"]]}, "may not have steps="),
        ("sklearn.svm.SVC", {"kernel": "{ran}"}, "may not have kernel="),
        ("sklearn.svm.SVC", {"cache_size": "{ran}"}, "may not have cache_size="),
    ],
)
def test_nothing_is_called_or_imported_when_a_plan_is_read(
    plan_values, marked, path, params, words
):
    text = json.dumps(params).replace("{ran}", str(marked))
    with pytest.raises(PlanError, match=words):
        load_plan(plan_values(learners=learners(path, **json.loads(text))))
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


@pytest.mark.parametrize("engine", ["inline", "processes"])
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
    def change(job):
        job["learner"].update(estimator=path, estimator_params=params)

    edit_jobs(file, change)


def edit_jobs(file, change):
    with sqlite3.connect(file) as connection:
        for key, text in connection.execute("SELECT key, job FROM jobs").fetchall():
            job = json.loads(text)
            change(job)
            connection.execute("UPDATE jobs SET job = ? WHERE key = ?", [json.dumps(job), key])
    connection.close()


def test_packages_that_add_to_this_one_are_trusted(plan_values, marked, monkeypatch):
    from importlib.metadata import EntryPoint

    point = EntryPoint("mine", "marked_module:GaussianNB", "rarelabels.learners")
    monkeypatch.setattr(_allowlist, "entry_points", lambda group: [point])
    values = plan_values(learners=learners("marked_module.BernoulliNB"))
    with pytest.raises(PlanError, match="not of a trusted package"):
        load_plan(values)
    assert not marked.exists()
    values = plan_values(learners=learners("marked_module.GaussianNB"))
    assert load_plan(values).trusted == ()


def test_importing_the_command_line_is_refused_in_trusted_packages_too(plan_values):
    values = plan_values(learners=learners("rarelabels.cli.__main__.app"))
    with pytest.raises(PlanError, match="not on the list"):
        load_plan(values, trusted=["rarelabels"])
    assert "rarelabels.cli.__main__" not in sys.modules


@pytest.mark.parametrize(
    "where",
    [
        {"engine": "tcp://{address}"},
        {"engine": "dask", "scheduler": "tcp://{address}"},
        {"engine": "dask", "scheduler": "{address}"},
        {"scheduler": "{address}"},
        {"engine": "tls://{address}"},
        {"engine": "somewhere"},
    ],
)
def test_no_plan_connects_to_an_address(plan_values, tmp_path, where):
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        address = f"127.0.0.1:{server.getsockname()[1]}"
        named = {name: text.format(address=address) for name, text in where.items()}
        with pytest.raises(PlanError, match=r"cannot name a Dask scheduler|engine must be"):
            run(plan_values(methods=["default"], **named), tmp_path / "results.sqlite")
        with pytest.raises(BlockingIOError):
            server.accept()


def test_a_plan_object_connects_to_no_address_either(plan_values, tmp_path):
    plan = load_plan(plan_values(methods=["default"]))
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        held = Plan(plan.name, plan.datasets, plan.learners, plan.methods, engine=address)
        with pytest.raises(ValueError, match="engine must be one of"):
            run(held, tmp_path / "results.sqlite")
        with pytest.raises(BlockingIOError):
            server.accept()


OF_JOBS = {
    "params": ("learner", {"params": {"memory": "cache"}}),
    "deep": ("method", {"learner_params": {"estimator__memory": "cache"}}),
    "func": ("method", {"learner_params": {"estimator__a__func": "os.system"}}),
    "sampler": ("method", {"sampler": "mlsol", "params": {"cachedir": "cache"}}),
    "vary": ("method", {"sampler": "mlsol", "n_estimators": 1, "vary": {"memory": ["cache"]}}),
    "base": (
        "learner",
        {
            "estimator": "sklearn.cluster.FeatureAgglomeration",
            "estimator_params": {"memory": "cache"},
        },
    ),
}


@pytest.mark.parametrize("where", OF_JOBS)
@pytest.mark.parametrize("packed", [False, True])
def test_a_foreign_store_names_no_folder_when_it_is_retried(
    plan_values, tmp_path, monkeypatch, where, packed
):
    kind, change = OF_JOBS[where]
    plan = load_plan(plan_values(learners=["BR"], methods=["default"]))
    file = tmp_path / "results.sqlite"
    with Store(file) as store:
        store.register(plan.name, plan.jobs())
    edit_jobs(file, lambda job: job[kind].update(change))
    monkeypatch.chdir(tmp_path)
    if packed:
        pack(file, tmp_path / "foreign.xz")
        file.unlink()
        unpack(tmp_path / "foreign.xz", file)
    with Store(file) as store:
        summary = run(Plan.of_jobs(plan.name, store.jobs()), store, engine="inline", retry=True)
        assert (summary.done, summary.failed) == (0, 2)
        assert all("may not have" in row["error"] for row in store.failures())
    assert not (tmp_path / "cache").exists()


def test_learner_params_of_a_plan_name_no_folder(plan_values):
    method = {"name": "it", "sampler": "mlros", "learner_params": {"estimator__memory": "cache"}}
    with pytest.raises(PlanError, match="may not have estimator__memory"):
        load_plan(plan_values(learners=["BR"], methods=["default", method]))


HOSTILE = "x\"\"\"\nopen('ran', 'w')\n\"\"\"{open('ran', 'w')}"


def test_a_name_is_only_text_in_the_script_that_is_written(plan_values, tmp_path):
    plan = load_plan(
        plan_values(
            learners=[{"name": HOSTILE, "learner": "BR"}],
            methods=[{"name": HOSTILE, "sampler": "MLROS"}],
        )
    )
    load = "import numpy as np\nX, y = np.eye(9), np.eye(9, dtype=int)"
    text = training_script(plan, plan.methods[0], "macro_f1", load)
    compile(text, "train.py", "exec")
    (tmp_path / "train.py").write_text(text, encoding="utf-8")
    subprocess.run([sys.executable, "train.py"], cwd=tmp_path, capture_output=True, check=False)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("name", ["fold", "n_splits", "seed"])
def test_numbers_of_a_store_are_numbers(plan_values, tmp_path, name):
    plan = load_plan(plan_values(methods=["default"]))
    with Store(tmp_path / "results.sqlite") as store:
        store.register(plan.name, plan.jobs())
    edit_jobs(tmp_path / "results.sqlite", lambda job: job.update({name: "0]); print(1"}))
    with Store(tmp_path / "results.sqlite") as store, pytest.raises(StoreError, match=name):
        store.jobs()


def test_every_class_of_the_list_that_is_installed_is_an_estimator():
    known = {f"{module_of(kind)}.{name}" for name, kind in all_estimators()}
    known.add("sklearn.pipeline.Pipeline")
    for path in sorted(listed_classes() & known):
        assert path.endswith(allowed_estimator(path).__name__)


NEEDS_CODE_OR_FILES = {
    "sklearn.preprocessing.FunctionTransformer",
    "sklearn.feature_extraction.text.HashingVectorizer",
}


def test_the_list_has_every_classifier_of_scikit_learn():
    classifiers = {f"{module_of(kind)}.{name}" for name, kind in all_estimators("classifier")}
    assert classifiers <= listed_classes()
    assert not NEEDS_CODE_OR_FILES & listed_classes()


def module_of(kind):
    return kind.__module__.partition("._")[0]


def test_no_listed_class_takes_a_path_or_a_callable_by_a_name_that_passes():
    """Strings that scikit-learn takes as they are, beside its own options."""
    taken = set()
    for path in sorted(listed_classes()):
        try:
            kind = allowed_estimator(path)
        except ValueError:  # of a newer scikit-learn
            continue
        constraints = getattr(kind, "_parameter_constraints", {})
        free = {name for name, allowed in constraints.items() if _takes_text(allowed)}
        for name in free & set(inspect.signature(kind).parameters):
            try:
                check_params([(name, "text")], "it")
            except ValueError:
                continue
            taken.add(name)
    # Names of attributes, classes and metrics; a constant in place of missing values.
    assert taken <= {
        "constant", "fill_value", "importance_getter", "outlier_label", "pos_label", "scoring",
        "threshold", "verbose_feature_names_out",
    }  # fmt: skip


def _takes_text(allowed):
    return isinstance(allowed, list) and str in allowed


def test_parameters_of_this_package_are_not_refused_by_their_names():
    from importlib import import_module

    kinds = [record.maker.load() for record in (*LEARNERS, *SAMPLERS)]
    for module in map(import_module, MODULES):
        found = (getattr(module, name) for name in module.__all__)
        kinds += [kind for kind in found if isinstance(kind, type) and hasattr(kind, "fit")]
    for kind in kinds:
        check_params([(name, 1) for name in inspect.signature(kind).parameters], "it")


WORDS = st.sampled_from(["memory", "func", "path", "cachedir", "callback", "url", "backend"])
PARTS = st.text("abcxyz_", min_size=1, max_size=8)
PLACES = st.sampled_from(["cache", "/x/y", "..", "c:\\x", "~", "os.system", "", 1, True, ["a"]])


@given(st.lists(PARTS, max_size=4), WORDS, st.sampled_from(["", "inverse_", "X_"]), PLACES)
def test_refused_words_are_found_at_any_depth(before, word, prefix, value):
    name = "__".join([*before, prefix + word])
    with pytest.raises(ValueError, match="may not have"):
        check_params([(name, value)], "it")
    assert check_params([(name, None)], "it") == {name: None}


@given(st.sampled_from(["kernel", "metric", "solver", "strategy"]), st.data())
def test_texts_that_could_be_paths_are_found_in_lists(name, data):
    text = data.draw(st.text(max_size=8)) + data.draw(st.sampled_from("/\\~:\0\n"))
    for value in (text, [1, text], (("a", text),)):
        with pytest.raises(ValueError, match="may not have"):
            check_params([(name, value)], "it")


@given(st.text(max_size=30), st.booleans())
def test_no_name_is_imported_that_is_not_on_the_list(text, after_sklearn):
    path = f"sklearn.{text}" if after_sklearn else text
    before = set(sys.modules)
    if path not in listed_classes():
        with pytest.raises(ValueError, match=r"trusted package|not on the list"):
            allowed_estimator(path)
    assert set(sys.modules) == before


@given(
    st.dictionaries(
        st.sampled_from(["fold", "n_splits", "seed", "per_label"]),
        st.one_of(st.none(), st.text(max_size=3), st.floats(), st.lists(st.integers())),
        min_size=1,
    )
)
def test_jobs_with_other_types_are_refused(changes):
    plan = load_plan({"datasets": ["flags"], "learners": ["BR"], "methods": ["default"]})
    values = plan.jobs()[0].to_dict()
    with pytest.raises(ValueError, match="wrong type"):
        Job.from_dict({**values, **changes})
