"""What the tests of reading and writing share."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse


@pytest.fixture(scope="session")
def assert_same():
    """Compare two data sets bit for bit."""

    def check(found, expected):
        for name in ("X", "Y"):
            _assert_same_matrix(getattr(found, name), getattr(expected, name))
        assert found.feature_names == expected.feature_names
        assert found.label_names == expected.label_names
        assert found.categorical_features == expected.categorical_features
        assert dict(found.categories) == dict(expected.categories)

    return check


def _assert_same_matrix(found, expected):
    assert type(found) is type(expected)
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    if sparse.issparse(found):
        assert found.has_canonical_format
        np.testing.assert_array_equal(found.indptr, expected.indptr)
        np.testing.assert_array_equal(found.indices, expected.indices)
        found, expected = found.data, expected.data
    if found.dtype.kind == "f":
        np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))
        np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))
    np.testing.assert_array_equal(found, expected)


@pytest.fixture
def only_library(monkeypatch):
    """Return a function that hides all dataframe libraries but those named; "none" is none."""

    def hide_others(*libraries):
        for library in set(libraries) - {"none"}:
            pytest.importorskip(library)
        tables = "rarelabels.datasets.tables"
        monkeypatch.setattr(f"{tables}._library.is_installed", libraries.__contains__)
        # A library is used for small files, too.
        monkeypatch.setattr(f"{tables}._csv_rows.SMALL", 0)

    return hide_others


@pytest.fixture(params=["pyarrow", "polars", "none"])
def csv_library(request, only_library):
    """Read CSV files with each library that splits rows, and with none."""
    only_library(request.param)


@pytest.fixture
def write_mulan(tmp_path):
    """Write an ARFF file and the label file beside it; give the ARFF's path."""

    def write(arff, *labels, name="toy"):
        content = arff if isinstance(arff, bytes) else arff.encode()
        (tmp_path / f"{name}.arff").write_bytes(content)
        inside = "\n".join(f'<label name="{label}"/>' for label in labels)
        xml = f"<labels>\n{inside}\n</labels>"
        (tmp_path / f"{name}.xml").write_text(xml, encoding="utf-8")
        return tmp_path / f"{name}.arff"

    return write
