"""How much memory a process holds, and how much it may."""

from __future__ import annotations

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
    """Return the most bytes the process has held, since the last reset where there are resets."""
    held = _status("VmHWM")
    if held is not None:
        return held
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


def _status(name: str) -> int | None:
    try:
        lines = STATUS.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return None
    found = [line.split()[1] for line in lines if line.startswith(f"{name}:")]
    return int(found[0]) * 1024 if found else None
