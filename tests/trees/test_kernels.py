"""The kernels of trees: described arguments, phases that import one way, one criterion."""

import ast
import re
from pathlib import Path

import pytest

import rarelabels

KERNELS = Path(rarelabels.__file__).parent / "trees" / "_kernels"
MODULES = sorted(path for path in KERNELS.rglob("*.py") if path.name != "__init__.py")
# A phase may use those after it.
PHASES = ["grow", "prune", "split", "predict"]


def described(docstring):
    """Return the arguments that a docstring describes, in a list or in the text."""
    names = set(re.findall(r"`(\w+)`", docstring))
    for line in docstring.splitlines():
        if matched := re.fullmatch(r"\s*(\w+(?:, \w+)*) : \S.*", line):
            names |= set(matched[1].split(", "))
    return names


def docstring_of(path):
    return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""


def functions(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return [node for node in tree.body if isinstance(node, ast.FunctionDef)]


def undescribed(path):
    """Return the arguments of a module's kernels that are described nowhere above them."""
    folders = [path.parent, KERNELS] if path.parent != KERNELS else [KERNELS]
    places = [path, *(folder / "__init__.py" for folder in folders)]
    shared = set().union(*(described(docstring_of(place)) for place in places))
    return [
        f"{function.name}: {argument.arg}"
        for function in functions(path)
        for argument in function.args.args
        if argument.arg not in shared | described(ast.get_docstring(function) or "")
    ]


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(KERNELS)))
def test_every_argument_of_a_kernel_is_described(path):
    assert undescribed(path) == []


def test_an_argument_that_is_described_nowhere_is_found(tmp_path):
    path = tmp_path / "some.py"
    path.write_text('def count(codes, unheard):\n    """Count `codes`."""\n')
    assert described("codes : Codes\n    The codes.\nn, k : int64") == {"codes", "n", "k"}
    kernels, function = KERNELS / "__init__.py", functions(path)[0]
    known = described(docstring_of(kernels)) | described(ast.get_docstring(function))
    assert [one.arg for one in function.args.args if one.arg not in known] == ["unheard"]


def test_only_the_criterion_knows_which_one_it_is():
    readers = {path.name for path in MODULES if re.search(r"\.gain_ratio\b", path.read_text())}
    assert readers == {"criterion.py"}


@pytest.mark.parametrize("phase", PHASES)
def test_phases_import_one_way(phase):
    before = PHASES[: PHASES.index(phase)]
    imported = {
        match
        for path in (KERNELS / phase).glob("*.py")
        for match in re.findall(r"_kernels\.(\w+)\.\w+ import", path.read_text())
    }
    assert not imported & {*before, "multilabel"}


def test_the_page_on_trees_names_functions_that_exist():
    package = KERNELS.parents[1]
    defined = set()
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                defined.add(node.name)
            elif isinstance(node, ast.Assign):
                defined |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        defined |= {path.stem, path.parent.name}
    page = package.parents[1] / "docs" / "contributing" / "trees.rst"
    if not page.exists():
        pytest.skip("the page is part of the repository only")
    named = set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", page.read_text(encoding="utf-8")))
    assert named
    assert named - defined == set()
