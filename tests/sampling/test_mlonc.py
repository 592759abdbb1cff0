import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

import literal
from rarelabels import find_neighbors
from rarelabels._neighbors import feature_space
from rarelabels._validation import check_features
from rarelabels.base import LabelMatrix
from rarelabels.sampling import MLONC, _mlonc
from rarelabels.sampling._interpolation import interpolate
from replay import Fixed
from strategies import data_sets


def worked_example():
    X = [(0, 0), (1, 0), (3, 0), (3.6, 0), (9, 0), (20, 0)]
    X += [(0, 5), (1, 5.2), (2, 6), (4, 7), (6, 5), (8, 8)]
    Y = [
        "1100",
        "1110",
        "1101",
        "1100",
        "1110",
        "1101",
        "1010",
        "1000",
        "1011",
        "1000",
        "0000",
        "1000",
    ]
    return np.array(X, dtype=float), np.array([[int(label) for label in sample] for sample in Y])


# A run of the authors' code, whose seed is 10: seed, reference, features and labels of each sample.
MADE = [
    (1, 8, (1.298761, 2.967540), "1111"),
    (6, 1, (0.748804, 2.507465), "1110"),
    (8, 6, (1.949657, 5.290792), "1011"),
    (1, 8, (1.169111, 0.530039), "1111"),
    (2, 8, (2.316182, 4.899611), "1111"),
    (5, 8, (10.780539, 4.875726), "1111"),
    (8, 2, (2.030617, 0.734310), "1111"),
    (2, 5, (18.602160, 0), "1101"),
    (5, 8, (12.553987, 4.672373), "1111"),
    (8, 2, (2.674134, 3.349001), "1111"),
    (2, 8, (2.894598, 1.701460), "1111"),
]


def test_a_run_of_the_authors_code_to_the_digits():
    X, Y = worked_example()
    sampler = MLONC(sampling_ratio=1.0, scale_features=False, random_state=0)
    sampler.fit_resample(X, Y)
    assert sampler.quotas_ == {2: 4, 3: 7}
    assert sampler.related_labels_.tolist() == [1, 0, 0, 0]
    found = {
        label: {int(i): natural.of(i).tolist() for i in natural.samples}
        for label, natural in sampler.natural_neighbors_.items()
    }
    assert found == {
        2: {1: [6, 8], 4: [], 6: [8, 1], 8: [6, 1]},
        3: {2: [8, 5], 5: [2, 8], 8: [2, 5]},
    }
    assert sampler.sample_indices_[12:].tolist() == [seed for seed, *_ in MADE]
    # The code's draws: a reference, then a number for each feature.
    draws = np.random.RandomState(10)
    shares = []
    for label, quota in sampler.quotas_.items():
        for seed, reference, *_ in MADE[:4] if label == 2 else MADE[4:]:
            assert draws.choice(found[label][seed]) == reference
            shares.append([draws.random_sample(), draws.random_sample()])
        assert quota == (4 if label == 2 else 7)
    seeds, references = (np.array([made[side] for made in MADE]) for side in (0, 1))
    numbers = interpolate(X[seeds], X[references], np.zeros(2, dtype=bool), Fixed(shares))
    np.testing.assert_allclose(numbers, [x for *_, x, _ in MADE], atol=5e-7)
    labels = _mlonc.correlated_labels(LabelMatrix.of(Y), seeds, references, sampler.related_labels_)
    assert ["".join(map(str, sample)) for sample in labels.positives.toarray()] == [
        y for *_, y in MADE
    ]


def test_natural_neighbours_by_hand():
    # On the samples of label 1 of the example: 0 and 1, 1 and 2, 2 and 3 at distances 1, 2 and 0.6.
    # k = 1: 1 ← 0, 0 ← 1, 3 ← 2, 2 ← 3 and 4, 4 ← 5: only sample 5 is nobody's nearest. k = 2
    # brings no newcomer, so it ends there with the two nearest.
    X, Y = worked_example()
    space = feature_space(check_features(X), scale_features=False)
    natural = _mlonc.natural_neighbors_among(space, np.flatnonzero(Y[:, 1]))
    found = {int(i): natural.of(i).tolist() for i in natural.samples}
    assert found == {0: [1], 1: [0, 2], 2: [3, 1], 3: [2], 4: [], 5: []}


def test_flags_as_the_authors_code_has_it(flags):
    # Categories as numbers and nothing rescaled, as there.
    for ratio, quotas in ((0.1, {5: 5, 6: 13}), (0.6, {5: 34, 6: 81})):
        sampler = MLONC(sampling_ratio=ratio, scale_features=False, random_state=0)
        X_new, _ = sampler.fit_resample(flags.X, flags.Y)
        assert sampler.quotas_ == quotas
        assert len(X_new) == 194 + sum(quotas.values())
    assert sampler.related_labels_.tolist() == [4, 0, 4, 0, 0, 0, 4]
    natural = sampler.natural_neighbors_
    assert {label: found.ranks.nnz for label, found in natural.items()} == {5: 196, 6: 78}
    noise = {j: int((np.diff(found.ranks.indptr) == 0).sum()) for j, found in natural.items()}
    assert noise == {5: 2, 6: 3}


