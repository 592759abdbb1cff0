"""A dataframe reaches the estimator as it came: names, dtypes, missing values."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from threadpoolctl import threadpool_limits

from quick import quick_learner, with_base_estimator
from rarelabels.ensemble import ResampledClassifier, SamplingEnsemble
from rarelabels.learners import (
    COCOA,
    ECCRU3,
    BinaryRelevance,
    EnsembleOfClassifierChains,
    ThresholdedClassifier,
)
from rarelabels.sampling import MLROS, MLRUS

LEARNERS = {
    **{
        name: lambda estimator, name=name: quick_learner(name, estimator=estimator)
        for name in with_base_estimator()
    },
    "thresholded": lambda estimator: ThresholdedClassifier(BinaryRelevance(estimator), cv=2),
    "ensemble": lambda estimator: SamplingEnsemble(
        BinaryRelevance(estimator), MLRUS(), n_estimators=2
    ),
    "resampled": lambda estimator: ResampledClassifier(BinaryRelevance(estimator), MLROS()),
}
each_learner = pytest.mark.parametrize("make", LEARNERS.values(), ids=LEARNERS)
NUMBERS, CATEGORIES = ["age", "pressure", "children"], ["ward", "smoker"]


@pytest.fixture(autouse=True)
def one_thread():
    """Keep gradient boosting from more threads than there are cores left."""
    with threadpool_limits(1):
        yield


@pytest.fixture(scope="module")
def patients():
    rng, n = np.random.default_rng(0), 120
    X = pd.DataFrame(
        {
            "age": rng.normal(50, 12, n),
            "pressure": np.where(rng.random(n) < 0.2, np.nan, rng.normal(120, 10, n)),
            "ward": pd.Categorical(rng.choice(["north", "south", "west"], n)),
            "smoker": rng.random(n) < 0.3,
            "children": rng.poisson(1.5, n),
            "note": rng.choice(["cough and fever", "cough", "no complaint", "fever"], n),
            "seen": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 99, n), unit="D"),
        },
        index=[f"p{i}" for i in range(n)],
    )
    y = pd.DataFrame(
        {
            "flu": X["note"].str.contains("fever"),
            "cold": X["smoker"] ^ (rng.random(n) < 0.1),
            "gout": X["age"] + rng.normal(0, 4, n) > 62,
        }
    ).astype(int)
    return X, y


def by_name():
    """Return a pipeline that reads the columns by their names, and passes labels of chains on."""
    columns = ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), NUMBERS),
            ("categories", OneHotEncoder(handle_unknown="ignore"), CATEGORIES),
            ("text", CountVectorizer(), "note"),
            ("time", "drop", ["seen"]),
        ],
        remainder="passthrough",
    )
    return make_pipeline(columns, LogisticRegression(max_iter=1000))


def by_dtype():
    return HistGradientBoostingClassifier(
        categorical_features="from_dtype", max_iter=2, min_samples_leaf=5, max_leaf_nodes=3
    )


@each_learner
@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_a_pipeline_that_knows_the_columns(make, kind, patients):
    X, y = patients
    X_in, y_in = (X, y) if kind == "pandas" else (pl.from_pandas(X), pl.from_pandas(y))
    learner = make(by_name())
    adds_labels = isinstance(learner, EnsembleOfClassifierChains | ECCRU3)
    if kind == "polars" and adds_labels and sklearn.__version__.startswith("1.6."):
        pytest.skip("scikit-learn 1.6 cannot pass columns of polars on beside sparse ones")
    learner.fit(X_in, y_in)
    found = learner.predict(X_in)
    assert type(found) is type(y_in)
    # Fever is in the note, which no learner reads without its column.
    assert (np.asarray(found["flu"]) == y["flu"].to_numpy()).mean() > 0.95
    assert list(learner.feature_names_in_) == list(X.columns)


@each_learner
@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_dtypes_and_gaps(make, kind, patients):
    X, y = patients[0][[*NUMBERS, *CATEGORIES]], patients[1]
    X_in = X if kind == "pandas" else pl.from_pandas(X)
    scores = make(by_dtype()).fit(X_in, y).predict_proba(X_in)
    assert np.isfinite(np.asarray(scores)).all()


def test_what_multi_output_classifier_predicts(patients):
    X, y = patients
    ours = BinaryRelevance(by_name()).fit(X, y).predict(X)
    np.testing.assert_array_equal(ours, MultiOutputClassifier(by_name()).fit(X, y).predict(X))


class Watcher(ClassifierMixin, BaseEstimator):
    """Keeps what it was fitted to, and predicts its first class."""

    def fit(self, X, y, sample_weight=None):
        self.seen_, self.weights_, self.classes_ = X, sample_weight, np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def test_the_estimator_sees_the_frame_itself(patients):
    X, y = patients
    learner = BinaryRelevance(Watcher()).fit(X, y)
    assert all(model.seen_ is X for model in learner.estimators_)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_chains_add_label_columns_to_the_frame(kind, patients):
    X, y = patients
    X_in = X if kind == "pandas" else pl.from_pandas(X)
    chain = (
        EnsembleOfClassifierChains(Watcher(), n_chains=1, random_state=0).fit(X_in, y).chains_[0]
    )
    first, second, third = (model.seen_ for model in chain.models)
    assert list(first.columns) == list(X.columns)
    assert list(third.columns) == [*X.columns, "link_1", "link_2"]
    assert list(third.dtypes)[: X.shape[1]] == list(X_in.dtypes)
    before = y.iloc[:, chain.labels[0]].to_numpy()
    if kind == "pandas":
        rows = [int(name[1:]) for name in second.index]
        np.testing.assert_array_equal(second["link_1"], before[rows])


@pytest.mark.parametrize(
    ("names", "expected"),
    [(["a", "link_1"], ["a", "link_1", "_link_1"]), ([3, 4], [3, 4, 5])],
)
def test_names_of_label_columns_are_new(names, expected):
    X = pd.DataFrame(np.arange(20.0).reshape(10, 2), columns=names)
    y = np.column_stack([np.arange(10) % 2, np.arange(10) > 4]).astype(int)
    learner = EnsembleOfClassifierChains(Watcher(), n_chains=1, random_state=0).fit(X, y)
    assert list(learner.chains_[0].models[1].seen_.columns) == expected
    assert learner.predict(X).shape == y.shape


def test_resampled_frames_keep_their_dtypes(patients):
    X, y = patients
    model = ResampledClassifier(BinaryRelevance(Watcher()), MLROS(), random_state=0).fit(X, y)
    seen = model.estimator_.estimators_[0].seen_
    assert seen.dtypes.tolist() == X.dtypes.tolist()
    assert len(seen) > len(X)


@pytest.mark.parametrize("make", [BinaryRelevance, COCOA, EnsembleOfClassifierChains])
def test_missing_values_are_seen_by_an_estimator_that_takes_none(make, patients):
    X, y = patients[0][NUMBERS], patients[1]
    with pytest.raises(ValueError, match="NaN"):
        make(LogisticRegression()).fit(X, y)
    learner = make(LogisticRegression(max_iter=1000)).fit(X.fillna(0), y)
    with pytest.raises(ValueError, match="NaN"):
        learner.predict(X)


def test_missing_values_that_a_pipeline_lets_through(patients):
    X, y = patients[0][NUMBERS].to_numpy(), patients[1]
    with pytest.raises(ValueError, match="NaN"):
        BinaryRelevance(make_pipeline(StandardScaler(), LogisticRegression())).fit(X, y)


def test_trees_say_which_column_is_no_number(patients):
    with pytest.raises(ValueError, match=r"column 'ward' of X is not numeric.*ColumnTransformer"):
        BinaryRelevance().fit(*patients)


def test_trees_take_numbers_of_any_dtype(patients):
    X, y = patients[0][[*NUMBERS, "smoker"]].fillna(0), patients[1]
    nullable = X.convert_dtypes()
    plain = BinaryRelevance(random_state=0).fit(X, y).predict(X)
    found = BinaryRelevance(random_state=0).fit(nullable, y).predict(nullable)
    pd.testing.assert_frame_equal(found, plain)


def test_empty_frames(patients):
    X, y = patients
    with pytest.raises(ValueError, match=r"0 sample\(s\)"):
        BinaryRelevance(by_name()).fit(X.iloc[:0], y)
    with pytest.raises(ValueError, match=r"0 feature\(s\)"):
        BinaryRelevance(by_name()).fit(X.iloc[:, :0], y)


def test_cross_validation(patients):
    scores = cross_val_score(BinaryRelevance(by_name()), *patients, scoring="f1_macro", cv=3)
    assert scores.mean() > 0.5


def watched(learner):
    """Return all models of a learner that were fitted."""
    inside = getattr(learner, "estimators_", None) or getattr(learner, "chains_", None)
    inside = inside or getattr(learner, "couplings_", None)
    for part in inside if inside else [learner.estimator_]:
        models = getattr(part, "models", None) or [part]
        yield from (getattr(model, "binary", model) for model in models)


@pytest.mark.parametrize("make", [LEARNERS[name] for name in with_base_estimator()])
@pytest.mark.parametrize("as_frame", [True, False])
def test_weights_follow_their_samples(make, as_frame, data):
    X, y = data
    weights = np.abs(X[:, 0]) + 1
    X_in = pd.DataFrame(X, columns=list("abcde")) if as_frame else X
    models = list(watched(make(Watcher()).fit(X_in, y, sample_weight=weights)))
    assert models
    for model in models:
        first = model.seen_["a"].to_numpy() if as_frame else model.seen_[:, 0]
        np.testing.assert_allclose(model.weights_, np.abs(first) + 1)


def test_weights_of_resampled_samples(data):
    X, y = data
    weights = np.abs(X[:, 0]) + 1
    one = ResampledClassifier(BinaryRelevance(Watcher()), MLROS(), random_state=0)
    many = SamplingEnsemble(BinaryRelevance(Watcher()), MLRUS(), n_estimators=2, random_state=0)
    fitted = one.fit(X, y, sample_weight=weights).estimator_
    for learner in (fitted, *many.fit(X, y, sample_weight=weights).estimators_):
        for model in learner.estimators_:
            np.testing.assert_allclose(model.weights_, np.abs(model.seen_[:, 0]) + 1)


def test_weights_change_a_thresholded_classifier(data):
    X, y = data
    weights = np.where(y[:, 3] == 1, 20.0, 1.0)
    model = ThresholdedClassifier(BinaryRelevance(LogisticRegression()), cv=2, random_state=0)
    plain = model.fit(X, y).predict_proba(X)
    heavy = model.fit(X, y, sample_weight=weights).predict_proba(X)
    assert heavy[:, 3].mean() > 2 * plain[:, 3].mean()


def test_weights_that_cannot_be_used(data):
    X, y = data
    weights = np.ones(len(X))
    with pytest.raises(ValueError, match="KNeighborsClassifier does not accept it"):
        BinaryRelevance(KNeighborsClassifier()).fit(X, y, sample_weight=weights)
    with pytest.raises(ValueError, match="one weight for each of the 120 samples"):
        BinaryRelevance().fit(X, y, sample_weight=weights[:-1])
    with pytest.raises(ValueError, match="KNeighborsClassifier does not accept it"):
        ThresholdedClassifier(KNeighborsClassifier()).fit(X, y, sample_weight=weights)


def test_parameters_by_the_step_of_a_pipeline(data):
    X, y = data
    weights = np.where(y[:, 3] == 1, 20.0, 1.0)
    pipe = make_pipeline(StandardScaler(), LogisticRegression())
    plain = BinaryRelevance(pipe).fit(X, y).predict_proba(X)
    heavy = BinaryRelevance(pipe).fit(X, y, logisticregression__sample_weight=weights)
    assert heavy.predict_proba(X)[:, 3].mean() > 2 * plain[:, 3].mean()


def test_metadata_routing(data):
    from sklearn import config_context
    from sklearn.exceptions import UnsetMetadataPassedError

    X, y = data
    weights = np.abs(X[:, 0])
    with config_context(enable_metadata_routing=True):
        asked = BinaryRelevance(Watcher().set_fit_request(sample_weight=True))
        asked.fit(X, y, sample_weight=weights)
        np.testing.assert_array_equal(asked.estimators_[0].weights_, weights)
        with pytest.raises(UnsetMetadataPassedError):
            BinaryRelevance(Watcher()).fit(X, y, sample_weight=weights)
        nested = SamplingEnsemble(asked, MLRUS(), n_estimators=1, random_state=0)
        nested.fit(X, y, sample_weight=weights)
        seen = nested.estimators_[0].estimators_[0]
        np.testing.assert_allclose(seen.weights_, np.abs(seen.seen_[:, 0]))


def test_a_dummy_needs_no_numbers(patients):
    X, y = patients
    found = BinaryRelevance(DummyClassifier()).fit(X, y).predict(X)
    assert found.shape == y.shape
