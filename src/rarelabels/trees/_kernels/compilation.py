"""Compilation of the trees' kernels."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

try:
    from rarelabels._compiling import Compiler
except ImportError as error:  # pragma: no cover - numba is there where tests run
    raise ImportError(
        "rarelabels.trees needs numba, which is not installed; "
        'pip install "rarelabels[fast]" installs it.'
    ) from error

compiler = Compiler(Path(__file__).parent, "trees")
# A kernel that makes, sorts or returns arrays is `allocating`, any other one `compiled`.
compiled, allocating, entry = compiler.without_references, compiler.compiled, compiler.entry
inlined = compiler.inlined
_notice = {"due": True}


def record(fields: list[tuple[str, Any]]) -> np.dtype[Any]:
    """Return the dtype of records with these `fields`, which are attributes, also in Python."""
    return np.dtype((np.record, np.dtype(fields, align=True)))


def with_kernels(function: Callable[..., Any], name: str, **kernels: Any) -> Any:
    """Return a copy of a `function` in which some of the names it uses are these `kernels`.

    A kernel that is an argument would keep numba from caching what takes it. The copy needs
    another `name`: compiled functions of one name and types, cached by two processes, are confused.
    """
    names = {**function.__globals__, **kernels}
    copy = FunctionType(function.__code__, names, name)
    copy.__qualname__, copy.__module__ = name, function.__module__
    return copy


@inlined
def unsigned(index):
    """Return an `index` that cannot be negative, so that numba does not check whether it is."""
    return np.uintp(index)


def say_if_compiling(kernel: Any) -> None:
    """Print once that the first call of a `kernel` compiles it, unless it is cached."""
    if not _notice["due"]:
        return
    _notice["due"] = False
    if not compiler.is_cached(kernel):
        print("rarelabels: compiling its trees, once; this takes a while …", file=sys.stderr)
