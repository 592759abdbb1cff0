"""What may go wrong in a run: nothing finished is lost or repeated, and the rest goes on."""

import json
import os
import random
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
from filelock import FileLock

from fuzz.kills import KINDS, Killing
from rarelabels.experiment import Store, StoreError, load_plan, run
from rarelabels.experiment.engines._worker_process import Limits, Process, windows_flags
from rarelabels.experiment.store._database import lock_place, only_run

# Seconds after which something is considered to hang.
PATIENCE = 120
posix_only = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals and limits")


def outcome(store):
    return {
        row["learner"]: (row["status"], (row["error"] or "").splitlines()[:1])
        for row in store.rows()
    }


@posix_only
def test_a_job_that_raises_hangs_eats_memory_or_dies_is_a_row_and_the_rest_goes_on(
    plan_values, misbehaving
):
    learners = [
        misbehaving(name) for name in ("Raising", "Hanging", "Greedy", "Dying", "Talking", "Prior")
    ]
    values = plan_values(learners=learners, methods=["default"], timeout=2, memory=2.0)
    plan = load_plan(values, trusted=["experiment"])
    with Store(":memory:") as store:
        summary = run(plan, store, n_jobs=2)
        assert (summary.done, summary.failed, summary.left) == (4, 8, 0)
        found = outcome(store)
        failures = {row["learner"]: row for row in store.failures()}
    assert found["Prior"][0] == found["Talking"][0] == "done"
    assert "out of cheese" in found["Raising"][1][0]
    assert "Traceback" in failures["Raising"]["error"]
    assert found["Hanging"][1] == ["TimeoutError: the job took longer than 2 seconds."]
    assert "Unable to allocate" in failures["Greedy"]["error"]
    assert "ended by SIGKILL" in found["Dying"][1][0]
    assert all(row["python"] and row["started"] and row["seed"] == 3 for row in failures.values())


@posix_only
@pytest.mark.parametrize("name", ["Forking", "Escaping"])
def test_a_process_left_behind_holds_nobody_up(plan_values, misbehaving, stay_file, name):
    learners = [misbehaving(name), misbehaving("Prior")]
    values = plan_values(learners=learners, methods=["default"], timeout=200)
    with Store(":memory:") as store:
        summary = run(values, store, trusted=["experiment"])
        # A run that waits for what is left behind sees it give up after five minutes.
        assert not stay_file.with_suffix(".outlived").exists()
        assert (summary.done, summary.failed, summary.left) == (2, 2, 0)
        assert all("ended with exit code 3" in row["error"] for row in store.failures())


@pytest.fixture
def stay_file(tmp_path, monkeypatch):
    """Give the file that keeps processes left behind alive, for the time of a test."""
    path = tmp_path / "stay"
    path.touch()
    monkeypatch.setenv("STAY_FILE", str(path))
    yield path
    path.unlink()


@posix_only
@pytest.mark.usefixtures("stay_file")
def test_what_a_worker_started_ends_with_it(plan_values, misbehaving):
    plan = load_plan(
        plan_values(learners=[misbehaving("Forking")], methods=["default"]), trusted=["experiment"]
    )
    process = Process(Limits(), threading.Event())
    process._start()
    group = process._child.pid
    assert process.run(plan.jobs()[0], 0, plan.trusted).status == "failed"
    deadline = time.monotonic() + PATIENCE
    while has_group(group) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not has_group(group)


def has_group(group):
    """Whether a process that is no zombie is in the group."""
    for found in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, its_group = found.read_text().rpartition(")")[2].split()[:3]
            if int(its_group) == group and state != "Z":
                return True
    return False


@pytest.mark.parametrize("engine", ["inline", "processes"])
def test_a_message_that_cannot_be_encoded_is_kept_as_far_as_it_can(
    plan_values, misbehaving, engine
):
    learners = [misbehaving("Unencodable"), misbehaving("Prior")]
    values = plan_values(learners=learners, methods=["default"])
    with Store(":memory:") as store:
        summary = run(values, store, engine=engine, trusted=["experiment"])
        assert (summary.done, summary.failed) == (2, 2)
        assert all(r"no text: \udcff" in row["error"] for row in store.failures())
        assert all(r"odd: \udcfe" in row["warnings"] for row in store.failures())


def test_retry_reruns_failures_only(plan_values, misbehaving, tmp_path, monkeypatch):
    monkeypatch.setenv("MOODY_FILE", str(tmp_path / "good-mood"))
    learners = [misbehaving("Moody"), misbehaving("Prior")]
    values = plan_values(learners=learners, methods=["default"])
    plan = load_plan(values, trusted=["experiment"])
    with Store(":memory:") as store:
        assert str(run(plan, store, engine="inline")).startswith("2 done, 2 failed")
        kept = [row for row in store.rows() if row["learner"] == "Prior"]
        again = run(plan, store, engine="inline")
        assert (again.done, again.failed, again.skipped) == (0, 0, 4)
        (tmp_path / "good-mood").touch()
        retried = run(plan, store, engine="inline", retry=True)
        assert (retried.done, retried.failed, retried.skipped) == (2, 0, 2)
        assert [row for row in store.rows() if row["learner"] == "Prior"] == kept
        assert store.failures() == []


