"""Split rows at the marks between their numbers, and prove that every mark is where it must be.

A grammar of sparse rows says which mark may follow which, and whether a number stands between the
two. That is checked for every pair of neighbouring marks of a block at once, so that a block that
passes holds the rows and nothing else: no number is lost, joined, split or moved to another row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rarelabels.datasets.formats._numbers import Tokens

ABSENT, PRESENT, EITHER = 1, 2, 3  # a number between two marks
_OTHER = 7  # the code of a byte up to the blank that is no mark
_BLANK = ord(" ")


class Marks(NamedTuple):
    """The marks of a block, and the numbers between them."""

    places: npt.NDArray[np.int64]
    codes: npt.NDArray[np.uint8]
    is_behind_number: npt.NDArray[np.bool_]
    tokens: Tokens

    def before_numbers(self, first: int) -> npt.NDArray[np.uint8]:
        """Return the mark before each number; before the first mark there is `first`."""
        before = np.empty_like(self.codes)
        before[0] = first
        before[1:] = self.codes[:-1]
        return before[self.is_behind_number]


class Grammar:
    """Which marks may follow each other.

    Parameters
    ----------
    marks : bytes
        The marks, seven at most, the line end among them.
    follow : dict of bytes to int
        Pairs of marks that may follow each other, with what stands between them.
    """

    def __init__(self, marks: bytes, follow: dict[bytes, int]) -> None:
        self.marks = marks
        # Bytes above the blank that are no marks are left to the numbers' parser to refuse.
        self._above = [mark for mark in marks if mark > _BLANK]
        codes = bytearray([_OTHER]) * 256
        for code, mark in enumerate(marks):
            codes[mark] = code
        self._codes = bytes(codes)
        allowed = bytearray(256)
        for (first, second), between in follow.items():
            pair = codes[first] << 3 | codes[second]
            allowed[pair] = between & ABSENT
            allowed[pair | 64] = between & PRESENT
        self._allowed = bytes(allowed)

    def code(self, mark: bytes) -> int:
        """Return a mark's code."""
        return self.marks.index(mark)

    def split(self, block: bytes) -> Marks | None:
        """Return the marks of a block of whole lines, None where it is not of this grammar."""
        characters = np.frombuffer(block, dtype=np.uint8)
        is_mark = characters <= _BLANK
        for mark in self._above:
            is_mark |= characters == mark
        ends = np.flatnonzero(is_mark)
        starts = np.empty_like(ends)
        starts[0] = 0
        np.add(ends[:-1], 1, out=starts[1:])
        is_number = ends > starts
        # Tables of bytes are much quicker than indexing.
        codes = np.frombuffer(characters[ends].tobytes().translate(self._codes), dtype=np.uint8)
        if b"\0" in self._pairs(codes, is_number).translate(self._allowed):
            return None
        return Marks(ends, codes, is_number, Tokens(block, starts[is_number], ends[is_number]))

    def _pairs(self, codes: npt.NDArray[np.uint8], is_number: npt.NDArray[np.bool_]) -> bytes:
        """Return each mark, the one before it and whether a number stands between, as one byte."""
        pairs = codes | (is_number.view(np.uint8) << 6)
        pairs[1:] |= codes[:-1] << 3
        pairs[0] |= self.code(b"\n") << 3  # every block begins behind a line end
        return pairs.tobytes()
