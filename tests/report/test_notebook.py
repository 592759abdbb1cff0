"""What a notebook shows of a description."""

import re
from html import unescape

import numpy as np
import pandas as pd
import pytest

from rarelabels._registry import Deferred
from rarelabels.datasets import make_multilabel
from rarelabels.measures import _describe, describe

NAMES = ["plain", "<script>alert(1)</script>", '"><img src=x>', "four"]


@pytest.fixture(scope="module")
def described():
    X, y = make_multilabel(200, 5, 4, random_state=0)
    return describe(X, pd.DataFrame(np.asarray(y.todense()), columns=NAMES))


def page_in(frame):
    """Return the document that a frame holds."""
    return unescape(re.fullmatch(r'<iframe srcdoc="([^"]*)" [^<>]*></iframe>', frame)[1])


def test_the_charts_and_the_table_are_there(described):
    page = page_in(described._repr_html_())
    assert page.count("<circle class=") == len(NAMES)
    assert page.count('class="bar"') == len(NAMES)
    assert 'id="mark3"' in page
    assert f"<title>plain: {described.labels['count'][0]} samples" in page
    assert "What to do" in page
    assert "LImb" in page


def test_names_from_the_data_do_nothing(described):
    page = page_in(described._repr_html_())
    assert "<script" not in page
    assert "<img" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "default-src 'none'" in unescape(page)


def test_of_many_labels_the_rarest_are_listed():
    rng = np.random.default_rng(0)
    y = rng.random((60, 250)) < 0.3
    page = page_in(describe(rng.normal(size=(60, 2)), y.astype(int))._repr_html_())
    assert page.count('<th scope="row"') == 200
    assert "The 200 rarest labels; the other\n    50 are left out." in page


def test_without_what_draws_it_a_notebook_shows_tables(described, monkeypatch):
    monkeypatch.setattr(_describe, "FRAME", Deferred("no_such_package:frame"))
    page = described._repr_html_()
    assert page.count("<table>") == 3
    assert "<th>&lt;script&gt;alert(1)&lt;/script&gt;</th>" in page
