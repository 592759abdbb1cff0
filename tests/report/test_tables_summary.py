import numpy as np

from rarelabels.experiment import ScoreTable
from rarelabels.report import tables_summary


def make(n_datasets):
    rng = np.random.default_rng(0)
    base = rng.random((n_datasets, 1))
    values = base + np.array([0.0, 0.1, 0.2]) + 0.001 * rng.random((n_datasets, 3))
    names = tuple(f"d{number}" for number in range(n_datasets))
    return ScoreTable(values, names, ("none", "MLROS", "MLSOL"))


def test_ranks_and_tests_over_data_sets():
    found = tables_summary(make(12), metric="macro_f1", learner="br")
    assert found["ranks"] == {"none": 3.0, "MLROS": 2.0, "MLSOL": 1.0}
    assert found["wins"] == {"none": 0, "MLROS": 1, "MLSOL": 2}
    assert found["friedman"] < 0.01


def test_few_data_sets_are_ranked_and_not_tested():
    found = tables_summary(make(2), metric="macro_f1")
    assert found["ranks"]["MLSOL"] == 1.0
    assert "wins" not in found
    assert found["note"] == "2 complete data sets are too few for tests, which need at least 5."
    assert tables_summary(make(1), metric="macro_f1")["note"].startswith("1 complete data set is")


def test_a_gap_leaves_its_data_set_out():
    table = make(12)
    table.values[3, 1] = np.nan
    found = tables_summary(table, metric="macro_f1")
    assert found["n_complete"] == 11
    assert found["scores"][3][1] is None


def test_nothing_complete_has_no_ranks():
    table = make(1)
    table.values[0, 0] = np.nan
    assert tables_summary(table, metric="macro_f1")["ranks"] == {}
