"""The figures of a run are kept with what they were measured on, one benchmark at a time."""

import importlib.util
import json
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture
def results():
    if not FOLDER.is_dir():
        pytest.skip("the benchmarks are not here")
    spec = importlib.util.spec_from_file_location("benchmark_results", FOLDER / "_results.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_run_replaces_its_own_figures_only(results, tmp_path):
    results.keep("b", [("Speed", [["data", "ratio"], ["yeast", "2.0"]])], tmp_path)
    results.keep("a", [("Size", [["data", "MB"], ["yeast", "1"]])], tmp_path)
    results.keep("b", [("Speed", [["data", "ratio"], ["yeast", "3.0"]])], tmp_path)
    kept = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
    assert list(kept) == ["a", "b"]
    assert kept["a"]["tables"] == [{"title": "Size", "rows": [["data", "MB"], ["yeast", "1"]]}]
    assert kept["b"]["tables"][0]["rows"][1] == ["yeast", "3.0"]
    assert {"day", "machine", "python", "numpy"} <= kept["b"]["measured"].keys()
    page = (tmp_path / "results.md").read_text(encoding="utf-8")
    assert "| yeast | 3.0 |" in page
    assert "| yeast | 2.0 |" not in page
    assert page.count("|---|---|") == 2


def test_a_missing_package_has_no_version(results):
    assert results.installed("no-such-package-anywhere") is None
    assert results.installed("numpy")


def test_what_is_committed_can_be_read(results):
    place = FOLDER / "results.json"
    if not place.is_file():
        pytest.skip("no run is committed")
    kept = json.loads(place.read_text(encoding="utf-8"))
    assert results.markdown(kept) == (FOLDER / "results.md").read_text(encoding="utf-8")
