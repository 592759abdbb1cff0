"""Report the lines of examples in docstrings as they are in the source.

Descriptions of shared parameters are inserted into docstrings when modules are imported, so an
example is at another place in the docstring than in the file.
"""

import doctest
import linecache

import pytest


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Place the examples of docstrings where the source has them."""
    for item in items:
        if isinstance(item, pytest.DoctestItem):
            place_examples(item.dtest)


def place_examples(test: doctest.DocTest) -> None:
    """Give a test the docstring of the source, and its examples the lines of the source."""
    if test.filename is None or test.lineno is None:
        return
    lines = linecache.getlines(test.filename)[test.lineno :]
    places, place = [], 0
    for example in test.examples:
        start = f">>> {example.source.splitlines()[0]}"
        while place < len(lines) and lines[place].strip() != start:
            place += 1
        places.append(place)
        place += 1
    if place > len(lines):
        return
    for example, line in zip(test.examples, places, strict=True):
        example.lineno = line
    test.docstring = "".join(lines[:place])
