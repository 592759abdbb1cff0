"""scikit-learn's settings: metadata routing, and the container of transformers' output."""

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.model_selection import KFold, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from rarelabels.ensemble import ResampledClassifier, SamplingEnsemble
from rarelabels.learners import (
    BinaryRelevance,
    CalibratedClassifier,
    ThresholdedClassifier,
    learner,
    learner_names,
)
from rarelabels.sampling import MLROS, MLSOL, sampler, sampler_names

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 4))
Y = (X[:, :3] + RNG.normal(size=(60, 3)) > 0.8).astype(int)
WEIGHTS = RNG.random(60) + 0.5
MIXED = pd.DataFrame(
    {
        "number": np.where(RNG.random(60) < 0.1, np.nan, X[:, 0]),
        "category": pd.Categorical(RNG.choice(["a", "b", "c"], 60)),
        "count": RNG.poisson(3, 60),
    }
)
# They find neighbors or grow trees for all labels at once: there is no estimator inside.
WITHOUT_ESTIMATOR = {"iblr", "mlknn", "kernel_ridge", "forest", "rare_label"}
TREE = DecisionTreeClassifier(min_samples_leaf=2, random_state=0)


def seeded(made):
    return made.set_params(**{"random_state": 0} if "random_state" in made.get_params() else {})


def models(estimator=None):
    """Return every learner, and what can be put around one."""
    given = {} if estimator is None else {"estimator": estimator}
    single = BinaryRelevance(random_state=0, **given)
    made = {
        name: seeded(learner(name, **({} if name in WITHOUT_ESTIMATOR else given)))
        for name in learner_names()
    }
    around = (
        ThresholdedClassifier(single, cv=2),
        CalibratedClassifier(single, cv=2),
        SamplingEnsemble(single, MLSOL(), n_estimators=2),
        ResampledClassifier(single, MLROS()),
    )
    return {**made, **{type(one).__name__: seeded(one) for one in around}}


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("name", models())
def test_the_output_of_transformers_changes_no_model(name, library):
    model = models()[name]
    expected = clone(model).fit(X, Y).predict_proba(X)
    in_pipeline = make_pipeline(StandardScaler(), clone(model)).fit(X, Y).predict_proba(X)
    with config_context(transform_output=library):
        found = clone(model).fit(X, Y).predict_proba(X)
        framed = make_pipeline(StandardScaler(), clone(model)).fit(X, Y).predict_proba(X)
    assert type(found) is np.ndarray
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_allclose(framed, in_pipeline, rtol=0, atol=1e-12)


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("name", sorted(WITHOUT_ESTIMATOR))
def test_the_output_of_transformers_changes_no_model_of_mixed_columns(name, library):
    model = seeded(learner(name))
    expected = clone(model).fit(MIXED, Y).predict_proba(MIXED)
    with config_context(transform_output=library):
        found = clone(model).fit(MIXED, Y).predict_proba(MIXED)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("name", sampler_names())
def test_the_output_of_transformers_changes_no_sampler(name, library):
    expected = seeded(sampler(name)).fit_resample(X, Y)
    with config_context(transform_output=library):
        found = seeded(sampler(name)).fit_resample(X, Y)
    for one, other in zip(found, expected, strict=True):
        assert type(one) is np.ndarray
        np.testing.assert_array_equal(one, other)


def no_score(model, X, y):
    """Return a number: a scorer of scikit-learn has requests of its own."""
    return 0.0


def in_folds(model, **params):
    """Return the scores of the models of two folds."""
    kept = cross_validate(
        model, X, Y, cv=KFold(2), params=params, return_estimator=True, scoring=no_score,
        error_score="raise",
    )  # fmt: skip
    return [one.predict_proba(X) for one in kept["estimator"]]


def by_hand(model):
    folds = KFold(2).split(X)
    fitted = (clone(model).fit(X[i], Y[i], sample_weight=WEIGHTS[i]) for i, _ in folds)
    return [one.predict_proba(X) for one in fitted]


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", sorted(set(models()) - WITHOUT_ESTIMATOR))
def test_weights_reach_an_estimator_that_requests_them_and_no_other(name):
    expected = by_hand(models(TREE)[name])
    plain = in_folds(models(TREE)[name])
    assert any((a != b).any() for a, b in zip(expected, plain, strict=True))
    with config_context(enable_metadata_routing=True):
        asked = models(clone(TREE).set_fit_request(sample_weight=True))[name]
        np.testing.assert_array_equal(in_folds(asked, sample_weight=WEIGHTS), expected)
        declined = models(clone(TREE).set_fit_request(sample_weight=False))[name]
        with pytest.raises(TypeError, match="not routed to any object"):
            in_folds(declined, sample_weight=WEIGHTS)
        with pytest.raises(UnsetMetadataPassedError, match=r"DecisionTreeClassifier\.fit"):
            in_folds(models(TREE)[name], sample_weight=WEIGHTS)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("name", sorted(WITHOUT_ESTIMATOR))
def test_weights_reach_a_model_that_requests_them(name):
    model = models()[name]
    expected = by_hand(model)
    with config_context(enable_metadata_routing=True):
        asked = clone(model).set_fit_request(sample_weight=True)
        np.testing.assert_array_equal(in_folds(asked, sample_weight=WEIGHTS), expected)
        with pytest.raises(UnsetMetadataPassedError, match=rf"{type(model).__name__}\.fit"):
            in_folds(model, sample_weight=WEIGHTS)


@pytest.mark.parametrize("name", sampler_names())
def test_samplers_request_nothing(name):
    with config_context(enable_metadata_routing=True):
        request = sampler(name).get_metadata_routing()
        assert not any(vars(one).get("requests") for one in vars(request).values())
