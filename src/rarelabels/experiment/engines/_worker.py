"""A worker process: reads jobs from its standard input, line by line, and answers with records.

Run as ``python -m rarelabels.experiment.engines._worker NICE LIFELINE``. It ends with the process
that started it, even in the middle of a job, and so do the processes that it started.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import time
from pathlib import Path
from typing import Any, TextIO

from rarelabels.experiment.engines._lifeline import end_group, end_with_parent

SESSION = Path("/proc/self/autogroup")  # how nice a session is, where Linux schedules sessions


def serve() -> None:
    """Run jobs and write their records until the input ends."""
    end_with_parent(int(sys.argv[2]))
    _be_nice(int(sys.argv[1]))
    answers = _claim_stdout()
    requests: queue.SimpleQueue[dict[str, Any]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin, requests), daemon=True).start()
    # After the input is listened to: the imports take a second, and the run may end before.
    from rarelabels.experiment.engines._objects import Objects
    from rarelabels.experiment.evaluate import Memo, error_text, limit_memory, run_job
    from rarelabels.experiment.plan import Job
    from rarelabels.experiment.store import failure

    memo, objects, is_limited = Memo(), None, False
    _answer(answers, {"ready": os.getpid()})
    while True:
        request = requests.get()
        if not is_limited:
            limit_memory(request["memory"])
            is_limited = True
        job = Job.from_dict(request["job"])
        if request["objects"] is not None:
            objects = objects or Objects(request["objects"])
            job = objects.restored(job)
        try:
            record = run_job(job, memo, request["wanted"], request["trusted"])
        except KeyboardInterrupt as error:
            # Ctrl-C is not for workers: the job raised it, or a signal was sent to this process.
            record = failure(job.key, error_text(error))
        _answer(answers, record.to_dict())


def _claim_stdout() -> TextIO:
    """Keep standard output for answers; what a learner prints goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return answers


def _be_nice(nice: int) -> None:
    if nice and hasattr(os, "nice"):
        _set_session(os.nice(nice))


def _set_session(niceness: int) -> None:
    """Set how nice the session is, where Linux shares the processor among sessions first.

    Each worker is a separate session, so that its own niceness alone would have no effect.
    """
    for _ in range(20):
        try:
            SESSION.write_text(str(niceness))
        except BlockingIOError:  # of all users' changes Linux takes ten in a second
            time.sleep(0.1)
        except OSError:  # there is no such thing here
            return
        else:
            return


def _answer(answers: TextIO, values: dict[str, Any]) -> None:
    answers.write(json.dumps(values) + "\n")
    answers.flush()


def _listen(stream: TextIO, requests: queue.SimpleQueue[dict[str, Any]]) -> None:
    for line in stream:
        requests.put(json.loads(line))
    end_group()


if __name__ == "__main__":
    serve()
