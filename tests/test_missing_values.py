"""Samplers and measures on features of which some values are missing."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.utils import get_tags

import literal
from rarelabels import measures, sampling
from rarelabels.sampling._interpolation import interpolate
from rarelabels.sampling._mode import modes

WITH_DISTANCES = ["mlsol", "mlul", "mlsmote", "mlenn", "mltl", "mlonc"]


@pytest.fixture
def gappy():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = (X[:, :3] + 0.7 * rng.normal(size=(60, 3)) > [0.1, 0.6, 1.0]).astype(int)
    X[:, :2][rng.random((60, 2)) < 0.3] = np.nan
    return X, y


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("name", WITH_DISTANCES)
def test_samplers_take_gaps(name, container, gappy):
    X, y = gappy
    made = sampling.sampler(name, random_state=0)
    assert get_tags(made).input_tags.allow_nan
    X_new, _ = made.fit_resample(container(X), y)
    X_new = X_new.toarray() if sparse.issparse(X_new) else X_new
    copied = ~made.is_synthetic_
    np.testing.assert_array_equal(X_new[copied], X[made.sample_indices_[copied]])
    assert not np.isnan(X_new[:, 2:]).any()


def test_every_sampler_says_whether_it_takes_gaps(gappy):
    X, y = gappy
    for name in sampling.sampler_names():
        made = sampling.sampler(name)
        if get_tags(made).input_tags.allow_nan:
            made.fit_resample(X, y)
        else:
            with pytest.raises(ValueError, match="missing value"):
                made.fit_resample(X, y)


def test_measures_equal_literal_loops(gappy):
    X, y = gappy
    N = literal.neighbors(X, 5)
    np.testing.assert_array_equal(measures.local_imbalance(X, y), literal.imbalance(y, N))
    assert measures.limb(X, y) == pytest.approx(literal.limb(y, N))
    assert measures.describe(X, y).summary["limb"] == pytest.approx(literal.limb(y, N))


@pytest.mark.parametrize("convert", [np.asarray, sparse.csr_array])
def test_a_synthetic_value_of_one_known_and_one_missing_is_a_fair_pick(convert):
    start = np.tile([0.0, 1.0, np.nan, np.nan], (4000, 1))
    end = np.tile([2.0, np.nan, 3.0, np.nan], (4000, 1))
    no_categories = np.zeros(4, dtype=bool)
    made = interpolate(convert(start), convert(end), no_categories, np.random.default_rng(0))
    made = made.toarray() if sparse.issparse(made) else made
    assert ((made[:, 0] >= 0) & (made[:, 0] <= 2)).all()
    for j, known in ((1, 1.0), (2, 3.0)):
        is_known = ~np.isnan(made[:, j])
        assert (made[is_known, j] == known).all()
        # Mean 2000, standard deviation 32.
        assert abs(is_known.sum() - 2000) < 130
    assert np.isnan(made[:, 3]).all()


def test_the_mode_leaves_gaps_out():
    values = np.array([[[np.nan, np.nan]], [[2.0, np.nan]], [[1.0, np.nan]], [[1.0, np.nan]]])
    np.testing.assert_array_equal(modes(values, ~np.isnan(values)), [[1.0, np.nan]])


def test_cd_counts_a_gap_as_one():
    from rarelabels._neighbors import feature_space
    from rarelabels._validation import check_features

    X = np.array([[0.0, np.nan], [4.0, 1.0], [2.0, 3.0]])
    space = feature_space(check_features(X))
    found = space.distances_between(np.array([[1.0, 1.0]]), X[:1])
    np.testing.assert_allclose(found, [np.sqrt(1 / 16 + 1)])


@pytest.mark.parametrize("name", ["mlsol", "mlsmote"])
def test_gaps_come_out_as_they_went_in(name, gappy):
    X, y = gappy
    colours = np.where(np.isnan(X[:, 0]), None, np.where(X[:, 1] > 0, "red", "blue"))
    names = ["a", "b", "c", "d"]
    frame = pd.DataFrame(X, columns=names).assign(e=pd.Series(colours, dtype=object))
    expected = np.isnan(sampling.sampler(name, random_state=0).fit_resample(X, y)[0])

    def resampled(data):
        made = sampling.sampler(name, random_state=0, categorical_features=["e"])
        return made.fit_resample(data, y)[0]

    of_pandas = resampled(frame)
    assert of_pandas["a"].dtype == np.float64
    of_polars = resampled(pl.from_pandas(frame, nan_to_null=True))
    assert of_polars["a"].null_count() == of_pandas["a"].isna().sum()
    assert of_polars["e"].to_list() == of_pandas["e"].tolist()
    assert not of_polars["a"].is_nan().any()
    nullable = resampled(frame.assign(a=frame["a"].astype("Float64")))
    assert nullable["a"].dtype == "Float64"
    assert nullable["a"].isna().tolist() == of_pandas["a"].isna().tolist()
    rows = [[None if np.isnan(cell) else cell for cell in row] for row in X]
    of_lists = sampling.sampler(name, random_state=0).fit_resample(rows, y.tolist())[0]
    np.testing.assert_array_equal([[cell is None for cell in row] for row in of_lists], expected)
