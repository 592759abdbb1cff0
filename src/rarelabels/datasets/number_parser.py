"""Parse many numbers from text at once.

Python parses one number after another; here NumPy parses all of them in a few steps. The bytes of a
token, at most sixteen, are loaded as two 64-bit words. The decimal point is found and removed by
arithmetic on words, and eight digits are combined by three multiplications. A mantissa below 2**53
divided by a power of ten up to 10**22 is a single rounding of two exact numbers, so the result is
the same as Python's `float` to the last bit.
"""

from __future__ import annotations

import math
import re
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]
Words: TypeAlias = npt.NDArray[np.uint64]

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
# For texts with only these characters, Python's `float` accepts the numbers above and no others.
_OF_NUMBERS = b"0123456789.eE+-"
EXACT_DIGITS = 15  # 10**15 < 2**53: every such mantissa is a float
# From integers, because the power function of a platform may be off by a bit.
_POWERS_OF_TEN = np.array([float(10**k) for k in range(EXACT_DIGITS + 1)])


def parse_number(text: str) -> float:
    """Parse a text as a finite number, or raise ValueError.

    Python's `float` also accepts blanks, ``1_000``, ``nan``, ``inf`` and digits of other scripts,
    which are not numbers in a file.
    """
    if _NUMBER.fullmatch(text) is None:
        raise ValueError("not a number")
    value = float(text)
    if not math.isfinite(value):
        raise ValueError("not a finite number")
    return value


def whole_number(text: str) -> int:
    """Parse a text as a whole number, or raise ValueError."""
    value = parse_number(text)
    if value != int(value):
        raise ValueError("not a whole number")
    return int(value)


class Tokens(NamedTuple):
    """Starts and ends of the tokens of a text; the text between them has no digits."""

    text: bytes
    starts: Integers
    ends: Integers


def split_tokens(text: bytes, separators: bytes = b",") -> Tokens:
    """Split a text at each separator; the last token must be followed by one.

    Nothing is skipped: there is an empty token between two adjacent separators, and a blank that is
    not a separator belongs to its token. `parse_numbers` rejects both.
    """
    characters = np.frombuffer(text, dtype=np.uint8)
    is_end = characters == separators[0]
    for separator in separators[1:]:
        is_end |= characters == separator
    ends = np.flatnonzero(is_end)
    starts = np.empty_like(ends)
    starts[:1] = 0
    np.add(ends[:-1], 1, out=starts[1:])
    return Tokens(text, starts, ends)


def parse_numbers(tokens: Tokens) -> Floats:
    """Parse tokens as numbers, with NaN for ``?``; raise ValueError for any other text."""
    if (tokens.ends <= tokens.starts).any():
        raise ValueError("an empty token")
    odd = _odd_tokens(tokens)
    if not odd.size:
        return _parse_decimals(tokens)
    if odd.size > tokens.starts.size / 4:
        return _one_by_one(tokens, np.arange(tokens.starts.size))
    values = _parse_decimals(_with_zeros(tokens, odd))
    values[odd] = _one_by_one(tokens, odd)
    return values


def _odd_tokens(tokens: Tokens) -> Integers:
    """Return the tokens that need Python: long ones, missing values and those with exponents."""
    text, starts, ends = tokens
    odd = ends - starts > EXACT_DIGITS
    if any(sign in text for sign in (b"e", b"E", b"?")):
        characters = np.frombuffer(text, dtype=np.uint8)
        places = np.flatnonzero((characters == ord("?")) | ((characters | 32) == ord("e")))
        odd[np.searchsorted(starts, places, side="right") - 1] = True
    return np.flatnonzero(odd)


def _with_zeros(tokens: Tokens, odd: Integers) -> Tokens:
    """Replace the unusual tokens by a plain 0."""
    plain, (_, starts, ends) = bytearray(tokens.text), tokens
    for start, end in zip(starts[odd].tolist(), ends[odd].tolist(), strict=True):
        plain[start:end] = b"0".ljust(end - start)
    ends = ends.copy()
    ends[odd] = starts[odd] + 1
    return Tokens(bytes(plain), starts, ends)


def _one_by_one(tokens: Tokens, which: Integers) -> Floats:
    spans = zip(tokens.starts[which].tolist(), tokens.ends[which].tolist(), strict=True)
    words = [tokens.text[start:end] for start, end in spans]
    if b"".join(words).translate(None, _OF_NUMBERS):
        return np.fromiter(map(_number_or_missing, words), np.float64, which.size)
    numbers = np.fromiter(map(float, words), np.float64, which.size)
    if not np.isfinite(numbers).all():
        raise ValueError("not a finite number")
    return numbers


