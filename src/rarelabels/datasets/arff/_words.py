"""Read and write the words of ARFF: bare or quoted, with escapes, separated by commas or blanks."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

_QUOTED = r"""'(?P<single>(?:[^'\\]|\\.)*)'|"(?P<double>(?:[^"\\]|\\.)*)\""""
WORD = re.compile(rf"(?:{_QUOTED}|(?P<bare>[^ \t,{{}}'\"%][^ \t,{{}}]*))", re.DOTALL)
_SEPARATOR = re.compile(r"[ \t]*(,?)[ \t]*")
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
_TO_ESCAPE = re.compile(r"[\\'\"%\n\r\t\0]")
_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\u0000"}
# A word is written without quotes if it is unambiguous for every reader.
_PLAIN = re.compile(r"[A-Za-z0-9_.+:;/=<>()\[\]|&*$#!~^-]+")


class Word(NamedTuple):
    """A value in the file; a quoted ``?`` is a question mark, a bare one is a missing value."""

    text: str
    is_missing: bool


class WordError(ValueError):
    """A text is not a list of words; the error has the part that could not be read."""

    def __init__(self, problem: str, rest: str) -> None:
        super().__init__(problem)
        self.rest = rest


def read_word(text: str, position: int) -> tuple[Word, int]:
    """Read the word at a position; return it and the position after it."""
    match = WORD.match(text, position)
    if match is None:
        raise WordError(_why_no_word(text[position:]), text[position:])
    bare = match["bare"]
    if bare is not None:
        return Word(bare, bare == "?"), match.end()
    quoted = match["single"] if match["single"] is not None else match["double"]
    return Word(unescaped(quoted), False), match.end()


def split_words(text: str, at_most: int | None = None) -> list[Word]:
    """Split a list of words at commas or, as Weka does, at blanks.

    At most one word more than `at_most` is read, because a hostile line may have millions.

    >>> [word.text for word in split_words("a, 'b c' d")]
    ['a', 'b c', 'd']
    """
    words: list[Word] = []
    position, comma = skip_blanks(text, 0), ""
    end = math.inf if at_most is None else at_most
    while position < len(text) and text[position] != "%" and len(words) <= end:
        word, position = read_word(text, position)
        words.append(word)
        separator = _SEPARATOR.match(text, position)
        # For the type checker alone: the pattern matches the empty text too.
        assert separator is not None  # noqa: S101
        comma, position = separator[1], separator.end()
    if comma and len(words) <= end:
        raise WordError("a value is missing after the last comma", text[-20:])
    return words


def skip_blanks(text: str, position: int) -> int:
    """Return the position of the next character that is not a blank."""
    while position < len(text) and text[position] in " \t":
        position += 1
    return position


def unescaped(text: str) -> str:
    r"""Resolve the backslashes of a quoted word.

    >>> unescaped(r"it\'s 5\% \u00e9")
    "it's 5% é"
    """
    if "\\" not in text:
        return text
    return _ESCAPE.sub(_unescaped_match, text)


def _unescaped_match(match: re.Match[str]) -> str:
    code = match[1]
    if len(code) == 5:
        return chr(int(code[1:], 16))
    return _ESCAPED.get(code, code)


def quoted(text: str) -> str:
    r"""Write a word so that it reads back unchanged, in quotes if necessary.

    >>> quoted("red"), quoted("dark red"), quoted("?")
    ('red', "'dark red'", "'?'")
    """
    if _PLAIN.fullmatch(text):
        return text
    return "'" + _TO_ESCAPE.sub(lambda m: _ESCAPES.get(m[0], "\\" + m[0]), text) + "'"


def _why_no_word(rest: str) -> str:
    if rest.startswith("{"):
        return "instance weights in braces are not supported: remove them"
    if rest.startswith(("'", '"')):
        return "a quote is opened but not closed"
    if rest.startswith(","):
        return "a value is missing before a comma (a missing value is written ?)"
    return "expected a value"
