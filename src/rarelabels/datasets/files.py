"""Read files in blocks of whole lines, compressed or not, and replace files safely."""

from __future__ import annotations

import bz2
import codecs
import errno
import gzip
import io
import lzma
import os
import secrets
import stat
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any, TypeAlias, TypeVar, cast

from rarelabels._formats import COMPRESSED, without_compression
from rarelabels.datasets._errors import DataFormatError, FilePath

Result = TypeVar("Result")
Blocks: TypeAlias = Iterator[tuple[int, bytes]]

# Large enough for NumPy to process many rows at once, small enough that the intermediate arrays
# (about twenty bytes for each byte of text) are small compared with the data.
BLOCK_SIZE = 1 << 16
# A few kilobytes of compressed zeros can unpack to any size. More than the default is read only if
# the caller or, for commands and the workers of a run, this environment variable allows it.
LARGER = "RARELABELS_MAX_SIZE"
MAX_LINKS = 40  # the limit of Linux

_COMPRESSORS: dict[str, Callable[..., object]] = dict(
    zip(COMPRESSED, (gzip.open, bz2.open, lzma.open), strict=True)
)
_BROKEN = (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile)


def default_max_size(environment: Mapping[str, str]) -> int:
    """Return the default maximum size of a decompressed file in bytes.

    >>> default_max_size({}) == 2**32, default_max_size({"RARELABELS_MAX_SIZE": "9000000000"})
    (True, 9000000000)
    """
    text = environment.get(LARGER, str(1 << 32))
    if not (text.isascii() and text.isdecimal()):
        raise ValueError(f"{LARGER} must be a number of bytes, such as 9000000000, got {text!r}.")
    return int(text)


MAX_SIZE = default_max_size(os.environ)


def stem(path: FilePath) -> str:
    """Return the name of the data set in a file.

    >>> stem("data/yeast.arff.gz")
    'yeast'
    """
    return without_compression(path).stem


def read_bytes(path: FilePath, max_size: int = MAX_SIZE) -> bytes:
    """Read a whole file, decompressed and without a byte order mark."""
    return b"".join(_raw_blocks(path, max_size))


def read_start(path: FilePath) -> bytes:
    """Read the beginning of a file, decompressed and without a byte order mark."""
    return next(_raw_blocks(path, MAX_SIZE), b"")


def read_blocks(path: FilePath, max_size: int = MAX_SIZE, block_size: int = BLOCK_SIZE) -> Blocks:
    r"""Read a file in blocks of whole lines, each with the number of its first line.

    Every line ends with ``\n``, including the last one, whatever the line ends of the file.
    """
    line, pending = 1, []
    for raw in _raw_blocks(path, max_size, block_size):
        # A line may continue for many blocks, which are joined once, when it ends.
        cut = raw.rfind(b"\n") + 1
        pending.append(raw[:cut] if cut else raw)
        if cut:
            block = _checked(b"".join(pending), path, line)
            pending = [raw[cut:]]
            yield line, block
            line += block.count(b"\n")
    last = b"".join(pending)
    if last:
        yield line, _checked(last + b"\n", path, line)


def has_long_line(block: bytes) -> bool:
    """Return whether a line spans several blocks; it must be checked before it is split."""
    return len(block) > 4 * BLOCK_SIZE


def decoding(parse: Callable[[str], Result]) -> Result:
    """Parse a file as UTF-8 or, if it is not valid UTF-8, as Latin-1."""
    try:
        return parse("utf-8")
    except UnicodeDecodeError:
        return parse("latin-1")


@contextmanager
def replacing(path: FilePath) -> Iterator[IO[bytes]]:
    """Write to a temporary file in the same folder, and rename it once it is complete.

    If writing fails, the previous file remains and the temporary file is removed. The new file has
    the permissions of the file that it replaces. Links are followed, unless another user created
    them in a folder that everybody can write to. Anything but a regular file, such as a device,
    raises an error, because renaming would replace it.
    """
    with replacing_together(path) as (file,):
        yield file


@contextmanager
def replacing_together(*paths: FilePath) -> Iterator[list[IO[bytes]]]:
    """Write several files as `replacing` does, and rename them once all are complete."""
    places = {path: _place(path) for path in paths}
    with ExitStack() as leftovers:
        temporary: dict[FilePath, Path] = {}
        with ExitStack() as files:
            targets = []
            for path, place in places.items():
                if place.exists() and not place.is_file():
                    message = "it is not a regular file and cannot be replaced"
                    raise OSError(errno.EINVAL, message, str(path))
                temporary[path] = place.with_name(f".{place.name}.{secrets.token_hex(4)}.part")
                leftovers.callback(temporary[path].unlink, missing_ok=True)
                targets.append(files.enter_context(_writing(Path(path), temporary[path], place)))
            yield targets
        for path, place in places.items():
            os.replace(temporary[path], place)


def _place(path: FilePath) -> Path:
    """Return the file to which a path leads through links.

    Renaming does not follow links, so the system does not check them. In a folder that everybody
    can write to, such as the one for temporary files, a link may be an attempt to overwrite a file.
    """
    link = Path(path)
    for _ in range(MAX_LINKS):
        if not link.is_symlink():
            break
        if _is_of_another_user(link):
            message = (
                "it is a link that another user created in a folder that everybody can write to"
            )
            raise OSError(errno.EACCES, message, str(path))
        link = link.parent / os.readlink(link)
    return Path(os.path.realpath(path))


