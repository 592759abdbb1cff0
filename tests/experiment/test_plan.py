import json
import pickle
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from rarelabels.datasets import make_local_imbalance, save_mulan, save_xmc
from rarelabels.experiment import Job, Plan, PlanError, Store, load_plan, run
from rarelabels.experiment.evaluate._fold import splits_of
from rarelabels.model_selection import RepeatedIterativeStratifiedKFold


def test_short_forms_and_tables_mean_the_same(plan_values):
    short = load_plan(plan_values(methods=["default", "mlsol"], learners=["br"]))
    long = load_plan(
        plan_values(
            methods=[{"name": "Default"}, {"name": "mine", "sampler": "MLSOL"}],
            learners=[{"name": "trees", "learner": "BR"}],
        )
    )
    assert [job.key for job in short.jobs()] == [job.key for job in long.jobs()]


def test_none_stands_for_what_toml_does_not_have(plan_values):
    entry = {"learner": "BR", "params": {"n_jobs": "none"}}
    plan = load_plan(plan_values(learners=[entry], methods=["MLSOL"]))
    assert dict(plan.learners[0].params) == {"n_jobs": None}
    assert plan.learners[0].build().n_jobs is None


def test_a_plan_reads_from_toml_and_its_paths_are_relative_to_it(tmp_path, data_file, monkeypatch):
    data_file("here")
    (tmp_path / "mine.toml").write_text(
        'learners = ["br"]\nmethods = ["default"]\n[[datasets]]\npath = "here.csv"\nlabels = -3\n'
    )
    monkeypatch.chdir("/")
    plan = load_plan(tmp_path / "mine.toml")
    assert (plan.name, plan.datasets[0].name, len(plan.jobs())) == ("mine", "here", 10)
    assert plan.datasets[0].load().n_labels == 3


def test_jobs_are_all_combinations_in_the_order_they_share(plan_values):
    jobs = load_plan(plan_values()).jobs()
    assert len(jobs) == len({job.key for job in jobs}) == 1 * 2 * 2 * 5
    assert [(job.fold, job.learner.name) for job in jobs[::5]] == [
        (0, "BR"), (0, "MLkNN"), (1, "BR"), (1, "MLkNN"),
    ]  # fmt: skip


STAGES = [["Default", "EMLSOL"], ["MLSOL", "EkMLUL"], ["MLROS"]]


@pytest.mark.parametrize("order", ["datasets", "folds"])
@pytest.mark.parametrize("stages", [[], [*STAGES[:1], ["MLSOL", "EkMLUL", "MLROS"]]])
def test_a_plan_comes_back_from_its_jobs(plan_values, data_file, order, stages):
    datasets = [{"path": str(data_file(name)), "labels": -n} for name, n in (("a", 3), ("b", 2))]
    folds = {"n_splits": 3, "n_repeats": 2}
    plan = load_plan(plan_values(folds=folds, datasets=datasets, order=order, stages=stages))
    back = Plan.of_jobs(plan.name, plan.jobs())
    assert back.jobs() == plan.jobs()
    assert (back.order, back.stages, back.n_repeats) == (plan.order, plan.stages, plan.n_repeats)


def test_stages_and_folds_come_one_after_the_other(plan_values, data_file):
    datasets = [{"path": str(data_file(name)), "labels": -n} for name, n in (("a", 3), ("b", 2))]
    values = plan_values(datasets=datasets, order="folds", stages=STAGES)
    jobs = load_plan(values).jobs()
    stage_of = {name: place for place, stage in enumerate(STAGES) for name in stage}
    places = [(stage_of[job.method.name], job.fold, job.dataset.name) for job in jobs]
    assert places == sorted(places)
    assert {job.key for job in jobs} == {
        job.key for job in load_plan(plan_values(datasets=datasets)).jobs()
    }


def test_jobs_survive_json_and_pickle(plan_values):
    for job in load_plan(plan_values()).jobs():
        assert Job.from_dict(json.loads(json.dumps(job.to_dict()))) == job
        assert pickle.loads(pickle.dumps(job)).key == job.key
        assert hash(job) == hash(pickle.loads(pickle.dumps(job)))


