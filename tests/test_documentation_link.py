"""Estimators lead to their API pages, where the documentation has an address."""

import re
from email.message import Message
from html import unescape
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from rarelabels import _documentation
from rarelabels.base import BaseSampler
from rarelabels.ensemble import ResampledClassifier, SamplingEnsemble
from rarelabels.learners import ThresholdedClassifier, learner, learner_names
from rarelabels.sampling import MLSOL, SamplerChain, sampler, sampler_names

API = Path(__file__).parents[1] / "docs" / "api"
CHAIN = SamplerChain([MLSOL()])
ESTIMATORS = [
    *map(sampler, sampler_names()),
    *map(learner, learner_names()),
    CHAIN,
    ThresholdedClassifier(learner("BR")),
    SamplingEnsemble(learner("BR"), MLSOL()),
    ResampledClassifier(learner("BR"), MLSOL()),
]


@pytest.fixture
def project_url(monkeypatch):
    """Set what the installed package says of the project's addresses."""

    def set_entries(*entries):
        found = Message()
        for entry in entries:
            found["Project-URL"] = entry
        monkeypatch.setattr(_documentation, "metadata", lambda _: found)
        _documentation.documentation_url.cache_clear()

    yield set_entries
    monkeypatch.undo()
    _documentation.documentation_url.cache_clear()


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda made: type(made).__name__)
def test_the_link_leads_to_a_page_that_is_made(estimator, project_url):
    project_url("Source, https://code.example", "Documentation, https://docs.example/stable/")
    (start, page) = re.fullmatch(
        r"(.*/api/generated/)(.*)\.html", estimator._get_doc_link()
    ).groups()
    assert start == "https://docs.example/stable/api/generated/"
    assert f'href="{start}{page}.html"' in unescape(estimator._repr_html_())
    module, name = page.rsplit(".", 1)
    (room,) = [text for text in API.glob("*.rst") if is_about(text, module)]
    assert re.search(rf"^   {name}$", room.read_text(encoding="utf-8"), re.MULTILINE)


def is_about(page, module):
    return f".. currentmodule:: {module}\n" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("entries", [[], ["Source, https://code.example"]])
def test_without_an_address_there_is_no_link(entries, project_url):
    project_url(*entries)
    assert MLSOL()._get_doc_link() == ""
    assert "api/generated" not in MLSOL()._repr_html_()


def test_a_package_that_is_not_installed_has_no_address(project_url, monkeypatch):
    project_url()

    def fail(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(_documentation, "metadata", fail)
    assert _documentation.documentation_url() == ""


def test_classes_of_others_have_no_link(project_url):
    project_url("Documentation, https://docs.example")

    class Theirs(BaseSampler):
        def _resample(self, X, Y, rng):
            raise NotImplementedError

    assert Theirs()._get_doc_link() == ""


def test_trees_have_a_link(project_url):
    trees = pytest.importorskip("rarelabels.trees", exc_type=ImportError)
    project_url("Documentation, https://docs.example")
    link = trees.C45Classifier()._get_doc_link()
    assert link == "https://docs.example/api/generated/rarelabels.trees.C45Classifier.html"
