"""Columns of a dataframe by themselves: categories, text, integers, booleans, points in time."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from quick import seeded_sampler, uses_features
from rarelabels import find_neighbors
from rarelabels.ensemble import SamplingEnsemble
from rarelabels.learners import BinaryRelevance, MLkNN
from rarelabels.measures import describe, label_types, limb, local_imbalance
from rarelabels.sampling import MLSMOTE, MLSOL, MLTL, MLUL, MLeNN, sampler, sampler_names

N = 90
KINDS = ["pandas", "nullable", "arrow", "polars", "pyarrow"]
each_kind = pytest.mark.parametrize("kind", KINDS)
each_sampler = pytest.mark.parametrize("name", sampler_names())


def columns(seed=0):
    """Return one column of every kind, with and without missing values."""
    rng = np.random.default_rng(seed)
    gaps = rng.random(N) < 0.15
    day = pd.Timestamp("2023-03-01") + pd.to_timedelta(rng.integers(0, 10**7, N), unit="s")
    whole = pd.DataFrame(
        {
            "float": rng.normal(size=N),
            "single": rng.normal(size=N).astype(np.float32),
            "int": rng.poisson(3, N),
            "byte": rng.integers(-100, 100, N).astype(np.int8),
            "bool": rng.random(N) < 0.4,
            "category": pd.Categorical(rng.choice(["a", "b", "c"], N)),
            "text": rng.choice(["red", "green", "blue"], N),
            "time": pd.Series(day).dt.as_unit("ms"),
            "zoned": pd.Series(day.tz_localize("UTC").tz_convert("Asia/Tokyo")).dt.as_unit("us"),
            "span": pd.Series(pd.to_timedelta(rng.integers(0, 999, N), unit="h")).dt.as_unit("us"),
        }
    )
    made = {name: whole[name] for name in whole}
    for name in ("float", "category", "text", "time", "span"):
        made[f"{name} with gaps"] = whole[name].mask(gaps)
    made["int with gaps"] = whole["int"].astype("Int64").mask(gaps)
    made["bool with gaps"] = whole["bool"].astype("boolean").mask(gaps)
    return pd.DataFrame(made)


def labels():
    frame = columns()
    rng = np.random.default_rng(1)
    return pd.DataFrame(
        {
            "often": frame["float"] > 0,
            "seldom": (frame["text"] == "red") & (rng.random(N) < 0.7),
            "rare": (frame["int"] > 4) & (rng.random(N) < 0.6),
        }
    )


def as_kind(frame, kind):
    if kind == "nullable":
        return frame.convert_dtypes()
    if kind == "arrow":
        return frame.convert_dtypes(dtype_backend="pyarrow")
    if kind == "polars":
        return pl.from_pandas(frame)
    return pa.Table.from_pandas(frame, preserve_index=False) if kind == "pyarrow" else frame


def dtypes(frame):
    return list(frame.schema.types if isinstance(frame, pa.Table) else frame.dtypes)


def as_pandas(frame):
    if isinstance(frame, pd.DataFrame):
        return frame
    return (
        frame.to_pandas(ignore_metadata=True) if isinstance(frame, pa.Table) else frame.to_pandas()
    )


@each_kind
@each_sampler
@pytest.mark.filterwarnings("ignore:no minority label")
def test_every_sampler_gives_every_column_back_as_it_came(name, kind):
    X, y = columns(), labels()
    fitted = seeded_sampler(name)
    if uses_features(fitted) and not fitted.__sklearn_tags__().input_tags.allow_nan:
        X = X[[name for name in X if "gaps" not in name]]
    X, y = as_kind(X, kind), as_kind(y, kind)
    X_new, y_new = fitted.fit_resample(X, y)
    assert type(X_new) is type(X)
    assert dtypes(X_new) == dtypes(X)
    assert dtypes(y_new) == dtypes(y)
    before, after = as_pandas(X), as_pandas(X_new)
    copied = ~fitted.is_synthetic_
    pd.testing.assert_frame_equal(
        after[copied].reset_index(drop=True),
        before.iloc[fitted.sample_indices_[copied]].reset_index(drop=True),
        check_categorical=False,
    )
    made = after[fitted.is_synthetic_]
    for column in after:
        known, seen = made[column].dropna(), set(before[column].dropna())
        if column.startswith(("bool", "category", "text")):
            assert set(known) <= seen, column
        elif len(known):
            assert min(seen) <= known.min() <= known.max() <= max(seen), column
        if "gaps" not in column:
            assert made[column].notna().all(), column


@each_kind
def test_measures_are_those_of_the_numbers_inside(kind):
    frame, y = columns(), labels()
    inside = pd.DataFrame(
        {
            name: column.astype("int64")
            if column.dtype.kind in "mM" and not column.isna().any()
            else column
            for name, column in frame.items()
            if "gaps" not in name
        }
    )
    coded = inside.assign(
        category=inside["category"].cat.codes, text=pd.factorize(inside["text"])[0]
    )
    wanted = [list(coded).index(name) for name in ("bool", "category", "text")]
    numbers = np.column_stack([np.asarray(coded[name], dtype=float) for name in coded])
    whole = frame[list(inside)]
    expected = limb(numbers, y.to_numpy().astype(int), categorical_features=wanted)
    assert limb(as_kind(whole, kind), as_kind(y, kind)) == pytest.approx(expected, rel=1e-12)
    for measure in (local_imbalance, label_types):
        np.testing.assert_array_equal(
            measure(as_kind(whole, kind), y),
            measure(numbers, y.to_numpy().astype(int), categorical_features=wanted),
        )


@each_kind
def test_mlknn_takes_every_column(kind):
    X, y = columns(), labels()
    learner = MLkNN(n_neighbors=3).fit(as_kind(X, kind), y)
    scores = np.asarray(learner.predict_proba(as_kind(X, kind)))
    assert np.isfinite(scores).all()
    # What is a category was settled at fit: the same samples alone score the same.
    few = as_kind(X.iloc[:7], kind)
    np.testing.assert_array_equal(np.asarray(learner.predict_proba(few)), scores[:7])


def test_mlknn_takes_arrays_with_missing_values():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = (X[:, :2] > 0.3).astype(int)
    X[rng.random(X.shape) < 0.1] = np.nan
    scores = MLkNN(n_neighbors=3).fit(X, y).predict_proba(X)
    frame = pd.DataFrame(X, columns=list("abc"))
    np.testing.assert_array_equal(
        np.asarray(MLkNN(n_neighbors=3).fit(frame, y).predict_proba(frame)), scores
    )


def test_a_point_in_time_counts_as_its_number():
    seconds = np.array([0, 10, 11, 100, 300])
    X = pd.DataFrame({"seen": pd.Timestamp("2024-02-28") + pd.to_timedelta(seconds, unit="s")})
    expected = find_neighbors(seconds[:, None].astype(float), n_neighbors=2)
    np.testing.assert_array_equal(find_neighbors(X, n_neighbors=2).indices, expected.indices)


def test_parts_of_a_microsecond_are_told_apart():
    ticks = np.array([0, 1, 3, 900, 1000, 5000], dtype="timedelta64[ns]")
    X = pd.DataFrame({"seen": np.datetime64("2024-01-01T00:00:00", "ns") + ticks})
    expected = find_neighbors(ticks.astype(float)[:, None], n_neighbors=2)
    np.testing.assert_array_equal(find_neighbors(X, n_neighbors=2).indices, expected.indices)


def test_counts_stay_whole():
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"children": rng.poisson(3, 200), "age": rng.normal(50, 9, 200)})
    y = np.column_stack([X["age"] > 55, X["children"] > 4]).astype(int)
    for made in (MLSOL(random_state=0), MLSMOTE(random_state=0)):
        X_new, _ = made.fit_resample(X, y)
        assert X_new["children"].dtype == X["children"].dtype
        between = MLSOL(random_state=0).fit_resample(X.astype(float), y)[0]
    # The same draws, rounded.
    whole = MLSOL(random_state=0).fit_resample(X, y)[0]
    np.testing.assert_array_equal(whole["children"], np.rint(between["children"]))


NOTES = [f"patient {i} feels better" for i in range(N)]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_text_is_no_category(make):
    X = make({"age": np.arange(float(N)), "note": NOTES})
    y = np.column_stack([np.arange(N) % 2, np.arange(N) % 5 == 0]).astype(int)
    message = r"column 'note' is text, but not categorical: 90 of its 90 values.*TfidfVectorizer"
    for call in (describe, limb, MLSOL().fit_resample, MLeNN().fit_resample, MLkNN().fit):
        with pytest.raises(ValueError, match=message):
            call(X, y)
    assert np.isfinite(limb(X, y, categorical_features=["note"]))
    # Whoever looks at no features, or is given the neighbours, takes text like any other column.
    found = find_neighbors(X[["age"]], n_neighbors=5)
    assert set(MLUL(neighbors=found).fit_resample(X, y)[0]["note"]) < set(NOTES)


def test_a_few_strings_are_a_category_however_few_the_samples():
    X = pd.DataFrame({"ward": ["a", "b", "c", "a", "d", "e"]})
    assert find_neighbors(X, n_neighbors=1).indices[0] == [3]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.5, "two"], r"column 'x' has values of several types, like 1.5 and 'two'.*to_numeric"),
        ([pd.Timestamp("2024", tz="UTC"), pd.Timestamp("2024", tz="Asia/Tokyo")], "to_datetime"),
    ],
)
def test_columns_that_are_of_no_kind(values, message):
    X = pd.DataFrame({"x": pd.Series(values * 10, dtype=object), "z": np.arange(20.0)})
    y = np.column_stack([np.arange(20) % 2, np.arange(20) % 5 == 0]).astype(int)
    with pytest.raises(ValueError, match=message):
        MLSOL().fit_resample(X, y)


def test_numbers_among_objects_are_numbers():
    X = pd.DataFrame({"x": pd.Series([*range(10), None, *range(30, 40)], dtype=object)})
    expected = find_neighbors(X.astype(float), n_neighbors=2)
    np.testing.assert_array_equal(find_neighbors(X, n_neighbors=2).indices, expected.indices)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_a_column_without_values_counts_nothing_and_is_named(make):
    rng = np.random.default_rng(0)
    known = {"a": rng.normal(size=50), "b": rng.normal(size=50)}
    y = np.column_stack([known["a"] > 0, known["b"] > 1]).astype(int)
    expected = limb(make(known), y)
    for empty in (np.full(50, np.nan), [None] * 50):
        with pytest.warns(UserWarning, match="'nothing'"):
            assert limb(make({**known, "nothing": empty}), y) == expected


@pytest.mark.parametrize("made", [MLUL(), MLTL(), sampler("mlrus"), sampler("lprus"), MLeNN()])
def test_undersamplers_keep_the_row_labels(made):
    X, y = columns()[["float", "text"]], labels()
    X.index = y.index = [f"p{i}" for i in range(N)]
    X_new, y_new = made.fit_resample(X, y)
    pd.testing.assert_frame_equal(X_new, X.iloc[made.sample_indices_])
    pd.testing.assert_frame_equal(y_new, y.iloc[made.sample_indices_])


@pytest.mark.parametrize("name", ["mlsol", "mlros", "mlsmote", "remedial"])
@pytest.mark.parametrize(
    ("index", "first"),
    [
        (pd.RangeIndex(N), N),
        (pd.Index(np.arange(N) * 10 + 7, name="patient"), 10 * N - 2),
        (pd.Index([f"p{i}" for i in range(N)], name="patient"), str(N)),
    ],
)
def test_oversamplers_number_on(name, index, first):
    X, y = columns()[["float", "text"]], labels()
    X.index = y.index = index
    made = sampler(name)
    X_new, y_new = made.fit_resample(X, y)
    assert list(X_new.index[:N]) == list(index)
    assert X_new.index[N] == first
    assert X_new.index.is_unique
    assert X_new.index.name == index.name
    assert X_new.index.dtype == index.dtype
    pd.testing.assert_index_equal(X_new.index, y_new.index)


def test_other_row_labels_are_numbers_where_samples_are_new():
    X, y = columns()[["float"]], labels()
    X.index = pd.date_range("2024", periods=N)
    assert list(MLSOL().fit_resample(X, y)[0].index[:3]) == [0, 1, 2]
    kept = MLUL(random_state=0).fit_resample(X, y)[0]
    assert set(kept.index) <= set(X.index)


def test_the_ensemble_takes_the_table_as_it_is():
    from sklearn.ensemble import HistGradientBoostingClassifier
    from threadpoolctl import threadpool_limits

    X, y = columns(), labels()
    X = X[[name for name in X if not name.startswith(("time", "zoned", "span", "text"))]]
    inside = HistGradientBoostingClassifier(categorical_features="from_dtype", max_iter=2)
    with threadpool_limits(1):
        model = SamplingEnsemble(BinaryRelevance(inside), MLSOL(), n_estimators=2, random_state=0)
        scores = np.asarray(model.fit(X, y).predict_proba(X))
    assert np.isfinite(scores).all()
    assert model.samplers_[0].is_synthetic_.any()
