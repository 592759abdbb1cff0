from dataclasses import replace

import pytest

from rarelabels import _engines
from rarelabels._engines import ENGINES, Engine, find_engine
from rarelabels.experiment import Plan, Store, load_plan, run, run_job


@pytest.fixture(scope="module")
def plan(kept_values, kept_file):
    datasets = [
        {"path": str(kept_file(name, difficulty=difficulty)), "labels": "label_"}
        for name, difficulty in (("easy", 0.1), ("hard", 0.8))
    ]
    return load_plan(kept_values(datasets=datasets, per_label=True))


@pytest.fixture(scope="module")
def expected(plan, scores_in):
    with Store(":memory:") as store:
        assert run(plan, store, engine="inline").done == len(plan.jobs())
        return scores_in(store)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_scores_do_not_depend_on_the_number_of_workers(plan, expected, scores_in, n_jobs):
    with Store(":memory:") as store:
        summary = run(plan, store, n_jobs=n_jobs)
        assert (summary.done, summary.failed) == (len(plan.jobs()), 0)
        assert scores_in(store) == expected


def test_scores_on_a_dask_cluster_are_the_same(plan, expected, scores_in):
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.LocalCluster(**options) as cluster, Store(":memory:") as store:
        summary = run(plan, store, engine=cluster.scheduler_address)
        assert (summary.done, summary.failed) == (len(plan.jobs()), 0)
        assert scores_in(store) == expected
        assert run(plan, store, engine=cluster.scheduler_address).skipped == len(plan.jobs())


def test_a_failure_on_a_dask_cluster_is_a_row_too(plan_values, misbehaving):
    pytest.importorskip("distributed")
    learners = [misbehaving("Dying"), misbehaving("Hanging"), misbehaving("Prior")]
    values = plan_values(learners=learners, methods=["default"], engine="dask", timeout=8)
    with Store(":memory:") as store:
        summary = run(values, store, n_jobs=2, trusted=["experiment"])
        assert (summary.done, summary.failed, summary.left) == (2, 4, 0)
        errors = {row["learner"]: row["error"] for row in store.failures()}
    assert "SIGKILL" in errors["Dying"]
    assert "longer than 8 seconds" in errors["Hanging"]


def test_a_cluster_without_workers_is_waited_for_with_a_warning(plan, monkeypatch):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr("rarelabels._dask.worker_watch.LOOKS", 0.0)
    monkeypatch.setattr("rarelabels._dask.worker_watch.WITHOUT_WORKERS", 0.5)
    options = {"n_workers": 0, "dashboard_address": ":0"}
    with distributed.LocalCluster(**options) as cluster, Store(":memory:") as store:
        with pytest.warns(UserWarning, match=r"cluster at tcp://.* has no workers") as warned:
            summary = run(plan, store, engine=cluster.scheduler_address, max_minutes=0.03)
        assert (len(warned), summary.left) == (1, len(plan.jobs()))


def test_a_local_cluster_never_gives_up_a_worker_that_is_starting():
    distributed = pytest.importorskip("distributed")
    from rarelabels.experiment.engines._dask import _client

    with _client(None, 1) as client:
        assert isinstance(client, distributed.Client)
        assert config_value() == "1 day"
    assert config_value() != "1 day"


def config_value():
    """Return how long a local cluster waits for a lost worker."""
    from dask import config

    return config.get("distributed.deploy.lost-worker-timeout")


def test_an_engine_is_one_record(plan, expected, scores_in, monkeypatch):
    given = []

    def records(tasks, workers, stop):
        given.append((len(tasks), workers.n_jobs, workers.limits.nice, workers.cluster))
        for task in tasks:
            for job in task.jobs:
                yield run_job(job)

    dummy = Engine("dummy", "in this test", records)
    monkeypatch.setattr(_engines, "ENGINES", (*_engines.ENGINES, dummy))
    for planned, named in ((replace(plan, engine="dummy"), None), (plan, "dummy")):
        with Store(":memory:") as store:
            assert run(planned, store, engine=named, n_jobs=3, nice=2).done == len(plan.jobs())
            assert scores_in(store) == expected
    assert len(given) == 2
    assert all(found[1:] == (3, 2, None) for found in given)


@pytest.mark.parametrize("engine", ENGINES, ids=lambda engine: engine.name)
def test_records_of_engines(engine):
    assert find_engine(engine.name) is engine
    assert f'"{engine.name}"' in run.__doc__
    assert f'"{engine.name}"' in Plan.__doc__
    assert find_engine("tcp://scheduler:8786") is find_engine("dask")


def test_an_unknown_engine_is_refused(plan):
    with Store(":memory:") as store, pytest.raises(ValueError, match="engine must be one of"):
        run(plan, store, engine="steam")


def test_a_bar_is_shown_on_a_terminal_only(plan_values, capsys, monkeypatch):
    pytest.importorskip("tqdm")
    values = plan_values(methods=["default"], learners=["BR"])
    with Store(":memory:") as store:
        run(values, store, engine="inline")
    lines = capsys.readouterr().err
    assert "1 of 2 folds" in lines
    assert "2/2" not in lines
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with Store(":memory:") as store:
        run(values, store, engine="inline")
    assert "2/2" in capsys.readouterr().err
