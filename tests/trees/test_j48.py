"""C4.5 against Weka's J48; the answers and their origin are in tests/reference."""

import numpy as np
import pytest

from rarelabels.trees import C45Classifier
from rarelabels.trees._base import pruning_rules
from rarelabels.trees._kernels.prune.pruning import added_errors
from trees.j48 import read_added_errors, read_runs

RUNS = read_runs()


def test_all_runs_are_there():
    assert len(RUNS) == 281


@pytest.mark.parametrize("run", RUNS, ids=str)
def test_same_tree_as_j48(run):
    X = run.frame
    tree = C45Classifier(**run.options).fit(X.iloc[: run.y.size], run.y)
    np.testing.assert_allclose(tree.predict_proba(X), run.probability, rtol=0, atol=1e-9)
    assert (tree.n_leaves_, tree.n_nodes_) == (run.n_leaves, run.size)


def test_estimated_errors_are_those_of_j48():
    table = read_added_errors()
    assert len(table) == 210
    for weight, errors, confidence, expected in table:
        _, cf, z = pruning_rules(2, confidence)
        assert added_errors(weight, errors, cf, z) == pytest.approx(expected, abs=1e-9)
