"""Labels as one set of names for each sample, wherever y goes."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import make_scorer
from sklearn.model_selection import cross_val_score
from sklearn.preprocessing import MultiLabelBinarizer

from rarelabels.ensemble import ResampledClassifier, SamplingEnsemble
from rarelabels.learners import (
    BinaryRelevance,
    LabelPowerset,
    MLkNN,
    ThresholdedClassifier,
    best_f_thresholds,
)
from rarelabels.measures import describe, irlbl, limb, scumble
from rarelabels.metrics import macro_auc_roc, macro_f1
from rarelabels.model_selection import IterativeStratifiedKFold, iterative_train_test_split
from rarelabels.sampling import MLROS, MLRUS, MLSOL, REMEDIAL, sampler, sampler_names
from rarelabels.weights import local_weights

NAMES = ["cold", "flu", "gout"]


@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3))
    y = (X + 0.3 * rng.normal(size=X.shape) > [0.0, 0.5, 1.2]).astype(int)
    return X, y, [[name for name, has in zip(NAMES, row, strict=True) if has] for row in y]


@pytest.mark.parametrize("measure", [limb, lambda X, y: irlbl(y), lambda X, y: scumble(y)])
def test_measures(measure, data):
    X, y, sets = data
    np.testing.assert_array_equal(measure(X, sets), measure(X, y))
    assert list(describe(X, sets).labels["label"]) == NAMES
    np.testing.assert_array_equal(local_weights(X, sets).importance, local_weights(X, y).importance)


@pytest.mark.parametrize("name", sampler_names())
@pytest.mark.filterwarnings("ignore:no minority label")
def test_every_sampler(name, data):
    X, y, sets = data
    one, other = sampler(name), sampler(name)
    for made in (one, other):
        made.set_params(**{key: 0 for key in made.get_params() if key == "random_state"})
    X_new, y_new = one.fit_resample(X, sets)
    expected = other.fit_resample(X, y)
    np.testing.assert_array_equal(X_new, expected[0])
    assert isinstance(y_new, list)
    assert isinstance(y_new[0], list)
    np.testing.assert_array_equal(
        MultiLabelBinarizer(classes=NAMES).fit_transform(y_new), expected[1]
    )


@pytest.mark.parametrize("kind", [list, tuple, set, frozenset])
def test_what_goes_in_comes_out(kind, data):
    X, _, sets = data
    given = [kind(held) for held in sets]
    _, y_new = MLSOL(random_state=0).fit_resample(X, given)
    assert y_new[:100] == given
    assert {type(held) for held in y_new} == {kind}
    assert {type(held) for held in BinaryRelevance().fit(X, given).predict(X)} == {kind}


def test_arrays_and_series(data):
    X, _, sets = data
    array = np.empty(100, dtype=object)
    array[:] = sets
    series = pd.Series(sets, index=[f"p{i}" for i in range(100)], name="tags")
    for made in (MLROS(random_state=0), MLRUS(random_state=0), REMEDIAL()):
        plain = made.fit_resample(X, sets)[1]
        assert made.fit_resample(X, array)[1].tolist() == plain
        found = made.fit_resample(X, series)[1]
        assert found.tolist() == plain
        assert (found.name, found.index[0]) == ("tags", series.index[made.sample_indices_[0]])
        assert made.fit_resample(X, pl.Series("tags", sets))[1].to_list() == plain


LEARNERS = [
    BinaryRelevance(random_state=0),
    LabelPowerset(random_state=0),
    MLkNN(n_neighbors=3),
    ThresholdedClassifier(BinaryRelevance(), cv=2, random_state=0),
    SamplingEnsemble(BinaryRelevance(), MLRUS(sampling_ratio=0.5), random_state=0),
    ResampledClassifier(BinaryRelevance(), MLSOL(), random_state=0),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_learners(learner, data):
    X, y, sets = data
    plain, scores = learner.fit(X, y).predict(X), learner.predict_proba(X)
    exact = learner.score(X, y)
    learner.fit(X, sets)
    assert list(learner.classes_) == NAMES
    assert list(learner.label_names_in_) == NAMES
    found = learner.predict(X)
    assert isinstance(found, list)
    np.testing.assert_array_equal(MultiLabelBinarizer(classes=NAMES).fit_transform(found), plain)
    np.testing.assert_array_equal(learner.predict_proba(X), scores)
    assert learner.score(X, sets) == exact


def test_one_label(data):
    X, _, sets = data
    one = [["flu"] if "flu" in held else [] for held in sets]
    model = SamplingEnsemble(BinaryRelevance(), MLRUS(), random_state=0).fit(X, one)
    assert model.predict_proba(X).max() == 1
    assert np.mean([found == held for found, held in zip(model.predict(X), one, strict=True)]) > 0.9


def test_names_that_were_not_there_at_fit(data):
    X, _, sets = data
    learner = BinaryRelevance().fit(X, sets)
    with pytest.raises(ValueError, match=r"names 'flue' in sample 1, .* at fit.*flu"):
        learner.score(X[:2], [["cold"], ["flue"]])


def test_score_is_the_share_of_samples_that_are_right(data):
    X, y, _ = data
    learner = BinaryRelevance(random_state=0).fit(X[:50], y[:50])
    right = (learner.predict(X) == y).all(axis=1)
    assert learner.score(X, y) == right.mean()
    weights = np.arange(100.0)
    assert learner.score(X, y, sample_weight=weights) == np.average(right, weights=weights)
    one = BinaryRelevance(random_state=0).fit(X[:50], y[:50, :1])
    assert one.score(X, y[:, :1]) == (one.predict(X) == y[:, :1]).mean()
    with pytest.raises(ValueError, match=r"a column for each label.*\(100, 3\), got \(100, 2\)"):
        learner.score(X, y[:, :2])


def test_metrics(data):
    X, y, sets = data
    learner = MLkNN(n_neighbors=3)
    plain, scores = learner.fit(X, y).predict(X), learner.predict_proba(X)
    found = learner.fit(X, sets).predict(X)
    assert macro_f1(sets, found) == macro_f1(y, plain)
    assert macro_auc_roc(sets, scores) == macro_auc_roc(y, scores)
    np.testing.assert_array_equal(best_f_thresholds(sets, scores), best_f_thresholds(y, scores))
    # A label that one of the two does not name is there all the same.
    assert macro_f1([["a"], ["b"]], [["a"], []]) == 0.5
    assert macro_f1([["a"], ["b"]], [[], []]) == 0.0
    few = pd.DataFrame(scores[:5], columns=NAMES)
    assert macro_auc_roc([["flu"], [], ["flu"], [], []], few) == macro_auc_roc(
        [[0, 1, 0], [0, 0, 0], [0, 1, 0], [0, 0, 0], [0, 0, 0]], scores[:5]
    )


def test_splits_and_searches(data):
    X, y, sets = data
    for left, right in zip(
        IterativeStratifiedKFold(3).split(X, sets),
        IterativeStratifiedKFold(3).split(X, y),
        strict=True,
    ):
        np.testing.assert_array_equal(left[1], right[1])
    parts = iterative_train_test_split(X, sets, random_state=0)
    assert isinstance(parts[2][0], list)
    scores = cross_val_score(
        BinaryRelevance(), X, sets, cv=IterativeStratifiedKFold(3), scoring=make_scorer(macro_f1)
    )
    assert scores.mean() > 0.7


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([["flu"], None], "sample 1 is None; a sample without labels is \\[\\]"),
        ([["flu"], "cold"], "sample 1 is 'cold'"),
        ([["flu"], [3]], "name every label by a string"),
        ([{"flu"}, [["cold"]]], "name every label by a string"),
        ([[1], [0, 2]], "lists of names"),
    ],
)
def test_what_is_no_label_set(y, message):
    with pytest.raises(ValueError, match=message):
        MLROS().fit_resample([[1.0], [2.0]], y)


@given(st.lists(st.sets(st.sampled_from("abcdef")), min_size=2, max_size=20))
def test_counts_are_those_of_the_indicator(sets):
    names = sorted(set().union(*sets))
    if not names:
        return
    y = MultiLabelBinarizer(classes=names).fit_transform(sets)
    np.testing.assert_array_equal(irlbl(sets), irlbl(y))
