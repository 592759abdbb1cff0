import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import literal
from rarelabels import find_neighbors
from rarelabels.datasets import load_mulan
from rarelabels.measures import (
    ConstantLabelWarning,
    LabelType,
    describe,
    label_types,
    limb,
    local_imbalance,
)
from strategies import data_sets, directions, n_neighbors_for

REFERENCE = tomllib.loads((Path(__file__).parents[1] / "reference" / "limb.toml").read_text())


@pytest.mark.filterwarnings("ignore::rarelabels.measures.ConstantLabelWarning")
@settings(max_examples=100)
@given(data=data_sets(), choose=st.data())
def test_equal_literal_loops_from_features_to_figures(data, choose):
    X, Y, categorical = data
    k = n_neighbors_for(X, choose.draw)
    N = literal.neighbors(X, k, categorical)
    options = {"n_neighbors": k, "categorical_features": categorical}
    for labels in (Y, sparse.csr_array(Y)):
        np.testing.assert_array_equal(
            local_imbalance(X, labels, **options), literal.imbalance(Y, N)
        )
        types = label_types(X, labels, **options)
        np.testing.assert_array_equal(types, literal.types(Y, N))
        assert types.dtype == np.int8
        np.testing.assert_allclose(limb(X, labels, **options), literal.limb(Y, N))


@pytest.mark.filterwarnings("ignore::rarelabels.measures.ConstantLabelWarning")
@settings(max_examples=50)
@given(X=directions(), choose=st.data())
def test_by_cosine_equal_literal_loops(X, choose):
    k, seed = n_neighbors_for(X, choose.draw), choose.draw(st.integers(0, 1000))
    Y = (np.random.default_rng(seed).random((len(X), 3)) < 0.4).astype(int)
    N, options = literal.cosine_neighbors(X, k), {"n_neighbors": k, "metric": "cosine"}
    np.testing.assert_array_equal(local_imbalance(X, Y, **options), literal.imbalance(Y, N))
    np.testing.assert_array_equal(label_types(X, Y, **options), literal.types(Y, N))
    np.testing.assert_allclose(limb(X, Y, **options), literal.limb(Y, N))
    described = describe(X, Y, **options)
    np.testing.assert_allclose(described.summary["limb"], literal.limb(Y, N))
    assert described.summary["metric"] == "cosine"


@pytest.mark.parametrize("name", REFERENCE)
def test_limb_on_the_papers_data(shared_data, name):
    data = load_mulan(shared_data / name / f"{name}.arff")
    found = limb(data.X, data.Y, categorical_features=data.categorical_features)
    assert found == pytest.approx(REFERENCE[name]["right"], abs=2e-4)


@pytest.mark.parametrize("name", REFERENCE)
def test_the_printed_limb_left_the_last_label_in_the_distance(shared_data, name):
    data = load_mulan(shared_data / name / f"{name}.arff")
    Y = data.Y.toarray() if sparse.issparse(data.Y) else data.Y
    X = data.X.toarray() if sparse.issparse(data.X) else data.X
    wrong = np.column_stack([X, Y[:, -1]])
    categorical = np.zeros(wrong.shape[1], dtype=bool)
    categorical[np.asarray(data.categorical_features, dtype=int)] = True
    found = limb(wrong, Y, categorical_features=categorical)
    assert found == pytest.approx(REFERENCE[name]["printed"], abs=2e-4)


@pytest.fixture
def line():
    """Six samples on a line; the first label is easy, the second has one sample among strangers."""
    X = pd.DataFrame({"x": np.arange(6.0)})
    y = pd.DataFrame({"easy": [1, 1, 1, 0, 0, 0], "hard": [0, 0, 0, 0, 1, 0]})
    return X, y


def test_describe_says_everything(line):
    X, y = line
    found = describe(X, y, n_neighbors=2)
    assert list(found.labels["label"]) == ["easy", "hard"]
    np.testing.assert_array_equal(found.labels["count"], [3, 1])
    # Sample 2 sees samples 1 and 3, half of them opposite; samples 0 and 1 see their like alone.
    np.testing.assert_allclose(found.labels["local_imbalance"], [1 / 6, 1])
    np.testing.assert_allclose(found.labels["safe"], [2 / 3, 0])
    np.testing.assert_allclose(found.labels["borderline"], [1 / 3, 0])
    np.testing.assert_allclose(found.labels["outlier"], [0, 1])
    assert (
        found.summary["limb"] == pytest.approx(limb(X, y, n_neighbors=2)) == pytest.approx(7 / 12)
    )
    sizes = {name: found.summary[name] for name in ("n_samples", "n_features", "n_labels")}
    assert sizes == {"n_samples": 6, "n_features": 1, "n_labels": 2}


def test_describe_agrees_with_each_measure(line):
    from rarelabels import measures

    X, y = line
    summary = describe(X, y, n_neighbors=2).summary
    for name in ("mean_ir", "cvir", "mean_imr", "cvimr", "scumble"):
        assert summary[name] == getattr(measures, name)(y)
    assert summary["label_cardinality"] == measures.label_cardinality(y)
    assert summary["label_density"] == measures.label_density(y)


def test_describe_reads_well(line):
    text = repr(describe(*line, n_neighbors=2))
    lines = text.splitlines()
    assert any(line.split() == ["limb", "0.5833"] for line in lines)
    rarest = next(line for line in lines if line.strip().startswith("hard"))
    assert lines.index(rarest) < lines.index(next(x for x in lines if x.strip().startswith("easy")))
    assert len(pd.DataFrame(describe(*line, n_neighbors=2).labels)) == 2


def test_a_description_in_tables_escapes_names(line):
    X, y = line
    page = describe(X, y.rename(columns={"hard": "<b>hard</b>"}), n_neighbors=2)._as_tables()
    assert "<td>0.5833</td>" in page
    assert "<th>&lt;b&gt;hard&lt;/b&gt;</th>" in page
    assert "<b>" not in page


def test_constant_labels_are_left_out_with_one_warning(line):
    X, y = line
    y = y.assign(always=1, never=0)
    for measure in (limb, describe, label_types, local_imbalance):
        with pytest.warns(ConstantLabelWarning, match="labels always, never have a single") as seen:
            found = measure(X, y, n_neighbors=2)
        assert len(seen) == 1
        if measure is limb:
            assert found == limb(X, y[["easy", "hard"]], n_neighbors=2)
        if measure is label_types:
            assert (found[:, 2:] == LabelType.MAJORITY).all()


def test_nothing_but_constant_labels_has_no_limb():
    with pytest.warns(ConstantLabelWarning):
        assert np.isnan(limb(np.eye(3), np.zeros((3, 2)), n_neighbors=1))


def test_identical_samples_see_the_first_samples():
    # All samples tie: the neighbours of each are the first k others.
    Y = np.array([[1], [1], [0], [0], [0], [0]])
    found = local_imbalance(np.ones((6, 3)), Y, n_neighbors=2)
    np.testing.assert_array_equal(found.ravel()[:2], [0.5, 0.5])


def test_neighbours_may_be_found_before(line):
    X, y = line
    found = find_neighbors(X, n_neighbors=4)
    for k in (1, 2, 4):
        assert limb(X, y, n_neighbors=k, neighbors=found) == limb(X, y, n_neighbors=k)
