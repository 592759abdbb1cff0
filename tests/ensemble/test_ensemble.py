"""Ensembles of resampled classifiers, and one of them."""

import sys
from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.multioutput import MultiOutputClassifier
from sklearn.neighbors import NearestNeighbors
from sklearn.tree import DecisionTreeClassifier

from rarelabels._validation import ConstantLabelWarning
from rarelabels.ensemble import ResampledClassifier, SamplingEnsemble
from rarelabels.learners import COCOA, BinaryRelevance, MLkNN, best_f_thresholds
from rarelabels.sampling import MLSOL, MLUL


class Bootstrap(BaseEstimator):
    """A sampler from elsewhere: samples drawn with replacement."""

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit_resample(self, X, y):
        samples = np.random.default_rng(self.random_state).integers(len(X), size=len(X))
        self.samples_ = samples
        return X[samples], y[samples]


@pytest.fixture
def ensemble(data):
    return SamplingEnsemble(BinaryRelevance(), MLSOL(), random_state=0).fit(*data)


def test_scores_are_averaged_and_cut_where_f_is_best(ensemble, data):
    X, y = data
    scores = np.mean([member.predict_proba(X) for member in ensemble.estimators_], axis=0)
    np.testing.assert_allclose(ensemble.predict_proba(X), scores)
    np.testing.assert_allclose(ensemble.thresholds_, best_f_thresholds(y, scores))
    np.testing.assert_array_equal(ensemble.predict(X), scores >= ensemble.thresholds_)


def test_members_learn_from_data_of_their_own(ensemble):
    assert len(ensemble.estimators_) == len(ensemble.samplers_) == 5
    drawn = [tuple(sampler.sample_indices_[120:]) for sampler in ensemble.samplers_]
    assert len(set(drawn)) == 5
    assert len({sampler.random_state for sampler in ensemble.samplers_}) == 5


@pytest.mark.parametrize("seed", [0, 5])
@pytest.mark.parametrize("n_estimators", [1, 2, 5])
@pytest.mark.parametrize("learner", [BinaryRelevance(), MLkNN(n_neighbors=4), COCOA(n_couples=1)])
def test_the_first_member_is_the_single_resampled_classifier(seed, n_estimators, learner, data):
    X, y = data
    single = ResampledClassifier(learner, MLSOL(), random_state=seed).fit(X, y)
    many = SamplingEnsemble(learner, MLSOL(), n_estimators=n_estimators, random_state=seed)
    first = many.fit(X, y).estimators_[0]
    np.testing.assert_array_equal(first.predict_proba(X), single.predict_proba(X))
    np.testing.assert_array_equal(first.predict(X), single.predict(X))
    np.testing.assert_array_equal(
        many.samplers_[0].sample_indices_, single.sampler_.sample_indices_
    )


def test_no_threshold_is_one_half(data):
    X, y = data
    ensemble = SamplingEnsemble(BinaryRelevance(), MLSOL(), threshold=None, random_state=0)
    ensemble.fit(X, y)
    np.testing.assert_array_equal(ensemble.thresholds_, 0.5)
    np.testing.assert_array_equal(ensemble.predict(X), ensemble.predict_proba(X) >= 0.5)


def test_disagreement_pair_by_pair(ensemble, data):
    X = data[0][:50] / 2
    said = [member.predict(X) for member in ensemble.estimators_]
    differing = [(a != b).mean() for a, b in combinations(said, 2)]
    assert ensemble.disagreement(X) == pytest.approx(np.mean(differing))
    assert ensemble.disagreement(X) > 0
    alone = SamplingEnsemble(BinaryRelevance(), MLSOL(), n_estimators=1).fit(*data)
    assert alone.disagreement(X) == 0


@pytest.mark.parametrize("sampler", [MLSOL(), MLUL()])
def test_neighbours_are_searched_once(sampler, data, monkeypatch):
    import rarelabels._neighbors.find as door

    searches = []
    search = door.nearest_samples
    monkeypatch.setattr(
        door, "nearest_samples", lambda space, k, **o: searches.append(k) or search(space, k, **o)
    )
    vary = {"n_neighbors": [3, 4, 9, 6, 5]}
    ensemble = SamplingEnsemble(BinaryRelevance(), sampler, vary=vary, random_state=0).fit(*data)
    assert searches == [9]
    assert [own.n_neighbors for own in ensemble.samplers_] == [3, 4, 9, 6, 5]
    # Lent, not kept.
    assert all(own.neighbors is None for own in ensemble.samplers_)


