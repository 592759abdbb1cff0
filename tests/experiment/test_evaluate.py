import math
import time

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from rarelabels import find_neighbors
from rarelabels.ensemble import ResampledClassifier, SamplingEnsemble, members
from rarelabels.experiment import load_plan
from rarelabels.experiment.evaluate import _members
from rarelabels.experiment.evaluate._evaluate import run_job
from rarelabels.experiment.evaluate._fold import fold_of
from rarelabels.experiment.evaluate._memo import Memo
from rarelabels.experiment.plan import in_memory_learner, model_of
from rarelabels.learners import BinaryRelevance, ThresholdedClassifier, learner
from rarelabels.metrics import disagreement, macro_auc_pr, macro_auc_roc, macro_f1
from rarelabels.sampling import MLSOL, MLUL


def numbers(record):
    return {**record.scores, **record.label_scores}


def counted(monkeypatch, module, name):
    """Note the keyword arguments of each call of a module's function."""
    calls, function = [], getattr(module, name)

    def call(*args, **options):
        calls.append(options)
        return function(*args, **options)

    monkeypatch.setattr(module, name, call)
    return calls


@pytest.fixture
def jobs(plan_values):
    plan = load_plan(plan_values(per_label=True))
    return {(job.learner.name, job.method.name, job.fold): job for job in plan.jobs()}


def test_a_job_alone_gives_what_it_gives_among_others(jobs):
    memo = Memo()
    among = [run_job(job, memo, wanted=7) for job in jobs.values()]
    for record, job in zip(among, jobs.values(), strict=True):
        assert record.status == "done", record.error
        assert numbers(record) == numbers(run_job(job))


@pytest.mark.parametrize("name", ["BR", "MLkNN"])
def test_a_sampler_is_the_librarys_resampled_classifier(jobs, name):
    job = jobs[name, "MLSOL", 1]
    fold = fold_of(job, Memo())
    model = ResampledClassifier(learner(name), MLSOL(), random_state=job.model_seed)
    model.fit(fold.X_train, fold.Y_train)
    record = run_job(job)
    assert record.scores["macro_f1"] == macro_f1(fold.Y_test, model.predict(fold.X_test))
    scores = model.predict_proba(fold.X_test)
    assert record.scores["macro_auc_roc"] == macro_auc_roc(fold.Y_test, scores)


@pytest.mark.parametrize("name", ["BR", "MLkNN"])
@pytest.mark.parametrize(
    ("method", "sampler", "vary"),
    [("EMLSOL", MLSOL(), None), ("EkMLUL", MLUL(), {"n_neighbors": [3, 5, 7]})],
)
def test_an_ensemble_is_the_librarys(jobs, name, method, sampler, vary):
    job = jobs[name, method, 0]
    fold = fold_of(job, Memo())
    model = SamplingEnsemble(
        learner(name), sampler, n_estimators=3, vary=vary, random_state=job.model_seed
    ).fit(fold.X_train, fold.Y_train)
    record = run_job(job)
    assert record.scores["macro_f1"] == macro_f1(fold.Y_test, model.predict(fold.X_test))
    assert record.scores["macro_auc_pr"] == macro_auc_pr(
        fold.Y_test, model.predict_proba(fold.X_test)
    )
    assert record.scores["disagreement"] == model.disagreement(fold.X_test)
    votes = [member.predict(fold.X_test) for member in model.estimators_]
    assert record.scores["disagreement"] == disagreement(votes)


def test_an_ensemble_takes_over_its_samplers_model(jobs, monkeypatch):
    fitted = counted(monkeypatch, members, "fit_multilabel")
    memo = Memo()
    run_job(jobs["BR", "MLSOL", 0], memo)
    run_job(jobs["BR", "EMLSOL", 0], memo)
    assert len(fitted) == 1 + 2


def test_neighbours_are_searched_once_for_a_fold(jobs, monkeypatch):
    searched = counted(monkeypatch, _members, "find_neighbors")
    memo = Memo()
    for (_, _, fold), job in jobs.items():
        if fold == 0:
            run_job(job, memo, wanted=7)
    assert [call["n_neighbors"] for call in searched] == [7]


def test_each_member_predicts_once_on_test_and_on_training_samples(plan_values, monkeypatch):
    vary = {"sampling_ratio": [0.1, 0.2, 0.3, 0.4, 0.5]}
    methods = [
        "default",
        "MLSOL",
        {"sampler": "MLSOL", "n_estimators": 5},
        {"name": "EpMLSOL", "sampler": "MLSOL", "vary": vary},
    ]
    learners = ["BR", "CLR", "RAkEL", "COCOA", "ECCRU3", "MLkNN"]
    plan = load_plan(plan_values(methods=methods, learners=learners))
    on_test = counted(monkeypatch, _members, "scores_and_decisions")
    on_training = counted(monkeypatch, _members, "label_scores")
    fitted = counted(monkeypatch, members, "fit_multilabel")
    memo = Memo()
    for job in plan.jobs():
        if job.fold == 0:
            assert run_job(job, memo).status == "done"
    # Default, five of E (the first is the sampler's), four of E_p: its third is the third of E.
    assert len(fitted) == len(on_test) == len(learners) * (1 + 5 + 4)
    assert len(on_training) == len(learners) * (5 + 4)


