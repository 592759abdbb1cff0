"""Every sampler that looks at neighbors passes its metric on to the search."""

import numpy as np
import pytest

import rarelabels.sampling as sampling

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

SAMPLERS = [
    getattr(sampling, name)
    for name in sampling.__all__
    if hasattr(getattr(sampling, name), "_get_param_names")
    and "metric" in getattr(sampling, name)._get_param_names()
]


@pytest.fixture
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 6))
    y = (X[:, :3] + rng.normal(size=(150, 3)) > [1.0, 1.5, 2.0]).astype(int)
    return X, y, rng.uniform(0.1, 10, (150, 1))


def test_samplers_with_neighbors_have_a_metric():
    with_neighbors = {
        name
        for name in sampling.__all__
        if hasattr(getattr(sampling, name), "_get_param_names")
        and "scale_features" in getattr(sampling, name)._get_param_names()
    }
    assert {one.__name__ for one in SAMPLERS} == with_neighbors
    assert len(SAMPLERS) == 8


@pytest.mark.parametrize("sampler", SAMPLERS, ids=lambda one: one.__name__)
def test_by_cosine_the_lengths_of_samples_do_not_matter(sampler, data):
    X, y, lengths = data
    one = sampler(metric="cosine")
    if "random_state" in one.get_params():
        one.set_params(random_state=0)
    one.fit_resample(X, y)
    expected = one.sample_indices_
    X_cosine, _ = one.fit_resample(X * lengths, y)
    np.testing.assert_array_equal(one.sample_indices_, expected)
    X_euclidean, _ = one.set_params(metric="euclidean").fit_resample(X * lengths, y)
    assert not np.array_equal(X_cosine, X_euclidean)


@pytest.mark.parametrize("sampler", SAMPLERS, ids=lambda one: one.__name__)
def test_an_unknown_metric_is_refused(sampler, data):
    X, y, _ = data
    with pytest.raises(ValueError, match="metric must be one of 'euclidean', 'cosine'"):
        sampler(metric="hamming").fit_resample(X, y)


@pytest.mark.parametrize("sampler", SAMPLERS, ids=lambda one: one.__name__)
def test_missing_values_are_refused_and_so_says_the_tag(sampler, data):
    X, y, _ = data
    X = X.copy()
    X[3, 2] = np.nan
    one = sampler(metric="cosine")
    assert not one.__sklearn_tags__().input_tags.allow_nan
    with pytest.raises(ValueError, match="missing value"):
        one.fit_resample(X, y)
