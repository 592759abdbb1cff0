"""What is expected of jobs to come, and the order that follows from it."""

import os
import re
import sys
from types import SimpleNamespace

import pytest

from rarelabels.experiment import Store, load_plan, progress, run
from rarelabels.experiment.engines._schedule import JobTimes, Remaining, Schedule, tasks_of


@pytest.fixture
def plan(plan_values, data_file):
    datasets = [{"path": str(data_file(name)), "labels": -n} for name, n in (("a", 3), ("b", 2))]
    return load_plan(
        plan_values(datasets=datasets, methods=["default", "MLSOL", "MLROS"], order="folds")
    )


def seconds_of(jobs):
    by_cell = {("a", "BR"): 1.0, ("a", "MLkNN"): 30.0, ("b", "BR"): 500.0, ("b", "MLkNN"): 0.1}
    return {job.key: by_cell[job.dataset.name, job.learner.name] for job in jobs}


def test_a_job_is_expected_to_take_what_its_other_folds_took(plan):
    jobs = plan.jobs()
    first = [job for job in jobs if job.fold == 0 and job.method.name != "MLROS"]
    times = JobTimes(jobs, seconds_of(first))
    for job in jobs:
        # MLROS has no fold yet: the mean of the other methods stands in.
        assert times.expected(job) == seconds_of([job])[job.key]
    later = [job for job in jobs if job.fold == 1]
    assert Remaining.of(later, times, 2).seconds == pytest.approx(3 * 531.1 / 2)
    times.add(first[0].key, 2.0)
    assert times.expected(first[0]) == 1.5


def test_jobs_of_which_nothing_is_known_are_counted(plan):
    known = [job for job in plan.jobs() if job.dataset.name == "a" and job.fold == 0]
    remaining = Remaining.of(plan.jobs(), JobTimes(plan.jobs(), seconds_of(known)))
    assert remaining.n_unknown == len(plan.jobs()) // 2
    assert str(remaining) == "about 3 min and 12 jobs of unknown time to go"


def test_the_longest_tasks_of_a_fold_start_first_and_folds_stay_in_order(plan):
    jobs = plan.jobs()
    tasks = tuple(tasks_of(list(jobs)))
    in_plan = [(task.jobs[0].dataset.name, task.jobs[0].learner.name) for task in tasks[:4]]
    times = JobTimes(jobs, {})
    schedule = iter(Schedule(tasks, times))
    started = [next(schedule) for _ in range(4)]
    assert [(t.jobs[0].dataset.name, t.jobs[0].learner.name) for t in started] == in_plan
    for key, seconds in seconds_of([job for job in jobs if job.fold == 0]).items():
        times.add(key, seconds)
    started = list(schedule)
    assert [(t.jobs[0].dataset.name, t.jobs[0].learner.name) for t in started] == [
        ("b", "BR"), ("a", "MLkNN"), ("a", "BR"), ("b", "MLkNN"),
    ]  # fmt: skip
    assert {t.jobs[0].fold for t in started} == {1}


def test_an_early_end_leaves_whole_folds_and_says_how_long_the_rest_takes(plan):
    with Store(":memory:") as store:
        store.register(plan.name, plan.jobs())
        stopped = run(plan, store, engine="inline", max_minutes=0)
        assert stopped.done == 0
        assert "24 jobs of unknown time" in str(stopped)
        run(plan, store, engine="inline")
        assert all(0 < seconds < 60 for seconds in store.seconds().values())
        assert len(store.seconds()) == 24


def test_a_long_run_says_how_far_it_is_where_there_is_no_terminal(plan, capsys, monkeypatch):
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0)
    with Store(":memory:") as store:
        run(plan, store, engine="inline")
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 24
    assert lines[0].startswith("0 of 8 folds, 1 of 24 jobs, about ")
    assert lines[-1] == "8 of 8 folds, 24 of 24 jobs, about 0 s to go"


def test_each_fold_that_is_finished_has_a_line(plan, capsys, monkeypatch):
    with Store(":memory:") as store:
        run(plan, store, engine="inline")
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(" jobs")[0] for line in lines] == [
        f"{n} of 8 folds, {3 * n} of 24" for n in range(1, 9)
    ]
    monkeypatch.setattr(progress, "MOST_FOLD_LINES", 7)
    with Store(":memory:") as store:
        run(plan, store, engine="inline")
    assert capsys.readouterr().err == ""


def test_a_notebook_has_a_bar(plan, monkeypatch, capsys):
    pytest.importorskip("tqdm")
    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    bars = []

    def make(**options):
        bars.append(TextBar(**options))
        return bars[-1]

    monkeypatch.setitem(sys.modules, "tqdm.auto", SimpleNamespace(tqdm=make))
    with Store(":memory:") as store:
        run(plan, store, engine="inline")
    (bar,) = bars
    assert (bar.total, bar.n) == (24, 24)
    assert bar.text == "about 0 s to go"
    assert capsys.readouterr().err == ""


class TextBar:
    """Takes the place of tqdm's bar for notebooks."""

    def __init__(self, total, **options):
        self.total, self.n, self.text = total, 0, ""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def set_postfix_str(self, text, refresh):
        self.text = text

    def update(self):
        self.n += 1


def test_the_end_of_a_long_run_is_a_time_of_day():
    assert Remaining(30.0, 0).end() == ""
    assert Remaining(4000.0, 2).end() == ""
    assert re.fullmatch(r", until \d\d:\d\d", Remaining(4000.0, 0).end())
    assert re.fullmatch(r", until \w+ \d\d:\d\d", Remaining(200_000.0, 0).end())


def test_a_time_limit_ends_what_would_take_longer():
    assert str(Remaining(400.0, 3, limit=90.0)) == "90 s to the time limit"
    assert Remaining(400.0, 3, limit=90.0).end() == ""
    assert re.fullmatch(r", until \d\d:\d\d", Remaining(4000.0, 3, limit=900.0).end())
    assert str(Remaining(40.0, 0, limit=90.0)) == "about 40 s to go"


def test_workers_are_nice(plan_values, misbehaving):
    values = plan_values(learners=[misbehaving("Nice")], methods=["default"])
    with Store(":memory:") as store:
        run(values, store, nice=7, trusted=["experiment"])
        errors = [row["error"].splitlines()[0] for row in store.failures()]
    assert len(errors) == 2
    expected = os.nice(0) + 7
    said = f"nice by {expected}, its session by {expected}"
    assert all(error.endswith(said) for error in errors)
