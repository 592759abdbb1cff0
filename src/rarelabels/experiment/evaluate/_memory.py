"""How much memory a process holds, and how much it may."""

from __future__ import annotations

import errno
import sys
from pathlib import Path

STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
GIGABYTE = 2**30


def reset_peak() -> None:
    """Reset the peak memory, where the system can (Linux)."""
    try:
        CLEAR.write_text("5", encoding="ascii")
    except OSError:
        return


def peak_memory() -> int | None:
    """Return the peak memory of the process in bytes, since the last reset if there are resets."""
    peak = _status("VmHWM")
    if peak is not None:
        return peak
    try:
        import resource
    except ImportError:
        return None
    # Bytes on macOS, kilobytes elsewhere.
    unit = 1 if sys.platform == "darwin" else 1024
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit)


def limit_memory(gigabytes: float | None) -> None:
    """Limit the process to so many more bytes of address space than now, where the system can."""
    if gigabytes is None:
        return
    try:
        import resource
    except ImportError:
        return
    most = (_status("VmSize") or 0) + int(gigabytes * GIGABYTE)
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard != resource.RLIM_INFINITY:
        most = min(most, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def is_out_of_memory(error: BaseException | None) -> bool:
    """Whether an error, or one that led to it, is a lack of memory.

    Under a limit of the address space, threads cannot be started once it is used up.
    """
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        has_no_thread = isinstance(error, RuntimeError) and "start new thread" in str(error)
        if (
            isinstance(error, MemoryError)
            or (isinstance(error, OSError) and error.errno == errno.ENOMEM)
            or (has_no_thread and _is_limited())
        ):
            return True
        error = error.__cause__ or error.__context__
    return False


def _is_limited() -> bool:
    try:
        import resource
    except ImportError:
        return False
    return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY


def _status(name: str) -> int | None:
    try:
        lines = STATUS.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return None
    values = [line.split()[1] for line in lines if line.startswith(f"{name}:")]
    return int(values[0]) * 1024 if values else None
