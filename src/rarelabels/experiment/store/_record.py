"""What is kept of a job: its scores, or why there are none."""

from __future__ import annotations

import platform
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import cache
from typing import Any

DONE, FAILED = "done", "failed"


def now() -> str:
    """Return the time in UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@cache
def library_versions() -> dict[str, str]:
    """Return the versions that a result may depend on."""
    import numpy
    import scipy
    import sklearn

    import rarelabels

    return {
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "scipy": scipy.__version__,
        "sklearn": sklearn.__version__,
        "rarelabels": rarelabels.__version__,
    }


@dataclass(frozen=True)
class Record:
    """The result of one job.

    Attributes
    ----------
    key : str
        The job's.
    status : "done" or "failed"
        Whether there are scores.
    error : str or None
        Why not: the message and where it came from.
    warnings : str or None
        What was warned of, each warning once.
    scores : dict of str to float or None
        By metric; None where no label could be scored.
    label_scores : dict of str to dict
        By metric and label, where the job asks for them.
    sampling_seconds, training_seconds, prediction_seconds : float or None
        What the job alone takes: the time of what it shares with other jobs counts for each. An
        ensemble's are the sums over its members, with one neighbor search; choosing thresholds is
        training; prediction is that of the test samples.
    seconds : float or None
        What it took in the run, where members and searches were shared with the jobs before it.
    peak_memory : int or None
        Bytes that the worker held at most while it ran the job.
    started, host, versions
        When and where the job ran, and with which versions.

    Examples
    --------
    >>> from rarelabels.experiment import Record
    >>> record = Record("0123456789abcdef01234567", "done", scores={"macro_f1": 0.5})
    >>> sorted(record.versions)
    ['numpy', 'python', 'rarelabels', 'scipy', 'sklearn']
    """

    key: str
    status: str
    error: str | None = None
    warnings: str | None = None
    scores: dict[str, float | None] = field(default_factory=dict)
    label_scores: dict[str, dict[str, float | None]] = field(default_factory=dict)
    sampling_seconds: float | None = None
    training_seconds: float | None = None
    prediction_seconds: float | None = None
    seconds: float | None = None
    peak_memory: int | None = None
    started: str = field(default_factory=now)
    host: str = field(default_factory=platform.node)
    versions: dict[str, str] = field(default_factory=library_versions)

    def __post_init__(self) -> None:
        for name in ("error", "warnings"):
            object.__setattr__(self, name, encodable(getattr(self, name)))

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values, ready for JSON."""
        return asdict(self)


def encodable(text: str | None) -> str | None:
    r"""Return a text that can be stored: lone surrogates, as of odd file names, are written out.

    >>> encodable("caf\xe9 \udcff") == "caf\xe9 " + r"\udcff"
    True
    """
    return None if text is None else text.encode("utf-8", "backslashreplace").decode("utf-8")


def failure(key: str, error: str, started: str | None = None) -> Record:
    """Return the record of a job that failed."""
    return Record(key, FAILED, error=error, started=started or now())
