"""Fitted models in files: no code runs when a .skops file is loaded, and predictions stay."""

import os
import subprocess
import sys

import joblib
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.linear_model import LogisticRegression

from rarelabels._containers import ArrayContainer
from rarelabels._registry import is_part_of_models
from rarelabels.advisor import load_model, save_model
from rarelabels.advisor.model_file import is_own_part
from rarelabels.datasets import make_local_imbalance
from rarelabels.ensemble import ResampledClassifier, SamplingEnsemble
from rarelabels.learners import (
    COCOA,
    ECCRU3,
    IBLR,
    BinaryRelevance,
    CalibratedClassifier,
    CalibratedLabelRanking,
    EnsembleOfClassifierChains,
    KernelRidgeClassifier,
    LabelPowerset,
    MLkNN,
    MultiLabelForest,
    RAkEL,
    ThresholdedClassifier,
    learner,
    learner_names,
)
from rarelabels.sampling import MLSOL, MLUL

MODELS = {
    "boosting": BinaryRelevance(HistGradientBoostingClassifier(max_iter=3)),
    "forest": RandomForestClassifier(3, random_state=0),
    "logistic": BinaryRelevance(LogisticRegression()),
    "MLkNN": MLkNN(),
    "IBLR": IBLR(),
    "ridge": KernelRidgeClassifier(),
    "landmarks": KernelRidgeClassifier(n_landmarks=20, random_state=0),
    "MultiLabelForest": MultiLabelForest(3, random_state=0),
    "LP": LabelPowerset(),
    "RAkEL": RAkEL(),
    "CLR": CalibratedLabelRanking(),
    "ECC": EnsembleOfClassifierChains(n_chains=2),
    "ECCRU3": ECCRU3(n_chains=2),
    "COCOA": COCOA(n_couples=2),
    "thresholds": ThresholdedClassifier(BinaryRelevance(LogisticRegression())),
    "sampled": ResampledClassifier(BinaryRelevance(), MLUL(), random_state=0),
    "ensemble": SamplingEnsemble(BinaryRelevance(), MLSOL(), n_estimators=2, random_state=0),
    "calibrated": CalibratedClassifier(MLkNN(), random_state=0),
}


@pytest.fixture(autouse=True)
def needs_skops():
    pytest.importorskip("skops")


@pytest.fixture(scope="module")
def data():
    return make_local_imbalance(60, difficulty=0.5, random_state=0)


@pytest.mark.parametrize("name", MODELS)
def test_a_model_predicts_the_same_once_loaded(name, data, tmp_path):
    X, y = data
    model = MODELS[name].fit(X, y)
    save_model(model, tmp_path / "model.skops")
    loaded = load_model(tmp_path / "model.skops")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))


def as_sets(y):
    names = np.array(["sun", "moon", "stars"])
    return [names[row == 1].tolist() for row in y]


def as_frame(y):
    return pd.DataFrame(y, columns=["sun", "moon", "stars"])


OWN = [name for name in MODELS if name != "forest"]


@pytest.mark.parametrize("name", OWN)
@pytest.mark.parametrize("kind", [as_sets, as_frame, sparse.csr_array, np.ndarray.tolist])
def test_predictions_have_the_container_of_the_labels_once_loaded(name, kind, data, tmp_path):
    X, y = data
    model = clone(MODELS[name]).fit(X, kind(y))
    save_model(model, tmp_path / "model.skops")
    found, expected = load_model(tmp_path / "model.skops").predict(X), model.predict(X)
    assert type(found) is type(expected)
    if isinstance(found, list):
        assert found == expected
    else:
        tables = [p.toarray() if sparse.issparse(p) else np.asarray(p) for p in (found, expected)]
        np.testing.assert_array_equal(*tables)


TABLES = {
    "array": np.asarray,
    "pandas": lambda X: pd.DataFrame(X, columns=["a", "b"]),
    "polars": lambda X: pytest.importorskip("polars").DataFrame({"a": X[:, 0], "b": X[:, 1]}),
    "sparse": sparse.csr_array,
}


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("name", learner_names())
def test_every_learner_fitted_to_every_kind_of_table_can_be_loaded(name, kind, data, tmp_path):
    X, y = TABLES[kind](data.X), as_sets(data.Y)
    model = learner(name).fit(X, y)
    save_model(model, tmp_path / "model.skops")
    loaded = load_model(tmp_path / "model.skops")
    assert loaded.predict(X) == model.predict(X)
    assert list(loaded.label_names_in_) == list(model.label_names_in_)


@pytest.mark.parametrize(
    ("name", "is_part"),
    [
        ("rarelabels.learners._separate_trainer.SeparateModels", True),
        ("rarelabels.learners._ridge.parts.RidgePart", True),
        # Not marked: it fits models, and is no part of them.
        ("rarelabels.learners._one_by_one.OneByOne", False),
        # Imported there, but defined elsewhere, or no class, or nothing.
        ("rarelabels.learners._one_by_one.Pipeline", False),
        ("rarelabels.learners._one_by_one.fit_model", False),
        ("rarelabels.learners._one_by_one.Nothing", False),
        ("rarelabels.learners._nowhere.Nothing", False),
        # It calls what a file names.
        ("rarelabels._registry.Deferred", False),
        # Importing it would run the command line.
        ("rarelabels.cli.__main__.app", False),
        ("rarelabelsevil.learners.Part", False),
        ("", False),
    ],
)
def test_parts_of_models_are_the_marked_classes(name, is_part):
    assert is_own_part(name) is is_part