def test_shared_neighbours_change_nothing(data):
    X, y = data
    vary = {"n_neighbors": [3, 7]}
    ensemble = SamplingEnsemble(BinaryRelevance(), MLSOL(), n_estimators=2, vary=vary)
    ensemble.set_params(random_state=0).fit(X, y)
    for own in ensemble.samplers_:
        alone = MLSOL(n_neighbors=own.n_neighbors, random_state=own.random_state)
        alone.fit_resample(X, y)
        np.testing.assert_array_equal(alone.sample_indices_, own.sample_indices_)


def test_the_samplers_own_search_is_used(data):
    other = MLSOL(neighbors=NearestNeighbors(algorithm="kd_tree"), scale_features=False)
    ensemble = SamplingEnsemble(BinaryRelevance(), other, random_state=0).fit(*data)
    alone = MLSOL(scale_features=False, random_state=ensemble.samplers_[0].random_state)
    alone.fit_resample(*data)
    np.testing.assert_array_equal(alone.sample_indices_, ensemble.samplers_[0].sample_indices_)
    assert isinstance(ensemble.samplers_[0].neighbors, NearestNeighbors)


def test_settings_that_change_the_distance_are_not_shared(data):
    varied = {"scale_features": [True, False], "metric": ["euclidean", "cosine"]}
    for name, values in varied.items():
        ensemble = SamplingEnsemble(
            BinaryRelevance(), MLSOL(), n_estimators=2, vary={name: values}, random_state=0
        ).fit(*data)
        assert [getattr(sampler, name) for sampler in ensemble.samplers_] == values
        for sampler in ensemble.samplers_:
            alone = clone(sampler)
            alone.fit_resample(*data)
            np.testing.assert_array_equal(alone.sample_indices_, sampler.sample_indices_)


def test_the_shared_search_has_the_samplers_metric(data):
    ensemble = SamplingEnsemble(BinaryRelevance(), MLSOL(metric="cosine"), random_state=0)
    sampler = ensemble.fit(*data).samplers_[0]
    alone = MLSOL(metric="cosine", random_state=sampler.random_state)
    alone.fit_resample(*data)
    np.testing.assert_array_equal(alone.sample_indices_, sampler.sample_indices_)


def test_vary_sampling_ratio(data):
    vary = {"sampling_ratio": [0.1, 0.3, 0.5]}
    ensemble = SamplingEnsemble(BinaryRelevance(), MLSOL(), n_estimators=3, vary=vary).fit(*data)
    assert [int(own.is_synthetic_.sum()) for own in ensemble.samplers_] == [12, 36, 60]


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("learner", [BinaryRelevance(), BinaryRelevance(n_jobs=2), MLkNN()])
def test_n_jobs_changes_nothing(n_jobs, learner, data):
    X, y = data
    plain = SamplingEnsemble(learner, MLSOL(), random_state=0).fit(X, y)
    other = SamplingEnsemble(learner, MLSOL(), random_state=0, n_jobs=n_jobs).fit(X, y)
    np.testing.assert_array_equal(plain.predict_proba(X), other.predict_proba(X))
    np.testing.assert_array_equal(plain.thresholds_, other.thresholds_)


@pytest.mark.parametrize(
    "estimator",
    [
        RandomForestClassifier(4),
        MultiOutputClassifier(LogisticRegression()),
        MultiOutputClassifier(Perceptron()),
        RidgeClassifier(),
    ],
    ids=str,
)
@pytest.mark.parametrize("sampler", [MLSOL(), Bootstrap()], ids=["MLSOL", "foreign"])
def test_any_estimator_and_any_sampler(estimator, sampler, data):
    X, y = data
    ensemble = SamplingEnsemble(estimator, sampler, n_estimators=3, random_state=0).fit(X, y)
    scores = ensemble.predict_proba(X)
    assert scores.shape == y.shape
    assert np.isfinite(scores).all()
    assert ensemble.disagreement(X) >= 0
    single = ResampledClassifier(estimator, sampler, random_state=0).fit(X, y)
    np.testing.assert_array_equal(single.predict(X), single.estimator_.predict(X))


def test_a_seed_in_the_sampler_does_not_make_members_alike(data):
    ensemble = SamplingEnsemble(BinaryRelevance(), Bootstrap(random_state=3), random_state=0)
    drawn = {tuple(own.samples_) for own in ensemble.fit(*data).samplers_}
    assert len(drawn) == 5


def test_the_trees_of_a_member_have_seeds_of_their_own(data):
    inside = BinaryRelevance(DecisionTreeClassifier())
    members = SamplingEnsemble(inside, MLSOL(), random_state=0).fit(*data).estimators_
    assert len({tree.random_state for member in members for tree in member.estimators_}) == 15


