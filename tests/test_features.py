from collections import Counter

import numpy as np
import pandas as pd
import polars as pl
import pytest

from rarelabels._containers import FrameContainer
from rarelabels._validation import check_features
from rarelabels.sampling import MLSOL

BEYOND_FLOATS = 2**60


def mixed_columns(rng):
    return {
        "long": rng.integers(0, 100, 60),
        "wide": rng.integers(BEYOND_FLOATS, BEYOND_FLOATS + 50, 60),
        "number": rng.normal(size=60),
        "time": np.datetime64("2020-01-01", "ns") + rng.integers(0, 1000, 60),
    }


@pytest.mark.parametrize("library", [pd, pl])
@pytest.mark.parametrize("with_category", [False, True])
def test_a_sampler_reads_each_column_once(library, with_category, monkeypatch):
    rng = np.random.default_rng(0)
    columns = mixed_columns(rng)
    if with_category:
        columns["color"] = rng.choice(["red", "green", "blue"], 60).tolist()
    X, y = library.DataFrame(columns), (rng.random((60, 2)) < 0.3).astype(int)
    reads, column = Counter(), FrameContainer.column

    def counted(self, j):
        reads[j] += 1
        return column(self, j)

    monkeypatch.setattr(FrameContainer, "column", counted)
    MLSOL(random_state=0, categorical_features=[4] if with_category else None).fit_resample(X, y)
    assert reads == dict.fromkeys(range(len(columns)), 1)


def test_integers_beyond_floats_are_kept_exactly():
    columns = mixed_columns(np.random.default_rng(1))
    features = check_features(pd.DataFrame(columns))
    assert features.wide.keys() == {1, 3}
    np.testing.assert_array_equal(features.wide[1], columns["wide"])
    np.testing.assert_array_equal(features.numbers[:, 1], columns["wide"] - columns["wide"].min())
    np.testing.assert_array_equal(features.floats[:, 1], columns["wide"].astype(float))


def test_wide_integers_of_a_category_are_codes():
    X = np.array([[BEYOND_FLOATS, 1], [BEYOND_FLOATS + 1, 2], [BEYOND_FLOATS, 3]])
    features = check_features(X, [0])
    assert features.wide == {}
    np.testing.assert_array_equal(features.numbers[:, 0], [0, 1, 0])
