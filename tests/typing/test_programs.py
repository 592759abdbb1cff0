"""What a type checker says to people who use the package.

Each program in ``programs`` is a user's: a comment ``reveals: TYPE`` names the type of its line, a
comment ``error: CODE`` what is wrong with it, and every other line must be fine.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import rarelabels

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PROGRAMS = sorted((HERE / "programs").glob("*.py"))
SAID = re.compile(r"(?P<file>[^:]+\.py):(?P<line>\d+): (?P<kind>error|note): (?P<text>.*)")


@pytest.fixture(scope="module")
def said():
    """What mypy says of all programs, by file and line: one run, as it starts slowly.

    It runs with the settings of `make lint`, strict ones, so that each finds what the other kept.
    """
    pytest.importorskip("mypy", reason="mypy checks the types; pip install mypy")
    run = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-error-summary", *map(str, PROGRAMS)],
        cwd=ROOT,
        env={**os.environ, "MYPYPATH": str(ROOT / "src"), "COLUMNS": "1000"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode in (0, 1), run.stderr
    found = {}
    for line in run.stdout.splitlines():
        match = SAID.fullmatch(line)
        outcome = match and outcome_of(match["kind"], match["text"])
        if outcome:
            found.setdefault((Path(match["file"]).name, int(match["line"])), set()).add(outcome)
    return found


def outcome_of(kind, text):
    """Say what a line is shown to be, in the words of the programs' comments."""
    if revealed := re.fullmatch(r'Revealed type is "(.*)"', text):
        return f"reveals: {revealed[1]}"
    code = re.search(r"\[([\w-]+)\]$", text)
    return f"error: {code[1]}" if kind == "error" and code else None


def expected_of(program):
    """Return the comments of a program that say what its lines are, by line number."""
    lines = program.read_text(encoding="utf-8").splitlines()
    found = (re.search(r"  # ((?:reveals|error): .*)$", line) for line in lines)
    return {number: match[1] for number, match in enumerate(found, 1) if match}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_a_type_checker_says_what_the_program_expects(program, said):
    expected = expected_of(program)
    assert expected
    for number in range(1, len(program.read_text(encoding="utf-8").splitlines()) + 1):
        outcomes = said.get((program.name, number), set())
        if number in expected:
            assert any(agrees(expected[number], outcome) for outcome in outcomes), (
                f"{program.name}, line {number}: {outcomes or 'nothing'}"
            )
        else:
            assert not outcomes, f"{program.name}, line {number}: {outcomes}"


def agrees(expected, outcome):
    """Whether an outcome is the one expected; types are named without their module and shape."""
    if expected.startswith("error"):
        return outcome == expected
    name, shown = (text.removeprefix("reveals: ") for text in (expected, outcome))
    shown = shown.replace("builtins.", "")
    return shown == name or shown.endswith(f".{name}") or shown.startswith(f"{name}[")


def test_the_package_says_that_it_is_typed():
    assert (Path(rarelabels.__file__).parent / "py.typed").is_file()
