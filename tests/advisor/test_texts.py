"""does_sampling_help on raw texts: samplers act after the pipeline's own transformers."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.compose import make_column_transformer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rarelabels.advisor import does_sampling_help, load_model, save_model
from rarelabels.ensemble import SamplingEnsemble
from rarelabels.learners import BinaryRelevance, ThresholdedClassifier
from rarelabels.metrics import macro_f1
from rarelabels.model_selection import RepeatedIterativeStratifiedKFold
from rarelabels.sampling import MLSOL
from text_data import WORDS, tagged_texts, text_pipeline

TEXTS, Y = tagged_texts()
QUICK = {"samplers": "mlsol", "n_estimators": 2, "cv": "1x2", "random_state": 0, "verbose": 0}


@pytest.fixture(scope="module")
def answer():
    names = np.array([*WORDS])
    tags = [names[row == 1].tolist() for row in Y]
    return does_sampling_help(TEXTS, tags, text_pipeline(), **QUICK)


def scores(found):
    return {row["name"]: row["scores"] for row in found.summary["methods"]}


def test_every_method_works_on_texts_and_tags(answer):
    assert answer.failures == {}
    assert [*scores(answer)] == [
        "model alone", "thresholds alone", "class weights", "RareLabelClassifier", "MLSOL",
        "EMLSOL",
    ]  # fmt: skip
    assert answer.summary["labels"] == [*WORDS]


def test_each_score_is_that_of_a_pipeline_that_ends_in_the_method(answer):
    folds = RepeatedIterativeStratifiedKFold(n_splits=2, n_repeats=1, random_state=0)
    texts, expected = np.array(TEXTS, dtype=object), []
    for fold, (train, test) in enumerate(folds.split(np.zeros((len(texts), 1)), Y)):
        seed = int(np.random.SeedSequence([0, fold]).generate_state(1)[0])
        ensemble = SamplingEnsemble(
            BinaryRelevance(LogisticRegression()), MLSOL(), n_estimators=2, threshold=None,
            random_state=seed,
        )  # fmt: skip
        method = ThresholdedClassifier(ensemble, cv=3, random_state=seed)
        model = make_pipeline(TfidfVectorizer(), method).fit(texts[train], Y[train])
        expected.append(macro_f1(Y[test], model.predict(texts[test])))
    assert scores(answer)["EMLSOL"] == pytest.approx(expected, abs=1e-12)


def test_containers_and_processes_do_not_change_scores(answer):
    for X, n_jobs in ((pd.Series(TEXTS), None), (np.array(TEXTS), 2)):
        found = does_sampling_help(X, Y, text_pipeline(), n_jobs=n_jobs, **QUICK)
        assert scores(found) == scores(answer)


def test_the_recommended_model_takes_texts_and_can_be_saved(answer, tmp_path):
    pytest.importorskip("skops")
    model = answer.fit_best("EMLSOL")
    assert "cars" in model.predict(["wheel road wheel road"])[0]
    save_model(model, tmp_path / "model.skops")
    loaded = load_model(tmp_path / "model.skops")
    assert loaded.predict(TEXTS) == model.predict(TEXTS)


def test_the_page_describes_what_the_transformers_return(answer):
    assert 'id="gains-local-imbalance"' in answer.to_html()


def test_a_column_of_texts_in_a_table(answer):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"note": TEXTS, "age": rng.normal(50, 9, len(TEXTS))})
    made = make_column_transformer((TfidfVectorizer(), "note"), (StandardScaler(), ["age"]))
    found = does_sampling_help(X, Y, make_pipeline(made, LogisticRegression()), **QUICK)
    assert found.failures == {}
    assert found.fit_best("MLSOL", calibrate=False).predict(X).shape == Y.shape
    with pytest.raises(ValueError, match="'note' is text, but not categorical"):
        does_sampling_help(X, Y, clone(LogisticRegression()), **QUICK)


def test_texts_without_a_vectorizer_are_refused_before_anything_is_fitted():
    with pytest.raises(ValueError, match="X contains texts, but BinaryRelevance requires numbers"):
        does_sampling_help(TEXTS, Y, LogisticRegression(), **QUICK)
