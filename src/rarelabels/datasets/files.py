"""The one door for files: compressed or not, read in blocks of whole lines, written beside."""

from __future__ import annotations

import bz2
import codecs
import gzip
import lzma
import os
import secrets
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TypeAlias, TypeVar, cast

from rarelabels._formats import COMPRESSED, without_compression
from rarelabels.datasets._errors import DataFormatError, FilePath

Result = TypeVar("Result")
Blocks: TypeAlias = Iterator[tuple[int, bytes]]

# Long enough for NumPy to work on many rows at once, short enough that the intermediate arrays
# (about twenty bytes for each byte of text) stay small beside the data.
BLOCK_SIZE = 1 << 16
SMALLEST_BLOCK_SIZE = 1 << 12

_OPENERS: dict[bytes, Callable[..., object]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\x00": lzma.open,
}
_SUFFIXES: dict[str, Callable[..., object]] = dict(
    zip(COMPRESSED, (gzip.open, bz2.open, lzma.open), strict=True)
)
_BROKEN = (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile)


def open_binary(path: FilePath) -> IO[bytes]:
    """Open a file for reading, decompressing what its first bytes say is compressed."""
    with open(path, "rb") as file:
        magic = file.read(6)
    for mark, opener in _OPENERS.items():
        if magic.startswith(mark):
            return cast(IO[bytes], opener(path, "rb"))
    return open(path, "rb")


def stem(path: FilePath) -> str:
    """Return the name that a file's data set goes by.

    >>> stem("data/yeast.arff.gz")
    'yeast'
    """
    return without_compression(path).stem


def read_bytes(path: FilePath) -> bytes:
    """Read a whole file, decompressed and without a byte order mark."""
    return b"".join(_raw_blocks(path)).removeprefix(codecs.BOM_UTF8)


def read_start(path: FilePath) -> bytes:
    """Read how a file begins, decompressed and without a byte order mark."""
    return next(_raw_blocks(path), b"").removeprefix(codecs.BOM_UTF8)


def read_blocks(path: FilePath) -> Blocks:
    r"""Read a file in blocks of whole lines, each with the number of its first line.

    Every line ends with ``\n``, the last one too, whatever the file's line ends are.
    """
    line, rest = 1, b""
    for raw in _raw_blocks(path):
        rest += raw if line > 1 or rest else raw.removeprefix(codecs.BOM_UTF8)
        cut = rest.rfind(b"\n") + 1
        if cut:
            block, rest = _checked(rest[:cut], path, line), rest[cut:]
            yield line, block
            line += block.count(b"\n")
    if rest:
        yield line, _checked(rest + b"\n", path, line)


def decoding(parse: Callable[[str], Result]) -> Result:
    """Parse a file as UTF-8 and, where a byte of it cannot be that, all of it as Latin-1."""
    try:
        return parse("utf-8")
    except UnicodeDecodeError:
        return parse("latin-1")


@contextmanager
def replacing(path: FilePath) -> Iterator[IO[bytes]]:
    """Write a file beside its place and rename it once it is whole.

    Where the writing fails, what was there before stays, and nothing else is left behind.
    """
    path = Path(path)
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with open(beside, "xb") as file, _compressing(file, path) as target:
            yield target
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def _compressing(file: IO[bytes], path: Path) -> Iterator[IO[bytes]]:
    opener = _SUFFIXES.get(path.suffix.lower())
    if opener is None:
        yield file
        return
    with cast(IO[bytes], opener(file, "wb")) as target:
        yield target


def _raw_blocks(path: FilePath) -> Iterator[bytes]:
    size = _block_size(path)
    with open_binary(path) as file:
        while True:
            try:
                block = file.read(size)
            except _BROKEN as error:
                raise DataFormatError(f"the compressed file is damaged ({error})", path) from error
            except OSError as error:
                if error.errno is not None:
                    raise
                # bz2 reports damage as an OSError that no system call has caused.
                raise DataFormatError(f"the compressed file is damaged ({error})", path) from error
            if not block:
                return
            yield block


def _block_size(path: FilePath) -> int:
    """Return a block size that is small beside the file too."""
    return min(BLOCK_SIZE, max(SMALLEST_BLOCK_SIZE, os.path.getsize(path) // 32))


def _checked(block: bytes, path: FilePath, line: int) -> bytes:
    if b"\r" in block:
        block = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if b"\0" in block:
        before = block[: block.index(b"\0")]
        raise DataFormatError(
            "a text file cannot hold the byte 0: this is a binary file, or text in UTF-16 (save "
            "it as UTF-8)",
            path,
            line + before.count(b"\n"),
            before.rpartition(b"\n")[2].decode("latin-1"),
        )
    return block