def test_a_class_derived_from_a_part_is_no_part():
    class Derived(ArrayContainer):
        pass

    assert is_part_of_models(ArrayContainer)
    assert not is_part_of_models(Derived)


def test_expectations_have_the_names_of_the_labels(data, tmp_path):
    X, y = data
    model = CalibratedClassifier(MLkNN(), random_state=0).fit(X, as_sets(y))
    assert model.expected_["label"].tolist() == list(model.label_names_in_)
    by_name = dict(zip(model.expected_["label"], model.expected_["positives"], strict=True))
    assert by_name["moon"] == y[:, 1].sum()
    save_model(model, tmp_path / "model.skops")
    loaded = load_model(tmp_path / "model.skops")
    assert loaded.expected_["label"].tolist() == model.expected_["label"].tolist()


@pytest.mark.parametrize("make", ["C45Classifier", "EntropyTreeClassifier"])
@pytest.mark.parametrize("around", [BinaryRelevance, EnsembleOfClassifierChains])
def test_models_of_compiled_trees(make, around, data, tmp_path):
    pytest.importorskip("numba")
    from rarelabels import trees

    X, y = data
    model = around(getattr(trees, make)()).fit(X, y)
    save_model(model, tmp_path / "model.skops")
    found = load_model(tmp_path / "model.skops").predict_proba(X)
    np.testing.assert_array_equal(found, model.predict_proba(X))


def test_a_table_with_gaps_and_categories(data, tmp_path):
    X = pd.DataFrame(data.X.copy(), columns=["a", "b"])
    X.loc[::7, "a"] = np.nan
    X["c"] = pd.Categorical(np.where(np.arange(60) % 3, "x", "y"))
    y = pd.DataFrame(data.Y, columns=list("uvw"))
    base = HistGradientBoostingClassifier(max_iter=3, categorical_features="from_dtype")
    model = SamplingEnsemble(BinaryRelevance(base), MLSOL(), n_estimators=2, random_state=0)
    save_model(model.fit(X, y), tmp_path / "model.skops")
    found = load_model(tmp_path / "model.skops").predict_proba(X)
    pd.testing.assert_frame_equal(found, model.predict_proba(X))


def test_sparse_labels_stay_sparse(data, tmp_path):
    X, y = data
    model = BinaryRelevance(LogisticRegression()).fit(X, sparse.csr_array(y))
    save_model(model, tmp_path / "model.skops")
    found = load_model(tmp_path / "model.skops").predict(X)
    assert (found != model.predict(X)).nnz == 0


class OfMine(ClassifierMixin, BaseEstimator):
    """A class that no one else knows."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def test_what_is_not_known_is_named_and_can_be_trusted(data, tmp_path):
    X, y = data
    save_model(BinaryRelevance(OfMine()).fit(X, y), tmp_path / "model.skops")
    name = f"{OfMine.__module__}.OfMine"
    with pytest.raises(ValueError, match=rf"not trusted: {name}\. If you know"):
        load_model(tmp_path / "model.skops")
    loaded = load_model(tmp_path / "model.skops", trusted=[name])
    assert loaded.predict(X).shape == y.shape


class Wicked:
    def __reduce__(self):
        return os.mkdir, (os.environ["WICKED"],)


def test_a_pickle_is_not_loaded_whatever_its_name(tmp_path, monkeypatch):
    monkeypatch.setenv("WICKED", str(tmp_path / "done"))
    joblib.dump(Wicked(), tmp_path / "model.joblib")
    with pytest.raises(ValueError, match=r"joblib\.load"):
        load_model(tmp_path / "model.joblib")
    (tmp_path / "model.joblib").rename(tmp_path / "model.skops")
    with pytest.raises(ValueError, match="not a whole"):
        load_model(tmp_path / "model.skops")
    assert not (tmp_path / "done").exists()


def test_a_fresh_process_loads_it(data, tmp_path):
    X, y = data
    model = CalibratedClassifier(MODELS["ensemble"], random_state=0).fit(X, y)
    save_model(model, tmp_path / "model.skops")
    np.save(tmp_path / "X.npy", X)
    code = (
        "import numpy as np; from rarelabels.advisor import load_model; "
        "np.save('found.npy', load_model('model.skops').predict_proba(np.load('X.npy')))"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    np.testing.assert_array_equal(np.load(tmp_path / "found.npy"), model.predict_proba(X))


def test_joblib_stays(data, tmp_path):
    X, y = data
    model = MLkNN().fit(X, y)
    save_model(model, tmp_path / "model.joblib")
    found = joblib.load(tmp_path / "model.joblib").predict_proba(X)
    np.testing.assert_array_equal(found, model.predict_proba(X))
