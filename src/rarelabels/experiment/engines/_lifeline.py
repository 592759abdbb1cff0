"""Worker processes end with the run that started them, whatever ends the run.

The run holds one end of a pipe to each worker. When the run ends, even by SIGKILL, the system
closes that end. Linux then kills the worker and everything in its process group, also while
compiled code runs that no Python thread can interrupt. Elsewhere a thread of the worker notices
that its parent is gone.
"""

from __future__ import annotations

import os
import select
import signal
import sys
import threading
import time
from contextlib import suppress

HEARTBEAT = 0.5  # seconds


def end_with_parent(lifeline: int) -> None:
    """Make this process, and all processes of its group, end with the process that started it.

    Parameters
    ----------
    lifeline : int
        The end of a pipe that only the parent can write to, which it never does; -1 for none.
    """
    parent = os.getppid()
    if lifeline >= 0 and sys.platform == "linux":
        import fcntl

        # The system sends the signal when the other end is closed. A negative number means the
        # group.
        with suppress(OSError):
            fcntl.fcntl(lifeline, fcntl.F_SETOWN, -os.getpgrp())
            fcntl.fcntl(lifeline, fcntl.F_SETSIG, signal.SIGKILL)
            flags = fcntl.fcntl(lifeline, fcntl.F_GETFL)
            fcntl.fcntl(lifeline, fcntl.F_SETFL, flags | os.O_ASYNC)
        # It may have been closed before.
        if select.select([lifeline], [], [], 0)[0]:
            end_group()
    threading.Thread(target=_watch, args=(parent,), daemon=True).start()


def _watch(parent: int) -> None:
    """End when another process has become the parent: the one that started this one has ended."""
    while os.name == "posix":
        if os.getppid() != parent:
            end_group()
        time.sleep(HEARTBEAT)


def end_group() -> None:
    """End this process at once, and all that it started, if it leads a process group."""
    if os.name == "posix" and os.getpgrp() == os.getpid():
        os.killpg(os.getpgrp(), signal.SIGKILL)
    os._exit(1)