def test_a_full_disk_loses_nothing_that_was_finished(plan_values, tmp_path, scores_in):
    plan = load_plan(plan_values(per_label=True))
    with Store(":memory:") as whole:
        run(plan, whole, engine="inline")
        expected = scores_in(whole)
    with Store(tmp_path / "results.sqlite") as store:
        store.register(plan.name, plan.jobs())
        used = store._database.connection.execute("PRAGMA page_count").fetchone()[0]
        store._database.connection.execute(f"PRAGMA max_page_count = {used + 1}")
        with pytest.raises(StoreError, match=r"full.*everything written before is safe.*make room"):
            run(plan, store, engine="inline")
        written = scores_in(store)
        assert 0 < len(written) < len(expected)
    with Store(tmp_path / "results.sqlite") as store:
        assert scores_in(store) == written
        summary = run(plan, store, engine="inline")
        assert summary.skipped == len({key for key, _ in written})
        assert scores_in(store) == expected


def test_a_second_run_on_the_same_store_is_refused(plan_values, tmp_path):
    path = tmp_path / "results.sqlite"
    code = (
        "import sys; from rarelabels.experiment.store._database import only_run\n"
        f"with only_run({str(path)!r}): print('held', flush=True); sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with holder:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(StoreError, match=f"another run is filling .*process {holder.pid} on"):
            run(plan_values(), path, engine="inline")
        link = tmp_path / "link.sqlite"
        link.symlink_to(path)
        with pytest.raises(StoreError, match="another run is filling"):
            run(plan_values(), link, engine="inline")
        holder.kill()
    assert run(plan_values(methods=["default"]), path, engine="inline").done == 4
    left = {file.name for file in tmp_path.iterdir()}
    assert left == {"made.csv", "made.labels.json", "results.sqlite", "link.sqlite"}


@posix_only
def test_a_lock_file_that_was_removed_after_it_was_opened_is_no_lock(tmp_path, monkeypatch):
    import fcntl

    path = str(tmp_path / "results.sqlite")
    place, lock, removed = f"{path}-lock", fcntl.flock, []

    def remove_once(descriptor, operation):
        if not removed:
            removed.append(place)
            # As the run before does when it ends, just now.
            os.unlink(place)
        lock(descriptor, operation)

    monkeypatch.setattr("fcntl.flock", remove_once)
    with only_run(path):
        assert removed
        assert os.path.exists(place)
        with pytest.raises(StoreError, match="another run"), only_run(path):
            pass
    assert os.listdir(tmp_path) == []


@posix_only
def test_a_link_in_the_place_of_the_lock_is_not_written_through(tmp_path, monkeypatch):
    """Neither one that was there before, nor one that is put there while the run begins."""
    path, secret = tmp_path / "results.sqlite", tmp_path / "secret"
    secret.write_text("stays")
    place = lock_place(str(path))
    place.symlink_to(secret)
    with pytest.raises(StoreError, match="cannot be locked"), only_run(str(path)):
        pass
    assert secret.read_text() == "stays"
    place.unlink()
    acquire = FileLock.acquire

    def then_replace(lock, *args, **kwargs):
        held = acquire(lock, *args, **kwargs)
        place.unlink()
        place.symlink_to(secret)
        return held

    monkeypatch.setattr(FileLock, "acquire", then_replace)
    with only_run(str(path)):
        assert secret.read_text() == "stays"
    assert secret.read_text() == "stays"


def test_time_that_is_up_leaves_the_rest_for_later(plan_values, misbehaving, scores_in):
    values = plan_values(learners=[misbehaving("Slow"), misbehaving("Hanging")])
    plan = load_plan(values, trusted=["experiment"])
    with Store(":memory:") as store:
        summary = run(plan, store, max_minutes=6 / 60)
        assert summary.failed == 0
        assert summary.left == len(plan.jobs()) - summary.done > 0
        assert len({key for key, _ in scores_in(store)}) == summary.done


@posix_only
@pytest.mark.parametrize("kind", KINDS)
def test_after_kills_a_run_goes_on_to_exactly_the_rows_of_an_uninterrupted_one(kind, tmp_path):
    if "Dask" in kind:
        pytest.importorskip("distributed")
    chance = random.Random(0)
    with Killing(tmp_path) as killing:
        n_killed = sum(killing.once(kind, chance) for _ in range(2))
        killing.finish()
    assert killing.faults == []
    assert n_killed > 0


@posix_only
def test_a_worker_does_not_outlive_a_killed_run(plan_values, misbehaving):
    code = (
        "import json, sys, threading\n"
        "from rarelabels.experiment import load_plan\n"
        "from rarelabels.experiment.engines._worker_process import Limits, Process\n"
        "process = Process(Limits(), threading.Event())\n"
        "process._start(); print(process._child.pid, flush=True)\n"
        "plan = load_plan(json.loads(sys.argv[1]), trusted=['experiment'])\n"
        "process.run(plan.jobs()[0], 0, plan.trusted)\n"
    )
    values = plan_values(learners=[misbehaving("Hanging")], methods=["default"])
    with subprocess.Popen(
        [sys.executable, "-c", code, json.dumps(values)], stdout=subprocess.PIPE, text=True
    ) as parent:
        worker = int(parent.stdout.readline())
        time.sleep(0.5)
        parent.kill()
    deadline = time.monotonic() + PATIENCE
    while is_alive(worker) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_alive(worker)


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            # A process that ended but was not waited for is a zombie, not alive.
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("nice", [0, 10])
def test_a_session_and_niceness_have_a_counterpart_on_windows(monkeypatch, nice):
    if os.name == "posix":
        assert windows_flags(nice) == 0
    monkeypatch.setattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0x200, raising=False)
    monkeypatch.setattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0x4000, raising=False)
    assert windows_flags(nice) == (0x4200 if nice else 0x200)
