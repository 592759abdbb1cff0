"""End a run in an orderly way when the system asks for it: workers, lock and folders are gone."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

# What ends a process unless it says otherwise; Ctrl-C is an exception in Python already.
ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name))
GRACE = 3.0  # seconds that Python has to react


class Ended(SystemExit):
    """The system asked the process to end."""


@contextmanager
def ending_on_signals(clean: Callable[[], None]) -> Iterator[None]:
    """Turn SIGTERM and SIGHUP into an exception during a run.

    Signals that the caller handles, or ignores as `nohup` does, are left alone. Outside of the main
    thread, which alone gets signals, nothing is changed.

    Parameters
    ----------
    clean : callable
        Removes what the run would leave behind; called if the main thread does not react, because
        compiled code is running.
    """
    is_main = threading.current_thread() is threading.main_thread()
    ours = [one for one in ENDING if is_main and signal.getsignal(one) is signal.SIG_DFL]
    if not ours:
        yield
        return
    with _watched(clean):
        for one in ours:
            signal.signal(one, _end)
        try:
            yield
        finally:
            for one in ours:
                signal.signal(one, signal.SIG_DFL)


def _end(number: int, frame: Any) -> None:
    raise Ended(128 + number)


@contextmanager
def _watched(clean: Callable[[], None]) -> Iterator[None]:
    """Have a thread end the process if a signal came and Python's handler cannot run."""
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    before = signal.set_wakeup_fd(theirs.fileno(), warn_on_full_buffer=False)
    if before != -1:
        # Other code, such as an event loop, receives the signals: leave that unchanged.
        signal.set_wakeup_fd(before)
        ours.close()
        theirs.close()
        yield
        return
    is_over = threading.Event()
    watcher = threading.Thread(target=_watch, args=(ours, is_over, clean), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        is_over.set()
        signal.set_wakeup_fd(-1)
        theirs.close()
        watcher.join()
        ours.close()


def _watch(received: socket.socket, is_over: threading.Event, clean: Callable[[], None]) -> None:
    while numbers := received.recv(64):
        ending = [number for number in numbers if number in ENDING]
        if ending and not is_over.wait(GRACE):
            with suppress(Exception):
                clean()
            os._exit(128 + ending[0])
