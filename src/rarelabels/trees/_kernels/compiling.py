"""Compile the kernels with numba, cached under a name that changes with any of their sources."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

try:
    import numba
except ImportError as error:  # pragma: no cover - numba is there where tests run
    raise ImportError(
        "rarelabels.trees needs numba, which is not installed; "
        'pip install "rarelabels[fast]" installs it.'
    ) from error

HERE = Path(__file__).parent
config: Any = numba.config
njit: Any = numba.njit
CHECKS_BOUNDS = bool(config.BOUNDSCHECK) or os.environ.get("RARELABELS_BOUNDSCHECK") == "1"


def sources_digest() -> str:
    """Return a digest of the kernels' sources and of numba's version."""
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(HERE.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def cache_folder() -> Path:
    """Return where compiled code is kept.

    numba looks at one file's date to tell whether cached code is stale, although kernels call
    each other across files, and does not tell code that checks bounds from code that does not.
    So each state of the sources has a folder of its own.
    """
    name = f"trees-{sources_digest()}{'-checked' if CHECKS_BOUNDS else ''}"
    if config.CACHE_DIR:
        return Path(config.CACHE_DIR) / name
    beside = HERE / "__pycache__"
    is_writable = os.access(beside if beside.exists() else HERE, os.W_OK)
    home = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "rarelabels"
    for base in (beside if is_writable else home, home):
        try:
            (base / name).mkdir(parents=True, exist_ok=True)
            return base / name
        except OSError:
            continue
    return Path(tempfile.gettempdir()) / f"rarelabels-{os.getuid() if hasattr(os, 'getuid') else 0}"


FOLDER = cache_folder()
# Kernels run without the interpreter's lock.
OPTIONS: Any = {"nogil": True, "boundscheck": CHECKS_BOUNDS, "error_model": "numpy"}
_notice = {"due": True}


def compiled(function: Callable[..., Any]) -> Any:
    """Compile a kernel for other kernels: Python cannot call it.

    What only Python needs of a function takes longer to compile than the function.
    """
    return njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **OPTIONS)(function)


def entry(function: Callable[..., Any]) -> Any:
    """Compile a kernel that Python calls, when it is first called, and keep it for next time."""
    chosen, config.CACHE_DIR = config.CACHE_DIR, str(FOLDER)
    try:
        return njit(cache=True, no_cfunc_wrapper=True, **OPTIONS)(function)
    finally:
        config.CACHE_DIR = chosen


def record(fields: list[tuple[str, Any]]) -> np.dtype[Any]:
    """Return the dtype of records whose fields are attributes, in compiled code and in Python."""
    return np.dtype((np.record, np.dtype(fields, align=True)))


def say_if_compiling(kernel: Any) -> None:
    """Print once that the first call compiles, which takes a while, where nothing is cached."""
    if not _notice["due"]:
        return
    _notice["due"] = False
    if not any(FOLDER.rglob(f"*.{kernel.__name__}-*.nbi")):
        print("rarelabels: compiling its trees, once; this takes a while …", file=sys.stderr)