def test_keys_are_the_same_in_another_session():
    code = (
        "from rarelabels.experiment import load_plan;"
        "plan = load_plan({'datasets': ['flags'], 'learners': ['br'], 'methods': ['mlsol']});"
        "print(plan.jobs()[3].key)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    # Worked out when the format was settled: a change here makes every store start anew.
    assert found.stdout.strip() == "d9ddab868692d1824d9b46d9"


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 4},
        {"per_label": True},
        {"folds": {"n_splits": 3, "n_repeats": 1}},
        {"learners": [{"learner": "BR", "estimator": "sklearn.naive_bayes.GaussianNB"}]},
        {"learners": [{"learner": "mlknn", "params": {"n_neighbors": 3}}]},
        {"methods": [{"sampler": "MLSOL", "params": {"sampling_ratio": 0.1}}]},
        {"methods": [{"sampler": "MLSOL", "n_estimators": 3}]},
    ],
    ids=str,
)
def test_what_determines_a_result_changes_the_key(plan_values, change):
    base = plan_values(learners=["BR"], methods=["MLSOL"])
    assert load_plan(base).jobs()[0].key != load_plan({**base, **change}).jobs()[0].key


def test_other_content_is_another_data_set_and_another_place_is_not(plan_values, tmp_path):
    before = load_plan(plan_values()).jobs()[0]
    moved = tmp_path / "elsewhere.csv"
    (tmp_path / "made.csv").rename(moved)
    entry = {"path": str(moved), "labels": "label_"}
    after = load_plan({**plan_values(), "datasets": [entry]}).jobs()[0]
    assert before.key == after.key
    moved.write_text(moved.read_text().replace("1\n", "0\n", 1))
    changed = load_plan({**plan_values(), "datasets": [entry]}).jobs()[0]
    assert changed.key != before.key


def test_more_repetitions_extend_a_run(plan_values, scores_in):
    values = plan_values(methods=["MLSOL"], folds={"n_splits": 2, "n_repeats": 2})
    more = {**values, "folds": {"n_splits": 2, "n_repeats": 3}}
    with Store(":memory:") as store, Store(":memory:") as at_once:
        run(values, store, engine="inline")
        extended = run(more, store, engine="inline")
        assert (extended.done, extended.skipped) == (4, 8)
        run(more, at_once, engine="inline")
        assert scores_in(store) == scores_in(at_once)


@pytest.mark.parametrize("n_repeats", [1, 2, 5, 9])
def test_splits_are_those_of_the_repeated_splitter_whatever_its_number(plan_values, n_repeats):
    job = load_plan(plan_values()).jobs()[0]
    data = job.dataset.load()
    expected = RepeatedIterativeStratifiedKFold(
        n_splits=2, n_repeats=n_repeats, random_state=job.seed
    ).split(data.X, data.Y)
    found = [split for number in range(n_repeats) for split in splits_of(data, job, number)]
    for (train, test), (expected_train, expected_test) in zip(found, expected, strict=True):
        np.testing.assert_array_equal(train, expected_train)
        np.testing.assert_array_equal(test, expected_test)


@pytest.mark.parametrize("suffix", ["arff", "arff.gz", "arff.xz"])
@pytest.mark.parametrize("named", [False, True])
def test_other_labels_in_the_xml_file_are_another_data_set(plan_values, tmp_path, suffix, named):
    path, xml = tmp_path / f"made.{suffix}", tmp_path / "made.xml"
    save_mulan(make_local_imbalance(60, random_state=0), path, xml)
    labels = {"labels": "made.xml"} if named else {}
    (tmp_path / "elsewhere").mkdir()
    keys = []
    for change in ("none", "place", "content"):
        if change == "place":
            path, xml = (file.rename(tmp_path / "elsewhere" / file.name) for file in (path, xml))
        elif change == "content":
            xml.write_text(xml.read_text().replace('<label name="label_2"></label>', ""))
            assert "label_2" not in xml.read_text()
        if named:
            labels = {"labels": str(xml)}
        values = plan_values(datasets=[{"path": str(path), **labels}])
        keys.append(load_plan(values).jobs()[0].key)
    assert keys[0] == keys[1] != keys[2]


