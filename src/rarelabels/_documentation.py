"""Links from estimators to their pages; the address stands in ``[project.urls]`` alone."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, metadata

PACKAGE = "rarelabels"
API_PAGE = "api/generated/{estimator_module}.{estimator_name}.html"


@cache
def documentation_url() -> str:
    """Return the address of the documentation, without a slash at its end; empty if there is none.

    It is read from the metadata of the installed package, where ``[project.urls]`` of
    ``pyproject.toml`` has its entry `Documentation`.
    """
    try:
        entries = metadata(PACKAGE).get_all("Project-URL") or []
    except PackageNotFoundError:
        return ""
    named = dict(entry.split(", ", 1) for entry in entries)
    return named.get("Documentation", "").rstrip("/")


class DocumentationLinkMixin:
    """Where scikit-learn's HTML representation of an estimator leads: to its API page here.

    scikit-learn makes a link only for classes of the package that `_doc_link_module` names, so
    that classes derived by others have none.
    """

    @property
    def _doc_link_module(self) -> str:
        return PACKAGE if documentation_url() else ""

    @property
    def _doc_link_template(self) -> str:
        return f"{documentation_url()}/{API_PAGE}"
