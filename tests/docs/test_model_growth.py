"""The picture of the growth of models shows what the committed benchmarks measured."""

import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "_ext"
TITLE = "CPU-seconds of a fit by the number of samples: 50 features"
ROWS = [["samples", "a", "b"], ["500", "0.5", "1"], ["1,000", "2", "3"]]
RESULTS = {"models": {"tables": [{"title": TITLE, "rows": ROWS}]}}


@pytest.fixture(scope="module")
def model_growth():
    pytest.importorskip("sphinx")
    if not FOLDER.is_dir():
        pytest.skip("the documentation is not here")
    sys.path.append(str(FOLDER))
    try:
        import model_growth
    finally:
        sys.path.remove(str(FOLDER))
    return model_growth


def test_panels_are_seconds_by_size(model_growth):
    panels = model_growth.panels(RESULTS)
    assert panels == {"samples": {"a": [(500, 0.5), (1000, 2.0)], "b": [(500, 1.0), (1000, 3.0)]}}
    assert model_growth.description(panels) == (
        "CPU-seconds of a fit: a, 0.5 s for 500 samples and 2 s for 1,000; "
        "b, 1 s for 500 samples and 3 s for 1,000."
    )
    assert model_growth.panels({}) == {}


def test_the_picture_is_drawn(model_growth, tmp_path):
    pytest.importorskip("matplotlib")
    model_growth.draw(model_growth.panels(RESULTS), tmp_path / "growth.svg")
    assert "<svg" in (tmp_path / "growth.svg").read_text()


def test_all_three_dimensions_were_measured(model_growth):
    panels = model_growth.panels(model_growth.read_results())
    assert list(panels) == ["samples", "features", "labels"]
