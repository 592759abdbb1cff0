"""A brief form of ``benchmarks/gain_verdicts.py``."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
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


@pytest.mark.parametrize("kind", ["ridge", "kNN", "trees"])
def test_two_equal_methods_seldom_differ(simulation, kind):
    if kind == "trees":
        pytest.importorskip("numba")
    found = simulation.simulate(simulation.Case(kind), n_chunks=2)
    assert found.n == 100
    assert found.found <= 0.1
    assert found.share("plain") > found.found + 0.2, "the plain t-test errs much more often"
    assert abs(found.share("gain")) < 0.01
    assert 0.1 < found.correlation("other_repetition") < 0.3, "the test takes it to be 0.2"
    assert found.correlation("same_repetition") < found.correlation("other_repetition")


def test_a_larger_gain_is_found_more_often_and_five_folds_find_more(simulation):
    found = {
        (design, extra): simulation.simulate(
            simulation.Case("ridge", design, extra=extra), n_chunks=1
        )
        for design in ("5x2", "5x5")
        for extra in (0.2, 0.6)
    }
    for design in ("5x2", "5x5"):
        small, large = found[design, 0.2], found[design, 0.6]
        assert large.share("gain") > small.share("gain") > 0
        assert large.share("better") > small.share("better") + 0.3
        assert large.worse == 0
    assert found["5x5", 0.6].better > found["5x2", 0.6].better


def test_what_is_done_is_not_done_again(simulation, monkeypatch):
    done = {}
    first = simulation.simulate(simulation.Case("ridge", "5x2"), n_chunks=1, done=done)
    monkeypatch.setattr(simulation, "scores_on_folds", None)
    assert simulation.simulate(simulation.Case("ridge", "5x2"), n_chunks=1, done=done) == first


def test_the_classifiers_are_what_they_are_called(simulation):
    """By scikit-learn's models of the same kind, on the samples of one fold."""
    from sklearn.linear_model import Ridge
    from sklearn.neighbors import KNeighborsClassifier

    rng = np.random.default_rng(0)
    Y = (rng.random((60, 3)) < 0.4).astype(float)
    X = rng.normal(size=(60, 6)) + np.repeat(Y, 2, axis=1)
    test, train = np.arange(0, 60, 4), np.setdiff1d(np.arange(60), np.arange(0, 60, 4))
    linear = Ridge(alpha=simulation.PENALTY).fit(X[train], Y[train]).predict(X[test]) >= 0.5
    near = KNeighborsClassifier(simulation.N_NEIGHBORS).fit(X[train], Y[train]).predict(X[test])
    assert np.array_equal(simulation.ridge(X, Y, [test])[0], linear)
    assert np.array_equal(simulation.neighbors(X, Y, [test])[0], near == 1)
