"""The page of walks through the library agrees with what is called."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from walks import FLOWS, walk

PAGE = (Path(__file__).parents[2] / "docs/contributing/walks.rst").read_text(encoding="utf-8")
# A flow, and the list below it.
ENTRY = re.compile(
    r"``(\w+)``: ([^\n]*(?:\n[^\n]+)*)\n\n\.\. code-block:: text\n\n((?:   [^\n]+\n)+)"
)
LISTS = {name: (text, lines) for name, text, lines in ENTRY.findall(PAGE)}
NEEDS = {"dask_neighbors": "dask.array", "approximate_neighbors": "faiss"}


def listed(lines):
    """Return the paths and functions of a list."""
    rows = [line.split(maxsplit=1) for line in lines.splitlines()]
    return [(path, name) for path, names in rows for name in names.split(", ")]


def test_every_flow_is_on_the_page():
    assert list(LISTS) == list(FLOWS)


def check_order(functions, calls):
    """Check that all functions are called, and for the first time in this order."""
    order = {function: place for place, function in enumerate(calls)}
    assert not [function for function in functions if function not in order]
    for before, after in pairwise(functions):
        assert order[before] < order[after], f"{after} is called before {before}"


@pytest.mark.parametrize("name", LISTS)
def test_functions_are_called_in_the_order_of_the_page(name):
    if name in NEEDS:
        pytest.importorskip(NEEDS[name])
    text, lines = LISTS[name]
    calls = walk(FLOWS[name])
    check_order(listed(lines), calls)
    files = {path for path, _ in (listed(lines) if name == "compare_a_file" else calls)}
    assert abs(int(re.search(r"about (\d+)\s+files", text)[1]) - len(files)) <= 2


@pytest.mark.parametrize("wrong", [[("a.py", "second"), ("a.py", "first")], [("a.py", "third")]])
def test_a_wrong_list_is_noticed(wrong):
    calls = [("a.py", "first"), ("a.py", "second")]
    check_order(calls, calls)
    with pytest.raises(AssertionError):
        check_order(wrong, calls)
