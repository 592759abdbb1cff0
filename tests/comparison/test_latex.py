"""Tables for papers."""

import numpy as np
import pandas as pd

from rarelabels.comparison import latex_table, wilcoxon_bergmann_hommel
from rarelabels.experiment import ScoreTable
from rarelabels.report import tables_summary


def body(text):
    """Return the cells of the rows between the first and the last rule."""
    lines = [line.removesuffix(" \\\\") for line in text.splitlines() if " & " in line]
    return [line.split(" & ") for line in lines]


def test_the_best_are_bold_as_they_are_written():
    text = latex_table({"a": [0.50004, 0.2], "b": [0.5, 0.3]}, ["x_1", "50 % & more"])
    assert body(text)[1:3] == [
        ["x\\_1", "\\textbf{0.500}", "\\textbf{0.500}"],
        ["50 \\% \\& more", "0.200", "\\textbf{0.300}"],
    ]
    assert text.count("\\toprule") == text.count("\\bottomrule") == 1


def test_stars_are_those_of_the_test():
    rng = np.random.default_rng(0)
    base = rng.random(10)
    scores = {"best": base + 0.2, "near": base + 0.2 + 0.01 * rng.normal(size=10), "worst": base}
    ranks = body(latex_table(scores))[-1]
    adjusted = wilcoxon_bergmann_hommel(scores).adjusted_p_values
    names = list(scores)
    best = min(names, key=lambda name: float(ranks[1 + names.index(name)].rstrip("*")))
    assert ranks[0] == "average rank"
    for name, cell in zip(names, ranks[1:], strict=True):
        assert cell.endswith("*") == (adjusted[name][best] <= 0.05)
    assert ranks[3].endswith("*")


def test_a_frame_and_a_table_of_scores_with_gaps_give_the_same():
    values = np.array([[0.5, 0.6], [0.7, np.nan], [0.1, 0.4]])
    names, methods = ("a", "b", "c"), ("none", "MLSOL")
    text = ScoreTable(values, names, methods).to_latex()
    assert latex_table(pd.DataFrame(values, names, methods)) == text
    assert body(text)[2] == ["b", "\\textbf{0.700}", "--"]
    assert body(text)[-1] == ["average rank", "2.00", "1.00"]


def test_too_few_data_sets_are_said():
    rng = np.random.default_rng(0)
    five = {"a": rng.random(5), "b": rng.random(5) + 1}
    found = wilcoxon_bergmann_hommel(five)
    # All five differences have one sign, and yet: 2 / 2**5.
    assert found.adjusted_p_values["a"]["b"] == 0.0625
    assert "cannot be below 0.0625. At least 6 data sets are needed." in found.note
    assert found.note in found._repr_html_()
    six = {"a": rng.random(6), "b": rng.random(6) + 1}
    assert wilcoxon_bergmann_hommel(six).note == ""
    assert wilcoxon_bergmann_hommel(six).wins["b"] == 1
    three = {**six, "c": rng.random(6)}
    assert "At least 7 data sets" in wilcoxon_bergmann_hommel(three).note
    table = ScoreTable(np.column_stack([*five.values()]), tuple("vwxyz"), ("a", "b"))
    assert tables_summary(table, metric="macro_f1")["note"] == found.note
