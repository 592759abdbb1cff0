"""Every public name is on an API page, has an example and a docstring that numpydoc accepts."""

import dataclasses
import enum
import importlib
import inspect
import re
from pathlib import Path

import pytest

API = Path(__file__).parents[2] / "docs" / "api"
ROOMS = [
    "base",
    "comparison",
    "datasets",
    "decisions",
    "ensemble",
    "experiment",
    "advisor",
    "learners",
    "measures",
    "metrics",
    "model_selection",
    "report",
    "sampling",
    "torch",
    "weights",
]
# Results, records, errors and warnings that a caller is given and never makes: the function that
# gives them has the example.
WITHOUT_EXAMPLE = (Exception, Warning)

# What numpydoc may say of anything, and why it may.
EXEMPT = {
    "ES01": "one sentence is often enough",
    "EX01": "examples have a test of their own, above",
    "SA01": "See Also stands where there is something to see",
}
# One entry for parameters that mean the same everywhere, and are explained in one place.
BY_REFERENCE = {"scale_features", "categorical_features", "metric", "neighbors", "n_jobs"}


def is_fine(thing, code, text):
    if code in ("PR01", "PR02") and "__signature__" in vars(thing):
        return True  # Another's parameters, taken over and documented there.
    if code == "PR01":  # A result's fields are its attributes; nobody calls its constructor.
        return dataclasses.is_dataclass(thing) or isinstance(thing, enum.EnumType)
    if code == "PR04":
        return re.search('"(.*)"', text)[1] in BY_REFERENCE
    return code in EXEMPT


def public_names():
    for room in ROOMS:
        try:
            module = importlib.import_module(f"rarelabels.{room}")
        except ModuleNotFoundError:
            continue
        for name in module.__all__:
            yield f"rarelabels.{room}", name
    for name in ("find_neighbors", "Neighbors", "ApproximateNeighbors"):
        yield "rarelabels", name
    yield ("rarelabels.testing", "check_sampler")


NAMES = list(public_names())
every_name = pytest.mark.parametrize(("module", "name"), NAMES, ids=lambda part: part)


def listed_names():
    """Names in the autosummary tables, with the module they belong to."""
    found = set()
    for page in API.glob("*.rst"):
        module, inside = "", False
        for line in page.read_text(encoding="utf-8").splitlines():
            if match := re.match(r"\.\. currentmodule:: (\S+)", line):
                module = match[1]
            inside = line.startswith(".. autosummary::") or (inside and line[:1] in ("", " "))
            if inside and (match := re.fullmatch(r"   (\w+)", line)):
                found.add((module, match[1]))
    return found


def test_every_public_name_is_on_a_page_and_nothing_else_is():
    missing = set(NAMES) - listed_names()
    assert not missing, f"add them to docs/api: {sorted(missing)}"
    rooms = {module for module, _ in NAMES}
    gone = {pair for pair in listed_names() if pair[0] in rooms} - set(NAMES)
    assert not gone, f"remove them from docs/api: {sorted(gone)}"


@every_name
def test_every_public_name_is_explained(module, name):
    thing = getattr(importlib.import_module(module), name)
    if not callable(thing):
        return
    text = inspect.getdoc(thing)
    assert text, f"{module}.{name} has no docstring"
    is_error = inspect.isclass(thing) and issubclass(thing, WITHOUT_EXAMPLE)
    if inspect.isclass(thing) and not is_error:
        assert ">>>" in text or made_by_a_function(module, name), f"{name} has no example"
    elif not is_error:
        assert ">>>" in text, f"{module}.{name} has no example"


def made_by_a_function(module, name):
    """Whether a function of the room gives such an object, with an example there."""
    room = importlib.import_module(module)
    makers = [
        inspect.getdoc(thing) or ""
        for thing in vars(room).values()
        if inspect.isfunction(thing) or inspect.isclass(thing)
    ]
    return any(re.search(rf"\b{name}\b", text) and ">>>" in text for text in makers)


@every_name
def test_numpydoc_accepts(module, name):
    validate = pytest.importorskip("numpydoc.validate")
    thing = getattr(importlib.import_module(module), name)
    if not callable(thing):
        return
    found = validate.validate(f"{module}.{name}")["errors"]
    wrong = [f"{code}: {text}" for code, text in found if not is_fine(thing, code, text)]
    assert not wrong, f"{module}.{name}: {wrong}"
