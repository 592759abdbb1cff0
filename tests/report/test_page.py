import base64
import hashlib
import json
import re
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pytest

from rarelabels.comparison import comparison_summary
from rarelabels.datasets import MultiLabelDataset, load
from rarelabels.report import data_summary, render_page
from rarelabels.report._page import MAX_LABELS, STATIC_ROWS


class Elements(HTMLParser):
    """Collect every element with its attributes, and the text of scripts and styles."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.elements, self.text, self.raw, self.open = [], [], {}, None
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.open = len(self.elements) - 1 if tag in ("script", "style") else None

    def handle_endtag(self, tag):
        self.open = None

    def handle_data(self, data):
        if self.open is None:
            self.text.append(data)
        else:
            self.raw[self.open] = self.raw.get(self.open, "") + data

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


@pytest.fixture(scope="module")
def compared(results, hostile):
    names = {"none": 0.0, "MLSOL": 0.05, "<i>MLUL</i>": 0.01}
    return comparison_summary(
        results(names),
        metric="macro_f1",
        baseline="none",
        n_splits=2,
        labels=hostile.label_names,
        positives=hostile.Y.sum(axis=0).tolist(),
        label_scores={name: np.tile(0.1 * np.arange(6), (10, 1)) for name in names},
    )


@pytest.fixture(scope="module")
def page(hostile, compared):
    return render_page(data_summary(hostile), compared, reference=data_summary(hostile))


@pytest.fixture(scope="module")
def parsed(page):
    return Elements(page)


def test_hostile_names_stay_text(page, parsed, hostile):
    assert len(parsed.all("script")) == 2
    assert not parsed.all("img")
    assert not parsed.all("b")
    assert not parsed.all("i")
    text = " ".join(parsed.text)
    for name in hostile.label_names:
        assert name in text or name.replace("\u2028", " ") in text
    assert "{{ 7 * 7 }}" in text
    assert page.lower().count("</script") == 2
    assert page.lower().count("</title") == 1


def test_no_element_has_an_inline_handler_or_style(parsed):
    for _, attributes in parsed.elements:
        assert not [name for name in attributes if name.startswith("on") or name == "style"]


def test_nothing_comes_from_elsewhere(page, parsed):
    for _, attributes in parsed.elements:
        assert "src" not in attributes
        assert attributes.get("href", "#").startswith("#")
    css = parsed.raw[parsed.elements.index(("style", {}))]
    assert "url(" not in css
    assert "@import" not in css
    policy = parsed.all("meta")[1]["content"]
    assert policy.startswith("default-src 'none';")


def test_the_policy_allows_this_script_and_style_alone(parsed):
    policy = parsed.all("meta")[1]["content"]
    sums = re.findall(r"'(sha256-[^']+)'", policy)
    inline = [
        text
        for place, text in parsed.raw.items()
        if parsed.elements[place][1].get("type") != "application/json"
    ]
    found = [
        "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for text in inline
    ]
    assert sums == found


def test_the_data_is_json(parsed, hostile):
    (place,) = [
        place
        for place, (_, attributes) in enumerate(parsed.elements)
        if attributes.get("type") == "application/json"
    ]
    data = json.loads(parsed.raw[place])
    assert len(data["types"]) == hostile.n_labels
    assert {overlay["sampler"] for overlay in data["overlays"]} == {"mlsol", "mlul"}


def test_every_chart_has_a_name_and_every_id_is_one(parsed):
    charts = [one for one in parsed.all("svg") if one.get("class") == "chart"]
    assert {one["id"] for one in charts} == {
        "scores", "ranks", "time", "gains-minority-samples", "gains-local-imbalance",
        "frequency", "per-sample", "together", "scumble", "map",
    }  # fmt: skip
    assert all(one["aria-label"] for one in charts)
    ids = [attributes["id"] for _, attributes in parsed.elements if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_the_page_of_data_alone_has_no_methods(clouds):
    parsed = Elements(render_page(data_summary(clouds)))
    ids = {attributes.get("id") for _, attributes in parsed.elements}
    assert {"glance", "labels", "co-occurrence", "samples-map"} <= ids
    assert "methods" not in ids


def test_the_same_summary_gives_the_same_page(clouds):
    summary = data_summary(clouds)
    assert render_page(summary) == render_page(summary)


def test_many_labels_are_cut_to_the_rarest(clouds, monkeypatch):
    monkeypatch.setattr("rarelabels.report._page.MAX_LABELS", 3)
    page = render_page(data_summary(clouds))
    assert "The 3 rarest labels; the other" in page
    assert page.count('<tr data-label="') == 3


def test_the_page_of_bibtex_is_small(shared_data):
    dataset = load(shared_data / "bibtex" / "bibtex.arff")
    page = render_page(data_summary(dataset))
    assert len(page.encode()) < 1_000_000
    assert page.count('<tr data-label="') == 159


def test_without_jinja_the_error_says_what_to_install(monkeypatch, clouds):
    from rarelabels.report import _page

    _page.template_environment.cache_clear()
    for name in ("jinja2", "markupsafe"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=r"rarelabels\[report\]"):
        render_page(data_summary(clouds))


def test_ten_thousand_labels_fit():
    from scipy import sparse

    rng = np.random.default_rng(0)
    Y = sparse.random_array((3000, 10_000), density=0.001, rng=rng, format="csr")
    Y.data[:] = 1
    once = sparse.csr_array((np.ones(10_000), (rng.integers(3000, size=10_000), range(10_000))))
    Y = (Y + once).sign().astype(int)
    names = [f"</script><b>{j}" for j in range(10_000)]
    dataset = MultiLabelDataset(rng.normal(size=(3000, 3)), Y, name="many", label_names=names)
    page = render_page(data_summary(dataset))
    assert len(page.encode()) < 5_000_000
    assert page.count('<tr data-label="') == STATIC_ROWS
    assert f"The {MAX_LABELS:,} rarest labels; the other" in page
    parsed = Elements(page)
    assert len(parsed.all("script")) == 2
    assert not parsed.all("b")


def test_measuring_needs_neither_jinja_nor_markupsafe():
    code = (
        "import sys; sys.modules['jinja2'] = sys.modules['markupsafe'] = None\n"
        "from rarelabels.report import measures_summary\n"
        "from rarelabels.datasets import make_local_imbalance\n"
        "measures_summary(make_local_imbalance(60))"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_new_chart_is_one_record(clouds, results, monkeypatch):
    from rarelabels.report import figures

    new = figures.Chart(
        "labels",
        lambda view: figures.tag("svg", len(view.shown), id="new", class_="chart", role="img"),
        "{{ labels|length }} labels of {{ title }}",
    )
    of_comparisons = figures.Chart(
        "ranks", lambda view: figures.tag("svg", id="methods-only"), needs_comparison=True
    )
    monkeypatch.setattr(figures, "CHARTS", (*figures.CHARTS, new, of_comparisons))
    page = render_page(data_summary(clouds))
    assert '<svg id="new" class="chart" role="img">6</svg>' in page
    assert ">6 labels of clouds</figcaption>" in page
    assert "methods-only" not in page
    found = comparison_summary(
        results({"none": 0.0, "MLSOL": 0.1}), metric="macro_f1", baseline="none", n_splits=2
    )
    assert 'id="methods-only"' in render_page(data_summary(clouds), found)
