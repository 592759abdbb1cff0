import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

import literal
from rarelabels import find_neighbors
from rarelabels._neighbors import feature_space
from rarelabels._validation import check_features, check_labels
from rarelabels.base import LabelMatrix
from rarelabels.sampling import LSDMLO, _label_features, _lsdmlo
from rarelabels.sampling._interpolation import interpolate
from rarelabels.sampling._label_features import Descent, label_coefficients, softmax_weights
from replay import Fixed
from strategies import data_sets


def worked_example():
    X = [(0, 0.1), (0.2, 0.9), (0.1, 0.5), (0.9, 0.2), (0.8, 0.8), (1, 0.4)]
    X += [(0.5, 0), (0.45, 0.95), (0.3, 0.35), (0.65, 0.6), (0.15, 0.72), (0.77, 0.05)]
    Y = ["00101", "00110", "10100", "01011", "10010", "00011"]
    Y += ["01110", "10100", "00101", "01010", "00110", "00111"]
    return np.array(X), np.array([[int(label) for label in sample] for sample in Y])


# A run of the authors' code with alpha 1, beta 1/4, half of the samples to add and seed 0: seed,
# label, reference, features and labels of each synthetic sample.
MADE = [
    (4, 0, 9, (0.709585, 0.691023), "01010"),
    (4, 0, 5, (0.887517, 0.443291), "00011"),
    (9, 1, 5, (0.817183, 0.437566), "00011"),
    (4, 0, 7, (0.476041, 0.810655), "10100"),
    (3, 1, 6, (0.752703, 0.008569), "01011"),
    (3, 1, 11, (0.772780, 0.080126), "00111"),
]
NEAREST = {
    (2, 0): [8, 10, 0, 1, 9],
    (4, 0): [9, 7, 5, 1, 10],
    (7, 0): [1, 4, 10, 9, 2],
    (3, 1): [11, 5, 9, 6, 4],
    (6, 1): [11, 8, 3, 9, 0],
    (9, 1): [4, 7, 5, 3, 8],
}


def neighborhoods(sampler, X, Y):
    """The neighbours of each sample for each minority label that it carries."""
    space = sampler._space(check_features(X, sampler.categorical_features))
    found = sampler._neighborhoods(space, check_labels(Y).matrix)
    samples = _lsdmlo.row_numbers(found.entries).tolist()
    labels = found.entries.indices.tolist()
    return dict(zip(zip(samples, labels, strict=True), found.neighbors.tolist(), strict=True))


@pytest.mark.parametrize("as_released", [True, False])
def test_a_run_of_the_authors_code_to_the_digits(as_released):
    X, Y = worked_example()
    sampler = LSDMLO(
        sampling_ratio=0.5, as_released=as_released, scale_features=False, random_state=0
    )
    X_new, _ = sampler.fit_resample(X, Y)
    assert len(X_new) == 18
    assert sampler.coefficients_.round(6).tolist() == [
        [0.087162, 0.578575, 0.331057, 0.654775, 0.641550],
        [0.525002, 0, 0.434675, 0.209566, 0.011479],
    ]
    assert sampler.feature_weights_[:, :2].T.round(6).tolist() == [
        [0.392256, 0.607744],
        [0.640739, 0.359261],
    ]
    rel = {j: labels.tolist() for j, labels in sampler.correlated_labels_.items()}
    assert neighborhoods(sampler, X, Y) == NEAREST
    if as_released:
        assert rel == {0: [2, 3], 1: [2, 3, 4], 2: [3, 4], 3: [4], 4: []}
        expected = {3: 2, 4: 1.5, 6: 0.9, 7: 0.952381, 9: 0.485714}
    else:
        assert rel == {0: [2, 3], 1: [2, 3, 4], 2: [0, 1, 3, 4], 3: [0, 1, 2, 4], 4: [1, 2, 3]}
        expected = {3: 0.828571, 4: 0.690476, 6: 0.685714, 7: 0.952381, 9: 0.485714}
    weights = {i: round(w, 6) for i, w in enumerate(sampler.weights_.tolist()) if w}
    assert weights == expected


