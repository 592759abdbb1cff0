import json

import numpy as np
import pytest

from rarelabels.comparison import comparison_summary


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
    assert headline.startswith("Use MLSOL: macro-F1 rises from 0.5")
    assert found["recommended"] == found["focus"] == "MLSOL"


def test_when_none_helps_it_says_so(results):
    found = summarize(results({"none": 0.0, "MLSOL": 0.02, "MLUL": -0.001}, noise=0.03))
    assert not found["conclusion"]["helps"]
    assert found["conclusion"]["headline"] == (
        "Use the baseline, none: this run cannot show that any other method has a better macro-F1."
    )
    first, second, third = found["conclusion"]["details"][:3]
    assert first.startswith("MLSOL has the highest mean")
    assert "between −0.104" in first
    assert second.startswith("This run can detect gains of 0.169 or more.")
    assert third == "MLSOL and MLUL may help or hurt; this run cannot tell."
    assert (found["recommended"], found["focus"]) == ("none", "MLSOL")
    precise = summarize(results({"none": 0.0, "MLSOL": 0.0005, "MLUL": -0.0005}, noise=0.001))
    assert precise["conclusion"]["headline"].endswith("by more than 0.01.")


def test_harm_is_told(results):
    found = summarize(results({"none": 0.0, "MLRUS": -0.1}))
    assert by_name(found)["MLRUS"]["verdict"] == "hurts"
    assert "MLRUS makes it worse." in found["conclusion"]["details"]
    assert "No other method has a higher mean." in found["conclusion"]["details"]
    assert found["conclusion"]["headline"].endswith("every other method makes the macro-F1 worse.")


def test_the_simplest_of_the_methods_that_are_as_good_is_recommended(results):
    gains = {"none": 0.0, "thresholds": 0.076, "weights": 0.03, "sampler": 0.077, "ensemble": 0.078}
    made = results(gains, noise=0.004)
    order = ["thresholds", "weights", "sampler", "ensemble"]
    found = summarize(made, simplest_first=order)
    assert by_name(found)["ensemble"]["verdict"] == "helps"
    assert found["recommended"] == "thresholds"
    assert found["conclusion"]["headline"].startswith("Use thresholds: ")
    (said,) = [line for line in found["conclusion"]["details"] if "which is simpler" in line]
    assert "not clearly better than thresholds" in said
    # The order decides between them; weights are clearly worse in any order.
    assert summarize(made, simplest_first=order[::-1])["recommended"] == "ensemble"
    assert summarize(made, simplest_first=["weights", *order])["recommended"] == "thresholds"


def test_what_is_simpler_but_not_clearly_better_than_the_baseline_is_not_recommended():
    rng = np.random.default_rng(0)
    steady = 0.5 + 0.002 * rng.normal(size=10)
    scores = {
        "none": steady,
        "weights": steady + 0.05 + 0.2 * rng.normal(size=10),
        "ensemble": steady + 0.05 + 0.002 * rng.normal(size=10),
    }
    made = [
        {"method": name, "fold": fold, "score": float(score), "seconds": 1.0}
        for name, column in scores.items()
        for fold, score in enumerate(column)
    ]
    found = summarize(made, simplest_first=["weights", "ensemble"])
    assert by_name(found)["weights"]["verdict"] == "cannot tell"
    assert found["recommended"] == "ensemble"
    scores["weights"] += 0.1
    made = [{**row, "score": float(scores[row["method"]][row["fold"]])} for row in made]
    details = summarize(made, simplest_first=["weights", "ensemble"])["conclusion"]["details"]
    (said,) = [line for line in details if "highest mean" in line]
    assert said.endswith("but its gain over 'none' is not clear; more folds may show it.")


def test_bars_of_the_rank_plot_agree_with_verdicts_and_recommendation(results):
    made = results({"none": 0.0, "A": 0.05, "B": 0.051, "C": -0.1}, noise=0.003)
    found = summarize(made, simplest_first=["A", "B", "C"])
    assert found["recommended"] == "A"
    joined = [set(run) for run in found["alike"]]
    assert joined == [{"A", "B"}]


def test_equal_methods_are_said_to_be_equal_and_perfect_ones_perfect(results):
    made = results({"none": 0.0, "thresholds": 0.0, "MLSOL": 0.0})
    by_fold = {row["fold"]: row["score"] for row in made if row["method"] == "none"}
    equal = [
        {**row, "score": by_fold[row["fold"]]} if row["method"] == "thresholds" else row
        for row in made
    ]
    details = summarize(equal)["conclusion"]["details"]
    (said,) = [line for line in details if "exactly the scores" in line]
    assert said.startswith("Thresholds has exactly the scores of 'none' on every fold.")
    assert "Thresholds change nothing if" in said
    equal = [
        {**row, "score": by_fold[row["fold"]]} if row["method"] == "MLSOL" else row for row in made
    ]
    details = summarize(equal)["conclusion"]["details"]
    (said,) = [line for line in details if "exactly the scores" in line]
    assert said.endswith(
        "A sampler changes nothing if no label is rarer than the others, as with one label."
    )
    perfect = [{**row, "score": 1.0 if row["method"] == "none" else 0.997} for row in made]
    headline = summarize(perfect)["conclusion"]["headline"]
    assert headline == (
        "Use the baseline, none: it is perfect here, with a macro-F1 of 1 on every fold."
    )


def test_the_order_of_the_results_does_not_matter(results):
    made = results({"none": 0.0, "MLSOL": 0.05, "MLUL": 0.01})
    assert summarize(made)["conclusion"] == summarize(made[::-1])["conclusion"]


