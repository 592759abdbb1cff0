"""SECURITY.md names the tests that hold what it promises: they exist."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
NAMED = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", TEXT)


def names_of_tests(file):
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")
    }


def test_every_named_test_exists():
    assert len(NAMED) >= 20
    for file, name in NAMED:
        assert (ROOT / file).is_file(), file
        assert names_of_tests(file), file
        assert not name or name in names_of_tests(file), f"{file}::{name}"


def test_every_row_names_a_test_but_that_of_your_own_code():
    rows = [line for line in TEXT.splitlines() if line.startswith("| ")][2:]
    without = [row for row in rows if "`tests/" not in row]
    assert len(without) == 1
    assert "They are your code" in without[0]
    # A table's row has five lines around its four cells.
    assert all(row.replace(r"\|", "").count("|") == 5 for row in rows)
