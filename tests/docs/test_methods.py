"""Every page of a method has an example that runs, its cost, and when to use it and when not."""

import re
from pathlib import Path

import pytest

from rarelabels._learners import LEARNERS
from rarelabels._samplers import SAMPLERS

PAGES = sorted((Path(__file__).parents[2] / "docs" / "methods").glob("*.rst"))
# The list of the pages, and a comparison of several methods.
NO_METHODS = {"index", "newer"}
METHODS = [page for page in PAGES if page.stem not in NO_METHODS]
SECTIONS = ["Example", "Cost", "When to use it, and when not"]


def sections_of(text):
    """The text below each heading that is underlined with hyphens."""
    parts = re.split(r"^([^\n]+)\n-{4,}\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


@pytest.mark.parametrize("page", METHODS, ids=lambda page: page.stem)
def test_a_method_has_example_cost_and_advice(page):
    found = sections_of(page.read_text(encoding="utf-8"))
    in_order = [name for name in found if name in SECTIONS]
    assert in_order == SECTIONS
    assert ".. run::" in found["Example"]
    assert re.search(r"\bnot?\b|\bnor\b|beware", found[SECTIONS[2]], re.IGNORECASE)


def test_pages_are_found():
    assert {"mlsol", "measures", "binary_relevance"} <= {page.stem for page in METHODS}


@pytest.mark.parametrize("record", [*SAMPLERS, *LEARNERS], ids=lambda record: record.name)
def test_every_sampler_and_learner_has_a_page_with_an_example(record):
    package, _, name = record.maker.place.partition(":")
    examples = (sections_of(page.read_text(encoding="utf-8"))["Example"] for page in METHODS)
    is_imported = re.compile(rf"from {package} import [^\n]*\b{name}\b")
    assert any(is_imported.search(example) for example in examples)
