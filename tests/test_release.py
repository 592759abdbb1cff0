"""The version stands in three places, and they agree."""

import re
from pathlib import Path

import rarelabels

ROOT = Path(__file__).parents[1]


def test_the_citation_has_the_version():
    found = re.search(r"^version: (\S+)$", (ROOT / "CITATION.cff").read_text(), re.MULTILINE)
    assert found[1] == rarelabels.__version__.split(".dev")[0]


def test_the_changelog_has_the_version():
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] == "Unreleased"
    is_released = ".dev" not in rarelabels.__version__
    assert not is_released or headings[1].split()[0] == rarelabels.__version__