def test_sparse_features_may_be_made_dense(plan_values, tmp_path):
    data = make_local_imbalance(60, random_state=0)
    save_xmc(replace(data, X=sparse.csr_array(data.X)), tmp_path / "made.txt")
    entries = [{"path": str(tmp_path / "made.txt"), **more} for more in ({}, {"dense": True})]
    thin, dense = (load_plan(plan_values(datasets=[entry])).jobs()[0] for entry in entries)
    assert thin.key != dense.key
    assert sparse.issparse(thin.dataset.load().X)
    np.testing.assert_array_equal(thin.dataset.load().X.toarray(), dense.dataset.load().X)


def test_an_empty_folder_is_no_data_set(plan_values, tmp_path, monkeypatch):
    monkeypatch.setenv("RARELABELS_DATA", str(tmp_path))
    (tmp_path / "mine").mkdir()
    with pytest.raises(PlanError, match="no data set is called 'mine'"):
        load_plan(plan_values(datasets=["mine"]))
    save_mulan(make_local_imbalance(60, random_state=0), tmp_path / "mine" / "mine.arff")
    assert load_plan(plan_values(datasets=["mine"])).datasets[0].load().n_labels == 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"method": []}, "did you mean 'methods'"),
        ({"learners": []}, "needs learners"),
        ({"learners": ["brr"]}, "'brr' cannot be made.*did you mean 'br'"),
        ({"learners": ["br", "BR"]}, "'br' and 'BR' are the same"),
        ({"methods": ["mlsoll"]}, "did you mean .?mlsol"),
        ({"methods": [{"sampler": "mlsol", "param": {}}]}, "did you mean 'params'"),
        ({"methods": [{"sampler": "mlsol", "params": {"k": 5}}]}, "has no parameter 'k'"),
        ({"methods": [{"sampler": "mlul", "vary": {"n_neighbors": 5}}]}, "give a list"),
        ({"methods": [{"sampler": "mlros", "vary": {"n_neighbors": [5, 6]}}]}, "n_neighbors"),
        ({"methods": [{"name": "default", "n_estimators": 5}]}, "without a sampler"),
        ({"datasets": ["yeats"]}, "did you mean 'yeast'"),
        ({"datasets": ["nowhere.csv"]}, "does not exist"),
        ({"folds": {"n_splits": 1}}, "n_splits must be a whole number of at least 2"),
        (
            {"methods": [{"name": "default", "learner_params": {"estimator__depth": 1}}]},
            "the method 'default' does not suit",
        ),
        ({"order": "size"}, "order must be one of"),
        ({"stages": [["Default"]]}, "stages leaves out the method 'MLSOL'"),
        ({"stages": [["Default", "MLSOLL"]]}, "stages names 'MLSOLL'.*did you mean 'MLSOL'"),
        ({"stages": [["MLSOL"], ["MLSOL"]]}, "stages names 'MLSOL' twice"),
        ({"timeout": 0}, "timeout must be a number above 0"),
        (
            {"learners": [{"learner": "br", "estimator": "sklearn.Such"}]},
            "'sklearn.Such' is not on the list",
        ),
    ],
    ids=str,
)
def test_errors_say_what_to_write_instead(plan_values, change, message):
    with pytest.raises(PlanError, match=message):
        load_plan({**plan_values(), **change})


def test_a_plan_names_rules_for_thresholds():
    plan = {"datasets": ["flags"], "learners": ["br"]}
    entry = {"name": "Thresholds", "sampler": "default", "threshold": "pooled_f1"}
    assert load_plan({**plan, "methods": [entry]}).methods[0].threshold == "pooled_f1"
    with pytest.raises(PlanError, match="'Thresholds' cannot be made: rule must be one of"):
        load_plan({**plan, "methods": [{**entry, "threshold": "best"}]})
