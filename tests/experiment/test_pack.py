"""Stores that travel: packed, unpacked, merged and continued."""

import json
import lzma
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace

import pytest

from rarelabels.experiment import (
    DatasetSpec,
    Job,
    LearnerSpec,
    MethodSpec,
    Plan,
    Record,
    Store,
    StoreError,
    load_plan,
    pack,
    run,
    unpack,
)  # fmt: skip
from rarelabels.experiment.store import failure

RUN = """
import json, sys
from rarelabels.experiment import run
run(json.loads(sys.argv[1]), sys.argv[2], trusted=["experiment"])
"""


@pytest.fixture(scope="module")
def filled(kept_values, tmp_path_factory):
    """Return a plan and the path of a store, to be read, with all its results and a failure."""
    plan = load_plan(kept_values(per_label=True, learners=["BR"]))
    path = tmp_path_factory.mktemp("filled") / "filled.sqlite"
    with Store(path) as store:
        run(plan, store, engine="inline")
        store.register("other", plan.jobs()[::-1])
        store.write(failure("0" * 24, "ValueError: no\n\nFile /home/me/secret.py"))
    return plan, path


def content(store):
    """Return what a pack keeps of a store."""
    return {
        record.key: (
            record.status, record.scores, record.label_scores, record.versions, record.started,
            record.warnings, (record.error or "").partition("\n")[0],
        )
        for record in store.records()
    }  # fmt: skip


def test_a_pack_comes_back_as_it_was_and_packs_to_the_same_bytes(filled, tmp_path):
    plan, path = filled
    pack(path, tmp_path / "a.json.xz")
    with Store(path) as store, Store(tmp_path / "new.sqlite") as other:
        assert unpack(tmp_path / "a.json.xz", other).added == len(plan.jobs()) + 1
        assert content(other) == content(store)
        assert other.plans() == store.plans() == ["other", "small"]
        assert [job.key for job in other.jobs("other")] == [job.key for job in store.jobs("other")]
        keys = ("key", "method", "metric", "value", "status")
        assert [[row[key] for key in keys] for row in other.rows("small")] == [
            [row[key] for key in keys] for row in store.rows("small")
        ]
        for record, original in zip(other.records(), store.records(), strict=True):
            if original.seconds is not None:
                assert record.seconds == pytest.approx(original.seconds, rel=1e-3)
        assert str(unpack(tmp_path / "a.json.xz", other)) == "0 results added, 11 known before"
        pack(other, tmp_path / "b.json.xz")
    assert (tmp_path / "a.json.xz").read_bytes() == (tmp_path / "b.json.xz").read_bytes()


def test_the_order_of_arrival_says_nothing(filled, tmp_path):
    plan, path = filled
    with Store(path) as store, Store(tmp_path / "shuffled.sqlite") as shuffled:
        records = store.records()
        random.Random(0).shuffle(records)
        shuffled.register("other", plan.jobs()[::-1])
        shuffled.register("small", plan.jobs())
        for record in records:
            shuffled.write(record)
        pack(shuffled, tmp_path / "shuffled.json.xz")
        pack(store, tmp_path / "store.json.xz")
    assert (tmp_path / "shuffled.json.xz").read_bytes() == (tmp_path / "store.json.xz").read_bytes()


def test_a_pack_names_neither_host_nor_folders(filled, tmp_path):
    _, path = filled
    pack(path, tmp_path / "a.json.xz")
    text = lzma.decompress((tmp_path / "a.json.xz").read_bytes()).decode()
    with Store(path) as store:
        hosts = {record.host for record in store.records()}
    assert all(host not in text for host in hosts)
    assert str(path.parent) not in text
    assert str(path.parents[1]) not in text
    assert "secret" not in text
    assert '"path":"made.csv"' in text


def test_results_of_two_stores_are_united(plan_values, tmp_path, scores_in):
    one = plan_values(learners=["BR"], methods=["default", "MLSOL"])
    two = plan_values(learners=["BR"], methods=["MLSOL", "MLROS"])
    with Store(tmp_path / "one.sqlite") as first, Store(tmp_path / "two.sqlite") as second:
        run(one, first, engine="inline")
        run(two, second, engine="inline")
        pack(first, tmp_path / "one.json.xz")
        found = unpack(tmp_path / "one.json.xz", second)
        assert (found.added, found.known) == (2, 2)
        assert scores_in(first).items() <= scores_in(second).items()
        assert [job.method.name for job in second.jobs()] == [
            "MLSOL", "MLROS", "MLSOL", "MLROS", "Default", "Default",
        ]  # fmt: skip


def test_a_failure_gives_way_and_a_result_does_not(plan_values, tmp_path):
    plan = load_plan(plan_values(learners=["BR"], methods=["default"]))
    first, second = (job.key for job in plan.jobs())
    with Store(":memory:") as store, Store(":memory:") as other:
        for target in (store, other):
            target.register(plan.name, plan.jobs())
        store.write(Record(first, "done", scores={"macro_f1": 0.5}))
        store.write(failure(second, "no"))
        other.write(failure(first, "no"))
        other.write(Record(second, "done", scores={"macro_f1": 0.25}))
        pack(store, tmp_path / "a.json.xz")
        assert unpack(tmp_path / "a.json.xz", other).added == 1
        assert {row["value"] for row in other.rows()} == {0.5, 0.25}


def test_different_scores_of_one_job_are_an_error_that_names_it(filled, tmp_path):
    plan, path = filled
    pack(path, tmp_path / "a.json.xz")
    job = plan.jobs()[3]
    with Store(tmp_path / "other.sqlite") as other:
        other.write(Record(job.key, "done", scores={"macro_f1": 0.125}))
        with pytest.raises(StoreError, match=f"{job} has .*Nothing was added"):
            unpack(tmp_path / "a.json.xz", other)
        assert len(other.records()) == 1
        assert other.plans() == []


