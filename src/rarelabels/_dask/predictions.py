"""Predictions for the samples of a Dask collection, block by block."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import narwhals as nw
import numpy as np
from scipy import sparse

from rarelabels._dask.assembly import (
    BlockTasks,
    array_of_blocks,
    bag_of_blocks,
    dataframe_of_blocks,
    numbered,
)
from rarelabels._dask.collection import Collection
from rarelabels._dask.features import block_named
from rarelabels._dask.tasks import constant, delayed_beside


def block_predictions(X: Any, predict: Callable[[Any], Any], like: Any) -> Any:
    """Return what a function predicts for the samples of each block.

    Parameters
    ----------
    X : dask.array.Array or dask.dataframe.DataFrame
        The samples.
    predict : callable
        It gets a block of X as an array or a dataframe, and returns an array, a sparse matrix, a
        dataframe or label sets.
    like : array, sparse matrix, dataframe or list
        What it returns for no samples.

    Returns
    -------
    dask.array.Array, dask.dataframe.DataFrame or dask.bag.Bag
        A row or item for each sample. Nothing is computed yet.
    """
    collection, like = Collection.of(X), _block_of(like)
    function, empty = constant(predict), constant(like)
    blocks = [
        delayed_beside(block, _predicted)(function, empty, block, number, int(start))
        for number, (block, (start, _)) in enumerate(
            zip(collection.blocks, pairwise(collection.edges), strict=True)
        )
    ]
    if isinstance(like, list):
        return bag_of_blocks(blocks)
    tasks = BlockTasks(blocks, collection.lengths)
    if isinstance(like, np.ndarray):
        return array_of_blocks(tasks, like)
    return dataframe_of_blocks(tasks, like, getattr(X, "divisions", None))


def _predicted(
    predict: Callable[[Any], Any], like: Any, block: Any, number: int, start: int
) -> Any:
    n_samples = block.shape[0]
    if not n_samples:
        return like
    with block_named(number):
        predicted = _block_of(predict(block))
    if hasattr(predicted, "columns") and hasattr(block, "columns"):
        return predicted.set_axis(block.index, axis=0)
    if hasattr(predicted, "columns"):
        return numbered(predicted, start, start + n_samples)
    return predicted


def _block_of(predicted: Any) -> Any:
    """Return predictions as a NumPy array, a pandas dataframe or a list of label sets."""
    if sparse.issparse(predicted):
        return predicted.toarray()
    if isinstance(predicted, np.ndarray):
        return predicted if predicted.ndim == 2 else predicted.tolist()
    if isinstance(predicted, list):
        return predicted
    return nw.from_native(predicted, eager_only=True).to_pandas()
