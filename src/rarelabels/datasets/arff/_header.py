"""Read the header of an ARFF file: the name of the relation and the attributes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from rarelabels.datasets._errors import DataFormatError, FilePath, shortened
from rarelabels.datasets.arff._words import WordError, read_word, split_words
from rarelabels.datasets.files import Blocks

_KEYWORD = re.compile(r"@(relation|attribute|data|end)(?![^ \t])[ \t]*", re.IGNORECASE)
# Fast path for the common form, because there may be a million attributes.
_PLAIN_ATTRIBUTE = re.compile(r"@attribute[ \t]+([^ \t'\"%{},]+)[ \t]+(.+)", re.IGNORECASE)
_NUMERIC = frozenset({"numeric", "real", "integer"})
_REFUSED = frozenset({"string", "date", "relational"})


class Attribute(NamedTuple):
    """A column: its name, its categories in order (None for numbers) and its line."""

    name: str
    categories: tuple[str, ...] | None
    line: int


class Header(NamedTuple):
    """The part of a file above ``@data``."""

    relation: str
    relation_line: int
    attributes: list[Attribute]


def read_header(blocks: Blocks, path: FilePath, encoding: str) -> tuple[Header, Blocks]:
    """Read up to ``@data``; return the header and the blocks that follow it."""
    relation, relation_line, attributes, last = "", 1, [], 0
    for line, text, block, end in _lines(blocks, encoding):
        last = line
        plain = _PLAIN_ATTRIBUTE.fullmatch(text)
        if plain is not None:
            attributes.append(_attribute(text, plain[1], plain[2], path, line))
            continue
        keyword = _keyword(text, path, line)
        if keyword == "attribute":
            attributes.append(_attribute(text, *_name_and_kind(text, path, line), path, line))
        elif keyword == "relation":
            relation, relation_line = _relation(text), line
        elif keyword == "data":
            header = Header(relation, relation_line, _distinct(attributes, path, line))
            return header, chain([(line + 1, block[end:])], blocks)
    raise _ends_too_early(path, last)


def _lines(blocks: Blocks, encoding: str) -> Iterator[tuple[int, str, bytes, int]]:
    """Return each line with its number, its block and the position of its end in the block."""
    for block_line, block in blocks:
        end = 0
        for line, raw in enumerate(block.split(b"\n")[:-1], block_line):
            end += len(raw) + 1
            yield line, raw.decode(encoding).strip(" \t"), block, end


def _keyword(text: str, path: FilePath, line: int) -> str:
    """Return the keyword of a line, or an empty string for an empty line or a comment."""
    if not text or text.startswith("%"):
        return ""
    match = _KEYWORD.match(text)
    if match is None:
        raise DataFormatError(
            "expected @relation, @attribute, @data or a % comment; this may not be an ARFF file",
            path,
            line,
            text,
        )
    return match[1].lower()


def _relation(text: str) -> str:
    """Return the name of the relation; Weka's filters write unquoted names with blanks."""
    rest = text[len("@relation") :].strip(" \t")
    if rest.startswith(("'", '"')):
        try:
            return read_word(rest, 0)[0].text
        except WordError:
            return rest
    return rest


def _attribute(text: str, name: str, kind: str, path: FilePath, line: int) -> Attribute:
    try:
        return Attribute(name, categories_of(kind), line)
    except ValueError as error:
        raise DataFormatError(str(error), path, line, text) from None


def _name_and_kind(text: str, path: FilePath, line: int) -> tuple[str, str]:
    rest = text[len("@attribute") :].strip(" \t")
    if not rest.startswith(("'", '"')):
        name, _, kind = rest.replace("\t", " ").partition(" ")
        return name, kind.strip(" ")
    try:
        word, end = read_word(rest, 0)
    except ValueError as error:
        raise DataFormatError(str(error), path, line, text) from None
    return word.text, rest[end:].strip(" \t")


@lru_cache(maxsize=64)
def categories_of(kind: str) -> tuple[str, ...] | None:
    """Return the categories that an attribute declares, None for a numeric attribute."""
    word = kind.strip(" \t").lower()
    if word in _NUMERIC:
        return None
    if word.startswith("{"):
        return _declared(kind.strip(" \t"))
    if word.partition(" ")[0] in _REFUSED:
        raise ValueError(
            f"attributes of type {word.partition(' ')[0]} are not supported: remove the attribute, "
            "or convert it to numbers or declared {values}"
        )
    raise ValueError("expected @attribute NAME numeric or @attribute NAME {value, value}")


def _declared(kind: str) -> tuple[str, ...]:
    inside, brace, after = kind[1:].rpartition("}")
    if not brace or (after.strip(" \t") and not after.strip(" \t").startswith("%")):
        raise ValueError("expected a closing } at the end of the declared values")
    values = tuple(word.text for word in split_words(inside))
    seen: set[str] = set()
    for value in values:
        if value in seen:
            raise ValueError(f"the value {shortened(value)!r} is declared twice")
        seen.add(value)
    return values


def _distinct(attributes: list[Attribute], path: FilePath, line: int) -> list[Attribute]:
    if not attributes:
        raise DataFormatError("no @attribute before @data", path, line)
    if len({attribute.name for attribute in attributes}) < len(attributes):
        raise _declared_twice(iter(attributes), path)
    return attributes


def _declared_twice(attributes: Iterator[Attribute], path: FilePath) -> DataFormatError:
    seen: dict[str, int] = {}
    for name, _, line in attributes:
        if name in seen:
            return DataFormatError(
                f"line {seen[name]} already has an attribute of this name", path, line, name
            )
        seen[name] = line
    raise AssertionError("the names are distinct")


def _ends_too_early(path: FilePath, last: int) -> DataFormatError:
    if last == 0:
        return DataFormatError("the file is empty", path, 1, "")
    return DataFormatError("the file ends before @data: it is incomplete", path, last)
