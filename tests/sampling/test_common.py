"""What every sampler promises."""

import inspect

import numpy as np
import pandas as pd
import pytest
from imblearn.pipeline import Pipeline
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from quick import uses_features
from rarelabels.sampling import (
    LPROS,
    LPRUS,
    LSDMLO,
    MLROS,
    MLRUS,
    MLSMOTE,
    MLSOL,
    MLTL,
    MLUL,
    REMEDIAL,
    MLRkNNOS,
    SamplerChain,
    sampler,
    sampler_names,
)
from rarelabels.testing import check_sampler

# Every sampler that has a name, and settings that take another way through the code.
NAMED = [sampler(name) for name in sampler_names()]
SAMPLERS = [
    *NAMED,
    LSDMLO(as_released=True),
    MLRkNNOS(sampling_ratio=0.3, estimator=DecisionTreeClassifier()),
    MLRUS(spare_minority=True),
    MLSMOTE(sampling_ratio=0.3, label_generation="union"),
    MLSMOTE(mulan_compatible=True),
    MLTL(remove="both", threshold=0.2),
    MLTL(mutual=False),
    REMEDIAL(skip_one_sided=True),
    SamplerChain([MLRUS(), MLSMOTE()]),
]
BLIND = [one for one in NAMED if not uses_features(one)]
OVERSAMPLERS = [LPROS, MLROS, MLSOL, MLSMOTE]
UNDERSAMPLERS = [LPRUS, MLRUS, MLUL]


@pytest.mark.filterwarnings("ignore:no minority label")
@pytest.mark.parametrize("made", SAMPLERS, ids=str)
def test_keeps_the_contract(made):
    check_sampler(made)


@pytest.mark.parametrize("made", SAMPLERS, ids=str)
def test_has_a_seed_and_jobs_and_keyword_only_parameters(made):
    parameters = inspect.signature(type(made).__init__).parameters
    assert {"random_state", "n_jobs"} <= set(parameters)
    positional = [p.name for p in parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    assert positional in (["self"], ["self", "samplers"])


@pytest.mark.parametrize("made", SAMPLERS, ids=str)
def test_takes_any_kind_of_seed(made, clouds, resample):
    for seed in (0, None, np.random.RandomState(0), np.random.default_rng(0)):
        X_new, y_new = resample(made.set_params(random_state=seed), *clouds)
        assert len(X_new) == len(y_new) == made.sample_indices_.size


@pytest.mark.parametrize("made", BLIND, ids=str)
def test_looks_at_no_features(made, clouds, resample):
    y = clouds[1]
    rng = np.random.default_rng(0)
    X = pd.DataFrame(
        {
            "text": [f"row {i}" for i in range(len(y))],
            "gaps": np.where(rng.random(len(y)) < 0.5, np.nan, 1.0),
            "date": pd.date_range("2020-01-01", periods=len(y)),
        }
    )
    X_new, _ = resample(made.set_params(random_state=0), X, y)
    expected = X.iloc[made.sample_indices_].reset_index(drop=True)
    pd.testing.assert_frame_equal(X_new.reset_index(drop=True), expected, check_freq=False)


@pytest.mark.parametrize("make", OVERSAMPLERS, ids=lambda make: make.__name__)
@pytest.mark.parametrize(("amount", "n_new"), [(0.03, 6), (5, 5), (0, 0), (0.004, 0)])
def test_adds_as_many_samples_as_asked_behind_the_originals(make, amount, n_new, clouds):
    X, y = clouds
    X_new, y_new = make(sampling_ratio=amount, random_state=0).fit_resample(X, y)
    assert len(X_new) == len(X) + n_new
    np.testing.assert_array_equal(X_new[: len(X)], X)
    np.testing.assert_array_equal(y_new[: len(X)], y)


@pytest.mark.parametrize("make", UNDERSAMPLERS, ids=lambda make: make.__name__)
@pytest.mark.parametrize(("amount", "n_gone"), [(0.125, 25), (7, 7), (0, 0), (0.004, 0)])
def test_removes_as_many_samples_as_asked_and_keeps_the_order(make, amount, n_gone, clouds):
    X, y = clouds
    sampler = make(sampling_ratio=amount, random_state=0)
    X_new, y_new = sampler.fit_resample(X, y)
    assert len(X_new) == len(X) - n_gone
    assert (np.diff(sampler.sample_indices_) > 0).all()
    np.testing.assert_array_equal(X_new, X[sampler.sample_indices_])
    np.testing.assert_array_equal(y_new, y[sampler.sample_indices_])


@pytest.mark.parametrize("make", [*OVERSAMPLERS, *UNDERSAMPLERS], ids=lambda make: make.__name__)
@pytest.mark.parametrize("amount", [-0.1, -1, "half", True, np.nan])
def test_refuses_amounts_that_are_none(make, amount, clouds):
    with pytest.raises(ValueError, match="sampling_ratio must be a float"):
        make(sampling_ratio=amount).fit_resample(*clouds)


@pytest.mark.parametrize("made", SAMPLERS, ids=str)
def test_works_on_samples_without_any_label(made, resample):
    X = np.arange(16.0).reshape(8, 2)
    X_new, y_new = resample(made.set_params(random_state=0), X, np.zeros((8, 3), dtype=int))
    assert not y_new.any()
    assert len(X_new) == len(y_new)


def test_works_in_a_pipeline_under_a_grid_search(clouds):
    X, y = clouds
    tree = DecisionTreeClassifier(max_depth=3, random_state=0)
    pipeline = Pipeline([("sampler", MLSMOTE(random_state=0)), ("tree", tree)])
    grid = {"sampler__n_neighbors": [2, 3], "sampler__sampling_ratio": [None, 0.2]}
    search = GridSearchCV(pipeline, grid, cv=2, scoring="f1_macro").fit(X, y)
    assert search.predict(X).shape == y.shape