def test_the_draws_of_that_run_give_its_samples():
    X, Y = worked_example()
    sampler = LSDMLO(sampling_ratio=0.5, as_released=True, random_state=0)
    sampler.fit_resample(X, Y)
    draws, shares = np.random.RandomState(0), []
    running = np.cumsum(sampler.weights_)
    for seed, label, reference, *_ in MADE:
        # The first sample whose running sum reaches the number; a tail label of it; a neighbour.
        assert int(np.argmax(running >= draws.random_sample() * running[-1])) == seed
        assert draws.choice([j for j in (0, 1) if Y[seed, j]]) == label
        assert draws.choice(NEAREST[seed, label]) == reference
        shares.append([draws.random_sample(), draws.random_sample()])
    seeds, references = (np.array([made[side] for made in MADE]) for side in (0, 2))
    values = interpolate(X[seeds], X[references], np.zeros(2, dtype=bool), Fixed(shares))
    np.testing.assert_allclose(values, [x for *_, x, _ in MADE], atol=5e-7)
    features, labels = check_features(X), LabelMatrix.of(Y)
    nearness = sampler._nearness(features, values, seeds, references)
    made = _lsdmlo.nearer_labels(labels, seeds, references, nearness, sampler.feature_weights_)
    assert ["".join(map(str, sample)) for sample in made.positives.toarray()] == [
        y for *_, y in MADE
    ]


def test_flags_as_the_released_code_has_it(flags):
    # Slips 2, 4 and 5 of the code: no correlated labels for both minority labels, no effect of
    # alpha and beta, and no coefficient that becomes 0.
    samplers = [
        LSDMLO(as_released=True, alpha=alpha, beta=beta, random_state=0)
        for alpha, beta in ((1.0, 0.25), (16.0, 2.0))
    ]
    made = [sampler.fit_resample(flags.X, flags.Y) for sampler in samplers]
    np.testing.assert_array_equal(made[0][0], made[1][0])
    np.testing.assert_array_equal(made[0][1], made[1][1])
    first = samplers[0]
    assert len(made[0][0]) == 194 + 58
    assert first.correlated_labels_[5].size == first.correlated_labels_[6].size == 0
    assert np.count_nonzero(first.coefficients_) == 133
    assert round(float(np.abs(first.coefficients_).max()), 2) == 0.38
    widest = first.feature_weights_.max(axis=0)
    assert (widest.min().round(3), widest.max().round(3)) == (0.059, 0.070)
    start = LSDMLO(as_released=True, max_iter=0, random_state=0)
    start.fit_resample(flags.X, flags.Y)
    moved = [np.abs(one.coefficients_ - start.coefficients_).max() for one in samplers]
    assert max(moved) < 0.00011


@settings(max_examples=150)
@given(
    data=data_sets(min_samples=4, max_samples=14, max_labels=6),
    alpha=st.sampled_from([0.0, 0.25, 1.0, 16.0]),
    beta=st.sampled_from([0.0, 0.25, 2.0]),
    as_sparse=st.booleans(),
)
def test_coefficients_equal_the_literal_steps(data, alpha, beta, as_sparse):
    X, Y, _ = data
    X = X / max(1, X.max())
    if not X.any():
        return
    points = sparse.csr_array(X) if as_sparse else X
    found = label_coefficients(points, check_labels(Y).matrix, Descent(alpha, beta, 100, 0.0))
    expected = literal.label_coefficients(X, Y, alpha, beta, tol=0.0)
    np.testing.assert_allclose(found, expected, atol=1e-6)
    np.testing.assert_allclose(softmax_weights(found), literal.softmax(found), atol=1e-12)


