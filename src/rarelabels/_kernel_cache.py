"""Keep compiled kernels on disk, in a folder that nobody else can write to.

Loading compiled code runs it, and numba's files are pickles. They are therefore stored in a folder
that only this user can change, or not at all. Each file has a digest of its content: an incomplete
or damaged file is compiled again instead of loaded.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import stat
import tempfile
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from numba.core import caching, compiler, serialize

caches: Any = caching
serialized: Any = serialize
results: Any = compiler

SEAL = b"rarelabels kernel 1\n"
_notice = {"due": True}


def first_private_folder(bases: Iterable[Path], name: str) -> Path | None:
    """Return the first private folder `name` in one of the bases; create it if necessary.

    Parameters
    ----------
    bases : iterable of Path
        Possible parent folders, the preferred one first.
    name : str
        The name of the folder.

    Returns
    -------
    Path or None
        The folder, or None if no base is writable and safe.
    """
    for base in bases:
        with suppress(OSError, RuntimeError):
            base.mkdir(parents=True, exist_ok=True)
            folder = base.resolve() / name
            folder.mkdir(mode=0o700, exist_ok=True)
            if is_private(folder) and os.access(folder, os.R_OK | os.W_OK | os.X_OK):
                return folder
    return None


def is_private(folder: Path) -> bool:
    """Return whether only this user and the administrator can change the content of a folder.

    The folder belongs to this user, is not a link, and is closed to others. No parent folder allows
    others to replace it. On systems other than POSIX, the folders of a user are always private.
    """
    if os.name != "posix":
        return folder.is_dir()
    status = folder.lstat()
    is_ours = stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()
    return is_ours and not status.st_mode & 0o077 and all(map(_is_guarded, folder.parents))


def _is_guarded(folder: Path) -> bool:
    """Return whether others cannot rename or remove files of this user in a folder."""
    status = folder.lstat()
    if status.st_uid not in (0, os.geteuid()) or not stat.S_ISDIR(status.st_mode):
        return False
    if status.st_mode & stat.S_ISVTX:
        return True
    return not status.st_mode & stat.S_IWOTH and (
        not status.st_mode & stat.S_IWGRP or _is_own_group(status.st_gid)
    )


def _is_own_group(number: int) -> bool:
    """Return whether this user is the only member of a group, as some systems set up."""
    import grp
    import pwd

    try:
        group, user = grp.getgrgid(number), pwd.getpwuid(os.geteuid())
    except KeyError:
        return False
    others = set(group.gr_mem) - {user.pw_name}
    return user.pw_gid == number and group.gr_name == user.pw_name and not others


def temporary_base() -> Path:
    """Return the folder for temporary files."""
    return Path(tempfile.gettempdir())


class KernelCache(caches.NullCache):
    """Compiled versions of one kernel, one file for each combination of argument types.

    numba's cache has one index for all combinations, which two processes can overwrite, and it
    raises an error for a damaged file.

    Parameters
    ----------
    function : callable
        The kernel in Python.
    folder : Path or None
        The folder of the files; None if no folder is safe.
    """

    def __init__(self, function: Callable[..., Any], folder: Path | None) -> None:
        self._function = function
        self._folder = folder

    @property
    def cache_path(self) -> str | None:
        """The folder of the files."""
        return None if self._folder is None else str(self._folder)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled kernel for a signature, or None if it has to be compiled."""
        if self._folder is None:
            return None
        target_context.refresh()
        key = self._key(sig, target_context.codegen())
        payload = read_sealed(self._place(key))
        if payload is None:
            return None
        try:
            # The folder is ours alone, and the content is what was written.
            cached, reduced = pickle.loads(payload)  # noqa: S301
            if cached != key:
                return None
            return results.CompileResult._rebuild(target_context, *reduced)
        except Exception:
            # Written by another state of numba or Python; it is compiled and written again.
            return None

    def save_overload(self, sig: Any, cres: Any) -> None:
        """Save a compiled kernel."""
        if self._folder is None:
            warn_once("no folder is writable and private")
            return
        key = self._key(sig, cres.codegen)
        try:
            payload = serialized.dumps((key, cres._reduce()))
            write_sealed(self._place(key), payload)
        except OSError as error:
            warn_once(str(error))

    def _key(self, signature: Any, codegen: Any) -> Any:
        name = f"{self._function.__module__}.{self._function.__qualname__}"
        return name, signature, codegen.magic_tuple()

    def _place(self, key: Any) -> Path:
        if self._folder is None:
            raise RuntimeError("no folder for compiled code is available.")
        digest = hashlib.sha256(repr(key).encode()).hexdigest()[:24]
        return self._folder / f"{self._function.__name__}-{digest}.nbc"


def write_sealed(path: Path, payload: bytes) -> None:
    """Write a file with a digest of its content, completely or not at all."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(SEAL + hashlib.sha256(payload).digest() + payload)
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise


def read_sealed(path: Path) -> bytes | None:
    """Return the content of a file, or None if it is missing or damaged."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    start = len(SEAL) + hashlib.sha256().digest_size
    payload = content[start:]
    expected = SEAL + hashlib.sha256(payload).digest()
    return payload if content[:start] == expected else None


def warn_once(why: str) -> None:
    """Warn once per process that compiled code is not cached."""
    if _notice["due"]:
        _notice["due"] = False
        warnings.warn(
            f"the compiled code of rarelabels cannot be cached ({why}), so every process compiles "
            "it again; set NUMBA_CACHE_DIR to one of your folders that others cannot write to.",
            RuntimeWarning,
            stacklevel=2,
        )