@settings(max_examples=150)
@given(
    data=data_sets(min_samples=4, max_samples=20, max_labels=5),
    ratio=st.sampled_from([0.5, 1.0, 3.0]),
    as_sparse=st.booleans(),
)
def test_equals_the_literal_rules(resample, data, ratio, as_sparse):
    X, Y, categorical = data
    n = X.shape[0]
    sampler = MLONC(sampling_ratio=ratio, categorical_features=categorical, random_state=0)
    X_new, Y_new = resample(sampler, sparse.csr_array(X) if as_sparse else X, Y)
    X_new = X_new.toarray() if as_sparse else X_new
    np.testing.assert_array_equal(X_new[:n], X)
    related = literal.most_related(Y)
    assert sampler.related_labels_.tolist() == related
    assert sampler.quotas_ == literal.quotas(Y, int(ratio * n))
    place = n
    for label, quota in sampler.quotas_.items():
        samples = np.flatnonzero(Y[:, label]).tolist()
        natural = literal.natural_neighbors(X, samples, categorical) if len(samples) > 1 else {}
        seeds = sorted((i for i in natural if natural[i]), key=lambda i: (len(natural[i]), i))
        for turn in range(quota if seeds else 0):
            seed = seeds[turn % len(seeds)]
            assert sampler.sample_indices_[place] == seed
            assert sampler.natural_neighbors_[label].of(seed).tolist() == natural[seed]
            # Its labels and features are those of the seed and one of its natural neighbours.
            assert any(
                Y_new[place].tolist() == literal.correlated_labels(Y, seed, r, related)
                and inside(X_new[place], X[seed], X[r], categorical)
                for r in natural[seed]
            )
            assert Y_new[place, label] == 1
            place += 1
    assert place == len(X_new)


def inside(x, start, end, categorical):
    within = (np.minimum(start, end) <= x) & (x <= np.maximum(start, end))
    return within.all() and all(x[j] in (start[j], end[j]) for j in categorical)


@settings(max_examples=100)
@given(data=data_sets(min_samples=6, max_samples=14, max_labels=5), seed=st.integers(0, 99))
def test_labels_with_unknown_ones_equal_the_literal_rule(data, seed):
    _, Y, _ = data
    rng = np.random.default_rng(seed)
    Y = np.where(rng.random(Y.shape) < 0.3, np.nan, Y)
    seeds, references = rng.integers(len(Y), size=(2, 10))
    related = np.array(literal.most_related(Y))
    matrix = LabelMatrix.of(Y)
    np.testing.assert_array_equal(_mlonc.most_related_labels(matrix.positives), related)
    found = _mlonc.correlated_labels(matrix, seeds, references, related)
    expected = np.array(
        [
            literal.correlated_labels(Y, s, r, related)
            for s, r in zip(seeds, references, strict=True)
        ]
    )
    np.testing.assert_array_equal(found.positives.toarray(), expected == 1)
    unknown = np.zeros(expected.shape) if found.unknown is None else found.unknown.toarray()
    np.testing.assert_array_equal(unknown, np.isnan(expected))


def test_wide_neighbourhoods_are_searched_further(monkeypatch):
    rng = np.random.default_rng(0)
    X, Y = rng.random((60, 3)), np.zeros((60, 2), dtype=int)
    Y[:40, 0] = Y[30:, 1] = 1
    expected = MLONC(random_state=0).fit_resample(X, Y)
    monkeypatch.setattr(_mlonc, "FIRST_WIDTH", 1)
    found = MLONC(random_state=0).fit_resample(X, Y)
    np.testing.assert_array_equal(found[0], expected[0])


def test_takes_another_search_but_no_neighbours_of_all_samples(clouds):
    X, Y = clouds
    expected = MLONC(random_state=0).fit_resample(X, Y)[0]
    found = MLONC(neighbors=NearestNeighbors(), random_state=0).fit_resample(X, Y)[0]
    np.testing.assert_array_equal(found, expected)
    with pytest.raises(ValueError, match="cannot use the neighbors of all samples"):
        MLONC(neighbors=find_neighbors(X)).fit_resample(X, Y)


def test_warns_where_there_is_nothing_to_add():
    Y = np.zeros((9, 2), dtype=int)
    Y[:6, 0] = Y[8, 1] = 1
    with pytest.warns(UserWarning, match="MLONC adds no samples"):
        X_new, _ = MLONC().fit_resample(np.arange(9.0)[:, None], Y)
    assert len(X_new) == 9
