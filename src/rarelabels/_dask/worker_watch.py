"""Warn if a Dask cluster has no workers, since Dask waits for them without limit."""

from __future__ import annotations

import time
import warnings
from typing import Any

# Seconds between two checks for workers, and seconds without any until the warning.
LOOKS, WITHOUT_WORKERS = 5.0, 30.0


class WorkerWatch:
    """Check from time to time whether a cluster has workers, and warn once if it has none.

    Waiting may be right, since workers may join later.

    Parameters
    ----------
    client : distributed.Client
        The client of the cluster.
    what_waits : str
        What waits for a worker, and what to consider before interrupting.
    """

    def __init__(self, client: Any, what_waits: str) -> None:
        self._client = client
        self._what_waits = what_waits
        self._seen = self._looked = time.monotonic()
        self._has_warned = False

    def look(self) -> None:
        """Ask the scheduler, unless it was asked recently."""
        now = time.monotonic()
        if self._has_warned or now - self._looked < LOOKS:
            return
        self._looked = now
        if self._client.nthreads():
            self._seen = now
        elif now - self._seen >= WITHOUT_WORKERS:
            self._has_warned = True
            address = self._client.scheduler.address
            warnings.warn(
                f"the Dask cluster at {address} has no workers; {self._what_waits}", stacklevel=2
            )
