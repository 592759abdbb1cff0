"""The check of prose in `make lint`."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def check(*paths):
    if not (ROOT / "tools" / "prose.py").is_file():
        pytest.skip("the tools of the repository are not here")
    command = [sys.executable, "-m", "tools.prose", *map(str, paths)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("page.rst", "A page.\n\nIt is computed anew.\n", 3),
        ("page.md", "# Title\n\n```\nanew\n```\n\nIt is computed anew.\n", 7),
        ("page.rst", ".. run::\n\n   anew = 1\n\nIt is computed anew.\n", 5),
        ("page.rst", "It goes on::\n\n   anew = 1\n\n.. note::\n\n   Plain.\n", 1),
        ("module.py", "x = 1  # computed anew\n", 1),
        ("module.py", '"""Compute.\n\nIt is no estimator.\n"""\n', 3),
    ],
)
def test_a_phrase_is_found_with_its_line(tmp_path, name, text, line):
    (tmp_path / name).write_text(text, encoding="utf-8")
    done = check(tmp_path)
    assert done.returncode == 1
    assert [row.split(":")[1] for row in done.stdout.splitlines()] == [str(line)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("page.rst", "Use ``anew`` and `anew`.\n\n.. code-block:: py\n\n   anew = 1\n\nDone.\n"),
        ("page.rst", "There is no label, and it is no longer needed.\n"),
        ("page.md", "```\nanew\n```\n"),
        ("module.py", "anew = f'{anew} times'\n"),
        ("data.txt", "anew\n"),
    ],
)
def test_code_and_plain_words_pass(tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8")
    done = check(tmp_path)
    assert (done.returncode, done.stdout) == (0, "")


def test_generated_pages_are_left_out(tmp_path):
    folder = tmp_path / "auto_examples"
    folder.mkdir()
    (folder / "page.rst").write_text("anew\n", encoding="utf-8")
    assert check(tmp_path).returncode == 0
