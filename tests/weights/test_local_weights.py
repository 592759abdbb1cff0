import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.multioutput import MultiOutputClassifier

import literal
from rarelabels import find_neighbors
from rarelabels._validation import ConstantLabelWarning
from rarelabels.sampling import MLSOL, MLUL
from rarelabels.weights import LocalWeights, local_weights
from strategies import data_sets, n_neighbors_for


@pytest.mark.filterwarnings("ignore::rarelabels._validation.ConstantLabelWarning")
@settings(max_examples=100)
@given(data=st.data())
def test_equal_the_literal_equations(data):
    X, Y, categorical = data.draw(data_sets())
    k = n_neighbors_for(X, data.draw)
    found = local_weights(X, Y, n_neighbors=k, categorical_features=categorical)
    N = literal.neighbors(X, k, categorical)
    np.testing.assert_allclose(found.weights, literal.weights(Y, N), atol=1e-12)
    np.testing.assert_allclose(found.influence, literal.influence(Y, N), atol=1e-12)
    np.testing.assert_allclose(found.importance, literal.importance(Y, N), atol=1e-12)


def test_are_what_the_samplers_draw_by(clouds):
    X, Y = clouds
    found = local_weights(X, Y, n_neighbors=4, neighbors=find_neighbors(X, n_neighbors=6))
    over, under = MLSOL(n_neighbors=4), MLUL(n_neighbors=4)
    over.fit_resample(X, Y)
    under.fit_resample(X, Y)
    np.testing.assert_array_equal(found.weights, over.weights_)
    np.testing.assert_array_equal(found.influence, under.influence_)
    np.testing.assert_array_equal(found.importance, under.importance_)


def test_serve_as_sample_weight(clouds):
    X, Y = clouds
    found = local_weights(X, Y)
    learner = MultiOutputClassifier(LogisticRegression())
    learner.fit(X, Y, sample_weight=found.sample_weight)
    assert learner.predict(X).shape == Y.shape


def test_cannot_be_changed_and_warn_of_constant_labels(clouds):
    X, Y = clouds
    found = local_weights(X, Y)
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.weights = np.ones(len(X))
    with pytest.warns(ConstantLabelWarning, match="label 0 has"):
        local_weights(X, np.column_stack([np.ones(len(X)), Y]))


def test_in_the_form_of_the_others():
    found = LocalWeights(np.array([0.0, 0.5, 1.5]), np.zeros(3), np.array([0.0, 1.0, 3.0]))
    np.testing.assert_array_equal(found.sample_weight, [1, 1.75, 3.25])
    np.testing.assert_array_equal(found.probabilities, [0, 0.25, 0.75])
    nothing = LocalWeights(np.zeros(4), np.zeros(4), np.zeros(4))
    np.testing.assert_array_equal(nothing.sample_weight, np.ones(4))
    np.testing.assert_array_equal(nothing.probabilities, np.full(4, 0.25))