def test_a_kept_member_gives_the_numbers_of_one_fitted_anew(plan_values):
    vary = {"sampling_ratio": [0.1, 0.2, 0.3]}
    methods = [
        {"sampler": "MLSOL", "n_estimators": 3},
        {"sampler": "MLSOL", "vary": vary, "name": "p"},
    ]
    plan = load_plan(plan_values(methods=methods, learners=["BR", "CLR", "COCOA"], per_label=True))
    memo = Memo()
    for job in plan.jobs():
        assert numbers(run_job(job, memo)) == numbers(run_job(job))


def test_a_search_counts_once_for_an_ensemble(jobs, monkeypatch):
    slow = find_neighbors_slowly(0.2)
    monkeypatch.setattr(_members, "find_neighbors", slow)
    record = run_job(jobs["BR", "EMLSOL", 0], Memo())
    assert 0.2 < record.sampling_seconds < 0.4


def find_neighbors_slowly(seconds):
    def find(X, **options):
        time.sleep(seconds)
        return find_neighbors(X, **options)

    return find


@pytest.mark.parametrize("asked", [None, "auto"])
def test_categories_of_the_data_set_reach_what_is_inside_a_learner(jobs, asked):
    method = jobs["BR", "Default", 0].method
    inner = learner("MLkNN", categorical_features=asked)
    around = in_memory_learner(learner("BR", estimator=inner), "BR")
    model = model_of(around, method, (0, 2)).estimator
    assert model.estimator.categorical_features == (0, 2)
    told = in_memory_learner(learner("MLkNN", categorical_features=[1]), "MLkNN")
    assert model_of(told, method, (0, 2)).estimator.categorical_features == [1]


def test_times_count_what_was_shared(jobs):
    memo = Memo()
    single = run_job(jobs["BR", "MLSOL", 0], memo)
    ensemble = run_job(jobs["BR", "EMLSOL", 0], memo)
    for name in ("sampling_seconds", "training_seconds", "prediction_seconds"):
        assert 0 < getattr(single, name) < getattr(ensemble, name)
    assert run_job(jobs["BR", "Default", 0], memo).sampling_seconds == 0


def test_scores_of_labels_average_to_the_macro_scores(jobs):
    record = run_job(jobs["BR", "MLROS", 0])
    assert set(record.label_scores["macro_f1"]) == {"label_0", "label_1", "label_2"}
    for metric, by_label in record.label_scores.items():
        assert record.scores[metric] == pytest.approx(np.mean(list(by_label.values())))


def test_a_record_says_when_where_and_with_what(jobs):
    record = run_job(jobs["BR", "Default", 0])
    assert set(record.versions) == {"python", "numpy", "scipy", "sklearn", "rarelabels"}
    assert record.peak_memory > 10_000_000
    assert not math.isnan(record.scores["macro_f1"])
    assert record.scores["n_labels_left_out"] == 0


def test_folds_are_those_of_the_splitter(jobs):
    memo = Memo()
    first, second = (fold_of(jobs["BR", "Default", fold], memo) for fold in (0, 1))
    assert len(first.X_train) + len(first.X_test) == 80
    np.testing.assert_array_equal(first.X_train, second.X_test)
    assert abs(first.Y_train.sum(axis=0) - first.Y_test.sum(axis=0)).max() <= 1


def test_warnings_are_kept_with_the_result(plan_values, tmp_path):
    # Each minority row is an outlier, so MLSOL has nothing to go by and says so.
    rows = [f"{i},{int(i % 10 == 0)}" for i in range(40)]
    (tmp_path / "flat.csv").write_text("a,label_0\n" + "\n".join(rows) + "\n")
    entry = {"path": str(tmp_path / "flat.csv"), "labels": "label_"}
    plan = load_plan(plan_values(datasets=[entry], methods=["MLSOL"], learners=["BR"]))
    record = run_job(plan.jobs()[0])
    assert record.status == "done"
    assert "no sample is informative" in record.warnings


def test_class_weights_belong_to_a_method_and_thresholds_may_stand_alone(plan_values):
    methods = [
        {"name": "Default"},
        {"name": "Thresholds", "sampler": "default", "threshold": "f1"},
        {
            "name": "Weights",
            "sampler": "default",
            "learner_params": {"estimator__class_weight": "balanced"},
        },
    ]
    entry = {"learner": "BR", "estimator": "sklearn.linear_model.LogisticRegression"}
    plan = load_plan(plan_values(methods=methods, learners=[entry]))
    memo = Memo()
    plain, tuned, weighted = (run_job(job, memo) for job in plan.jobs()[:3])
    fold = fold_of(plan.jobs()[0], memo)
    by_hand = BinaryRelevance(LogisticRegression(class_weight="balanced"))
    by_hand.fit(fold.X_train, fold.Y_train)
    assert weighted.scores["macro_f1"] == macro_f1(fold.Y_test, by_hand.predict(fold.X_test))
    assert weighted.scores["macro_f1"] != plain.scores["macro_f1"]
    by_hand = ThresholdedClassifier(BinaryRelevance(LogisticRegression()), rule="f1", cv=None)
    by_hand.fit(fold.X_train, fold.Y_train)
    assert tuned.scores["macro_f1"] == macro_f1(fold.Y_test, by_hand.predict(fold.X_test))
    assert tuned.scores["macro_auc_pr"] == plain.scores["macro_auc_pr"]