@pytest.mark.parametrize("model", [SamplingEnsemble, ResampledClassifier])
def test_containers(model, data):
    X, y = data
    plain = model(BinaryRelevance(), MLSOL(), random_state=0).fit(X, y).predict(X)
    names, features = ["rain", "snow", "hail"], list("abcd")
    frames = pd.DataFrame(X, columns=features), pd.DataFrame(y, columns=names)
    found = model(BinaryRelevance(), MLSOL(), random_state=0).fit(*frames).predict(frames[0])
    assert list(found.columns) == names
    np.testing.assert_array_equal(found.to_numpy(), plain)
    frames = pl.DataFrame(X, schema=features), pl.DataFrame(y, schema=names)
    found = model(BinaryRelevance(), MLSOL(), random_state=0).fit(*frames).predict(frames[0])
    assert isinstance(found, pl.DataFrame)
    np.testing.assert_array_equal(found.to_numpy(), plain)
    thin = sparse.csr_array(np.where(X > 0, X, 0)), sparse.csr_matrix(y)
    found = model(BinaryRelevance(), MLSOL(), random_state=0).fit(*thin).predict(thin[0])
    assert isinstance(found, sparse.csr_matrix)


def test_columns_that_were_not_there_at_fit(data):
    X, y = pd.DataFrame(data[0], columns=list("abcd")), data[1]
    ensemble = SamplingEnsemble(BinaryRelevance(), MLSOL(), n_estimators=2).fit(X, y)
    with pytest.raises(ValueError, match="feature names"):
        ensemble.predict(X.rename(columns={"a": "z"}))
    with pytest.raises(ValueError, match="feature names"):
        ensemble.predict_proba(X[["a", "b"]])


def test_thresholds_of_the_single_classifier(data):
    X, y = data
    model = ResampledClassifier(BinaryRelevance(), MLSOL(), threshold="f1", random_state=0)
    scores = model.fit(X, y).predict_proba(X)
    np.testing.assert_allclose(model.thresholds_, best_f_thresholds(y, scores))
    np.testing.assert_array_equal(model.predict(X), scores >= model.thresholds_)


@pytest.mark.parametrize("n_labels", [1, 2])
def test_few_labels(n_labels, data):
    X, y = data[0], data[1][:, :n_labels]
    for estimator in (BinaryRelevance(), RandomForestClassifier(3), MLkNN(n_neighbors=3)):
        ensemble = SamplingEnsemble(estimator, MLSOL(), n_estimators=2).fit(X, y)
        assert ensemble.predict(X).shape == y.shape


@pytest.mark.filterwarnings("default")
def test_constant_labels(data):
    X, y = data[0], data[1].copy()
    y[:, 1], y[:, 2] = 0, 1
    for estimator in (BinaryRelevance(), RandomForestClassifier(3), MLkNN(n_neighbors=3)):
        with pytest.warns(ConstantLabelWarning):
            ensemble = SamplingEnsemble(estimator, MLSOL(), n_estimators=2).fit(X, y)
        assert np.isfinite(ensemble.predict_proba(X)).all()
        np.testing.assert_array_equal(ensemble.predict(X)[:, 1:], y[:, 1:])


def test_it_is_searched_over(data):
    ensemble = SamplingEnsemble(BinaryRelevance(), MLSOL(), n_estimators=2, random_state=0)
    grid = {"sampler__sampling_ratio": [0.1, 0.5], "threshold": ["f1", None]}
    search = GridSearchCV(ensemble, grid, scoring="f1_macro", cv=2, error_score="raise")
    assert set(search.fit(*data).best_params_) == set(grid)


def test_progress(data, capsys, monkeypatch):
    SamplingEnsemble(BinaryRelevance(), MLSOL(), n_estimators=3, verbose=1).fit(*data)
    assert "3/3" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(ImportError, match="requires tqdm"):
        SamplingEnsemble(BinaryRelevance(), MLSOL(), n_estimators=3, verbose=1).fit(*data)


def test_what_is_refused(data):
    def fit(**params):
        SamplingEnsemble(BinaryRelevance(), MLSOL(), **params).fit(*data)

    with pytest.raises(ValueError, match="2 values of 'n_neighbors' for 5 members"):
        fit(vary={"n_neighbors": [3, 4]})
    with pytest.raises(ValueError, match="'neighbours', which is not a parameter of MLSOL"):
        fit(vary={"neighbours": [3] * 5})
    with pytest.raises(ValueError, match="n_estimators"):
        fit(n_estimators=0)
    with pytest.raises(ValueError, match="'gmean', 'balanced_accuracy'"):
        fit(threshold="f2")
    with pytest.raises(TypeError, match="fit_resample"):
        SamplingEnsemble(BinaryRelevance(), BinaryRelevance()).fit(*data)
    with pytest.raises(TypeError, match="multi-label classifier"):
        SamplingEnsemble(MLSOL(), MLSOL()).fit(*data)
