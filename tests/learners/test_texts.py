"""Learners on texts: the transformers of a pipeline are fitted once, models learn from numbers."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

from rarelabels.ensemble import ResampledClassifier, SamplingEnsemble
from rarelabels.learners import (
    COCOA,
    BinaryRelevance,
    CalibratedClassifier,
    EnsembleOfClassifierChains,
    LabelPowerset,
    ThresholdedClassifier,
)
from rarelabels.learners.preprocessing import split_preprocessing
from rarelabels.sampling import MLSMOTE, MLSOL
from text_data import WORDS, tagged_texts, text_pipeline

TEXTS, Y = tagged_texts()


@pytest.mark.parametrize("kind", [list, tuple, np.array, pd.Series, pl.Series])
def test_texts_of_any_kind_give_the_model_that_their_numbers_give(kind):
    numbers = TfidfVectorizer().fit(TEXTS)
    by_hand = BinaryRelevance(LogisticRegression(), random_state=0)
    by_hand.fit(numbers.transform(TEXTS), Y)
    model = BinaryRelevance(text_pipeline(), random_state=0).fit(kind(TEXTS), Y)
    new = ["a dog on the road", "golf and tennis", ""]
    np.testing.assert_allclose(
        model.predict_proba(kind(new)), by_hand.predict_proba(numbers.transform(new))
    )


def test_transformers_are_fitted_once_for_all_labels(monkeypatch):
    fits, fit = [], TfidfVectorizer.fit_transform

    def counted(self, texts, y=None):
        fits.append(len(texts))
        return fit(self, texts, y)

    monkeypatch.setattr(TfidfVectorizer, "fit_transform", counted)
    BinaryRelevance(text_pipeline()).fit(TEXTS, Y)
    assert fits == [len(TEXTS)]
    fits.clear()
    SamplingEnsemble(BinaryRelevance(text_pipeline()), MLSOL(), random_state=0).fit(TEXTS, Y)
    assert fits == [len(TEXTS)]


@pytest.mark.parametrize(
    "model",
    [
        EnsembleOfClassifierChains(text_pipeline(), n_chains=2, random_state=0),
        COCOA(text_pipeline(), random_state=0),
        LabelPowerset(text_pipeline()),
        ThresholdedClassifier(BinaryRelevance(text_pipeline()), random_state=0),
        CalibratedClassifier(BinaryRelevance(text_pipeline()), random_state=0),
        SamplingEnsemble(BinaryRelevance(text_pipeline()), MLSOL(), random_state=0),
        ResampledClassifier(BinaryRelevance(text_pipeline()), MLSMOTE(), random_state=0),
        ResampledClassifier(BinaryRelevance(text_pipeline()), None, random_state=0),
        ThresholdedClassifier(
            SamplingEnsemble(BinaryRelevance(text_pipeline()), MLSOL(), n_estimators=2),
            random_state=0,
        ),
        ResampledClassifier(
            make_pipeline(TfidfVectorizer(), BinaryRelevance(LogisticRegression())), MLSOL()
        ),
    ],
    ids=lambda model: type(model).__name__,
)
def test_all_learners_and_wrappers_take_texts(model):
    predicted = model.fit(pd.Series(TEXTS), Y).predict(TEXTS)
    assert predicted.shape == Y.shape
    # Every tag has words of its own.
    assert (predicted == Y).mean() > 0.85


def test_a_sampler_resamples_what_the_transformers_return():
    model = ResampledClassifier(BinaryRelevance(text_pipeline()), MLSOL(), random_state=0)
    model.fit(TEXTS, Y)
    n_terms = len(TfidfVectorizer().fit(TEXTS).vocabulary_)
    assert model.sampler_.n_features_in_ == n_terms
    assert model.sampler_.is_synthetic_.sum() == int(0.3 * len(TEXTS))
    # Fitted to numbers again, it has no transformers.
    model.set_params(estimator=BinaryRelevance(LogisticRegression())).fit(np.eye(len(TEXTS)), Y)
    assert not hasattr(model, "preprocessing_")


def test_label_sets_come_back_as_names():
    names = np.array([*WORDS])
    tags = [names[row == 1].tolist() for row in Y]
    model = BinaryRelevance(text_pipeline()).fit(TEXTS, tags)
    assert model.predict(["dog hen cat dog"]) == [["animals"]]


def test_texts_without_a_vectorizer_are_refused():
    with pytest.raises(
        ValueError, match=r"X contains texts, but LogisticRegression requires numbers"
    ):
        BinaryRelevance(LogisticRegression()).fit(TEXTS, Y)
    with pytest.raises(ValueError, match=r"make_pipeline\(TfidfVectorizer"):
        SamplingEnsemble(BinaryRelevance(), MLSOL()).fit(TEXTS, Y)


def test_steps_that_learn_from_labels_stay_with_the_classifier():
    full = make_pipeline(TfidfVectorizer(), MaxAbsScaler(), SelectKBest(k=4), LogisticRegression())
    preprocessing, rest = split_preprocessing(BinaryRelevance(full))
    assert [name for name, _ in preprocessing.steps] == ["tfidfvectorizer", "maxabsscaler"]
    assert [name for name, _ in rest.estimator.steps] == ["selectkbest", "logisticregression"]
    assert BinaryRelevance(full).fit(TEXTS, Y).predict(TEXTS).shape == Y.shape
    selecting = make_pipeline(SelectKBest(k=2), LogisticRegression())
    assert split_preprocessing(selecting) == (None, selecting)
