import json
import math

import numpy as np
import pytest
from scipy import stats

from rarelabels.report import comparison_summary
from rarelabels.report._significance import corrected_estimate


def summarize(results, **more):
    settings = {"metric": "macro_f1", "baseline": "none", "n_splits": 2, **more}
    return comparison_summary(results, **settings)


def by_name(found):
    return {row["name"]: row for row in found["methods"]}


def test_a_method_that_helps_is_named(results):
    found = summarize(results({"none": 0.0, "MLSOL": 0.05, "MLUL": 0.0}))
    methods = by_name(found)
    assert methods["MLSOL"]["verdict"] == "better"
    assert methods["MLUL"]["verdict"] == "no clear difference"
    assert found["conclusion"]["helps"]
    assert found["conclusion"]["headline"].startswith("MLSOL helps: macro-F1 goes from 0.5")


def test_when_none_helps_it_says_so(results):
    found = summarize(results({"none": 0.0, "MLSOL": 0.001, "MLUL": -0.001}, noise=0.03))
    assert not found["conclusion"]["helps"]
    assert found["conclusion"]["headline"].startswith("None helps")


def test_harm_is_told(results):
    found = summarize(results({"none": 0.0, "MLRUS": -0.1}))
    assert by_name(found)["MLRUS"]["verdict"] == "worse"
    assert "MLRUS does harm." in found["conclusion"]["details"]
    assert "Not one has a higher mean." in found["conclusion"]["details"]


def test_the_order_of_the_results_does_not_matter(results):
    made = results({"none": 0.0, "MLSOL": 0.05, "MLUL": 0.01})
    assert summarize(made)["conclusion"] == summarize(made[::-1])["conclusion"]


def test_only_folds_of_all_methods_count(results):
    made = results({"none": 0.0, "MLSOL": 0.05})
    found = summarize(made[:-3])
    assert found["n_folds"] == 7
    assert len(by_name(found)["none"]["scores"]) == 7
    with pytest.raises(ValueError, match="no fold has a score of every method"):
        summarize([*made[:10], {**made[10], "fold": 99}])


def test_equal_scores_do_not_differ(results):
    made = [{**row, "score": 0.5} for row in results({"none": 0.0, "A": 0.0, "B": 0.0})]
    found = summarize(made)
    assert [row["verdict"] for row in found["methods"]] == [
        "baseline",
        "no clear difference",
        "no clear difference",
    ]
    assert [row["rank"] for row in found["methods"]] == [2.0, 2.0, 2.0]
    assert len(found["alike"]) == 1


def test_one_method_alone_has_nothing_to_compare_with(results):
    found = summarize(results({"none": 0.0}))
    assert found["conclusion"]["headline"] == "There is nothing to compare with."


def test_gains_of_labels_are_differences_from_the_baseline(results):
    found = summarize(
        results({"none": 0.0, "MLSOL": 0.05}),
        labels=["a", "b", "c"],
        label_scores={"none": [0.5, 0.2, None], "MLSOL": [0.4, 0.5, 0.1]},
    )
    assert found["gains"]["MLSOL"] == [pytest.approx(-0.1), pytest.approx(0.3), None]
    sentence = "With MLSOL, 1 of 2 labels score higher, most of all 'b' (+0.300)."
    assert sentence in found["conclusion"]["details"]
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_the_test_is_that_of_nadeau_and_bengio():
    values = np.array([0.03, 0.01, 0.04, -0.01, 0.02, 0.05, 0.0, 0.03, 0.02, 0.01])
    found = corrected_estimate(values, n_splits=5)
    error = math.sqrt(values.var(ddof=1) * (1 / 10 + 1 / 4))
    assert found.p_value == pytest.approx(2 * stats.t.sf(values.mean() / error, 9))
    half = stats.t.ppf(0.975, 9) * error
    assert found.low == pytest.approx(values.mean() - half)
    # The plain paired test, which takes the folds for independent, is surer of itself.
    assert stats.ttest_1samp(values, 0).pvalue < found.p_value


def test_one_fold_says_nothing_of_spread():
    found = corrected_estimate([0.5], n_splits=2)
    assert found.mean == 0.5
    assert math.isnan(found.p_value)


def test_overlapping_folds_are_allowed_for():
    """Without any difference the plain paired test finds one every other time, this one rarely."""
    rng, n_found, n_plain = np.random.default_rng(0), 0, 0
    for _ in range(300):
        rows = rng.normal(size=120)
        halves = [rng.permutation(120) for _ in range(5)]
        folds = [rows[half].mean() for order in halves for half in (order[:60], order[60:])]
        n_found += corrected_estimate(folds, n_splits=2).p_value <= 0.05
        n_plain += stats.ttest_1samp(folds, 0).pvalue <= 0.05
    assert n_plain > 0.4 * 300
    assert n_found < 0.1 * 300
