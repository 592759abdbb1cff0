"""The page of a threshold report shows each label once, safely."""

import re

import numpy as np
import pytest

from rarelabels.decisions import threshold_report

pd = pytest.importorskip("pandas")
pytest.importorskip("jinja2")

rng = np.random.default_rng(0)
NAMES = ["rare", "<script>alert(1)</script>", "common"]


@pytest.fixture(scope="module")
def report():
    Y = rng.random((200, 3)) < [0.03, 0.2, 0.9]
    scores = Y + rng.normal(size=Y.shape)
    frame = pd.DataFrame(Y.astype(int), columns=NAMES)
    return threshold_report(frame, pd.DataFrame(scores, columns=NAMES), random_state=0)


def page_of(report, **options):
    from rarelabels.report import threshold_page

    return threshold_page(report, **options)


def test_each_label_has_a_row_and_a_chart(report):
    page = page_of(report)
    assert page.count('<th scope="row"') == page.count("<svg") == len(NAMES)
    for row in report.rows():
        for cell in row[1:]:
            assert cell in page


def test_names_are_escaped_and_nothing_is_loaded(report):
    page = page_of(report, title="<b>mine</b>")
    assert "<script" not in page
    assert "&lt;b&gt;mine" in page
    assert "default-src &#39;none&#39;" in page
    # The policy allows no style attributes, so there must be none.
    assert not re.search(r"<[^>]*\sstyle=", page)
    assert not re.search(r"(?:src|href)=", page.split("</head>")[1])


def test_a_label_for_every_sample_has_the_threshold_minus_infinity():
    Y = np.array([[1], [1], [1], [0]])
    report = threshold_report(Y, np.zeros((4, 1)), "f1", n_resamples=20, random_state=0)
    assert "−∞" in page_of(report)


def test_the_page_says_how_many_charts_are_missing(report, monkeypatch):
    monkeypatch.setattr("rarelabels.report._threshold_page.MOST_CHARTS", 1)
    page = page_of(report)
    assert page.count("<svg") == 1
    assert "2 more labels are not drawn." in page
