"""Models fitted all at once and one by one are the same models."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from learners.batch import BatchTree, tree
from rarelabels.learners import (
    COCOA,
    ECCRU3,
    BinaryRelevance,
    CalibratedLabelRanking,
    EnsembleOfClassifierChains,
    FitError,
    LabelPowerset,
    RAkEL,
)

LEARNERS = [
    BinaryRelevance(),
    LabelPowerset(),
    RAkEL(),
    RAkEL(labelset_size=1),
    CalibratedLabelRanking(),
    EnsembleOfClassifierChains(n_chains=3),
    COCOA(n_couples=2),
    ECCRU3(n_chains=3),
]
each_learner = pytest.mark.parametrize("learner", LEARNERS, ids=str)


@pytest.fixture
def hard(data):
    """Labels that never, always and only together occur among the others."""
    X, y = data[0].round(1), np.column_stack([data[1], data[1][:, 0], data[1]])
    y[:, 5], y[:, 6] = 0, 1
    return X, y


def both(learner, X, y, **how):
    """Fit the same trees one by one and all at once."""
    made = [clone(learner).set_params(random_state=3, **how) for _ in range(2)]
    made[0].set_params(estimator=tree())
    made[1].set_params(estimator=BatchTree())
    return [model.fit(X, y) for model in made]


@each_learner
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_both_ways_give_the_same(learner, form, hard):
    X, y = form(np.where(hard[0] > 0, hard[0], 0)), hard[1]
    single, batch = both(learner, X[:80], y[:80])
    for part in (X[:80], X[80:]):
        np.testing.assert_allclose(
            single.predict_proba(part), batch.predict_proba(part), rtol=0, atol=1e-12
        )
        np.testing.assert_array_equal(single.predict(part), batch.predict(part))


@each_learner
@pytest.mark.parametrize("n_labels", [1, 2])
def test_few_labels(learner, n_labels, data):
    X, y = data[0], data[1][:, :n_labels]
    single, batch = both(learner, X, y)
    np.testing.assert_allclose(single.predict_proba(X), batch.predict_proba(X), atol=1e-12)
    np.testing.assert_array_equal(single.predict(X), batch.predict(X))


@each_learner
def test_n_jobs_changes_nothing(learner, data):
    X, y = data
    made = (clone(learner).set_params(estimator=BatchTree(), random_state=1) for _ in range(2))
    one, two = (m.set_params(n_jobs=n).fit(X, y) for m, n in zip(made, (1, 2), strict=True))
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


@each_learner
def test_it_pickles(learner, data):
    X, y = data
    model = clone(learner).set_params(estimator=BatchTree(), random_state=1).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(model.predict_proba(X), again.predict_proba(X))


BLOCKED = [BinaryRelevance(), RAkEL(), CalibratedLabelRanking()]


@pytest.mark.parametrize("learner", BLOCKED, ids=str)
def test_blocks_change_nothing(learner, hard, monkeypatch):
    import rarelabels.learners._binary_relevance as of_labels
    import rarelabels.learners._label_ranking as of_pairs
    import rarelabels.learners._rakel as of_labelsets

    X, y = hard
    whole = both(learner, X, y)
    for module in (of_labels, of_pairs, of_labelsets):
        monkeypatch.setattr(module, "ENTRIES_AT_ONCE", 250)
    parts = both(learner, X, y)
    assert len(parts[1].estimators_.forests) > 2
    for one, other in zip(whole, parts, strict=True):
        np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))
        np.testing.assert_array_equal(one.predict(X), other.predict(X))


def test_fitted_models_are_handed_out(data):
    X, y = data
    kinds = [type(learner) for learner in LEARNERS]
    made = dict(zip(kinds, (both(learner, X, y) for learner in LEARNERS), strict=True))
    for kind in (BinaryRelevance, RAkEL):
        for single, batch in zip(*(model.estimators_ for model in made[kind]), strict=True):
            np.testing.assert_array_equal(single.predict_proba(X), batch.predict_proba(X))
    single, batch = made[CalibratedLabelRanking]
    assert len(batch.pair_estimators_) == len(batch.pairs_) == 6
    for one, other in zip(single.pair_estimators_, batch.pair_estimators_, strict=True):
        np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))
    for one, other in zip(*(model.couplings_ for model in made[COCOA]), strict=True):
        assert one.partners == other.partners
        for mine, theirs in zip(one.couples, other.couples, strict=True):
            np.testing.assert_array_equal(mine.predict_proba(X), theirs.predict_proba(X))
    for kind in (EnsembleOfClassifierChains, ECCRU3):
        for one, other in zip(*(model.chains_ for model in made[kind]), strict=True):
            np.testing.assert_array_equal(one.labels, other.labels)
            first, again = one.models[0], other.models[0]
            np.testing.assert_array_equal(first.predict_proba(X), again.predict_proba(X))
            assert len(other.models[1:]) == len(one.models) - 1


def test_negative_places_and_slices(data):
    models = BinaryRelevance(BatchTree(), random_state=0).fit(*data).estimators_
    assert models[-1] is models[3]
    assert models[1:3] == [models[1], models[2]]
    with pytest.raises(IndexError):
        models[4]


def test_seeds(data):
    X, y = data
    drawn = BinaryRelevance(BatchTree(), random_state=0).fit(X, y).estimators_.forests[0].seeds
    assert len(set(drawn.tolist())) == 4
    given = BinaryRelevance(BatchTree(7), random_state=0).fit(X, y).estimators_.forests[0].seeds
    assert given.tolist() == [7] * 4


class Failing(BatchTree):
    def _fitted(self, X, y):
        raise RuntimeError("out of luck")


@each_learner
def test_a_failure_names_the_labels(learner, data):
    import pandas as pd

    y = pd.DataFrame(data[1], columns=["rain", "snow", "hail", "fog"])
    told = "labelsets" if isinstance(learner, LabelPowerset) else "rain|snow|hail|fog"
    with pytest.raises(FitError, match=rf"Failing could not .* to .*({told}).*: out of luck"):
        clone(learner).set_params(estimator=Failing()).fit(data[0], y)
