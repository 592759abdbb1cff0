"""What is wrong with a Dask collection is said with what to do about it."""

import dask.array as da
import dask.bag
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

import dask
from rarelabels import find_neighbors
from rarelabels.sampling import MLROS, MLSOL

rng = np.random.default_rng(0)
X = rng.normal(size=(40, 3))
y = (rng.random((40, 3)) < [0.1, 0.3, 0.5]).astype(int)


def partitions(*frames):
    tasks = [dask.delayed(frame) for frame in frames]
    return dd.from_delayed(tasks, meta=frames[0].iloc[:0], verify_meta=False)


def test_unknown_chunk_sizes():
    blocks = da.from_array(X, chunks=(10, 3))
    unknown = blocks[blocks[:, 0] > -99]
    for sampler in (MLSOL(), MLROS()):
        with pytest.raises(ValueError, match=r"unknown chunk sizes; X.compute_chunk_sizes\(\)"):
            sampler.fit_resample(unknown, y)
    with pytest.raises(ValueError, match=r"y.compute_chunk_sizes\(\)"):
        MLSOL().fit_resample(X, da.from_array(y)[da.from_array(y)[:, 0] >= 0])
    known = unknown.compute_chunk_sizes()
    assert MLSOL(random_state=0).fit_resample(known, y)[0].shape == (52, 3)


def test_empty_partitions():
    frame = pd.DataFrame(X, columns=list("abc")).assign(d=list("uv") * 20)
    spread = dd.from_pandas(frame, npartitions=4)
    spread = spread.map_partitions(lambda part: part[part["a"] < 99] if part.index[0] else part[:0])
    whole = spread.compute()
    expected = MLSOL(random_state=0).fit_resample(whole, y[10:])[0]
    found = MLSOL(random_state=0).fit_resample(spread, y[10:])[0]
    pd.testing.assert_frame_equal(found.compute(), expected)


def test_no_rows_at_all():
    with pytest.raises(ValueError, match=r"X is empty: it has 0 sample"):
        MLSOL().fit_resample(da.zeros((0, 3)), y[:0])
    nothing = dd.from_pandas(pd.DataFrame({"a": [1.0]}), npartitions=1)
    with pytest.raises(ValueError, match=r"X is empty: it has 0 sample"):
        MLSOL().fit_resample(nothing[nothing["a"] > 2], y)


def test_partitions_of_different_dtypes_are_named():
    frames = [pd.DataFrame({"a": [1, 2], "b": [1.0, 2.0]}), pd.DataFrame({"a": [0.5], "b": [1.0]})]
    with pytest.raises(ValueError, match=r"'a' is int64 .* but float64 in its partition 1"):
        MLSOL().fit_resample(partitions(*frames), y[:3])
    parts = [dask.delayed(X[:20]), dask.delayed(X[20:].astype("f4"))]
    blocks = da.concatenate([da.from_delayed(part, (20, 3), dtype=float) for part in parts])
    with pytest.raises(ValueError, match=r"Dask array of float64, but its block 1 .* float32"):
        find_neighbors(blocks)


def test_partitions_of_other_columns_are_named():
    frame = pd.DataFrame(X, columns=list("abc"))
    for wrong in (frame[20:][["a", "b"]], frame[20:][["b", "a", "c"]]):
        with pytest.raises(
            ValueError, match=r"partition 1 .* has the columns .* Dask dataframe 'a'"
        ):
            MLSOL().fit_resample(partitions(frame[:20], wrong), y)
    many = pd.DataFrame(np.zeros((4, 12)))
    with pytest.raises(ValueError, match=r"0, 1, .* 9 and 2 more, but .* 9 and 1 more"):
        MLROS().fit_resample(partitions(many.iloc[:, :11], many), y[:8])


@pytest.mark.parametrize(
    "wrong", [X[20:39], X[20:, :2], X[20:, 0]], ids=["rows", "columns", "flat"]
)
def test_blocks_of_another_shape_are_named(wrong):
    parts = [dask.delayed(X[:20]), dask.delayed(wrong)]
    blocks = da.concatenate([da.from_delayed(part, (20, 3), dtype=float) for part in parts])
    with pytest.raises(ValueError, match=r"block 1 .* of X has shape .* says \(20, 3\)"):
        MLSOL().fit_resample(blocks, y)


def test_partitions_that_list_other_categories():
    frames = [
        pd.DataFrame({"a": X[:20, 0], "b": pd.Categorical(list("uv") * 10)}),
        pd.DataFrame({"a": X[20:, 0], "b": pd.Categorical(list("wu") * 10)}),
    ]
    spread = partitions(*frames)
    expected = MLSOL(random_state=0).fit_resample(spread.compute(), y)[0]
    found = MLSOL(random_state=0).fit_resample(spread, y)[0].compute()
    assert found["b"].astype(str).tolist() == expected["b"].astype(str).tolist()
    np.testing.assert_array_equal(found["a"], expected["a"])


def test_infinity_and_text_are_named_as_on_one_machine():
    bad = X.copy()
    bad[33, 1] = np.inf
    with pytest.raises(ValueError, match="infinity in row 33, column 1"):
        find_neighbors(da.from_array(bad, chunks=(10, 3)))
    frame = pd.DataFrame({"a": X[:, 0], "note": [f"text {i}" for i in range(40)]})
    with pytest.raises(
        ValueError, match="'note' is text, but not categorical: 40 of its 40 values"
    ):
        find_neighbors(dd.from_pandas(frame, npartitions=3))


def test_numbers_of_samples_must_agree():
    with pytest.raises(ValueError, match="X has 40 samples and y has 39"):
        MLSOL().fit_resample(da.from_array(X, chunks=(10, 3)), y[:-1])


@pytest.mark.parametrize(
    "wrong", [da.zeros(5), da.zeros((5, 2, 2)), dask.delayed(X)], ids=["flat", "deep", "task"]
)
def test_other_shapes(wrong):
    with pytest.raises(ValueError, match="X: expected a Dask array of shape"):
        find_neighbors(wrong)


def test_series_and_bags_that_are_no_label_sets():
    blocks, sets = da.from_array(X, chunks=(10, 3)), pd.Series([["a"], ["a", "b"]] * 20)
    with (
        dask.config.set({"dataframe.convert-string": True}),
        pytest.raises(ValueError, match=r"Dask Series of text.*a dask.bag of lists keeps them"),
    ):
        MLSOL().fit_resample(blocks, dd.from_pandas(sets, npartitions=2))
    numbers = dd.from_pandas(pd.Series([0, 1] * 20), npartitions=2)
    with pytest.raises(ValueError, match=r"got a Dask Series: an array of shape \(40,\)"):
        MLSOL().fit_resample(blocks, numbers)
    with pytest.raises(ValueError, match=r"got a Dask Bag: a flat list of 40 values"):
        MLSOL().fit_resample(blocks, dask.bag.from_sequence([0, 1] * 20))
    with pytest.raises(ValueError, match=r"X: expected a Dask array .* got a Dask Series"):
        MLSOL().fit_resample(numbers, y)


def test_blocks_that_are_no_arrays():
    blocks = da.from_array(X, chunks=(10, 3))
    blocks._meta = memoryview(X)
    with pytest.raises(TypeError, match="memoryview blocks; expected NumPy arrays or sparse"):
        find_neighbors(blocks)
