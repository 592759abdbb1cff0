"""A brief form of ``benchmarks/gain_verdicts.py``."""

import importlib.util
import sys
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def simulation():
    path = Path(__file__).parents[2] / "benchmarks" / "gain_verdicts.py"
    if not path.is_file():
        pytest.skip("the benchmarks are not here")
    spec = importlib.util.spec_from_file_location("gain_verdicts", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("kind", ["ridge", "kNN", "tree"])
@pytest.mark.parametrize("design", ["5x2", "5x5"])
def test_two_equal_methods_seldom_differ(simulation, design, kind):
    n_datasets = 60 if kind == "tree" else 300
    found = simulation.simulate(design, 0.0, n_datasets, seed=0, kind=kind)
    assert found.found_any <= 0.08
    assert found.plain_found > found.found_any + 0.1, "the plain t-test errs much more often"


def test_a_larger_gain_is_found_more_often_and_five_folds_find_more(simulation):
    found = {
        (design, extra): simulation.simulate(design, extra, n_datasets=200, seed=1)
        for design in ("5x2", "5x5")
        for extra in (0.1, 0.3)
    }
    for design in ("5x2", "5x5"):
        small, large = found[design, 0.1], found[design, 0.3]
        assert large.true_gain > small.true_gain > 0
        assert large.found_better > small.found_better + 0.3
        assert large.found_worse == 0
    assert found["5x5", 0.3].found_better > found["5x2", 0.3].found_better
