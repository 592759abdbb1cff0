import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from scipy import sparse

from rarelabels import measures
from rarelabels.measures import ConstantLabelWarning
from strategies import data_sets

pytestmark = pytest.mark.filterwarnings("ignore::rarelabels.measures.ConstantLabelWarning")


def literal_irlbl(Y):
    counts = Y.sum(axis=0)
    return np.array([max(counts) / c if c else np.inf for c in counts])


def literal_scumble(Y):
    ratios = literal_irlbl(Y)
    values = []
    for sample in Y:
        held = ratios[sample == 1]
        geometric = np.prod(held) ** (1 / len(held)) if len(held) else 1.0
        values.append(1 - geometric / held.mean() if len(held) else 0.0)
    return np.array(values)


@settings(max_examples=200)
@given(data=data_sets())
def test_equal_their_definitions(data):
    _, Y, _ = data
    n = Y.shape[0]
    ones = Y.sum(axis=0)
    rarer = np.minimum(ones, n - ones)
    np.testing.assert_allclose(measures.irlbl(Y), literal_irlbl(Y))
    expected = [(n - r) / r if r else np.inf for r in rarer]
    np.testing.assert_allclose(measures.imr(Y), expected)
    np.testing.assert_allclose(measures.scumble_per_instance(Y), literal_scumble(Y), atol=1e-12)
    assert measures.label_cardinality(Y) == pytest.approx(Y.sum() / n)
    assert measures.label_density(Y) == pytest.approx(Y.mean())


@settings(max_examples=50)
@given(data=data_sets())
def test_the_container_does_not_matter(data):
    _, Y, _ = data
    names = [f"label {j}" for j in range(Y.shape[1])]
    frames = [pd.DataFrame(Y, columns=names), pl.DataFrame(Y, schema=names)]
    for name in ("irlbl", "imr", "mean_ir", "cvir", "mean_imr", "cvimr", "scumble"):
        measure = getattr(measures, name)
        for other in (
            sparse.csr_array(Y),
            sparse.csc_matrix(Y),
            Y.tolist(),
            Y.astype(bool),
            *frames,
        ):
            np.testing.assert_array_equal(measure(other), measure(Y))


def test_by_hand():
    # Counts 4, 2 and 1 of 5 samples: IRLbl 1, 2, 4; ImR 4, 3/2, 4.
    Y = np.array([[1, 1, 0], [1, 1, 1], [1, 0, 0], [1, 0, 0], [0, 0, 0]])
    np.testing.assert_array_equal(measures.irlbl(Y), [1, 2, 4])
    np.testing.assert_array_equal(measures.imr(Y), [4, 1.5, 4])
    assert measures.mean_ir(Y) == pytest.approx(7 / 3)
    assert measures.mean_imr(Y) == pytest.approx(9.5 / 3)
    # Deviations from 7/3: -4/3, -1/3, 5/3; squares sum to 42/9; over 2, root, by the mean.
    assert measures.cvir(Y) == pytest.approx(np.sqrt(42 / 9 / 2) / (7 / 3))
    # Sample 0: sqrt(1·2) over 1.5; sample 1: cbrt(1·2·4) = 2 over 7/3.
    expected = [1 - np.sqrt(2) / 1.5, 1 - 2 / (7 / 3), 0, 0, 0]
    np.testing.assert_allclose(measures.scumble_per_instance(Y), expected)
    assert measures.label_cardinality(Y) == 1.4


@pytest.mark.filterwarnings("error")
def test_a_label_without_positives_is_named_and_skipped():
    Y = pd.DataFrame({"seen": [1, 1, 0], "never": [0, 0, 0], "once": [1, 0, 0]})
    with pytest.warns(ConstantLabelWarning, match="label never has no positives"):
        np.testing.assert_array_equal(measures.irlbl(Y), [1, np.inf, 2])
    with pytest.warns(ConstantLabelWarning, match="never"):
        assert measures.mean_ir(Y) == 1.5
    with pytest.warns(ConstantLabelWarning, match="never"):
        assert measures.cvir(Y) == pytest.approx(np.sqrt(0.5) / 1.5)
    with pytest.warns(ConstantLabelWarning, match="label never has a single class"):
        assert measures.mean_imr(Y) == 2.0


@pytest.mark.filterwarnings("error")
def test_many_such_labels_do_not_fill_the_screen():
    Y = np.zeros((3, 30), dtype=int)
    Y[0, 0] = 1
    with pytest.warns(ConstantLabelWarning, match=r"labels 1, 2, .*, 10 and 19 more have no"):
        measures.irlbl(Y)


def test_all_zero_labels_have_no_mean():
    Y = np.zeros((4, 2), dtype=int)
    assert np.isnan(measures.mean_ir(Y))
    assert np.isnan(measures.cvir(Y))
    assert np.isnan(measures.mean_imr(Y))
    assert measures.scumble(Y) == 0
    assert measures.label_cardinality(Y) == 0


@pytest.mark.filterwarnings("error")
def test_one_label_does_not_vary_and_one_sample_is_enough():
    assert measures.cvir([[1], [0], [0]]) == 0
    assert measures.cvimr([[1], [0], [0]]) == 0
    assert measures.mean_ir([[1, 1]]) == 1
    assert measures.scumble([[1, 1]]) == 0
