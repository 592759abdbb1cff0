"""The picture of the search's growth shows what the committed benchmarks measured."""

import importlib.util
import sys
from pathlib import Path

import pytest

PLACE = Path(__file__).parents[2] / "docs" / "_ext" / "growth.py"
KEPT = {
    "neighbors": {
        "tables": [
            {"title": "Threads", "rows": [["a", "b"], ["x", "1"]]},
            {
                "title": "Cost of a pair of samples",
                "rows": [["samples × 100", "ns"], ["20,000", "2.50"], ["200,000", "2.00"]],
            },
        ]
    },
    "millions": {
        "tables": [
            {
                "title": "MLSOL with approximate neighbors: 100 features",
                "rows": [["samples", "search CPU-s"], ["100,000", "20"], ["1,000,000", "200"]],
            }
        ]
    },
}


@pytest.fixture(scope="module")
def growth():
    pytest.importorskip("sphinx")
    if not PLACE.is_file():
        pytest.skip("the documentation is not here")
    spec = importlib.util.spec_from_file_location("growth", PLACE)
    module = importlib.util.module_from_spec(spec)
    sys.modules["growth"] = module
    spec.loader.exec_module(module)
    return module


def test_curves_are_seconds_by_samples(growth):
    found = growth.curves(KEPT)
    # 2.5 ns · 20,000² = 1 s, and 2 ns · 200,000² = 80 s.
    assert found["exact"] == [(20_000, pytest.approx(1)), (200_000, pytest.approx(80))]
    assert found["approximate"] == [(100_000, 20), (1_000_000, 200)]
    assert growth.told(found).endswith(
        "exact, from 1 s for 20,000 samples to 80 s for 200,000; "
        "approximate, from 20 s for 100,000 samples to 200 s for 1,000,000."
    )


def test_what_was_not_measured_has_no_curve(growth):
    assert growth.curves({}) == {}
    assert list(growth.curves({"neighbors": KEPT["neighbors"]})) == ["exact"]


def test_the_picture_is_drawn(growth, tmp_path):
    pytest.importorskip("matplotlib")
    place = tmp_path / "new" / "growth.svg"
    growth.draw(growth.curves(KEPT), place)
    assert "<svg" in place.read_text(encoding="utf-8")
