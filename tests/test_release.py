"""What is written down for a release agrees: versions, and the commands that are tried."""

import re
import tomllib
from pathlib import Path

import pytest

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


def test_every_documented_command_is_tried_from_a_fresh_clone():
    script = ROOT / ".ci" / "fresh"
    if not script.is_file():
        pytest.skip("the scripts of the repository are not here")
    tried = re.search(r"targets=\(\n(.*?)\)", script.read_text(), re.DOTALL)[1]
    tried = set(re.findall(r"[\w-]+", re.sub(r" \w+=\S+", "", tried.replace('"', " "))))
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.rst"), *ROOT.glob(".github/**/*.yml")]
    named = {
        name
        for page in pages
        for name in re.findall(r"\bmake ([a-z-]+)", page.read_text(encoding="utf-8"))
    }
    assert {"demo", "docs", "test"} <= named & targets
    # The benchmarks are tried small.
    assert named & targets - {"bench"} <= tried
    assert tried <= targets | {"install"}


def test_the_lowest_versions_are_those_that_the_package_admits():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    of_all = re.search(r"\[(.*)\]", extras["all"][0])[1].split(",")
    asked = [*project["dependencies"], *(one for name in of_all for one in extras[name])]
    admitted = dict(re.match(r"([\w-]+)(?:\[.*\])?>=(.+)", one).groups() for one in asked)
    tried = dict(
        re.findall(r"^([\w-]+)==(\S+)$", (ROOT / "tests" / "lowest.txt").read_text(), re.MULTILINE)
    )
    for name, version in admitted.items():
        assert f"{tried.get(name)}.0.0".startswith(f"{version}."), f"{name} is not in lowest.txt"
