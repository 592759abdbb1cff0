"""Descriptions of shared parameters: written once, and shown in every docstring."""

import ast
import inspect
import pydoc
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import rarelabels
from rarelabels import find_neighbors, metrics
from rarelabels._distances import DISTANCES
from rarelabels._parameter_docs import ENTRIES, PLACEHOLDER, shared_parameters
from rarelabels.learners import BinaryRelevance
from rarelabels.measures import limb
from rarelabels.sampling import MLSOL

ROOT = Path(__file__).parents[1]
SOURCE = Path(rarelabels.__file__).parent
PACKAGES = (
    "_neighbors",
    "decisions",
    "ensemble",
    "learners",
    "measures",
    "metrics",
    "model_selection",
    "sampling",
    "weights",
)
SECTION = re.compile(
    r"^(?:Parameters|Attributes)\n-+\n(.*?)(?=^\w[\w ]*\n-+\n|\Z)", re.DOTALL | re.MULTILINE
)
# Fields of internal records may have the same name.
OF_RECORDS = re.compile(r"\w+ : (\(|csr_array|LabelMatrix|Schema|Problem|LabelTrees)")


def docstrings(folder):
    """Return the docstrings of functions and classes as they are in the source, with names."""
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node):
                yield f"{path.relative_to(SOURCE)}:{node.name}", ast.get_docstring(node)


def entries_of(text):
    """Return the entries of the parameters and attributes of a docstring, on one line each."""
    sections = re.findall(
        r"^(?:Parameters|Attributes)\n-+\n(.*?)(?=^\w[\w ]*\n-+\n|\Z)",
        text,
        re.DOTALL | re.MULTILINE,
    )
    for section in sections:
        for entry in re.split(r"\n(?=\S)", section.strip()):
            yield " ".join(entry.split())


def test_no_description_is_written_more_than_twice():
    written = Counter(
        entry
        for package in PACKAGES
        for _, text in docstrings(SOURCE / package)
        for entry in entries_of(text)
        if not PLACEHOLDER.fullmatch(entry) and not OF_RECORDS.match(entry)
    )
    assert {entry: times for entry, times in written.items() if times > 2} == {}


def test_every_entry_is_used_and_every_placeholder_has_one():
    used = {names for _, text in docstrings(SOURCE) for _, names in PLACEHOLDER.findall(text)}
    assert used == set(ENTRIES)


@pytest.mark.parametrize("names", ENTRIES)
def test_an_entry_describes_the_names_in_its_braces(names):
    heads = [line for line in ENTRIES[names].strip().splitlines() if not line.startswith(" ")]
    described = ", ".join(head.split(" : ")[0] for head in heads)
    assert names == described or names.startswith(f"{described}, ")


def test_help_shows_the_descriptions():
    for thing in (metrics.hamming_loss, MLSOL, BinaryRelevance.fit, limb, metrics.macro_auc_roc):
        shown = pydoc.render_doc(thing)
        assert not PLACEHOLDER.search(inspect.getdoc(thing))
        assert " : " in shown
    assert "sample_weight : array-like of shape" in pydoc.render_doc(metrics.hamming_loss)
    # The descriptions have the indent of what surrounds them.
    indents = {
        len(line) - len(line.lstrip())
        for line in inspect.getdoc(metrics.hamming_loss).splitlines()
        if line.startswith(("y_true", "sample_weight", "allow_missing"))
    }
    assert indents == {0}


def test_the_names_of_distances_come_from_their_records():
    for distance in DISTANCES:
        assert f'"{distance.name}"' in inspect.getdoc(limb)
        assert f'"{distance.name}"' in inspect.getdoc(find_neighbors)


def test_a_subclass_has_its_own_docstring_or_that_of_its_base():
    @shared_parameters
    class Base:
        """Base.

        Parameters
        ----------
        {n_jobs}
        """

    class Quiet(Base):
        pass

    class Talkative(Base):
        """Another."""

    assert "n_jobs : int" in inspect.getdoc(Quiet)
    assert inspect.getdoc(Talkative) == "Another."


def test_without_docstrings_the_package_works():
    code = (
        "from rarelabels.metrics import hamming_loss\n"
        "from rarelabels.sampling import MLROS\n"
        "print(hamming_loss.__doc__, MLROS.__doc__, hamming_loss([[1, 0]], [[1, 1]]))"
    )
    done = subprocess.run(
        [sys.executable, "-OO", "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["None", "None", "0.5"]


def test_an_example_that_fails_is_reported_at_its_line(tmp_path):
    module = tmp_path / "example.py"
    module.write_text(
        "from rarelabels._parameter_docs import shared_parameters\n\n\n"
        "@shared_parameters\n"
        "def double(X, n_jobs=None):\n"
        '    """Double.\n\n'
        "    Parameters\n    ----------\n    {X}\n    {n_jobs}\n\n"
        "    Examples\n    --------\n"
        "    >>> double(2)\n    5\n"
        '    """\n'
        "    return 2 * X\n"
    )
    options = ("--doctest-modules", "-p", "conftest", "-p", "no:cacheprovider", "-q")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, str(module)],
        cwd=tmp_path,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert "example.py:15: DocTestFailure" in done.stdout
    assert "015     >>> double(2)" in done.stdout
