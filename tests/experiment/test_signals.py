"""Workers end with the run, whatever ends it, and nothing of the run stays behind."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest

from rarelabels.experiment import Store, run
from rarelabels.experiment._signals import Ended, ending_on_signals
from rarelabels.experiment.evaluate._memory import is_out_of_memory

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs POSIX signals")
PROGRAM = """
import json, sys
from rarelabels.experiment import run
run(json.loads(sys.argv[1]), sys.argv[2], n_jobs=2, engine=sys.argv[3], trusted=["experiment"],
    progress=False)
"""
PATIENCE = 60
SIGNALS = ("SIGKILL", "SIGTERM", "SIGHUP", "SIGINT", "SIGSEGV")
HANDLED = ("SIGTERM", "SIGHUP", "SIGINT")


def without_nohup():
    """Let the program end by SIGHUP, which it ignores if the tests were started by nohup."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture
def started(plan_values, misbehaving, tmp_path, monkeypatch):
    """Start a run whose fits never end; return it once its fits have begun."""
    busy = tmp_path / "busy"
    busy.mkdir()
    monkeypatch.setenv("BUSY_FOLDER", str(busy))
    runs, processes = [], []

    def start(name, engine="processes", n_fits=2):
        values = plan_values(learners=[misbehaving(name)], methods=["default"])
        command = [sys.executable, "-c", PROGRAM, json.dumps(values), str(tmp_path / "s.sqlite")]
        process = subprocess.Popen(
            [*command, engine], stderr=subprocess.PIPE, text=True, preexec_fn=without_nohup
        )
        processes.append(process)
        runs.append(psutil.Process(process.pid))
        wait_until(lambda: len(list(busy.iterdir())) == n_fits or process.poll() is not None)
        assert process.poll() is None, process.stderr.read()
        runs.extend(runs[0].children(recursive=True))
        return process, runs[1:]

    yield start
    for one in runs:
        if is_alive(one):
            one.kill()
    for process in processes:
        process.wait()
        process.stderr.close()


def wait_until(is_so):
    deadline = time.monotonic() + PATIENCE
    while not is_so() and time.monotonic() < deadline:
        time.sleep(0.02)
    return is_so()


def is_alive(process):
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.mark.parametrize("name", SIGNALS)
def test_workers_and_what_they_started_end_with_the_run(started, tmp_path, name):
    """Before, processes that compiled code kept busy used the processor for minutes more."""
    if sys.platform != "linux" and name not in HANDLED:
        pytest.skip("only Linux ends a process that holds Python's lock")
    process, workers = started("Busy")
    assert len(workers) == 4
    process.send_signal(getattr(signal, name))
    process.communicate(timeout=PATIENCE)
    assert wait_until(lambda: not any(map(is_alive, workers)))
    if name in HANDLED:
        assert not (tmp_path / "s.sqlite-lock").exists()
        assert process.returncode in (128 + getattr(signal, name), -signal.SIGINT)


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
@pytest.mark.parametrize("kind", ["Threads", "Loky"])
def test_fits_in_threads_and_in_processes_of_loky_end_with_the_run(started, tmp_path, kind, name):
    if sys.platform != "linux":
        pytest.skip("only Linux ends a process that holds Python's lock")
    process, workers = started(kind, n_fits=4)
    process.send_signal(getattr(signal, name))
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 128 + getattr(signal, name)
    assert wait_until(lambda: not any(map(is_alive, workers)))
    assert not (tmp_path / "s.sqlite-lock").exists()


def test_a_run_after_a_kill_removes_the_lock_of_the_one_before(started, tmp_path, plan_values):
    process, _ = started("Waiting")
    process.kill()
    process.communicate()
    assert (tmp_path / "s.sqlite-lock").exists()
    run(plan_values(methods=["default"]), tmp_path / "s.sqlite", engine="inline", progress=False)
    assert not (tmp_path / "s.sqlite-lock").exists()


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_run_in_one_process_ends_in_the_middle_of_a_fit(started, tmp_path, name):
    process, _ = started("Waiting", engine="inline", n_fits=1)
    process.send_signal(getattr(signal, name))
    _, error = process.communicate(timeout=PATIENCE)
    assert process.returncode == 128 + getattr(signal, name)
    assert not error
    assert not (tmp_path / "s.sqlite-lock").exists()


COMPILED = """
import ctypes, sys, time
from pathlib import Path
from rarelabels.experiment import _signals
_signals.GRACE = 0.2
with _signals.ending_on_signals(Path(sys.argv[1]).unlink):
    print("ready", flush=True)
    ctypes.CDLL(None).usleep(100)
    # A call of compiled code, which releases Python's lock and does not return.
    import sqlite3
    sqlite3.connect(":memory:").execute(
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c"
    ).fetchone()
"""


