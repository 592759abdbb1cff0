"""Base classifiers that do what a job should survive; plans name them by their dotted path."""

import os
import re
import signal
import sqlite3
import sys
import threading
import time
import warnings
from pathlib import Path

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin


class Prior(ClassifierMixin, BaseEstimator):
    """Predicts the share of each class, and has nothing to hide."""

    def fit(self, X, y):
        self.classes_, counts = np.unique(y, return_counts=True)
        self.shares_ = counts / counts.sum()
        return self

    def predict_proba(self, X):
        return np.tile(self.shares_, (X.shape[0], 1))

    def predict(self, X):
        return np.full(X.shape[0], self.classes_[self.shares_.argmax()])


class Raising(Prior):
    def fit(self, X, y):
        raise RuntimeError("out of cheese")


class Nice(Prior):
    """Fails with its niceness, and that of its session where sessions have one."""

    def fit(self, X, y):
        place = Path("/proc/self/autogroup")
        session = place.read_text() if place.is_file() else ""
        found = session.split("nice")[1] if "nice" in session else os.nice(0)
        raise RuntimeError(f"nice by {os.nice(0)}, its session by {int(found)}")


class Hanging(Prior):
    def fit(self, X, y):
        time.sleep(600)


class Slow(Prior):
    def fit(self, X, y):
        time.sleep(0.02)
        return super().fit(X, y)


class Greedy(Prior):
    def fit(self, X, y):
        np.ones((2**30, 8))
        return super().fit(X, y)


class Dying(Prior):
    def fit(self, X, y):
        os.kill(os.getpid(), signal.SIGKILL)


class Forking(Prior):
    """Dies, and leaves a process behind that keeps its pipes open while a file is there."""

    escapes = False

    def fit(self, X, y):
        if os.fork() == 0:
            if self.escapes:
                os.setsid()
            stay, deadline = Path(os.environ["STAY_FILE"]), time.monotonic() + 300
            while stay.exists() and time.monotonic() < deadline:
                time.sleep(0.1)
            if stay.exists():
                stay.with_suffix(".outlived").touch()
            os._exit(0)
        os._exit(3)


class Escaping(Forking):
    """Leaves it behind in a session of its own."""

    escapes = True


class Unencodable(Prior):
    def fit(self, X, y):
        warnings.warn("odd: \udcfe", stacklevel=2)
        raise RuntimeError("a name that is no text: \udcff")


class Talking(Prior):
    def fit(self, X, y):
        print("I print where answers are expected")
        return super().fit(X, y)


class Moody(Prior):
    """Works once the file is there that an environment variable names."""

    def fit(self, X, y):
        if not Path(os.environ["MOODY_FILE"]).exists():
            raise RuntimeError("not today")
        return super().fit(X, y)


class Exiting(Prior):
    def fit(self, X, y):
        sys.exit(3)


class Leaving(Prior):
    """Ends its process without a word."""

    def fit(self, X, y):
        os._exit(7)


class Interrupting(Prior):
    def fit(self, X, y):
        raise KeyboardInterrupt


class Threading(Prior):
    """Starts threads until there is no memory for their stacks."""

    def fit(self, X, y):
        stop = threading.Event()
        threads = []
        try:
            for _ in range(2000):
                threads.append(threading.Thread(target=stop.wait, daemon=True))
                threads[-1].start()
        finally:
            stop.set()
        raise RuntimeError("there was room for all threads")


class Busy(Prior):
    """Says that it is running, and uses two processors for minutes without Python's lock free."""

    def fit(self, X, y):
        if os.fork():
            Path(os.environ["BUSY_FOLDER"], str(os.getpid())).touch()
        re.match("(a+)+$", "a" * 60 + "b")


def count_forever(folder):
    """Say that it is running, and run compiled code, without Python's lock, that does not end."""
    Path(folder, f"{os.getpid()}-{threading.get_ident()}").touch()
    sqlite3.connect(":memory:").execute(
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT max(x) FROM c"
    ).fetchone()


class Threads(Prior):
    """Fits in two threads for minutes."""

    backend = "threading"

    def fit(self, X, y):
        folder = os.environ["BUSY_FOLDER"]
        Parallel(n_jobs=2, backend=self.backend)(delayed(count_forever)(folder) for _ in range(2))


class Loky(Threads):
    """Fits in two processes for minutes, which loky starts."""

    backend = "loky"


class Waiting(Prior):
    """Says that it is running, and waits."""

    def fit(self, X, y):
        Path(os.environ["BUSY_FOLDER"], str(os.getpid())).touch()
        time.sleep(600)
