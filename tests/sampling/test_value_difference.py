"""The value difference metric in MLSMOTE, and what agrees with other programs."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from rarelabels._features import Features
from rarelabels._labels import LabelMatrix
from rarelabels._validation import check_features
from rarelabels.sampling import MLSMOTE
from rarelabels.sampling._value_difference import (
    difference_columns,
    neighbors_by_value_difference,
)

VDM = {"category_distance": "vdm", "scale_features": False}


def literal_vdm(values, has_label, a, b):
    """Return the sum over classes of the difference of their shares, by counting."""

    def share(value, label):
        among = [has_label[i] for i in range(len(values)) if values[i] == value]
        return sum(one == label for one in among) / len(among)

    return sum(abs(share(values[a], label) - share(values[b], label)) for label in (0, 1))


def literal_neighbors(X, categorical, has_label, samples, k):
    """Return the nearest of some samples for each: squares of numbers plus the metric."""
    found = []
    for i in samples:
        squared = {}
        for m in samples:
            numbers = sum(
                (X[i, f] - X[m, f]) ** 2 for f in range(X.shape[1]) if f not in categorical
            )
            squared[m] = numbers + sum(
                literal_vdm(X[:, f].tolist(), has_label, i, m) for f in categorical
            )
        others = [m for m in samples if m != i]
        found.append(sorted(others, key=lambda m: (round(squared[m], 9), m))[:k])
    return found


@st.composite
def mixed_data(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(8, 25))
    X = np.column_stack(
        [rng.integers(0, 3, n) / 2, rng.integers(0, 5, n), rng.integers(0, 2, n)]
    ).astype(float)
    Y = (rng.random((n, 3)) < [0.8, 0.4, 0.3]).astype(int)
    # Each label has both classes.
    Y[:3], Y[3] = 1, 0
    return X, Y


@given(mixed_data())
@settings(max_examples=60, deadline=None)
def test_columns_have_the_distances_of_the_metric(data):
    X, Y = data
    known = np.ones(len(X), dtype=bool)
    for feature in (1, 2):
        codes = X[:, feature].astype(int)
        samples = np.flatnonzero(Y[:, 1])
        points = difference_columns(codes, Y[:, 1] == 1, known, samples)
        for p, i in enumerate(samples):
            for r, m in enumerate(samples):
                expected = literal_vdm(codes.tolist(), Y[:, 1].tolist(), i, m)
                assert ((points[p] - points[r]) ** 2).sum() == pytest.approx(expected, abs=1e-12)


@given(data=mixed_data(), k=st.integers(1, 5), as_sparse=st.booleans())
@settings(max_examples=60, deadline=None)
def test_neighbors_are_those_of_loops(data, k, as_sparse):
    X, Y = data
    features = check_features(sparse.csr_array(X) if as_sparse else X, [1, 2])
    groups = {j: np.flatnonzero(Y[:, j]) for j in range(3)}
    found = neighbors_by_value_difference(
        features, LabelMatrix.of(Y), groups, k, scale_features=False, neighbors=None, n_jobs=None
    )
    for j, near in zip(groups, found, strict=True):
        expected = literal_neighbors(X, [1, 2], Y[:, j].tolist(), groups[j].tolist(), k)
        assert near.tolist() == expected


def test_by_hand():
    # P(1 | "a") = 2/2, P(1 | "b") = 1/2 and P(1 | "c") = 1/4 for the label of the first samples. So
    # "a" and "b" are at 2 · 1/2, "b" and "c" at 2 · 1/4, and "a" and "c" at 2 · 3/4.
    kinds = list("aabbcccc")
    has_label = np.array([1, 1, 1, 0, 1, 0, 0, 0])
    points = difference_columns(
        np.unique(kinds, return_inverse=True)[1],
        has_label == 1,
        np.ones(8, dtype=bool),
        np.array([0, 1, 2, 4]),
    )
    squared = ((points[:, None] - points) ** 2).sum(axis=2)
    expected = [[0, 0, 1, 1.5], [0, 0, 1, 1.5], [1, 1, 0, 0.5], [1.5, 1.5, 0.5, 0]]
    np.testing.assert_allclose(squared, expected)
    # The sample with "c" has "b" as its nearest, and by overlap the first of those that differ.
    frame = pd.DataFrame({"kind": kinds})
    Y = np.column_stack([np.ones(8, dtype=int), has_label])
    Y[0, 0] = 0
    made = {}
    for distance in ("vdm", "overlap"):
        sampler = MLSMOTE(
            n_neighbors=1, category_distance=distance, categorical_features=["kind"], random_state=0
        )
        X_new, _ = sampler.fit_resample(frame, Y)
        of_c = np.flatnonzero(sampler.sample_indices_[8:] == 4)[0]
        made[distance] = X_new["kind"].tolist()[8 + of_c]
    assert made == {"vdm": "b", "overlap": "a"}


def test_missing_categories_and_unknown_labels():
    # A missing category is a category: its samples have the label as often as "a" has it.
    frame = pd.DataFrame({"kind": ["a", "a", None, None, "b", "b", "b", "b"]})
    label = np.array([1, 0, 1, 0, 1, 0, 0, 0.0])
    features = check_features(frame, ["kind"])
    assert isinstance(features, Features)
    groups = {0: np.array([0, 2, 4])}

    def neighbors(labels):
        return neighbors_by_value_difference(
            features, LabelMatrix.of(labels[:, None]), groups, 1,
            scale_features=True, neighbors=None, n_jobs=None,
        )[0][:, 0].tolist()  # fmt: skip

    assert neighbors(label) == [2, 0, 0]
    # With sample 1 unknown, P(1 | "a") is 1, and the missing ones are nearer to "b".
    label[1] = np.nan
    assert neighbors(label) == [2, 4, 2]


def made_like_the_pull_request(X, Y, categorical, k):
    """Yield seed, neighbors and labels by the rules of pull request 1213, as loops."""
    counts = Y.sum(axis=0)
    ratios = counts.max() / counts
    for j in np.flatnonzero(ratios > ratios.mean()):
        samples = np.flatnonzero(Y[:, j]).tolist()
        if len(samples) < 2:
            continue
        hoods = literal_neighbors(X, categorical, Y[:, j].tolist(), samples, k)
        for seed, near in zip(samples, hoods, strict=True):
            held = Y[[seed, *near]].sum(axis=0)
            yield seed, near, (held > (len(near) + 1) / 2).astype(int).tolist()


@given(data=mixed_data(), k=st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_the_rows_of_the_table_that_agree(data, k):
    """Minority labels, number, distances, neighbors, labels and categories without ties."""
    X, Y = data
    sampler = MLSMOTE(
        n_neighbors=k, label_generation="majority", categorical_features=[1, 2], random_state=0,
        **VDM,
    )  # fmt: skip
    X_new, Y_new = sampler.fit_resample(X, Y)
    expected = list(made_like_the_pull_request(X, Y, [1, 2], k))
    assert sampler.sample_indices_[len(X) :].tolist() == [seed for seed, _, _ in expected]
    assert Y_new[len(X) :].tolist() == [labels for _, _, labels in expected]
    for x, (seed, near, _) in zip(X_new[len(X) :], expected, strict=True):
        assert min(X[seed, 0], X[near, 0].min()) <= x[0] <= max(X[seed, 0], X[near, 0].max())
        for feature in (1, 2):
            values, counts = np.unique(X[near, feature], return_counts=True)
            if (counts == counts.max()).sum() == 1:
                assert x[feature] == values[counts.argmax()]


def test_the_rows_of_the_table_that_differ():
    X = np.array([[0.0, 0], [1, 0], [2, 1], [3, 1], [4, 2], [5, 2], [6, 0], [7, 1]])
    Y = np.array([[1, 1], [1, 1], [1, 1], [1, 0], [1, 0], [1, 0], [0, 1], [1, 0]])
    settings_of_both = {"n_neighbors": 1, "categorical_features": [1], **VDM}
    # Half of sample and neighbor: "ranking" takes the label, "majority" does not.
    held = {
        rule: MLSMOTE(label_generation=rule, **settings_of_both).fit_resample(X, Y)[1][8:, 0]
        for rule in ("ranking", "majority")
    }
    assert held["ranking"].sum() > held["majority"].sum()
    # R drops the first of the new samples, of which there are as many as carriers.
    assert len(held["ranking"]) == Y[:, 1].sum()
    # R compares class 0 alone, which is half of the metric.
    points = difference_columns(
        X[:, 1].astype(int), Y[:, 1] == 1, np.ones(8, dtype=bool), np.arange(8)
    )
    of_class_0 = [1 - Y[X[:, 1] == value, 1].mean() for value in (0, 1, 2)]
    for a in range(8):
        for b in range(8):
            only_0 = abs(of_class_0[int(X[a, 1])] - of_class_0[int(X[b, 1])])
            assert ((points[a] - points[b]) ** 2).sum() == pytest.approx(2 * only_0)
    # Of equals, the pull request takes the lowest category, and this class that of the nearest.
    X = np.array([[0.0, 9], [1, 5], [3, 2], [50, 2], [60, 2], [70, 9]])
    Y = np.column_stack([np.r_[1, 0, 0, 1, 1, 1], np.r_[1, 1, 1, 0, 0, 0]])
    sampler = MLSMOTE(n_neighbors=2, categorical_features=[1], scale_features=False)
    made = sampler.fit_resample(X, Y)[0][6:]
    of_first = made[np.flatnonzero(sampler.sample_indices_[6:] == 0)[0]]
    assert of_first[1] == 5


def test_what_is_refused():
    X, Y = np.eye(6), np.eye(6, dtype=int)
    with pytest.raises(ValueError, match="category_distance must be one of 'overlap', 'vdm'"):
        MLSMOTE(category_distance="hamming").fit_resample(X, Y)
    for wrong in ({"metric": "cosine"}, {"mulan_compatible": True}):
        with pytest.raises(
            ValueError, match='"vdm" needs mulan_compatible=False and metric="euclidean"'
        ):
            MLSMOTE(category_distance="vdm", **wrong).fit_resample(X, Y)


def test_without_categories_nothing_changes():
    rng = np.random.default_rng(0)
    X, Y = rng.random((40, 3)), (rng.random((40, 3)) < [0.8, 0.3, 0.2]).astype(int)
    plain, vdm = (
        MLSMOTE(category_distance=one, random_state=0).fit_resample(X, Y)
        for one in ("overlap", "vdm")
    )
    np.testing.assert_array_equal(plain[0], vdm[0])
    np.testing.assert_array_equal(plain[1], vdm[1])
