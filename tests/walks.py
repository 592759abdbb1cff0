"""Flows through the library, and the functions of this package that they call.

``python tests/walks.py FLOW`` prints every module and function that a flow calls, in the order of
first calls. ``docs/contributing/walks.rst`` shows the important ones.
"""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
from scipy import sparse

import rarelabels

ROOT = f"{Path(rarelabels.__file__).parent}{os.sep}"
# What compiles kernels runs only if they are not cached.
NOT_COUNTED = ("_compiling.py", "_kernel_cache.py")


def made_data() -> tuple[Any, Any]:
    """Return a small X with two features of numbers, and y with three labels."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 8))
    y = (X[:, :3] + rng.normal(size=(150, 3)) > [0.0, 0.8, 1.5]).astype(int)
    return X, y


def sampler_on_a_dataframe() -> None:
    """Resample a dataframe with numbers and categories by MLSOL."""
    from rarelabels.sampling import MLSOL

    X, y = made_data()
    frame = pd.DataFrame({"size": X[:, 0], "color": pd.Categorical(["red", "blue", "green"] * 50)})
    MLSOL(random_state=0).fit_resample(frame, pd.DataFrame(y, columns=list("abc")))


def ensemble_of_trees() -> None:
    """Fit an ensemble of C4.5 trees and predict."""
    from rarelabels.ensemble import SamplingEnsemble
    from rarelabels.learners import BinaryRelevance
    from rarelabels.sampling import MLSOL
    from rarelabels.trees import C45Classifier

    X, y = made_data()
    model = SamplingEnsemble(BinaryRelevance(C45Classifier()), MLSOL(), n_estimators=2)
    model.set_params(random_state=0).fit(X, y).predict(X)


def compare_a_file() -> None:
    """Run ``rarelabels compare`` on a table and write its page."""
    from rarelabels.cli import main
    from rarelabels.datasets import make_local_imbalance, save_csv

    arguments = ("compare", "data.csv", "--samplers", "mlsol", "--ensemble", "0", "--cv", "2x2")
    more = ("--jobs", "1", "--learner", "mlknn", "--report", "page.html")
    given = sys.argv
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        save_csv(make_local_imbalance(80, difficulty=0.3, random_state=0), "data.csv")
        sys.argv = ["rarelabels", *arguments, *more]
        try:
            main()
        except SystemExit as end:
            if end.code:
                raise RuntimeError(f"the command ended with code {end.code}.") from end
        finally:
            sys.argv = given


def dense_neighbors() -> None:
    """Find the neighbors of the samples of a dense array."""
    rarelabels.find_neighbors(made_data()[0])


def sparse_neighbors() -> None:
    """Find the neighbors of the samples of a large sparse matrix."""
    rng = np.random.default_rng(0)
    X = sparse.random(2000, 300, 0.02, format="csr", random_state=rng)
    rarelabels.find_neighbors(X)


def approximate_neighbors() -> None:
    """Find neighbors in cells, which is otherwise done among more samples."""
    rng = np.random.default_rng(0)
    with patch("rarelabels._neighbors.approximate.APPROXIMATE_SAMPLES", 500):
        rarelabels.find_neighbors(rng.normal(size=(3000, 16)), neighbors="approximate")


def dask_neighbors() -> None:
    """Find the neighbors of the samples of a Dask array."""
    import dask
    from dask import array

    X = array.from_array(made_data()[0], chunks=(50, 8))
    with dask.config.set(scheduler="synchronous"):
        rarelabels.find_neighbors(X)


def one_tree() -> None:
    """Fit a C4.5 tree and predict."""
    from rarelabels.trees import C45Classifier

    X, y = made_data()
    C45Classifier().fit(X, y[:, 0]).predict(X)


FLOWS: dict[str, Callable[[], None]] = {
    flow.__name__: flow
    for flow in (
        sampler_on_a_dataframe,
        ensemble_of_trees,
        compare_a_file,
        dense_neighbors,
        sparse_neighbors,
        approximate_neighbors,
        dask_neighbors,
        one_tree,
    )
}


def walk(flow: Callable[[], None]) -> dict[tuple[str, str], int]:
    """Run a flow twice, and return the functions that it calls the second time.

    The first run imports modules and compiles kernels.

    Returns
    -------
    dict of (path, function) to int
        The number of calls, in the order of first calls. Paths are relative to the package.
    """
    calls: dict[tuple[str, str], int] = {}

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(ROOT):
            path = frame.f_code.co_filename.removeprefix(ROOT).replace(os.sep, "/")
            name = frame.f_code.co_qualname.replace(".<locals>", "")
            if path not in NOT_COUNTED and "<" not in name:
                calls[path, name] = calls.get((path, name), 0) + 1

    silent = io.StringIO()
    with warnings.catch_warnings(), contextlib.redirect_stdout(silent):
        warnings.simplefilter("ignore")
        with contextlib.redirect_stderr(silent):
            flow()
            threading.setprofile(note)
            sys.setprofile(note)
            try:
                flow()
            finally:
                sys.setprofile(None)
                threading.setprofile(None)  # type: ignore[arg-type]
    return calls


if __name__ == "__main__":
    calls = walk(FLOWS[sys.argv[1]])
    for path, name in calls:
        print(f"{path:45} {name}")
    print(len({path for path, _ in calls}), "files,", len(calls), "functions")