def _is_of_another_user(link: Path) -> bool:
    """Return whether Linux would refuse to follow a link (`protected_symlinks` in proc(5))."""
    if not hasattr(os, "geteuid"):
        return False
    folder, owner = os.stat(link.parent), os.lstat(link).st_uid
    is_for_everybody = bool(folder.st_mode & stat.S_ISVTX and folder.st_mode & stat.S_IWOTH)
    return is_for_everybody and owner not in (os.geteuid(), folder.st_uid)


@contextmanager
def _writing(path: Path, beside: Path, place: Path) -> Iterator[IO[bytes]]:
    """Write a temporary file in the folder of another, compressed if its name requires it."""
    with (
        io.BufferedWriter(_NamedFile(_open_like(beside, place), path)) as file,
        _compressing(cast(IO[bytes], file), path) as target,
    ):
        yield target


class _NamedFile(io.FileIO):
    """A file whose errors, such as a full disk, name the file that the caller requested."""

    def __init__(self, handle: int, path: Path) -> None:
        super().__init__(handle, "wb")
        self._path = path

    def write(self, content: Any) -> int:
        """Write bytes."""
        try:
            return super().write(content)
        except OSError as error:
            raise OSError(error.errno, error.strerror, str(self._path)) from None


def _open_like(beside: Path, place: Path) -> int:
    """Open a new file with the permissions of the one that it will replace.

    Only users who could read the old file can read the new one, also while it is being written.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        old = os.stat(place)
    except FileNotFoundError:
        return os.open(beside, flags, 0o666)
    handle = os.open(beside, flags, 0o600)
    if hasattr(os, "fchmod"):
        mode = stat.S_IMODE(old.st_mode) & 0o777
        if old.st_gid != os.fstat(handle).st_gid:
            try:
                os.fchown(handle, -1, old.st_gid)
            except OSError:  # The permissions would apply to another group.
                mode &= ~0o070
        os.fchmod(handle, mode)
    return handle


@contextmanager
def _compressing(file: IO[bytes], path: Path) -> Iterator[IO[bytes]]:
    opener = _COMPRESSORS.get(path.suffix.lower())
    if opener is None:
        yield file
        return
    with cast(IO[bytes], opener(file, "wb")) as target:
        yield target


def _raw_blocks(path: FilePath, max_size: int, block_size: int = BLOCK_SIZE) -> Iterator[bytes]:
    """Read a file in blocks, decompressed and without a byte order mark."""
    total = 0
    with open(path, "rb") as file:
        magic = file.read(6)
        file.seek(0)
        reading = _reader(magic)(file, _block_size(path, block_size))
        while True:
            block = _next_block(reading, path)
            if block is None:
                return
            if not total:
                block = block.removeprefix(codecs.BOM_UTF8)
            total += len(block)
            if total > max_size:
                raise too_large(path, max_size)
            yield block


def _next_block(reading: Iterator[bytes], path: FilePath) -> bytes | None:
    try:
        return next(reading, None)
    except _BROKEN as error:
        raise DataFormatError(f"the compressed file is damaged ({error})", path) from error
    except OSError as error:
        if error.errno is not None:
            raise
        # bz2 reports damaged files as an OSError without an error number.
        raise DataFormatError(f"the compressed file is damaged ({error})", path) from error


def too_large(path: FilePath, max_size: int) -> DataFormatError:
    """Return the error for a file that is larger than the caller allows."""
    return DataFormatError(
        f"the decompressed file is larger than {max_size} bytes; if this is correct, pass a larger "
        f"max_size (in bytes) or set the environment variable {LARGER}",
        path,
    )


def _reader(magic: bytes) -> Callable[[IO[bytes], int], Iterator[bytes]]:
    """Return the function that reads a file beginning with these bytes."""
    if magic.startswith(b"\x1f\x8b"):
        return lambda file, size: _plain(cast(IO[bytes], gzip.GzipFile(fileobj=file)), size)
    if magic.startswith(b"BZh"):
        return lambda file, size: _streams(file, size, bz2.BZ2Decompressor)
    if magic.startswith(b"\xfd7zXZ\x00"):
        return lambda file, size: _streams(file, size, lzma.LZMADecompressor)
    return _plain


def _plain(file: IO[bytes], size: int) -> Iterator[bytes]:
    while block := file.read(size):
        yield block


def _streams(file: IO[bytes], size: int, decompressor: Callable[[], Any]) -> Iterator[bytes]:
    """Decompress every stream of a file.

    Python's readers stop without an error at a second stream whose beginning is damaged.
    """
    packed = file.read(size)
    while packed:
        stream = decompressor()
        while not stream.eof:
            if stream.needs_input and not packed:
                packed = file.read(size)
                if not packed:
                    raise EOFError("it ends in the middle of a stream")
            block = stream.decompress(packed, size)
            packed = b""
            if block:
                yield block
        packed = stream.unused_data.lstrip(b"\0")
        while not packed and (more := file.read(size)):
            packed = more.lstrip(b"\0")  # streams may be padded


def _block_size(path: FilePath, largest: int) -> int:
    """Return a block size that is also small compared with the file."""
    return min(largest, max(largest // 16, os.path.getsize(path) // 32))


def _checked(block: bytes, path: FilePath, line: int) -> bytes:
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if b"\0" in block:
        before = block[: block.index(b"\0")]
        raise DataFormatError(
            "a text file cannot contain null bytes: this is a binary file, or text in UTF-16 (save "
            "it as UTF-8)",
            path,
            line + before.count(b"\n"),
            before.rpartition(b"\n")[2].decode("latin-1"),
        )
    return block