def test_compiled_code_that_does_not_return_is_ended(tmp_path):
    lock = tmp_path / "lock"
    lock.touch()
    process = subprocess.Popen(
        [sys.executable, "-c", COMPILED, str(lock)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.3)
    process.terminate()
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 143
    assert not lock.exists()


def test_signals_that_the_program_handles_are_left_alone():
    handled = []
    before = signal.signal(signal.SIGTERM, lambda *_: handled.append(1))
    try:
        with ending_on_signals(lambda: None):
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(0.05)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert handled == [1]


def hang_up():
    with ending_on_signals(lambda: None):
        os.kill(os.getpid(), signal.SIGHUP)
        time.sleep(5)


def test_handlers_are_as_before_at_the_end():
    kinds = (signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(one, signal.SIG_DFL) for one in kinds]
    n_threads = threading.active_count()
    try:
        with pytest.raises(Ended) as caught:
            hang_up()
        assert caught.value.code == 129
        assert [signal.getsignal(one) for one in kinds] == 2 * [signal.SIG_DFL]
        assert signal.set_wakeup_fd(-1) == -1
        assert threading.active_count() == n_threads
    finally:
        for one, handler in zip(kinds, before, strict=True):
            signal.signal(one, handler)


def test_other_threads_get_no_handlers():
    found = []

    def use():
        with ending_on_signals(lambda: None):
            found.append(signal.getsignal(signal.SIGTERM))

    before = signal.getsignal(signal.SIGTERM)
    thread = threading.Thread(target=use)
    thread.start()
    thread.join()
    assert found == [before]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Exiting", "SystemExit: 3"),
        ("Leaving", "the worker process ended with exit code 7"),
        ("Interrupting", "KeyboardInterrupt:"),
    ],
)
def test_how_a_job_ended_is_told(plan_values, misbehaving, name, message):
    """Before, this was reported as SIGKILL and a lack of memory."""
    learners = [misbehaving(name), misbehaving("Prior")]
    with Store(":memory:") as store:
        values = plan_values(learners=learners, methods=["default"])
        summary = run(values, store, trusted=["experiment"], progress=False)
        assert (summary.done, summary.failed) == (2, 2)
        for row in store.failures():
            assert message in row["error"].splitlines()[0]
            assert "SIGKILL" not in row["error"]


def test_a_model_that_exits_ends_its_job_and_not_the_program(plan_values, misbehaving):
    learners = [misbehaving("Exiting"), misbehaving("Prior")]
    with Store(":memory:") as store:
        values = plan_values(learners=learners, methods=["default"])
        summary = run(values, store, engine="inline", trusted=["experiment"], progress=False)
        assert (summary.done, summary.failed) == (2, 2)


def test_an_interrupt_in_one_process_ends_the_run(plan_values, misbehaving):
    values = plan_values(learners=[misbehaving("Interrupting")], methods=["default"])
    with Store(":memory:") as store, pytest.raises(KeyboardInterrupt):
        run(values, store, engine="inline", trusted=["experiment"], progress=False)


def test_threads_that_do_not_fit_are_a_lack_of_memory(plan_values, misbehaving):
    values = plan_values(learners=[misbehaving("Threading")], methods=["default"], memory=0.5)
    with Store(":memory:") as store:
        run(values, store, trusted=["experiment"], progress=False)
        for row in store.failures():
            first = row["error"].splitlines()[0]
            assert first.startswith("MemoryError: ")
            assert first.endswith("can't start new thread")


def chained(first, second):
    try:
        try:
            raise first
        except Exception:
            raise second  # noqa: B904
    except Exception as error:
        return error


@pytest.mark.parametrize(
    ("error", "is_so"),
    [
        (MemoryError(), True),
        (chained(MemoryError(), ValueError("in the middle of something")), True),
        (OSError(12, "Cannot allocate memory"), True),
        (RuntimeError("can't start new thread"), False),  # without a limit
        (ValueError("no"), False),
        (chained(ValueError(), OSError(2, "no such file")), False),
    ],
)
def test_what_is_a_lack_of_memory(error, is_so):
    assert is_out_of_memory(error) == is_so


def test_the_lifeline_is_held_by_nobody_else(started):
    """A worker that held another's would keep it alive."""
    if sys.platform != "linux":
        pytest.skip("looks into /proc")
    process, workers = started("Waiting")
    ends = {os.readlink(place) for place in Path(f"/proc/{process.pid}/fd").iterdir()}
    pipes = {end for end in ends if end.startswith("pipe:")}
    for worker in workers:
        own = [os.readlink(place) for place in Path(f"/proc/{worker.pid}/fd").iterdir()]
        # Its input, its output and its own lifeline.
        assert len(pipes & set(own)) == 3