def test_a_method_is_compared_on_the_folds_that_it_has(results):
    made = results({"none": 0.0, "MLUL": 0.02, "MLSOL": 0.05})
    found, whole = summarize(made[:-3]), summarize(made)
    rows, of_whole = by_name(found), by_name(whole)
    assert found["n_folds"] == 10
    assert {name: row["n_folds"] for name, row in rows.items()} == {
        "none": 10,
        "MLUL": 10,
        "MLSOL": 7,
    }
    for name in ("none", "MLUL"):
        assert rows[name]["mean"] == of_whole[name]["mean"]
        assert rows[name]["gain"] == of_whole[name]["gain"]
    base, own = (np.array(of_whole[name]["scores"]) for name in ("none", "MLSOL"))
    gain = (own - base)[:7].mean()
    assert rows["MLSOL"]["gain"] == pytest.approx(gain)
    # As if its other folds were as difficult as they are for the baseline.
    assert rows["MLSOL"]["mean"] == pytest.approx(base.mean() + gain)
    assert "fewer than 10 folds: MLSOL on 7 folds." in found["conclusion"]["details"][-1]
    with pytest.raises(ValueError, match="at least one fold in common with the baseline"):
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


def of_labels(means, noise=0.01, n_folds=10):
    rng = np.random.default_rng(0)
    return np.array(means) + noise * rng.normal(size=(n_folds, len(means)))


def test_gains_of_labels_are_differences_from_the_baseline(results):
    base, better = of_labels([0.5, 0.2, 0.4]), of_labels([0.4, 0.5, np.nan])
    found = summarize(
        results({"none": 0.0, "MLSOL": 0.05}),
        labels=["a", "b", "c"],
        positives=[50, 60, 70],
        label_scores={"none": base, "MLSOL": better},
    )
    assert found["gains"]["MLSOL"] == [pytest.approx(-0.1), pytest.approx(0.3), None]
    assert found["label_tests"]["MLSOL"]["verdict"] == ["lower", "higher", "too few to judge"]
    sentence = "With MLSOL, 1 of 2 labels have a higher mean; clearly higher: 'b'; lower: 'a'."
    assert sentence in found["conclusion"]["details"]
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_labels_that_only_chance_moves_are_not_named(results):
    rng = np.random.default_rng(1)
    tables = {name: rng.normal(0.5, 0.1, size=(10, 30)) for name in ("none", "MLSOL")}
    found = summarize(
        results({"none": 0.0, "MLSOL": 0.0}, noise=0.03),
        labels=[f"l{j}" for j in range(30)],
        positives=[50] * 30,
        label_scores=tables,
    )
    (sentence,) = [one for one in found["conclusion"]["details"] if one.startswith("With MLSOL")]
    assert sentence.endswith(
        "of 30 labels have a higher mean; no single label is clearly better or worse."
    )
    # The best label gains much: the largest of thirty differences of means is no evidence.
    assert max(found["gains"]["MLSOL"]) > 0.05


def test_labels_with_few_positives_are_judged_together(results):
    tables = {"none": of_labels([0.3, 0.1, 0.1]), "MLSOL": of_labels([0.3, 0.3, 0.2])}
    found = summarize(
        results({"none": 0.0, "MLSOL": 0.0}),
        labels=["common", "few", "fewer"],
        positives=[100, 19, 4],
        label_scores=tables,
    )
    assert found["label_tests"]["MLSOL"]["verdict"][1:] == ["too few to judge"] * 2
    rare = found["rare_labels"]
    assert rare["n_labels"] == 2
    assert rare["methods"]["MLSOL"]["gain"] == pytest.approx(0.15)
    assert rare["methods"]["MLSOL"]["verdict"] == "helps"
    (sentence,) = [one for one in found["conclusion"]["details"] if "too few to judge" in one]
    assert sentence.startswith("2 labels have fewer than 20 positive samples")


def test_sampling_is_held_against_the_best_method_without_it(results):
    gains = {"none": 0.0, "thresholds alone": 0.06, "class weights": 0.02, "EMLSOL": 0.07}
    made = results(gains, noise=0.001)
    plain = ("thresholds alone", "class weights")
    found = summarize(made, without_sampling=plain)
    assert (found["beyond"]["method"], found["beyond"]["rival"]) == ("EMLSOL", plain[0])
    assert found["beyond"]["gain"] == pytest.approx(0.01, abs=0.002)
    said = about_sampling(found)
    assert said.startswith("Sampling helps: ")
    assert "EMLSOL, is clearly better than the best one without it, thresholds alone" in said
    assert summarize(made)["beyond"] is None


@pytest.mark.parametrize(
    ("gain", "noise", "margin", "answer", "how"),
    [
        (0.02, 0.001, 0.01, "does not help", "clearly worse"),
        (0.06, 0.001, 0.02, "does not help", "not better"),
        (0.06, 0.03, 0.01, "is not shown to help", "not clearly better"),
    ],
)
def test_what_sampling_adds_is_said_in_plain_words(results, gain, noise, margin, answer, how):
    made = results({"none": 0.0, "thresholds alone": 0.06, "MLSOL": gain}, noise=noise)
    found = summarize(made, without_sampling=("thresholds alone",), margin=margin)
    assert about_sampling(found).startswith(f"Sampling {answer}: ")
    assert f"MLSOL, is {how} than" in about_sampling(found)


def about_sampling(found):
    (said,) = [one for one in found["conclusion"]["details"] if one.startswith("Sampling ")]
    return said


def test_two_folds_say_that_they_find_little(results):
    made = results({"none": 0.0, "MLSOL": 0.05})
    assert summarize(made)["conclusion"]["details"][-1].startswith("With two folds")
    assert not any(
        "two folds" in one for one in summarize(made, n_splits=5)["conclusion"]["details"]
    )
