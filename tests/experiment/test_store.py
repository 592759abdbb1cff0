import csv
import os
import random
import sqlite3
from contextlib import suppress

import pytest

from rarelabels.comparison import average_ranks
from rarelabels.experiment import (
    DatasetSpec,
    Job,
    LearnerSpec,
    MethodSpec,
    Record,
    Store,
    StoreError,
    load_plan,
    run,
)  # fmt: skip
from rarelabels.experiment.store import _database, failure


@pytest.fixture
def plan(plan_values):
    return load_plan(plan_values(methods=["default", "MLSOL"], learners=["BR"]))


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "results.sqlite") as store:
        yield store


def records(jobs, value=0.5):
    return [
        Record(job.key, "done", scores={"macro_f1": value, "macro_auc_pr": None}) for job in jobs
    ]


def test_a_result_is_one_row_for_each_metric(store, plan):
    jobs = plan.jobs()
    store.register(plan.name, jobs)
    assert store.rows() == []
    for record in records(jobs[:1]):
        assert store.write(record)
    rows = store.rows()
    assert [(row["metric"], row["value"]) for row in rows] == [
        ("macro_auc_pr", None),
        ("macro_f1", 0.5),
    ]
    assert {row["dataset"] for row in rows} == {"made"}
    assert {row["seed"] for row in rows} == {3}
    assert {row["python"] for row in rows} != {None}


def test_what_is_done_stays_and_a_failure_is_replaced(store, plan):
    jobs = plan.jobs()
    store.register(plan.name, jobs)
    store.write(failure(jobs[0].key, "ValueError: no\n\ntraceback"))
    assert [row["error"].splitlines()[0] for row in store.failures()] == ["ValueError: no"]
    assert jobs[0] not in store.pending(jobs)
    assert jobs[0] in store.pending(jobs, retry=True)
    assert store.write(records(jobs[:1], 0.6)[0])
    assert store.failures() == []
    assert not store.write(records(jobs[:1], 0.7)[0])
    assert not store.write(failure(jobs[0].key, "late"))
    assert {row["value"] for row in store.rows()} == {0.6, None}


def test_scores_average_over_folds_and_wait_for_all_of_them(store, plan):
    store.register(plan.name, plan.jobs())
    folds = {}
    for job in plan.jobs():
        folds.setdefault((job.fold, job.method.name), job)
    for place, which in enumerate([(0, "Default"), (1, "Default"), (0, "MLSOL")]):
        store.write(Record(folds[which].key, "done", scores={"macro_f1": place / 10}))
    table = store.scores("macro_f1")
    assert (table.datasets, table.methods) == (("made",), ("Default", "MLSOL"))
    assert table.columns()["Default"] == [pytest.approx(0.05)]
    assert table.complete().values.shape == (0, 2)
    partial = store.scores("macro_f1", partial=True)
    assert partial.columns()["MLSOL"] == [0.2]
    assert average_ranks(partial.columns()) == {"Default": 2.0, "MLSOL": 1.0}
    assert partial.to_pandas().loc["made", "MLSOL"] == 0.2
    assert partial.select(["MLSOL"]).methods == ("MLSOL",)
    with pytest.raises(KeyError, match="has no method 'X'"):
        partial.select(["X"])


def test_scores_ask_which_plan_or_learner_is_meant(store, plan, plan_values):
    store.register(plan.name, plan.jobs())
    store.register("other", load_plan(plan_values()).jobs())
    with pytest.raises(ValueError, match="pass plan=: the store has 'other', 'small'"):
        store.scores("macro_f1")
    with pytest.raises(ValueError, match="pass learner=: the store has 'BR', 'MLkNN'"):
        store.scores("macro_f1", plan="other")
    assert store.plans() == ["other", "small"]


def test_a_changed_plan_leaves_its_old_jobs_behind_but_not_their_results(store, plan, plan_values):
    for chosen in (["MLSOL"], ["default"], ["MLSOL"]):
        changed = load_plan(plan_values(methods=chosen, learners=["BR"]))
        store.register(changed.name, changed.jobs())
        for record in records(store.pending(changed.jobs())):
            store.write(record)
        assert {row["method"] for row in store.rows()} == {changed.methods[0].name}
    assert store.pending(plan.jobs()) == []


def test_jobs_come_back_as_they_were(store, plan):
    store.register(plan.name, plan.jobs())
    assert tuple(store.jobs()) == plan.jobs()


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_export_writes_every_row(store, plan, tmp_path, suffix):
    import pandas as pd

    store.register(plan.name, plan.jobs())
    for record in records(plan.jobs()[1:]):
        store.write(record)
    store.write(failure(plan.jobs()[0].key, "broken"))
    target = tmp_path / f"rows.{suffix}"
    store.export(target)
    found = pd.read_csv(target) if suffix == "csv" else pd.read_parquet(target)
    assert len(found) == len(store.rows()) == 2 * (len(plan.jobs()) - 1) + 1
    assert list(found.columns) == list(store.rows()[0])
    assert found["value"].sum() == 0.5 * (len(plan.jobs()) - 1)
    assert found["fold"].dtype.kind == "i"


def test_exported_texts_are_no_formulas(plan_values, tmp_path):
    named = [
        {"name": name, "sampler": "MLROS", "params": {"sampling_ratio": place / 10}}
        for place, name in enumerate(("=1+1", "@x", "-5", "plain"))
    ]
    plan = load_plan(plan_values(methods=named, learners=["BR"]))
    with Store(":memory:") as store:
        store.register(plan.name, plan.jobs())
        for record in records(plan.jobs()):
            store.write(record)
        store.export(tmp_path / "rows.csv")
    with open(tmp_path / "rows.csv", newline="", encoding="utf-8") as file:
        found = {row["method"] for row in csv.DictReader(file)}
    assert found == {"'=1+1", "'@x", "-5", "plain"}