def _number_or_missing(token: bytes) -> float:
    return math.nan if token == b"?" else parse_number(token.decode("ascii", "replace"))


def _parse_decimals(tokens: Tokens) -> Floats:
    """Parse tokens of at most fifteen digits, with or without a sign and a decimal point."""
    text, starts, ends = tokens
    characters = np.frombuffer(text, dtype=np.uint8)
    n_digits = np.count_nonzero(characters - np.uint8(ord("0")) < 10)
    lengths = ends - starts
    if n_digits == lengths.sum():
        return _mantissas(text, ends, lengths)[0]
    first = characters[starts]
    negative = first == ord("-")
    lengths -= negative | (first == ord("+"))
    mantissas, decimals, n_points = _mantissas(text, ends, lengths)
    is_whole = n_digits + n_points.sum() == lengths.sum() and n_points.max(initial=0) <= 1
    if not is_whole or (lengths <= n_points).any():
        raise ValueError("a token that is not a number")
    values = mantissas / _POWERS_OF_TEN[decimals]
    return np.where(negative, -values, values)


def _mantissas(text: bytes, ends: Integers, lengths: Integers) -> tuple[Floats, Integers, Integers]:
    """Return the digits as one number, the number of decimals, and whether there is a point."""
    words, with_points = _words(text), b"." in text
    values, decimals, n_points = _eight_bytes(words[ends], np.minimum(lengths, 8), with_points)
    if lengths.max(initial=0) > 8:
        earlier = words[np.maximum(ends - 8, 0)]
        upper = _eight_bytes(earlier, np.maximum(lengths - 8, 0), with_points)
        values = upper[0] * np.where(n_points, 1e7, 1e8) + values
        decimals = decimals + upper[2] * (upper[1] + 8)
        n_points = n_points + upper[2]
    return values, decimals, n_points


def _words(text: bytes) -> Words:
    """Return the eight bytes before each position as one number, the last byte on top."""
    padded = b" " * 8 + text
    return np.ndarray((len(text) + 1,), dtype="<u8", buffer=padded, strides=(1,))


def _eight_bytes(
    words: Words, n_bytes: Integers, with_points: bool
) -> tuple[Floats, Integers, Integers]:
    """Parse the last `n_bytes` of words: digits, decimals, and 1 if there is a point."""
    # A shift by the whole width is undefined in C: two half shifts clear all eight bytes.
    half = ((8 - n_bytes) * 4).view(np.uint64)
    words = words >> half >> half << half << half
    if not with_points:
        none = np.zeros(words.size, dtype=np.int64)
        return _sum_of_digits(words), none, none
    point = _place_of_point(words)
    words = np.where(point, _without_byte(words, point), words)
    # Shifting by the byte b of the point moves byte 7 - b of this constant, whose value is 7 - b,
    # to the top.
    decimals = (point * np.uint64(0x0706050403020100)) >> np.uint64(56)
    return _sum_of_digits(words), decimals.view(np.int64), (point != 0).astype(np.int64)


def _place_of_point(words: Words) -> Words:
    """Return 256**b if byte b is the point, 0 if no byte is."""
    low = np.uint64(0x7F7F7F7F7F7F7F7F)
    other = words ^ np.uint64(0x2E2E2E2E2E2E2E2E)
    return ~(((other & low) + low) | other | low) >> np.uint64(7)


def _without_byte(words: Words, place: Words) -> Words:
    """Remove the byte at 256**b and move the lower ones up."""
    below = place - np.uint64(1)
    above = ~((place << np.uint64(8)) - np.uint64(1))
    return (words & above) | ((words & below) << np.uint64(8))


def _sum_of_digits(words: Words) -> Floats:
    """Return the numbers of eight digits in words, with the first digit in the lowest byte."""
    digits = words & np.uint64(0x0F0F0F0F0F0F0F0F)
    pairs = digits * np.uint64(10) + (digits >> np.uint64(8))
    mask = np.uint64(0x000000FF000000FF)
    upper = (pairs & mask) * np.uint64(0x000F424000000064)
    lower = ((pairs >> np.uint64(16)) & mask) * np.uint64(0x0000271000000001)
    return ((upper + lower) >> np.uint64(32)).astype(np.float64)
