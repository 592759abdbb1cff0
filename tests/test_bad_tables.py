"""Tables that are wrong: the message names the column and says what to do."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from rarelabels.ensemble import SamplingEnsemble
from rarelabels.learners import BinaryRelevance, MLkNN, ThresholdedClassifier
from rarelabels.measures import describe
from rarelabels.sampling import MLSOL

N = 60
RNG = np.random.default_rng(0)
NUMBER = RNG.normal(size=N)
LABELS = pd.DataFrame({"flu": NUMBER > 0, "cold": RNG.random(N) < 0.2})
SETS = [[name for name in LABELS if row[name]] for _, row in LABELS.iterrows()]


def frame(values):
    return pd.DataFrame({"z": NUMBER, "x": pd.Series(values, dtype=object)})


def day(zone):
    return pd.Timestamp("2024-01-31", tz=zone)


BAD_COLUMNS = {
    "mixed types": (frame([1.5, "two", 3] * 20), "several types, like 1.5 and 'two'.*to_numeric"),
    "mixed zones": (frame([day("UTC"), day("Asia/Tokyo")] * 30), "several time zones.*utc=True"),
    "zones and none": (frame([day("UTC"), day(None)] * 30), "several time zones.*utc=True"),
}
TAKE_DISTANCES = {
    "describe": describe,
    "MLSOL": lambda X, y: MLSOL(random_state=0).fit_resample(X, y),
    "MLkNN": lambda X, y: MLkNN().fit(X, y),
}
each_call = pytest.mark.parametrize("call", TAKE_DISTANCES.values(), ids=TAKE_DISTANCES)


@each_call
@pytest.mark.parametrize(("X", "message"), BAD_COLUMNS.values(), ids=BAD_COLUMNS)
def test_columns_without_a_distance(call, X, message):
    with pytest.raises(ValueError, match=f"column 'x' has.*{message}"):
        call(X, LABELS)


@pytest.mark.parametrize("X", [X for X, _ in BAD_COLUMNS.values()], ids=BAD_COLUMNS)
def test_columns_that_trees_do_not_read(X):
    with pytest.raises(ValueError, match=r"column 'x' of X is not numeric \(it contains .*Drop"):
        BinaryRelevance().fit(X, LABELS)
    dates = X[["z"]].assign(x=pd.Timestamp("2024-01-31"))
    with pytest.raises(ValueError, match=r"column 'x' of X is not numeric \(it contains dates\)"):
        BinaryRelevance().fit(dates, LABELS)


@each_call
@pytest.mark.parametrize(
    "X",
    [
        frame([np.nan] * N).astype({"x": float}),
        frame([None] * N),
        frame([None] * N).astype({"x": "category"}),
        frame([pd.NaT] * N).astype({"x": "datetime64[us]"}),
        pl.DataFrame({"z": NUMBER, "x": [None] * N}),
    ],
    ids=["float", "object", "category", "datetime", "polars"],
)
def test_a_column_without_any_value_is_named(call, X):
    with pytest.warns(UserWarning, match="feature 'x' has no known value: left out of distances"):
        call(X, LABELS)


@pytest.mark.parametrize(
    "y",
    [
        LABELS.astype(object).mask(LABELS.index.to_numpy()[:, None] == [99, 3], None),
        LABELS.astype(float).mask(LABELS.index.to_numpy()[:, None] == [99, 3]),
        LABELS.astype("boolean").mask(LABELS.index.to_numpy()[:, None] == [99, 3]),
        pl.from_pandas(LABELS).with_columns(
            pl.when(pl.int_range(pl.len()) != 3).then("cold").alias("cold")
        ),
    ],
    ids=["object", "float", "nullable", "polars"],
)
def test_labels_with_gaps(y):
    X = pd.DataFrame({"z": NUMBER})
    for call in (*TAKE_DISTANCES.values(), lambda X, y: BinaryRelevance().fit(X, y)):
        with pytest.raises(ValueError, match=r"row 3, column 'cold'.*allow_missing_labels=True"):
            call(X, y)


@pytest.mark.parametrize(
    "learner",
    [
        BinaryRelevance(),
        MLkNN(),
        ThresholdedClassifier(BinaryRelevance(), cv=2),
        SamplingEnsemble(BinaryRelevance(), MLSOL(), n_estimators=2, random_state=0),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_label_sets_with_names_that_were_not_at_fit(learner):
    X = pd.DataFrame({"z": NUMBER})
    learner.fit(X, SETS)
    assert learner.score(X, SETS) > 0
    with pytest.raises(ValueError, match=r"'measles' in sample 0.*not among.*there are cold, flu"):
        learner.score(X, [["measles"], *SETS[1:]])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (None, "sample 0 is None; a sample without labels is"),
        ("flu", "sample 0 is 'flu'; a sample without labels is"),
        ([3], "name every label by a string"),
        (["flu", None], "name every label by a string"),
    ],
)
def test_label_sets_that_are_none(wrong, message):
    X = pd.DataFrame({"z": NUMBER})
    with pytest.raises(ValueError, match=message):
        BinaryRelevance().fit(X, [wrong, *SETS[1:]])