@pytest.mark.skipif(os.name != "posix", reason="needs named pipes")
def test_an_export_replaces_no_device(store, tmp_path):
    for suffix in (".csv", ".parquet"):
        os.mkfifo(tmp_path / f"pipe{suffix}")
        with pytest.raises(OSError, match="not a regular file"):
            store.export(tmp_path / f"pipe{suffix}")


def test_export_of_another_kind_is_refused(store, tmp_path):
    with pytest.raises(ValueError, match=r"\.csv or \.parquet"):
        store.export(tmp_path / "rows.xlsx")


def test_scores_of_labels_are_averaged_over_folds(plan_values):
    plan = load_plan(plan_values(per_label=True, methods=["default", "MLSOL"], learners=["BR"]))
    with Store(":memory:") as store:
        run(plan, store, engine="inline")
        found = store.label_scores("macro_f1")
        assert [(row["method"], row["label"]) for row in found[:3]] == [
            ("Default", f"label_{j}") for j in range(3)
        ]
        mean = sum(row["value"] for row in found[:3]) / 3
        assert mean == pytest.approx(store.scores("macro_f1").values[0, 0])
        assert {row["folds"] for row in found} == {2}


def test_a_file_that_is_no_store_is_refused_and_left_alone(tmp_path):
    text = tmp_path / "notes.txt"
    text.write_text("not a database, but long enough to be looked at " * 40)
    with pytest.raises(StoreError, match=r"notes\.txt is not a store"):
        Store(text)
    assert text.read_text().startswith("not a database")
    foreign = tmp_path / "foreign.sqlite"
    with sqlite3.connect(foreign) as connection:
        connection.execute("CREATE TABLE things (name TEXT)")
    connection.close()
    before = foreign.read_bytes()
    with pytest.raises(StoreError, match="another program's SQLite file"):
        Store(foreign)
    assert foreign.read_bytes() == before


@pytest.mark.parametrize(
    ("version", "words"), [(1, "before the first release"), (99, "a newer version of rarelabels")]
)
def test_a_store_of_an_unknown_version_is_refused(tmp_path, version, words):
    path = tmp_path / "results.sqlite"
    Store(path).close()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    with pytest.raises(StoreError, match=words):
        Store(path)


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    with pytest.raises(StoreError, match="cannot be used: unable to open"):
        Store(tmp_path / "missing" / "results.sqlite")


def test_a_finished_store_is_read_where_nothing_can_be_written(store, plan, tmp_path, monkeypatch):
    store.register(plan.name, plan.jobs())
    for record in records(plan.jobs()):
        store.write(record)
    expected = store.rows()
    store.close()
    before = sorted(path.name for path in tmp_path.iterdir())
    monkeypatch.setattr(_database, "can_write", lambda path: False)
    with Store(tmp_path / "results.sqlite") as found:
        assert found.rows() == expected
        assert tuple(found.jobs()) == plan.jobs()
        with pytest.raises(StoreError, match="readonly"):
            found.register("other", plan.jobs())
        assert sorted(path.name for path in tmp_path.iterdir()) == before


def test_a_folder_without_the_right_to_write_is_seen(tmp_path, monkeypatch):
    Store(tmp_path / "results.sqlite").close()
    assert _database.can_write(str(tmp_path / "results.sqlite"))
    monkeypatch.setattr(_database.os, "access", lambda path, mode: not os.path.isdir(path))
    assert not _database.can_write(str(tmp_path / "results.sqlite"))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Return the bytes of a store with results."""
    folder = tmp_path_factory.mktemp("whole")
    jobs = [
        Job(DatasetSpec(name), LearnerSpec("BR", "br"), MethodSpec("Default"), fold)
        for name in ("a", "b")
        for fold in range(10)
    ]
    with Store(folder / "new.sqlite") as store:
        store.register("plan", jobs)
        for record in records(jobs):
            store.write(record)
    return (folder / "new.sqlite").read_bytes()


@pytest.mark.parametrize("seed", range(200))
def test_a_damaged_store_raises_nothing_but_store_errors(whole, tmp_path, seed):
    chance = random.Random(seed)
    path = tmp_path / "damaged.sqlite"
    path.write_bytes(damaged(whole, chance))
    with suppress(StoreError), Store(path) as store:
        for look in (
            store.plans, store.rows, store.failures, store.jobs, store.seconds, store.records,
            lambda: store.scores(plan="plan", learner="BR"), store.label_scores,
            lambda: store.pending([]),
            lambda: store.write(Record("0" * 24, "done", scores={"macro_f1": 1.0})),
            lambda: store.register("plan", []),
        ):  # fmt: skip
            with suppress(StoreError):
                look()


def damaged(data, chance):
    """Overwrite, cut, zero or shuffle a part of a file."""
    found, start = bytearray(data), chance.randrange(100, len(data))
    length = chance.choice([1, 8, 64, 600])
    kind = chance.choice(["bytes", "bytes", "cut", "zeros", "swap"])
    if kind == "bytes":
        for place in chance.sample(range(100, len(data)), length):
            found[place] = chance.randrange(256)
    elif kind == "cut":
        del found[start:]
    elif kind == "zeros":
        found[start : start + length] = bytes(len(found[start : start + length]))
    else:
        pages = [found[i : i + 4096] for i in range(4096, len(found), 4096)]
        chance.shuffle(pages)
        found[4096:] = b"".join(pages)
    return bytes(found)
