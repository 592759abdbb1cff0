"""Split sparse rows at the separators between their numbers, many rows at once.

A grammar defines which separators may follow each other, and whether a number is between them. It
is checked for all pairs of neighboring separators of a block at once. A block that passes
therefore consists of valid rows: no number is lost, joined, split or moved to another row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from rarelabels.datasets.number_parser import Tokens

ABSENT, PRESENT, EITHER = 1, 2, 3  # a number between two separators
_OTHER = 7  # the code of bytes up to the blank that are not separators
_BLANK = ord(" ")


class Separators(NamedTuple):
    """The separators of a block, and the numbers between them."""

    places: npt.NDArray[np.int64]
    codes: npt.NDArray[np.uint8]
    is_behind_number: npt.NDArray[np.bool_]
    tokens: Tokens

    def before_numbers(self, first: int) -> npt.NDArray[np.uint8]:
        """Return the separator before each number; `first` precedes the first separator."""
        before = np.empty_like(self.codes)
        before[0] = first
        before[1:] = self.codes[:-1]
        return before[self.is_behind_number]


class Grammar:
    """Rules for which separators may follow each other.

    Parameters
    ----------
    separators : bytes
        At most seven separators, including the line end.
    follow : dict of bytes to int
        Pairs of separators that may follow each other, and whether a number is between them.
    """

    def __init__(self, separators: bytes, follow: dict[bytes, int]) -> None:
        self.separators = separators
        # The number parser rejects bytes above the blank that are not separators.
        self._above = [separator for separator in separators if separator > _BLANK]
        codes = bytearray([_OTHER]) * 256
        for code, separator in enumerate(separators):
            codes[separator] = code
        self._codes = bytes(codes)
        allowed = bytearray(256)
        for (first, second), between in follow.items():
            pair = codes[first] << 3 | codes[second]
            allowed[pair] = between & ABSENT
            allowed[pair | 64] = between & PRESENT
        self._allowed = bytes(allowed)

    def code(self, separator: bytes) -> int:
        """Return a separator's code."""
        return self.separators.index(separator)

    def split(self, block: bytes) -> Separators | None:
        """Return the separators of a block of lines, None if it does not follow this grammar."""
        characters = np.frombuffer(block, dtype=np.uint8)
        is_separator = characters <= _BLANK
        for separator in self._above:
            is_separator |= characters == separator
        ends = np.flatnonzero(is_separator)
        starts = np.empty_like(ends)
        starts[0] = 0
        np.add(ends[:-1], 1, out=starts[1:])
        is_number = ends > starts
        # Translation tables for bytes are much faster than indexing.
        codes = np.frombuffer(characters[ends].tobytes().translate(self._codes), dtype=np.uint8)
        if b"\0" in self._pairs(codes, is_number).translate(self._allowed):
            return None
        return Separators(ends, codes, is_number, Tokens(block, starts[is_number], ends[is_number]))

    def _pairs(self, codes: npt.NDArray[np.uint8], is_number: npt.NDArray[np.bool_]) -> bytes:
        """Code each separator, its predecessor and whether a number is between them as one byte."""
        pairs = codes | (is_number.view(np.uint8) << 6)
        pairs[1:] |= codes[:-1] << 3
        pairs[0] |= self.code(b"\n") << 3  # every block begins after a line end
        return pairs.tobytes()