@settings(max_examples=150)
@given(
    data=data_sets(min_samples=6, max_samples=16, max_labels=6),
    k=st.integers(1, 5),
    as_released=st.booleans(),
    as_sparse=st.booleans(),
)
def test_equals_the_literal_rules(resample, data, k, as_released, as_sparse):
    X, Y, categorical = data
    n = X.shape[0]
    sampler = LSDMLO(
        sampling_ratio=1.5,
        n_neighbors=k,
        as_released=as_released,
        categorical_features=categorical,
        random_state=0,
    )
    X_new, Y_new = resample(sampler, sparse.csr_array(X) if as_sparse else X, Y)
    X_new = X_new.toarray() if as_sparse else X_new
    rel = literal.correlated(Y, symmetric=not as_released)
    assert {j: found.tolist() for j, found in sampler.correlated_labels_.items()} == rel
    # Old and new samples in the columns that distances go by.
    if as_released:
        points = X_new
    else:
        old, new = check_features(X, categorical), check_features(X_new, categorical)
        points = feature_space(old, new).euclidean()[n:]
    W = sampler.feature_weights_
    N = {t: literal.weighted_neighbors(points[:n], W[:, t], k) for t in literal.tail_labels(Y)}
    expected = literal.lsdmlo_weights(Y, N, rel, running=as_released)
    np.testing.assert_allclose(sampler.weights_, expected, atol=1e-12)
    assert len(X_new) == n + (int(1.5 * n) if expected.any() else 0)
    for place in range(n, len(X_new)):
        seed = sampler.sample_indices_[place]
        assert expected[seed] > 0
        references = {m for t in N if Y[seed, t] for m in N[t][seed]}
        assert any(
            inside(X_new[place], X[seed], X[r], categorical)
            and close(Y, Y_new[place], points[place], seed, r, points, W)
            for r in references
        )


def inside(x, start, end, categorical):
    within = (np.minimum(start, end) <= x) & (x <= np.maximum(start, end))
    return within.all() and all(x[j] in (start[j], end[j]) for j in categorical)


def close(Y, y, x, seed, reference, X, W):
    """Whether labels are as the rule has them, up to rounding where both parents are as near."""
    gaps = W.T @ ((x - X[seed]) ** 2 - (x - X[reference]) ** 2)
    expected = literal.nearer_labels(Y, x, seed, reference, X, W)
    return all(y[j] == expected[j] or abs(gaps[j]) < 1e-12 for j in range(len(y)))


def test_unknown_labels_are_those_of_the_parent_that_knows():
    Y = np.array([[1, np.nan, 0, np.nan], [np.nan, 1, 1, np.nan]])
    labels = LabelMatrix.of(Y)
    pair = np.array([0]), np.array([1])
    made = _lsdmlo.nearer_labels(labels, *pair, np.array([[-1.0]]), np.ones((1, 4)))
    assert made.positives.toarray().tolist() == [[1, 1, 0, 0]]
    assert made.unknown.toarray().tolist() == [[0, 0, 0, 1]]


def test_fewer_pairs_than_ten_and_no_mixed_neighbourhood():
    # Two labels, one pair; the minority label's samples are far from all others.
    X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2], [5.3], [5.4], [5.5]])
    Y = np.repeat([[0, 1], [1, 0]], [3, 6], axis=0)
    with pytest.warns(UserWarning, match="LSDMLO adds no samples"):
        X_new, _ = LSDMLO(n_neighbors=2).fit_resample(X, Y)
    assert len(X_new) == 9


def test_takes_another_search_but_no_neighbours_of_all_samples(clouds):
    X, Y = clouds
    expected = LSDMLO(random_state=0).fit_resample(X, Y)[0]
    found = LSDMLO(neighbors=NearestNeighbors(), random_state=0).fit_resample(X, Y)[0]
    np.testing.assert_array_equal(found, expected)
    with pytest.raises(ValueError, match="a separate distance for each label"):
        LSDMLO(neighbors=find_neighbors(X)).fit_resample(X, Y)


def test_refuses_models_that_do_not_fit_and_strengths_that_are_none(monkeypatch, clouds):
    for wrong in ({"alpha": -1.0}, {"beta": np.inf}, {"tol": "none"}):
        with pytest.raises(ValueError, match="must be a number of at least 0"):
            LSDMLO(**wrong).fit_resample(*clouds)
    monkeypatch.setattr(_label_features, "MOST_ENTRIES", 10)
    with pytest.raises(ValueError, match=r"4 features .* 3 labels, .* 16 entries each"):
        LSDMLO().fit_resample(*clouds)


def test_says_which_value_is_missing(clouds):
    X, Y = clouds
    X = X.copy()
    X[3, 2] = np.nan
    with pytest.raises(ValueError, match=r"missing value \(NaN\) in row 3, column 2"):
        LSDMLO().fit_resample(X, Y)
