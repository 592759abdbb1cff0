"""Large runs: a pilot in a process that can be ended, and comparing on some of the samples."""

import os
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression

from rarelabels._validation import check_labels
from rarelabels.advisor import does_sampling_help
from rarelabels.advisor._estimate import (
    SIZES,
    FitTimes,
    drawn_rows,
    fit_times,
    n_compared,
)
from rarelabels.advisor.methods import as_multilabel, methods_of
from rarelabels.advisor.question import Question
from rarelabels.experiment import Plan, Store
from rarelabels.experiment.evaluate import Memo
from rarelabels.experiment.evaluate._fold import fold_of
from rarelabels.experiment.plan import in_memory_dataset, in_memory_learner, with_rows

QUICK = {"samplers": [], "n_estimators": 0, "cv": 2, "random_state": 0}


@pytest.fixture(scope="module")
def large():
    """Enough samples for a pilot, and a feature that tells them apart."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12_000, 2))
    X[:, 1] = np.arange(len(X))
    y = (rng.normal(size=X.shape) + X[:, :1] > 1).astype(int)
    return X, y


def plan_of(X, y, model, groups=None, n_splits=5):
    """Return the plan of a comparison without sampling."""
    dataset = in_memory_dataset(X, check_labels(y), (), "large", groups=groups)
    return Plan(
        "large",
        datasets=(dataset,),
        learners=(in_memory_learner(as_multilabel(model), "BR"),),
        methods=methods_of([], 0, {}),
        n_splits=n_splits,
        n_repeats=1,
        seed=3,
    )


def test_a_pilot_times_growing_fits(large):
    times = fit_times(plan_of(*large, LogisticRegression()), n_workers=2, limit=600)
    assert tuple(times.seconds) == SIZES
    assert all(seconds > 0 for seconds in times.seconds.values())


def test_a_pilot_is_ended_in_the_middle_of_a_fit(large, tmp_path, monkeypatch):
    place = tmp_path / "pid"

    class Slow(ClassifierMixin, BaseEstimator):
        """Takes longer than any test should, and says which process it is in."""

        def __init__(self, place=""):
            self.place = place

        def fit(self, X, y):
            with open(self.place, "w") as file:
                file.write(str(os.getpid()))
            time.sleep(3600)

    @contextmanager
    def time_is_up(minutes):
        stop = threading.Event()

        def watch():
            # A fit is under way, and the time is up.
            while not place.exists() or not place.read_text():
                time.sleep(0.05)
            stop.set()

        threading.Thread(target=watch, daemon=True).start()
        yield stop

    monkeypatch.setattr("rarelabels.experiment.pilot.stop_after", time_is_up)
    times = fit_times(plan_of(*large, Slow(str(place))), n_workers=1, limit=600)
    assert times.seconds == {}
    # The process of the fit is gone.
    with pytest.raises(ProcessLookupError):
        os.kill(int(place.read_text()), 0)


@pytest.mark.parametrize(
    ("seconds", "at_8000", "in_40_s"),
    [
        # Linear, by hand: twice the samples, twice the seconds.
        ({1000: 1.0, 4000: 4.0}, 8.0, 40_000),
        # Quadratic: at 8,000 four times as long as at 4,000; 10 times as long at √10 as many.
        ({1000: 0.25, 4000: 4.0}, 16.0, 4000 * np.sqrt(10)),
        # Never so few that nothing can be said about rare labels.
        ({1000: 100.0, 4000: 400.0}, 800.0, 2000),
        # Nobody gets faster with more samples, so that roots are the slowest growth.
        ({1000: 4.0, 4000: 4.0}, 4 * np.sqrt(2), 400_000),
        # One fit does not tell how seconds grow, but it bounds what there is time for.
        ({250: 4.0}, None, 2500),
        ({250: 80.0}, None, 2000),
        ({}, None, 250),
    ],
)
def test_seconds_are_expected_by_hand(seconds, at_8000, in_40_s):
    times = FitTimes(seconds)
    expected = times.expected(8000)
    assert expected == (None if at_8000 is None else pytest.approx(at_8000))
    assert times.most_samples(40.0) == pytest.approx(in_40_s)


def test_samples_are_drawn_once_in_order_and_groups_stay_whole(large):
    X, y = large
    rows = drawn_rows(plan_of(X, y, LogisticRegression()), 500)
    assert len(rows) == 500
    assert (np.diff(rows) > 0).all()
    assert drawn_rows(plan_of(X, y, LogisticRegression()), len(X)) is None
    groups = np.arange(len(X)) // 7
    rows = drawn_rows(plan_of(X, y, LogisticRegression(), groups), 500)
    assert 490 <= len(rows) <= 500
    kept = np.isin(groups, groups[rows])
    np.testing.assert_array_equal(np.flatnonzero(kept), rows)


@pytest.mark.parametrize("with_groups", [False, True])
def test_folds_are_made_of_the_drawn_samples_only(large, with_groups):
    X, y = large
    groups = np.arange(len(X)) // 7 if with_groups else None
    plan = plan_of(X, y, LogisticRegression(), groups)
    rows = drawn_rows(plan, 500)
    plan = Plan(
        "some",
        datasets=(with_rows(plan.datasets[0], rows),),
        learners=plan.learners,
        methods=plan.methods[:1],
        n_splits=5,
        n_repeats=1,
    )
    tested = []
    for job in plan.jobs():
        fold = fold_of(job, Memo())
        train, test = fold.X_train[:, 1].astype(int), fold.X_test[:, 1].astype(int)
        np.testing.assert_array_equal(np.sort(np.concatenate([train, test])), rows)
        np.testing.assert_array_equal(fold.Y_test, y[test])
        assert not with_groups or not np.intersect1d(groups[train], groups[test]).size
        tested.append(test)
    np.testing.assert_array_equal(np.sort(np.concatenate(tested)), rows)


def test_a_comparison_on_some_samples_says_so_and_fits_all(large):
    X, y = large
    found = does_sampling_help(X, y, LogisticRegression(), max_samples=300, verbose=0, **QUICK)
    assert n_compared(found.plan) == 300
    assert "This was found on 300 of 12,000 samples, drawn at random" in found.conclusion
    again = does_sampling_help(X, y, LogisticRegression(), max_samples=300, verbose=0, **QUICK)
    assert again.summary["methods"][0]["scores"] == found.summary["methods"][0]["scores"]
    own = found.fit_best("model alone", calibrate=False)
    whole = as_multilabel(LogisticRegression()).fit(X, y)
    np.testing.assert_array_equal(own.predict(X), whole.predict(X))


def test_if_the_time_is_short_fewer_samples_are_compared_on(large, monkeypatch, capsys):
    X, y = large
    monkeypatch.setattr(
        "rarelabels.advisor.question.fit_times",
        lambda *args: FitTimes({1000: 1.0, 4000: 4.0}),
    )
    found = does_sampling_help(X, y, LogisticRegression(), max_minutes=1, **QUICK)
    # Three quarters of a minute for 2 folds × 8 models are 2.8 s each, so 2,812 samples, which are
    # half of 5,625.
    assert n_compared(found.plan) == 5000
    said = capsys.readouterr().err
    # 2 folds × 8 models of 2.5 s are 40 s, which is within the limit.
    assert "It stops after" not in said
    assert "1 minute is too short for 12,000 samples: methods are compared on 5,000 of" in said
    assert "5,000 of 12,000 samples" in found.conclusion


def test_a_store_keeps_all_samples(large, monkeypatch, tmp_path):
    X, y = large
    monkeypatch.setattr("rarelabels.advisor.question.fit_times", lambda *args: FitTimes({250: 1e6}))
    with Store(tmp_path / "s") as store:
        found = does_sampling_help(
            X, y, LogisticRegression(), max_minutes=5, store=store, verbose=0, **QUICK
        )
    assert n_compared(found.plan) == 12_000


@pytest.mark.parametrize(
    ("seconds", "max_samples", "max_minutes", "n_used"),
    [
        ({250: 1e6}, 10_000, 60, 10_000),
        # Fewer samples are drawn to fit the time, and it is still too short for all methods:
        # 2 folds × 15 models are 2.5 s each.
        ({1000: 1.0, 4000: 4.0}, None, 1, 5000),
    ],
)
def test_if_the_time_is_short_methods_of_few_models_come_first(
    large, monkeypatch, seconds, max_samples, max_minutes, n_used
):
    order = []
    X, y = large
    plan = plan_of(X, y, LogisticRegression(), n_splits=2)
    plan = Plan(
        "some",
        datasets=plan.datasets,
        learners=plan.learners,
        methods=methods_of(["mlros"], 2, {}),
        n_splits=2,
        n_repeats=1,
    )
    question = Question(
        plan,
        "macro_f1",
        0.01,
        lambda line: None,
        max_samples=max_samples,
        fits_time=not max_samples,
    )
    monkeypatch.setattr("rarelabels.advisor.question.fit_times", lambda *args: FitTimes(seconds))
    real = Store.write

    def noted(store, record):
        order.append(record.key)
        real(store, record)

    monkeypatch.setattr(Store, "write", noted)
    with Store(":memory:") as store:
        answer = question.answered(store, max_minutes=max_minutes, engine="inline", progress=False)
    assert n_compared(answer.plan) == n_used
    names = {job.key: job.method.name for job in answer.plan.jobs()}
    said = [names[key] for key in order]
    assert said[-2:] == ["EMLROS", "EMLROS"]
    assert sorted(said[:-2]) == sorted(2 * [one.name for one in plan.methods[:-1]])


@pytest.mark.parametrize(("max_samples", "cv"), [(3, 2), (100, [([0], [1]), ([1], [0])])])
def test_bad_numbers_of_samples_are_refused(large, max_samples, cv):
    with pytest.raises(ValueError, match="max_samples"):
        does_sampling_help(*large, cv=cv, max_samples=max_samples)
