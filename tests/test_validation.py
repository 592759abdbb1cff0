import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from rarelabels.measures import ConstantLabelWarning, irlbl, limb
from rarelabels.sampling import MLSOL, MLUL

X = np.arange(24.0).reshape(8, 3) % 7
Y = np.array([[1, 0], [0, 1], [1, 0], [0, 0], [0, 1], [1, 0], [0, 0], [0, 0]])


def resample(X, y, **options):
    return MLSOL(n_neighbors=2, random_state=0, **options).fit_resample(X, y)


@pytest.mark.parametrize(
    ("y", "message"),
    [
        (Y[:, 0], r"0/1 indicator of shape \(n_samples, n_labels\), got an array of shape \(8,\)"),
        (np.arange(8) % 3, r"got multiclass of shape \(8,\); .*MultiLabelBinarizer converts"),
        (list(range(8)), "got a flat list of 8 values"),
        ([(1,), (1, 0)] * 4, "got rows of different lengths"),
        (Y + 1, "got the value 2 in row 0, column 0"),
        (2 * Y, "got the value 2 in row 0, column 0"),
        (Y - 1, "got the value -1 in row 0, column 1"),
        (Y * 0.5, "got the value 0.5 in row 0, column 0"),
        (np.where(Y == 1, "yes", "no"), "got entries like 'yes'"),
        (sparse.csr_array(Y * 3), "got the value 3"),
        (pd.DataFrame(Y * 4, columns=["p", "q"]), "got the value 4 in row 0, column 'p'"),
        (np.where(Y == 1, np.nan, 0.0), "y has NaN in row 0, column 0"),
        (np.empty((8, 0)), r"y is empty: it has shape \(8, 0\)"),
        ("text", "0/1 indicator"),
        (None, "0/1 indicator"),
    ],
)
def test_labels_that_are_none(y, message):
    with pytest.raises((ValueError, TypeError), match=message):
        resample(X, y)
    with pytest.raises((ValueError, TypeError), match=message):
        irlbl(y)


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (X[:5], "X has 5 samples and y has 8"),
        (X[:, 0], r"X: expected a table.*shape \(8,\)"),
        (np.empty((8, 0)), "X is empty"),
        (np.where(X == 6, np.inf, X), "X has infinity in row 2, column 0"),
        (sparse.csr_array(np.where(X == 6, np.inf, X)), "X has infinity in row 2, column 0"),
        (pd.DataFrame({"b": [1j] * 8}), "column 'b' is not numeric"),
        (pl.DataFrame({"a": [[1, 2]] * 8}), r"column 'a' holds \[1, 2\]"),
        (X.astype(str), "column 0 is not numeric"),
        (X.astype(complex), "Complex data not supported"),
        ([[1.0, 2.0], [3.0]] * 4, "rows of different lengths"),
        ("text", "X: expected a NumPy array"),
        (["a text", "another"] * 4, "X contains texts, expected numbers .* TfidfVectorizer"),
        (pd.Series(["a text", "another"] * 4), "X contains texts, expected numbers"),
        (None, "X: expected a NumPy array"),
    ],
)
def test_features_that_are_none(features, message):
    with pytest.raises((ValueError, TypeError), match=message):
        resample(features, Y)


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (pd.DataFrame(X, columns=list("abc")).assign(b="red"), "column 'b' is not numeric .*'red'"),
        (pl.DataFrame({"a": ["x"] * 8}), "column 'a' is not numeric"),
    ],
)
def test_text_where_no_column_is_to_be_a_category(features, message):
    with pytest.raises(ValueError, match=message):
        MLSOL(n_neighbors=1, categorical_features=None).fit_resample(features, Y)


@pytest.mark.parametrize(
    ("categorical", "message"),
    [
        (["colour"], "names 'colour', which X does not have; there are a, b, c"),
        (["aa"], "did you mean 'a'"),
        ([3], "names column 3, but X has 3 columns"),
        ([-4], "names column -4"),
        ([True, False], "mask of 2 columns, but X has 3"),
        ([[0, 1]], "must be one-dimensional"),
        ("a", "pass a single name in a list"),
    ],
)
def test_categories_that_are_none(categorical, message):
    with pytest.raises(ValueError, match=message):
        resample(pd.DataFrame(X, columns=list("abc")), Y, categorical_features=categorical)


def test_category_names_need_a_frame():
    with pytest.raises(ValueError, match=r"has names \('a'\), but X is not a dataframe"):
        resample(X, Y, categorical_features=["a"])


def test_bad_input_leaves_the_data_alone():
    X_bad, y_bad = X.copy(), 2 * Y
    before = X_bad.copy(), y_bad.copy()
    with pytest.raises(ValueError):
        resample(X_bad, y_bad)
    np.testing.assert_array_equal(X_bad, before[0])
    np.testing.assert_array_equal(y_bad, before[1])


def test_read_only_data_is_fine():
    X_fixed, y_fixed = X.copy(), Y.copy()
    X_fixed.flags.writeable = y_fixed.flags.writeable = False
    assert resample(X_fixed, y_fixed)[0].shape == (10, 3)


@pytest.mark.parametrize("value", [0, 1])
def test_constant_labels_are_named(value):
    y = pd.DataFrame(Y, columns=["p", "q"]).assign(constant=value)
    for sampler in (MLSOL(n_neighbors=2, random_state=0), MLUL(n_neighbors=2, random_state=0)):
        with pytest.warns(ConstantLabelWarning, match="label constant has a single class"):
            y_new = sampler.fit_resample(X, y)[1]
        assert (y_new["constant"] == value).all()
        without = sampler.fit_resample(X, y[["p", "q"]])[1]
        pd.testing.assert_frame_equal(y_new[["p", "q"]], without)


def test_one_sample_has_no_neighbours_but_global_measures():
    assert irlbl([[1, 1]]).tolist() == [1, 1]
    with pytest.raises(ValueError, match=r"=5 needs at least 6 samples.*got n_samples=1"):
        limb([[1.0]], [[1, 1]])
    with (
        pytest.warns(ConstantLabelWarning, match="single class"),
        pytest.raises(ValueError, match="n_neighbors=2 needs at least 3 samples"),
    ):
        resample([[1.0]], [[1, 1]])


def test_the_warning_points_at_the_callers_line():
    with pytest.warns(ConstantLabelWarning) as seen:
        MLUL(n_neighbors=2, random_state=0).fit_resample(X, np.ones_like(Y))
    assert seen[0].filename == __file__
