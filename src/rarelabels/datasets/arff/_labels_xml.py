"""Read and write Mulan's label files: label names in XML, nested if they form a hierarchy."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, NoReturn
from xml.parsers import expat
from xml.sax.saxutils import quoteattr

from rarelabels.datasets._errors import DataFormatError, FilePath
from rarelabels.datasets.files import read_bytes

NAMESPACE = "http://mulan.sourceforge.net/labels"
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class NamedLabel(NamedTuple):
    """The name of a label, and its line in the file."""

    name: str
    line: int


def read_label_names(path: FilePath) -> list[NamedLabel]:
    """Read the names of the labels; those of a hierarchy are in document order."""
    content = read_bytes(path)
    if not content.strip():
        raise DataFormatError("the file is empty", path, 1, "")
    try:
        labels = _parse(content, path, encoding=None)
    except expat.ExpatError as error:
        if expat.errors.messages[error.code] != expat.errors.XML_ERROR_INVALID_TOKEN:
            raise _not_xml(error, content, path) from None
        labels = _parse_as_latin_1(content, path)
    return _distinct(labels, path)


def label_xml(names: Sequence[str]) -> str:
    """Return the text of a label file."""
    for name in names:
        if _NOT_XML.search(name):
            raise ValueError(f"the label name {name!r} cannot be written in XML: rename it.")
    lines = [f"<label name={quoteattr(name)}></label>" for name in names]
    head = f'<?xml version="1.0" encoding="utf-8"?>\n<labels xmlns="{NAMESPACE}">\n'
    return head + "\n".join(lines) + "\n</labels>\n"


def _parse_as_latin_1(content: bytes, path: FilePath) -> list[NamedLabel]:
    try:
        return _parse(content, path, encoding="iso-8859-1")
    except expat.ExpatError as error:
        raise _not_xml(error, content, path) from None


def _parse(content: bytes, path: FilePath, encoding: str | None) -> list[NamedLabel]:
    listener = _Listener(path, encoding)
    try:
        listener.parser.Parse(content, True)
    except DataFormatError:
        raise
    except (LookupError, ValueError) as error:
        raise DataFormatError(f"the encoding cannot be read ({error})", path, 1) from None
    return listener.labels


class _Listener:
    """Collect the labels from the elements of the parser, and reject entity declarations."""

    def __init__(self, path: FilePath, encoding: str | None) -> None:
        self.path = path
        self.labels: list[NamedLabel] = []
        self.parser = expat.ParserCreate(encoding, namespace_separator=" ")
        self.parser.StartElementHandler = self.start
        # No entity is ever defined, so none can read another file or expand without bounds.
        self.parser.StartDoctypeDeclHandler = self.refuse
        self.parser.EntityDeclHandler = self.refuse

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        line, kind = self.parser.CurrentLineNumber, tag.rpartition(" ")[2]
        if kind == "label" and "name" in attributes:
            self.labels.append(NamedLabel(attributes["name"], line))
        elif kind != "labels":
            problem = 'expected <labels> with <label name="…"> in it'
            raise DataFormatError(problem, self.path, line, f"<{kind}>")

    def refuse(self, *declaration: object) -> NoReturn:
        problem = (
            "a label file must not have a DOCTYPE or entities, which could read other files or "
            "exhaust the memory: remove them"
        )
        raise DataFormatError(problem, self.path, self.parser.CurrentLineNumber, "<!DOCTYPE")


def _not_xml(error: expat.ExpatError, content: bytes, path: FilePath) -> DataFormatError:
    lines = content.split(b"\n")
    text = lines[min(error.lineno, len(lines)) - 1].decode("utf-8", "replace")
    problem = f"not well-formed XML ({expat.errors.messages[error.code]})"
    return DataFormatError(problem, path, error.lineno, text.strip())


def _distinct(labels: list[NamedLabel], path: FilePath) -> list[NamedLabel]:
    if not labels:
        raise DataFormatError("the file does not name any labels", path, 1)
    seen: set[str] = set()
    for name, line in labels:
        if name in seen:
            raise DataFormatError("the label is named twice", path, line, name)
        seen.add(name)
    return labels
