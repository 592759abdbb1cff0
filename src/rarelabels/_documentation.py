"""Links from estimators to their documentation; the address is that in ``[project.urls]``."""

from __future__ import annotations

from functools import cache
from importlib.metadata import PackageNotFoundError, metadata

PACKAGE = "rarelabels"
API_PAGE = "api/generated/{estimator_module}.{estimator_name}.html"


@cache
def documentation_url() -> str:
    """Return the address of the documentation without a trailing slash, or an empty string.

    It is read from the metadata of the installed package: the entry `Documentation` of
    ``[project.urls]`` in ``pyproject.toml``.
    """
    try:
        entries = metadata(PACKAGE).get_all("Project-URL") or []
    except PackageNotFoundError:
        return ""
    urls = dict(entry.split(", ", 1) for entry in entries)
    return urls.get("Documentation", "").rstrip("/")


class DocumentationLinkMixin:
    """Link from scikit-learn's HTML representation of an estimator to its API page.

    scikit-learn creates a link only for classes of the package named by `_doc_link_module`, so
    classes that other packages derive have none.
    """

    @property
    def _doc_link_module(self) -> str:
        return PACKAGE if documentation_url() else ""

    @property
    def _doc_link_template(self) -> str:
        return f"{documentation_url()}/{API_PAGE}"
