"""Evenness on real data, against values of another implementation."""

import numpy as np
import pytest
from scipy import sparse

from rarelabels.datasets import load_mulan
from rarelabels.model_selection import IterativeStratifiedKFold

# Mean over labels and folds of |share − 1/k|, averaged over random_state 0 to 9, of
# MultilabelStratifiedKFold(k, shuffle=True) in the package iterative-stratification 0.1.9.
ITERATIVE_STRATIFICATION = {
    ("yeast", 2): 0.000441,
    ("yeast", 5): 0.001555,
    ("yeast", 10): 0.001742,
    ("bibtex", 2): 0.003048,
    ("bibtex", 5): 0.004343,
    ("bibtex", 10): 0.004428,
    ("corel5k", 2): 0.057701,
    ("corel5k", 5): 0.058472,
    ("corel5k", 10): 0.050123,
}


@pytest.fixture(scope="module")
def labels(shared_data):
    names = sorted({name for name, _ in ITERATIVE_STRATIFICATION})
    return {
        name: sparse.csr_array(
            load_mulan(shared_data / name / f"{name}.arff", shared_data / name / f"{name}.xml").Y
        )
        for name in names
    }


def unevenness(Y, splits):
    totals = Y.sum(axis=0)
    positives = np.array([Y[test].sum(axis=0) for _, test in splits])[:, totals > 0]
    return np.abs(positives / totals[totals > 0] - 1 / len(positives)).mean()


@pytest.mark.parametrize(("name", "n_splits"), ITERATIVE_STRATIFICATION)
def test_shares_are_at_least_as_even(labels, name, n_splits):
    Y = labels[name]
    ours = [
        unevenness(
            Y, list(IterativeStratifiedKFold(n_splits, shuffle=True, random_state=s).split(Y, Y))
        )
        for s in range(3)
    ]
    assert round(np.mean(ours), 6) <= ITERATIVE_STRATIFICATION[name, n_splits]


def test_is_at_least_as_even_as_the_other_package(labels):
    other = pytest.importorskip("iterstrat.ml_stratifiers")
    Y = labels["corel5k"]
    dense, uneven = Y.toarray(), []
    for kind in (IterativeStratifiedKFold, other.MultilabelStratifiedKFold):
        splits = list(kind(5, shuffle=True, random_state=0).split(dense, dense))
        uneven.append(unevenness(Y, splits))
    assert uneven[0] <= uneven[1]


def test_folds_differ_by_few_samples(labels):
    for Y in labels.values():
        splits = IterativeStratifiedKFold(5).split(Y, Y)
        sizes = np.array([len(test) for _, test in splits])
        assert np.abs(sizes - Y.shape[0] / 5).max() <= 0.02 * Y.shape[0] / 5
