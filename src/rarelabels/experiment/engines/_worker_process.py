"""A worker process seen from the run: give it a job, wait for the record, end it if it hangs."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from rarelabels.experiment.evaluate import Stopped
from rarelabels.experiment.plan import Job
from rarelabels.experiment.store import Record, failure, now

COMMAND = (sys.executable, "-m", "rarelabels.experiment.engines._worker")
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
SHOWN_OF_STDERR = 4000
SECONDS_TO_END = 10


@dataclass(frozen=True)
class Limits:
    """What a job may take: seconds, gigabytes, threads within it, and how nice its process is."""

    timeout: float | None = None
    memory: float | None = None
    threads: int = 1
    nice: int = 0


class Process:
    """A worker process that is started with the first job, and again whenever it ended.

    Its own memory keeps what jobs share, so jobs that share should come to it in a row.

    Parameters
    ----------
    limits : Limits
        What a job may take.
    stop : Event
        Set when the run is to end.
    objects : str, optional
        The folder with what jobs hold in memory.
    """

    def __init__(self, limits: Limits, stop: threading.Event, objects: str | None = None) -> None:
        self._limits = limits
        self._objects = objects
        self._stop = stop
        self._child: subprocess.Popen[str] | None = None
        self._answers: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._stderr: Any = None
        self._lifeline: int | None = None

    def run(self, job: Job, wanted: int, trusted: Collection[str] = ()) -> Record:
        """Run a job and return its record; the process may end with it.

        Parameters
        ----------
        job : Job
            What to run.
        wanted : int
            The most neighbors that the jobs to come may need.
        trusted : collection of str
            Packages of which base classifiers may be, beyond scikit-learn and this one.

        Raises
        ------
        Stopped
            If the run is ended meanwhile.
        """
        started = now()
        self._start()
        shared = {
            "wanted": wanted,
            "trusted": list(trusted),
            "memory": self._limits.memory,
            "objects": self._objects,
        }
        self._send({"job": job.to_dict(), **shared})
        try:
            answer = self._wait(self._limits.timeout)
        except TimeoutError:
            self.end()
            message = f"TimeoutError: the job took longer than {self._limits.timeout:g} seconds."
            return failure(job.key, message, started)
        if answer is None:
            return failure(job.key, self._end_report(), started)
        record = Record(**json.loads(answer))
        if "MemoryError" in (record.error or ""):
            # What it still holds is of no use to the next job.
            self.end()
        return record

    def end(self) -> None:
        """End the process at once, and all that it started."""
        if self._child is None:
            return
        _kill(self._child)
        # What was not sent yet need not be.
        with suppress(OSError, ValueError):
            self._child.stdin.close() if self._child.stdin else None
        self._stderr.close()
        if self._lifeline is not None:
            os.close(self._lifeline)
        self._child = None

    def _start(self) -> None:
        if self._child is not None:
            return
        self._answers = queue.SimpleQueue()
        # Closed by `end`, with the process.
        self._stderr = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115
        # Held open as long as this process lives, and by nobody else: see `_lifeline`.
        ours, self._lifeline = os.pipe() if os.name == "posix" else (-1, None)
        # This package's own worker by this interpreter; nothing of a plan is in the command.
        self._child = subprocess.Popen(  # noqa: S603
            (*COMMAND, str(self._limits.nice), str(ours)),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            text=True,
            encoding="utf-8",
            env=_environment(self._limits.threads),
            # Ctrl-C is for the run, which ends its processes itself.
            start_new_session=True,
            creationflags=windows_flags(self._limits.nice),
            pass_fds=() if self._lifeline is None else (ours,),
        )
        if self._lifeline is not None:
            os.close(ours)
        answers = (self._child.stdout, self._answers)
        threading.Thread(target=_read, args=answers, daemon=True).start()
        # Its imports are not part of the first job's time.
        if self._wait(None) is None:
            self._answers.put(None)

    @property
    def _running(self) -> subprocess.Popen[str]:
        if self._child is None:
            raise RuntimeError("the worker process was not started.")
        return self._child

    def _send(self, request: dict[str, Any]) -> None:
        # A process that has ended reads nothing; waiting for its answer finds out why.
        with suppress(OSError):
            print(json.dumps(request), file=self._running.stdin, flush=True)

    def _wait(self, timeout: float | None) -> str | None:
        """Wait for a line; None if the process ended."""
        deadline = None if timeout is None else time.monotonic() + timeout
        while not self._stop.is_set():
            # Asked first: what it said before it ended is still to be read.
            has_ended = self._child is not None and _has_ended(self._child)
            with suppress(queue.Empty):
                return self._answers.get(timeout=1 if has_ended else 0.1)
            if has_ended:
                # Its pipe is open, though: in the hands of a process that it started.
                return None
            if deadline is not None and time.monotonic() > deadline:
                raise TimeoutError
        raise Stopped

    def _end_report(self) -> str:
        """Return how the process ended and what it wrote to standard error."""
        # It has closed its output, and may take a moment more to end.
        deadline = time.monotonic() + SECONDS_TO_END
        while not _has_ended(self._running) and time.monotonic() < deadline:
            time.sleep(0.02)
        _kill(self._running)
        code = self._running.returncode
        self._stderr.seek(0)
        left = self._stderr.read()[-SHOWN_OF_STDERR:]
        self.end()
        return f"WorkerEnded: the worker process {_ending(code)}.\n\n{left}".rstrip()


def windows_flags(nice: int) -> int:
    """Return flags for a separate session and for niceness on Windows, and 0 elsewhere.

    A process of a new group does not get the Ctrl-C of the run, and one of a lower priority class
    leaves the processor to others.
    """
    flags = int(getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0))
    if nice > 0:
        flags |= int(getattr(subprocess, "BELOW_NORMAL_PRIORITY_CLASS", 0))
    return flags


def _has_ended(child: subprocess.Popen[str]) -> bool:
    """Whether a process has ended, without taking note: its group keeps its number until then."""
    if os.name != "posix":
        return child.poll() is not None
    if child.returncode is not None:
        return True
    options = os.WEXITED | os.WNOHANG | os.WNOWAIT
    return os.waitid(os.P_PID, child.pid, options) is not None


def _kill(child: subprocess.Popen[str]) -> None:
    """Kill a process and all that it started in its group, which may outlive it."""
    if child.returncode is None:
        with suppress(OSError):
            # It leads a separate process group.
            os.killpg(child.pid, signal.SIGKILL) if os.name == "posix" else child.kill()
    child.wait()


def _read(stream: Any, answers: queue.SimpleQueue[str | None]) -> None:
    # Closed here alone: closing from another thread would wait for what is being read.
    with suppress(ValueError, OSError), stream:
        for line in stream:
            answers.put(line)
    answers.put(None)


def _ending(code: int) -> str:
    if code >= 0:
        return f"ended with exit code {code}"
    name = signal.Signals(-code).name
    hint = "; the system may have run out of memory" if name == "SIGKILL" else ""
    return f"was ended by {name}{hint}"


def _environment(threads: int) -> dict[str, str]:
    """Return an environment that shares the cores among workers, unless threads are set in it.

    Threads that wait for each other sleep. By default they keep a core busy, and if other programs
    need it, fits with many short parallel parts, as in boosting, take a hundred times as long.
    """
    defaults = {**dict.fromkeys(THREADS, str(threads)), "OMP_WAIT_POLICY": "PASSIVE"}
    return {**defaults, **os.environ}
