"""Compile kernels with numba, and cache them under a name that depends on their sources."""

from __future__ import annotations

import gc
import hashlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
from numba.core import codegen, compiler, event

from rarelabels._kernel_cache import KernelCache, first_private_folder, temporary_base

events: Any = event
config: Any = numba.config
njit: Any = numba.njit
CHECKS_BOUNDS = bool(config.BOUNDSCHECK) or os.environ.get("RARELABELS_BOUNDSCHECK") == "1"
# Kernels release the global interpreter lock.
OPTIONS: Any = {"nogil": True, "boundscheck": CHECKS_BOUNDS, "error_model": "numpy"}


# The classes below that compile parts use internals of numba and are tested with these versions.
# Other versions compile every kernel as a whole, which gives the same code but takes longer.
COMPILES_PARTS = numba.version_info.short in {(0, 68)}


class SeldomCollecting(event.Listener):
    """Run garbage collection rarely while kernels are compiled; it takes a sixth of the time.

    numba holds a lock while it compiles, so one compilation ends before another begins. The kernels
    that a kernel calls are compiled within its compilation.
    """

    SELDOM = (200_000, 20, 20)

    def __init__(self) -> None:
        self.depth, self.usual = 0, gc.get_threshold()

    def on_start(self, event: Any) -> None:
        """Collect garbage rarely, starting with the outermost kernel."""
        if self.depth == 0:
            self.usual = gc.get_threshold()
            gc.set_threshold(*self.SELDOM)
        self.depth += 1

    def on_end(self, event: Any) -> None:
        """Restore the previous setting when the compilation has ended or failed."""
        self.depth -= 1
        if self.depth == 0:
            gc.set_threshold(*self.usual)


events.register("numba:compile", SeldomCollecting())


class PartLibrary(codegen.JITCodeLibrary):
    """Code of a kernel that only other kernels call, which is not optimized or made executable.

    numba does both for every function, together with all functions that it calls, so that nested
    functions are optimized repeatedly. Here, the kernel that Python calls is optimized once, with
    all its parts.
    """

    def __init__(self, owner: Any, name: str) -> None:
        super().__init__(owner, name)
        self.environments: dict[str, Any] = {}

    @property
    def codegen(self) -> Any:
        """What numba tells the environment of a function once it is executable: this library."""
        return self

    def set_env(self, name: str, environment: Any) -> None:
        """Keep an environment until the code is executable."""
        self.environments[name] = environment

    def finalize(self) -> None:
        """Prevent further additions."""
        self._raise_if_finalized()
        for library in self._linking_libraries:
            self._reload_init.update(library._reload_init)
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        """Return 0, because Python cannot call this code."""
        self._ensure_finalized()
        return 0


class WholeLibrary(codegen.JITCodeLibrary):
    """Code of a kernel that Python calls, with the code of all its parts."""

    def finalize(self) -> None:
        """Add all parts, including those of parts, then optimize and make executable."""
        self._linking_libraries = list(_with_parts(self._linking_libraries))
        super().finalize()
        owner: Any = self._codegen
        for library in self._linking_libraries:
            if isinstance(library, PartLibrary):
                for name, environment in library.environments.items():
                    if owner._engine.is_symbol_defined(name):
                        owner.set_env(name, environment)


def _with_parts(libraries: Any) -> dict[Any, None]:
    """Return libraries and the parts they call, each once and in a fixed order."""
    parts: dict[Any, None] = {}
    pending = list(reversed(libraries))
    while pending:
        library = pending.pop()
        if library not in parts:
            parts[library] = None
            if isinstance(library, PartLibrary):
                pending.extend(reversed(library._linking_libraries))
    return parts


class PartCompiler(compiler.Compiler):
    """Compile a function into a library of the given class."""

    library: Any = PartLibrary

    def define_pipelines(self) -> Any:
        """Return numba's passes, which fill the library."""
        state = self.state
        if state.library is None:
            state.library = self.library(state.targetctx.codegen(), state.func_id.func_qualname)
            state.library.enable_object_caching()
        return super().define_pipelines()


class WholeCompiler(PartCompiler):
    """Compile a function together with all its parts."""

    library = WholeLibrary


FOR_KERNELS: Any = {**OPTIONS, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
FOR_ENTRIES: Any = {**OPTIONS, "no_cfunc_wrapper": True}
if COMPILES_PARTS:
    FOR_KERNELS["pipeline_class"] = PartCompiler
    FOR_ENTRIES["pipeline_class"] = WholeCompiler


class Compiler:
    """Compile the kernels in one folder."""

    def __init__(self, sources: Path, name: str) -> None:
        self.sources = sources
        self.name = name
        self.folder = self._cache_folder()

    def digest(self) -> str:
        """Return a digest of the sources and of the versions of numba and Python."""
        versions = f"{numba.__version__} {sys.implementation.cache_tag}"
        digest = hashlib.sha256(versions.encode())
        here = Path(__file__)
        for path in (here, here.with_name("_kernel_cache.py"), *sorted(self.sources.rglob("*.py"))):
            digest.update(path.read_bytes())
        return digest.hexdigest()[:16]

    def compiled(self, function: Callable[..., Any]) -> Any:
        """Compile a kernel for other kernels, which Python cannot call.

        The wrapper that Python needs takes longer to compile than the function.
        """
        return njit(_nrt=True, **FOR_KERNELS)(function)

    def without_references(self, function: Callable[..., Any]) -> Any:
        """Compile a kernel for other kernels that neither creates nor returns arrays.

        It does not count references to arrays. Otherwise the tuples of arrays that kernels pass to
        each other would be counted atomically at every call.
        """
        return njit(_nrt=False, **FOR_KERNELS)(function)

    def inlined(self, function: Callable[..., Any]) -> Any:
        """Compile a kernel inline in its callers, for kernels that are called for every feature.

        A call that passes tuples of arrays costs as much as the work on a short list.
        """
        return njit(_nrt=False, forceinline=True, **FOR_KERNELS)(function)

    def entry(self, function: Callable[..., Any]) -> Any:
        """Compile a kernel that Python calls when it is first called, and cache it."""
        kernel = njit(**FOR_ENTRIES)(function)
        if not config.DISABLE_JIT:
            kernel._cache = KernelCache(function, self.folder)
        return kernel

    def is_cached(self, kernel: Any) -> bool:
        """Return whether a kernel has been compiled before, for any types."""
        return self.folder is not None and any(self.folder.glob(f"{kernel.__name__}-*.nbc"))

    def _cache_folder(self) -> Path | None:
        """Return the cache folder, or None if no folder is safe.

        Kernels call each other across files, so each version of the sources has a separate folder,
        and so has code that checks bounds.
        """
        name = f"{self.name}-{self.digest()}{'-checked' if CHECKS_BOUNDS else ''}"
        folder = first_private_folder(self._bases(), name)
        if folder is None:
            user = os.getuid() if hasattr(os, "getuid") else "user"
            folder = first_private_folder([temporary_base()], f"rarelabels-{user}-{name}")
        return folder

    def _bases(self) -> Iterator[Path]:
        """Yield the possible cache folders, the preferred one first."""
        if config.CACHE_DIR:
            yield Path(config.CACHE_DIR)
        beside = self.sources / "__pycache__"
        if os.access(beside if beside.exists() else self.sources, os.W_OK):
            yield beside
        with suppress(RuntimeError):  # there may be no home
            yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "rarelabels"
