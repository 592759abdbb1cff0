"""A headless Chromium, and pages to open in it."""

from __future__ import annotations

import os
import shutil

import numpy as np
import pytest
from scipy import sparse

from rarelabels.comparison import comparison_summary
from rarelabels.datasets import MultiLabelDataset, make_multilabel
from rarelabels.report import data_summary, render_page

REQUIRED = "RARELABELS_NEEDS_BROWSER"
FLAGS = (
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
)  # fmt: skip
METHODS = {"none": 0.0, "MLROS": 0.0, "MLSOL": 0.05, "MLUL": -0.04, "EMLSOL": 0.07}


def pytest_configure(config):
    config.addinivalue_line("markers", "browser: opens a page in a browser")


def pytest_collection_modifyitems(items):
    for item in items:
        if "tests/browser" in item.path.as_posix():
            item.add_marker(pytest.mark.browser)


def lacking(reason):
    """Skip the tests, or fail them where a browser is said to be there."""
    if os.environ.get(REQUIRED):
        pytest.fail(f"{reason}, and {REQUIRED} is set")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def browser():
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    if program is None:
        lacking("needs a browser: apt-get install chromium, then make test-browser")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        lacking("needs playwright: pip install '.[test]'")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        yield opened
        opened.close()


@pytest.fixture(scope="session")
def dataset():
    """Rows with labels from frequent to rare, some under names that want out of their place."""
    made = make_multilabel(400, n_labels=8, random_state=3)
    names = [f"label {j}" for j in range(5)]
    hostile = [
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "תווית 🦀 " + "x" * 80,
    ]
    return MultiLabelDataset(made.X, made.Y, label_names=tuple(names + hostile), name="made & <b>")


def compared(dataset, methods=METHODS):
    """Make up a comparison on a data set."""
    rng = np.random.default_rng(0)
    results = [
        {
            "method": name,
            "fold": fold,
            "score": 0.5 + gain + fold / 200 + 0.004 * rng.normal(),
            "seconds": 0.2 + abs(gain),
        }
        for name, gain in methods.items()
        for fold in range(10)
    ]
    return comparison_summary(
        results,
        metric="macro_f1",
        baseline="none",
        n_splits=2,
        labels=dataset.label_names,
        positives=np.asarray(dataset.Y.sum(axis=0)).ravel().tolist(),
        label_scores={name: rng.random((10, dataset.n_labels)) for name in methods},
    )


@pytest.fixture(scope="session")
def page_file(dataset, tmp_path_factory):
    file = tmp_path_factory.mktemp("page") / "page.html"
    summary = data_summary(dataset, samplers=("mlsol", "mlul", "mlros"))
    file.write_text(render_page(summary, compared(dataset)), encoding="utf-8")
    return file


@pytest.fixture(scope="session")
def thousand_file(tmp_path_factory):
    """A page of a thousand labels and eleven methods."""
    rng = np.random.default_rng(0)
    X, shares = rng.normal(size=(2000, 8)), np.linspace(0.2, 0.004, 1000)
    scores = X @ rng.normal(size=(8, 1000)) + 2 * rng.normal(size=(2000, 1000))
    cuts = [np.quantile(scores[:, j], 1 - share) for j, share in enumerate(shares)]
    Y = sparse.csr_array((scores > cuts).astype(int))
    names = tuple(f"topic {j:04d}" for j in range(1000))
    dataset = MultiLabelDataset(X, Y, label_names=names, name="a thousand")
    methods = {"none": 0.0, **{f"method {j}": j / 100 for j in range(10)}}
    file = tmp_path_factory.mktemp("thousand") / "page.html"
    page = render_page(data_summary(dataset), compared(dataset, methods))
    file.write_text(page, encoding="utf-8")
    return file


@pytest.fixture
def open_page(browser, page_file):
    """Open a page; whatever it complains of or asks for is collected, and must be nothing."""
    opened, complaints = [], []

    def open_(width=1100, height=900, file=page_file, **settings):
        still = {"viewport": {"width": width, "height": height}, "reduced_motion": "reduce"}
        context = browser.new_context(**still | settings)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append("a dialog opened"))
        page.on("request", lambda request: complaints.append(request.url))
        page.goto(file.as_uri())
        opened.append(context)
        return page

    yield open_
    for context in opened:
        context.close()
    # What it saves is a blob of its own.
    assert [one for one in complaints if not one.startswith(("file:", "blob:"))] == []
