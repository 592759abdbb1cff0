"""Learners predict for Dask collections block by block, as for data in memory."""

import dask.array as da
import dask.bag
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from rarelabels import learners
from rarelabels.decisions import Budget
from rarelabels.ensemble import ResampledClassifier, SamplingEnsemble
from rarelabels.learners import (
    BinaryRelevance,
    CalibratedClassifier,
    MLkNN,
    RareLabelClassifier,
    ThresholdedClassifier,
)
from rarelabels.sampling import MLROS, MLSOL

MODELS = {
    name: getattr(learners, name)
    for name in learners.__all__
    if hasattr(getattr(learners, name), "predict_proba")
    and name not in ("MultiLabelClassifier", "CalibratedClassifier", "ThresholdedClassifier")
}
MODELS |= {
    "CalibratedClassifier": lambda **options: CalibratedClassifier(BinaryRelevance(), **options),
    "ThresholdedClassifier": lambda **options: ThresholdedClassifier(BinaryRelevance(), **options),
    "ResampledClassifier": lambda **options: ResampledClassifier(MLkNN(), MLROS(), **options),
    "SamplingEnsemble": lambda **options: SamplingEnsemble(
        BinaryRelevance(), MLSOL(), n_estimators=2, **options
    ),
}


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 4))
    return X, (X + rng.normal(scale=0.5, size=X.shape) > [0, 0.3, 0.8, 1.1]).astype(int)


def made(name):
    model = MODELS[name]()
    return model.set_params(random_state=0) if "random_state" in model.get_params() else model


@pytest.mark.parametrize("name", MODELS)
def test_predictions_equal_those_in_memory(name, data):
    X, y = data
    model = made(name).fit(X[:100], y[:100])
    blocks = da.from_array(X[100:], chunks=((20, 0, 1, 29), 2))
    labels, scores = model.predict(blocks), model.predict_proba(blocks)
    assert isinstance(labels, da.Array)
    assert labels.shape == scores.shape == (50, 4)
    assert labels.dtype == labels.compute().dtype
    np.testing.assert_array_equal(labels.compute(), model.predict(X[100:]))
    np.testing.assert_allclose(scores.compute(), model.predict_proba(X[100:]), atol=1e-6)


@pytest.mark.parametrize("as_y", ["frame", "sets", "sparse", "boolean"])
def test_the_container_is_that_of_the_labels(as_y, data):
    frame, y = pd.DataFrame(data[0], columns=list("abcd")), data[1]
    names = np.array(list("pqrs"))
    given = {
        "frame": pd.DataFrame(y, columns=names),
        "sets": [names[row > 0].tolist() for row in y],
        "sparse": sparse.csr_array(y),
        "boolean": y.astype(bool),
    }[as_y]
    model = BinaryRelevance(random_state=0).fit(frame, given)
    found = model.predict(dd.from_pandas(frame, npartitions=3))
    expected = model.predict(frame)
    if as_y == "frame":
        pd.testing.assert_frame_equal(found.compute(), expected)
    elif as_y == "sets":
        assert isinstance(found, dask.bag.Bag)
        assert found.compute() == expected
    else:
        whole = expected.toarray() if as_y == "sparse" else expected
        assert found.dtype == whole.dtype
        np.testing.assert_array_equal(found.compute(), whole)


def test_sparse_blocks_are_predicted(data):
    X = sparse.csr_array(np.maximum(data[0], 0))
    model = MLkNN().fit(X, data[1])
    blocks = da.from_array(X.toarray(), chunks=(40, 4)).map_blocks(sparse.csr_matrix)
    np.testing.assert_array_equal(model.predict(blocks).compute(), model.predict(X))


def test_rules_for_all_samples_need_them_in_memory(data):
    X, y = data
    blocks = da.from_array(X, chunks=(50, 4))
    inner = ThresholdedClassifier(BinaryRelevance(random_state=0), rule=Budget(0.1), random_state=0)
    for model in (inner, ResampledClassifier(inner, MLROS(), random_state=0)):
        model.fit(X, y)
        with pytest.raises(ValueError, match=r"not decide each sample separately.*X.compute\(\)"):
            model.predict(blocks)
        np.testing.assert_array_equal(model.predict_proba(blocks).compute(), model.predict_proba(X))


def test_other_columns_are_refused_before_anything_is_computed(data):
    X, y = data
    model = RareLabelClassifier(random_state=0).fit(pd.DataFrame(X, columns=list("abcd")), y)
    wrong = dd.from_pandas(pd.DataFrame(X[:, :3], columns=list("abc")), npartitions=2)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(wrong)
    with pytest.raises(ValueError, match=r"X has 3 features, but .* 4 features"):
        BinaryRelevance().fit(X, y).predict(da.from_array(X[:, :3], chunks=(50, 3)))


def test_fit_loads_arrays_and_refuses_dataframes(data):
    X, y = data
    expected = BinaryRelevance(random_state=0).fit(X, y).predict(X)
    found = BinaryRelevance(random_state=0).fit(da.from_array(X, chunks=(50, 4)), y)
    np.testing.assert_array_equal(found.predict(X), expected)
    frame = dd.from_pandas(pd.DataFrame(X, columns=list("abcd")), npartitions=2)
    rows = da.from_array(X, chunks=(50, 4)).map_blocks(sparse.csr_array)
    for refused in (frame, rows):
        with pytest.raises(TypeError, match=r"X: got a Dask .*, which only .* accept"):
            BinaryRelevance().fit(refused, y)
