"""When methods of a comparison end: by hand, as properties, and in the measured table."""

import importlib.util
import json
import re
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rarelabels.comparison import StoppingRule

HERE = Path(__file__).parents[2]
NAMES = ("none", "a", "b", "c")
NOISE = np.array([0.011, -0.013, 0.007, -0.009, 0.004])


def rule(**more):
    return StoppingRule("none", 5, 5, NAMES, **more)


def table(**columns):
    return {name: dict(enumerate(column)) for name, column in columns.items()}


def test_what_hurts_clearly_ends_and_what_is_open_goes_on():
    scores = table(none=[0.5] * 5, a=0.5 + NOISE, b=0.3 + NOISE)
    assert rule().folds_needed(scores) == {"none": 10, "a": 10, "b": 5}


def test_equal_scores_end_at_once():
    scores = table(none=[0.5, 0.6, 0.5, 0.7, 0.5], a=[0.5, 0.6, 0.5, 0.7, 0.5])
    assert rule().folds_needed(scores) == {"none": 5, "a": 5}


def test_far_from_clear_ends_and_the_probability_is_that_of_new_folds():
    wide = 10 * NOISE
    scores = table(none=[0.5] * 5, a=0.5 + wide)
    assert rule().folds_needed(scores) == {"none": 5, "a": 5}
    # The mean over 25 folds, of which five are known, by drawing the other twenty.
    rng = np.random.default_rng(0)
    mean, spread = wide.mean(), wide.std(ddof=1)
    true_spread = spread * np.sqrt(4 / rng.chisquare(4, size=100_000))
    true_mean = mean + true_spread / np.sqrt(5) * rng.normal(size=true_spread.size)
    others = true_mean + true_spread / np.sqrt(20) * rng.normal(size=true_spread.size)
    drawn = (5 * mean + 20 * others) / 25
    test = rule()._test(
        {name: np.array(list(one.values())) for name, one in scores.items()}, "a", "none"
    )
    final = rule()._final(test)
    for share in (0.05, 0.3, 0.8, 0.95):
        assert np.mean(drawn < final.ppf(share)) == pytest.approx(share, abs=0.01)


def test_the_recommended_method_goes_on_with_its_rivals_only():
    clear = table(none=[0.5] * 5, a=0.8 + NOISE / 10)
    assert rule().folds_needed(clear) == {"none": 5, "a": 5}
    rival = {**clear, "b": dict(enumerate(0.8004 + NOISE[::-1] / 10))}
    assert rule().folds_needed(rival) == {"none": 10, "a": 10, "b": 10}
    # Worse than the recommended method, which is also simpler.
    worse = {**clear, "b": dict(enumerate(0.7 + NOISE[::-1] / 10))}
    assert rule().folds_needed(worse) == {"none": 5, "a": 5, "b": 5}


def test_failures_are_left_out():
    scores = table(none=[0.5] * 5, a=[None] * 5, b=[None, *(0.3 + NOISE[1:])])
    assert rule().folds_needed(scores) == {"none": 5, "a": 5, "b": 5}
    assert rule().folds_needed(table(none=[None] * 5, a=0.5 + NOISE)) == {"none": 10, "a": 10}


def test_what_is_missing_is_asked_for_and_few_folds_settle_nothing():
    assert rule().folds_needed({"none": {}, "a": {}}) == {"none": 5, "a": 5}
    two_folds = StoppingRule("none", 2, 5, NAMES)
    scores = table(none=[0.5, 0.5], a=[0.1, 0.1001])
    assert two_folds.folds_needed(scores) == {"none": 4, "a": 4}


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**31), st.sampled_from([0.0, 0.02, 0.1]), st.integers(2, 4))
def test_a_run_in_steps_needs_what_the_whole_run_needs(seed, gain, n_methods):
    rng = np.random.default_rng(seed)
    of_fold = rng.normal(0.5, 0.05, size=25)
    whole = {
        name: dict(enumerate(of_fold + rng.normal(place * gain, 0.03, size=25)))
        for place, name in enumerate(NAMES[:n_methods])
    }
    known = {name: {} for name in whole}
    for _ in range(6):
        needed = rule().folds_needed(known)
        known = {name: {f: whole[name][f] for f in range(needed[name])} for name in whole}
    assert rule().folds_needed(known) == rule().folds_needed(whole) == needed
    assert all(count % 5 == 0 and count <= needed["none"] for count in needed.values())


@pytest.fixture(scope="module")
def experiment():
    path = HERE / "experiments" / "early_stopping.py"
    if not path.exists():
        pytest.skip("needs the folder of experiments")
    spec = importlib.util.spec_from_file_location("early_stopping", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["early_stopping"] = module
    spec.loader.exec_module(module)
    return module


def test_the_page_has_the_kept_figures(experiment):
    kept = json.loads(experiment.RESULTS.read_text())
    page = (HERE / "docs" / "methods" / "comparison.rst").read_text()
    part = page[page.index("Early stopping of methods") : page.index("\nExample\n")]
    rows = re.findall(r"^(ridge|kNN) +(\d) +(\S+) +(\d+) % +(\d+) +([\d. ]+)$", part, re.MULTILINE)
    cases = [(case, n) for group, n in experiment.GROUPS for case in group]
    assert len(rows) == len(cases)
    for (case, n_datasets), row in zip(cases, rows, strict=True):
        shares = experiment.simulate(case, n_datasets, dict(kept))
        what = "first" if case.extra else "errors"
        expected = [
            *(f"{shares[f'{what}_{which}']:.3f}" for which in ("all", "early")),
            *(f"{shares[name]:.3f}" for name in ("agree", "recommended")),
            f"{shares['folds']:.2f}",
        ]
        assert row[0] == case.kind
        assert (int(row[1]), int(row[3])) == (case.n_rivals, round(100 * case.share))
        assert row[5].split() == expected


def test_a_chunk_of_the_simulation_is_run_again(experiment):
    case = experiment.Case("ridge", 1)
    kept = json.loads(experiment.RESULTS.read_text())
    again = experiment.counts_of(case, 0)
    assert again == pytest.approx(kept[f"{case.key} #0"])
