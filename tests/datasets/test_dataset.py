"""The shape that all data sets share."""

import dataclasses
import pickle

import numpy as np
import pytest

from rarelabels.datasets import MultiLabelDataset, make_local_imbalance


def test_it_comes_apart_and_stays_frozen():
    dataset = make_local_imbalance(20, random_state=0)
    X, Y = dataset
    assert X is dataset.X
    assert Y is dataset.Y
    with pytest.raises(dataclasses.FrozenInstanceError):
        dataset.name = "other"
    with pytest.raises(TypeError):
        dataset.categories[0] = ("a",)


def test_names_are_made_or_checked():
    X, Y = np.zeros((2, 3)), np.zeros((2, 1), dtype=int)
    assert MultiLabelDataset(X, Y).feature_names == ("feature_0", "feature_1", "feature_2")
    with pytest.raises(ValueError, match="2 feature names for 3 columns"):
        MultiLabelDataset(X, Y, ("a", "b"))
    with pytest.raises(ValueError, match="2 samples, but Y has 3"):
        MultiLabelDataset(X, np.zeros((3, 1)))


def test_it_survives_pickling(assert_same):
    dataset = MultiLabelDataset(
        np.array([[1.0]]), np.array([[1]]), ("a",), ("l",), (0,), "toy", {0: ("x", "y")}
    )
    again = pickle.loads(pickle.dumps(dataset))
    assert_same(again, dataset)
    assert again.name == "toy"


def test_samplers_take_the_categorical_features_as_they_are():
    from rarelabels.sampling import MLSOL

    rng = np.random.default_rng(0)
    X = np.column_stack([rng.random(40), rng.integers(3, size=40)])
    Y = (rng.random((40, 2)) < 0.3).astype(int)
    dataset = MultiLabelDataset(X, Y, categorical_features=(1,))
    sampler = MLSOL(categorical_features=dataset.categorical_features, random_state=0)
    X_resampled, _ = sampler.fit_resample(*dataset)
    assert set(np.unique(X_resampled[:, 1])) <= {0, 1, 2}