def test_a_killed_run_is_continued_from_its_pack_on_another_machine(
    plan_values, misbehaving, tmp_path, scores_in
):
    values = plan_values(
        learners=["BR", misbehaving("Slow")], folds={"n_splits": 2, "n_repeats": 2}
    )
    with Store(":memory:") as whole:
        run(values, whole, engine="inline", trusted=["experiment"])
        expected = scores_in(whole)
    here, there = tmp_path / "here.sqlite", tmp_path / "there.sqlite"
    process = subprocess.Popen([sys.executable, "-c", RUN, json.dumps(values), str(here)])
    while process.poll() is None and n_done(here) < 5:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    pack(here, tmp_path / "results.json.xz")
    n_packed = unpack(tmp_path / "results.json.xz", there).added
    assert 5 <= n_packed < len(expected) / 7
    summary = run(values, there, engine="inline", trusted=["experiment"])
    assert (summary.skipped, summary.left) == (n_packed, 0)
    with Store(there) as store:
        assert scores_in(store) == expected


def n_done(path):
    with suppress(StoreError), Store(path) as store:
        return len(store.records())
    return 0


PATHS = ("../outside", "/outside", "..", "a/b", "nul\\..\\x", "~/outside")


@pytest.mark.parametrize("name", PATHS)
def test_names_in_a_pack_are_no_paths(tmp_path, name):
    """Unpacking and exporting write the files that the caller names, and no other."""
    jobs = [
        Job(DatasetSpec(name), LearnerSpec(name, "br"), MethodSpec(name), fold) for fold in (0, 1)
    ]
    source, folder = tmp_path / "source.xz", tmp_path / "in" / "here"
    with Store(":memory:") as store:
        store.register(name, jobs)
        for job in jobs:
            store.write(Record(job.key, "done", scores={name: 0.5}))
        pack(store, source)
    folder.mkdir(parents=True)
    unpack(source, folder / "s.sqlite")
    with Store(folder / "s.sqlite") as store:
        assert store.plans() == [name]
        store.export(folder / "rows.csv")
        pack(store, folder / "again.xz")
    everything = {path for path in tmp_path.rglob("*") if path.is_file()}
    assert everything == {source, *(folder / made for made in ("s.sqlite", "rows.csv", "again.xz"))}
    assert (folder / "again.xz").read_bytes() == source.read_bytes()


@pytest.mark.parametrize("damage", ["text", "cut", "foreign", "later", "columns", "job"])
def test_what_is_no_pack_is_refused(filled, tmp_path, damage):
    path = tmp_path / "a.json.xz"
    pack(filled[1], path)
    data = path.read_bytes()
    document = json.loads(lzma.decompress(data))
    if damage == "text":
        data = b"no pack at all"
    elif damage == "cut":
        data = data[: len(data) // 2]
    else:
        changes = {
            "foreign": {"format": "something else"},
            "later": {"version": 99},
            "columns": {"results": {**document["results"], "status": ["done"]}},
            "job": {"jobs": {**document["jobs"], "fold": None}},
        }
        data = lzma.compress(json.dumps({**document, **changes[damage]}).encode())
    path.write_bytes(data)
    with pytest.raises(StoreError, match=r"not a packed store|newer version"):
        unpack(path, tmp_path / "other.sqlite")


def test_a_pack_has_the_name_of_one(tmp_path):
    with Store(":memory:") as store, pytest.raises(ValueError, match=r"results\.json\.xz"):
        pack(store, tmp_path / "results.zip")


def test_the_papers_study_packs_into_a_few_megabytes(tmp_path):
    """One repetition of its five, in a fifth of the place."""
    chance = random.Random(0)
    plan = Plan(
        "paper",
        tuple(DatasetSpec(f"data set {i}", min_positive=2) for i in range(13)),
        tuple(LearnerSpec(f"learner {i}", "br", params=(("n_jobs", i),)) for i in range(6)),
        tuple(MethodSpec(f"method {i}", "mlsol", n_estimators=i + 1) for i in range(17)),
        n_repeats=1,
    )
    metrics = "macro_f1 macro_gmean macro_balanced_accuracy macro_auc_roc macro_auc_pr disagreement"
    with Store(tmp_path / "all.sqlite") as store:
        jobs = plan.jobs()
        assert len(jobs) == 13_260 / 5
        store.register(plan.name, jobs)
        store.merge({}, [random_record(job, metrics.split(), chance) for job in jobs])
        pack(store, tmp_path / "all.json.xz")
    assert (tmp_path / "all.json.xz").stat().st_size < 400_000


def random_record(job: Job, metrics, chance):
    scores = {name: chance.random() for name in metrics} | {"n_labels_left_out": 3.0}
    seconds = [chance.expovariate(0.1) for _ in range(4)]
    record = Record(job.key, "done", None, None, scores, {}, *seconds, peak_memory=2**28)
    return replace(record, started=f"2026-01-0{chance.randint(1, 9)}T00:00:00+00:00")


def test_a_small_file_that_unpacks_to_much_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("rarelabels.experiment.store._pack.MAX_SIZE", 10**6)
    place = tmp_path / "bomb.xz"
    place.write_bytes(lzma.compress(bytes(10**7)))
    assert place.stat().st_size < 10**4
    with Store(":memory:") as store, pytest.raises(StoreError, match="is larger than"):
        unpack(place, store)


def test_deep_nesting_is_refused(tmp_path):
    place = tmp_path / "deep.xz"
    place.write_bytes(lzma.compress(b"[" * 200_000))
    with Store(":memory:") as store, pytest.raises(StoreError, match="is not a packed store"):
        unpack(place, store)
