import json

import pytest

from rarelabels.report import comparison_summary


def summarize(results, **more):
    settings = {"metric": "macro_f1", "baseline": "none", "n_splits": 2, **more}
    return comparison_summary(results, **settings)


def by_name(found):
    return {row["name"]: row for row in found["methods"]}


def test_a_method_that_helps_is_named(results):
    found = summarize(results({"none": 0.0, "MLSOL": 0.05, "MLUL": 0.0}, noise=0.002))
    methods = by_name(found)
    assert methods["MLSOL"]["verdict"] == "helps"
    assert methods["MLUL"]["verdict"] == "no relevant difference"
    assert found["conclusion"]["helps"]
    headline = found["conclusion"]["headline"]
    assert headline.startswith("MLSOL helps by a relevant amount: macro-F1 goes from 0.5")


def test_when_none_helps_it_says_so(results):
    found = summarize(results({"none": 0.0, "MLSOL": 0.02, "MLUL": -0.001}, noise=0.03))
    assert not found["conclusion"]["helps"]
    assert found["conclusion"]["headline"].startswith("Cannot tell")
    assert "MLSOL and MLUL may" in found["conclusion"]["headline"]
    assert "smallest gain that this run could have shown" in found["conclusion"]["details"][0]
    precise = summarize(results({"none": 0.0, "MLSOL": 0.0005, "MLUL": -0.0005}, noise=0.001))
    assert precise["conclusion"]["headline"].startswith("None helps")


def test_harm_is_told(results):
    found = summarize(results({"none": 0.0, "MLRUS": -0.1}))
    assert by_name(found)["MLRUS"]["verdict"] == "hurts"
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
        "no relevant difference",
        "no relevant difference",
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
