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


def test_the_readme_has_the_figures_of_the_committed_run():
    readme, place = FOLDER.parent / "README.md", FOLDER / "results.json"
    if not (readme.is_file() and place.is_file()):
        pytest.skip("the README or the benchmarks are not here")
    kept = json.loads(place.read_text(encoding="utf-8"))
    text = readme.read_text(encoding="utf-8")
    for line in speed_lines(kept):
        assert line in text


def speed_lines(kept):
    """Write the rows of the README about speed, from the committed tables."""
    whole = figure(kept, "local_samplers", 0, "CPU ratio", "MLSOL", "1")
    ours, faiss = (
        figure(kept, "neighbors", 0, head, "20,000 × 100")
        for head in ("MLSOL", "faiss's flat search")
    )
    mlknn = [figure(kept, "learners", 0, "times as fast", name) for name in ("yeast", "bibtex")]
    fit = "fit times as fast, entropy"
    of_trees = {
        learner: [figure(kept, "trees", 1, fit, data, learner) for data in ("yeast", "bibtex")]
        for learner in ("BinaryRelevance", "RAkEL", "COCOA")
    }
    splits = [1 / figure(kept, "splits", 0, "ratio", name, "10") for name in ("yeast", "corel5k")]
    arff = figure(kept, "reading", 0, "ratio", "bibtex")
    yield f"| MLSOL, 20,000 × 100 | scikit-learn's bare search for neighbors | {1 / whole:.1f} |"
    yield f"| | faiss's bare flat search | {faiss / ours:.1f} |"
    java = [figure(kept, "java", 0, "MLSOL times as fast", name) for name in ("yeast", "bibtex")]
    beside = "its authors' program, in Java"
    yield f"| MLSOL, yeast and bibtex | {beside} | {java[0]:.0f} and {java[1]:.0f} |"
    yield f"| MLkNN, yeast and bibtex | scikit-multilearn-ng | {mlknn[0]:.0f} and {mlknn[1]:.0f} |"
    for learner, speedups in of_trees.items():
        beside = "the same with scikit-learn's trees"
        yield f"| {learner} on our trees, yeast and bibtex | {beside} | {both(speedups)} |"
    beside = "iterative-stratification"
    yield f"| Ten stratified folds, yeast and corel5k | {beside} | {both(splits)} |"
    yield f"| Reading ARFF, bibtex | liac-arff | {arff:.1f} |"


def both(figures):
    return " and ".join(f"{value:.1f}" for value in figures)


def figure(kept, name, place, head, *lead):
    """Return the number under a head in the row that begins with some cells."""
    heads, *rows = kept[name]["tables"][place]["rows"]
    (row,) = (row for row in rows if tuple(row[: len(lead)]) == lead)
    return float(row[heads.index(head)])
