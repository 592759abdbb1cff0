"""A headless Chromium, and pages to open in it."""

from __future__ import annotations

import os
import shutil

import numpy as np
import pytest

from rarelabels.datasets import MultiLabelDataset, make_multilabel
from rarelabels.report import comparison_summary, data_summary, render_page

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
        lacking("no browser is here: install chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        lacking("playwright is not installed")
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


@pytest.fixture(scope="session")
def comparison(dataset):
    rng = np.random.default_rng(0)
    results = [
        {
            "method": name,
            "fold": fold,
            "score": 0.5 + gain + fold / 200 + 0.004 * rng.normal(),
            "seconds": 0.2 + abs(gain),
        }
        for name, gain in METHODS.items()
        for fold in range(10)
    ]
    return comparison_summary(
        results,
        metric="macro_f1",
        baseline="none",
        n_splits=2,
        labels=dataset.label_names,
        label_scores={name: rng.random(dataset.n_labels).tolist() for name in METHODS},
    )


@pytest.fixture(scope="session")
def page_file(dataset, comparison, tmp_path_factory):
    file = tmp_path_factory.mktemp("page") / "page.html"
    summary = data_summary(dataset, samplers=("mlsol", "mlul", "mlros"))
    file.write_text(render_page(summary, comparison), encoding="utf-8")
    return file


@pytest.fixture
def open_page(browser, page_file):
    """Open the page; whatever it complains of or asks for is collected, and must be nothing."""
    opened, complaints = [], []

    def open_(width=1100, height=900, **settings):
        context = browser.new_context(viewport={"width": width, "height": height}, **settings)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("dialog", lambda dialog: complaints.append("a dialog opened"))
        page.on("request", lambda request: complaints.append(request.url))
        page.goto(page_file.as_uri())
        opened.append(context)
        return page

    yield open_
    for context in opened:
        context.close()
    assert [one for one in complaints if one != page_file.as_uri()] == []
