import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.neighbors import NearestNeighbors

import literal
from rarelabels import find_neighbors
from rarelabels.sampling import MLSMOTE
from strategies import data_sets


def minority_labels(Y):
    counts = Y.sum(axis=0)
    present = [j for j in range(Y.shape[1]) if counts[j]]
    ratios = {j: counts.max() / counts[j] for j in present}
    mean = np.mean(list(ratios.values())) if present else np.nan
    return [j for j in present if ratios[j] > mean]


def neighborhoods(X, Y, k, categorical):
    """Seed and seed's neighbours of each synthetic sample, in the order they are made."""
    spans = literal.spans(X)
    for j in minority_labels(Y):
        samples = np.flatnonzero(Y[:, j])
        if len(samples) == 1:
            continue
        for i in samples:
            others = [m for m in samples if m != i]
            others.sort(
                key=lambda m: (
                    literal.squared_distance(X[i], X[m], spans, categorical),
                    m,
                )
            )
            yield i, others[:k]


def label_of(values, rule):
    if rule == "ranking":
        return int(sum(values) >= len(values) / 2)
    if rule == "majority":
        return int(sum(values) > len(values) / 2)
    return int(any(values)) if rule == "union" else int(all(values))


def mode(values):
    return max(values, key=lambda value: (values.count(value), -values.index(value)))


@settings(max_examples=200)
@given(
    data=data_sets(min_samples=6, max_samples=20, max_labels=5),
    k=st.integers(1, 6),
    rule=st.sampled_from(["ranking", "majority", "union", "intersection"]),
    as_sparse=st.booleans(),
)
def test_equals_the_literal_rules(resample, data, k, rule, as_sparse):
    X, Y, categorical = data
    n = X.shape[0]
    sampler = MLSMOTE(
        n_neighbors=k, label_generation=rule, categorical_features=categorical, random_state=0
    )
    X_new, Y_new = resample(sampler, sparse.csr_array(X) if as_sparse else X, Y)
    X_new = X_new.toarray() if as_sparse else X_new
    np.testing.assert_array_equal(X_new[:n], X)
    np.testing.assert_array_equal(Y_new[:n], Y)
    hoods = list(neighborhoods(X, Y, k, categorical))
    assert sampler.sample_indices_[n:].tolist() == [seed for seed, _ in hoods]
    assert sampler.is_synthetic_.tolist() == [False] * n + [True] * len(hoods)
    numeric = [j for j in range(X.shape[1]) if j not in categorical]
    for x, y, (seed, found) in zip(X_new[n:], Y_new[n:], hoods, strict=True):
        members = Y[[seed, *found]]
        assert y.tolist() == [label_of(column.tolist(), rule) for column in members.T]
        assert y.any()
        # Between the seed and one of its neighbours, never beyond either.
        low, high = np.minimum(X[seed], X[found]), np.maximum(X[seed], X[found])
        inside = (low <= x) & (x <= high)
        assert inside[:, numeric].all(axis=1).any()
        assert [x[j] for j in categorical] == [mode(X[found, j].tolist()) for j in categorical]


def toy():
    """Label 1 is on samples 4 to 7, at 0, 1, 3 and 10; label 0 on samples 0 to 4 and 7."""
    X = np.array([[5.0], [5.0], [5.0], [5.0], [0.0], [1.0], [3.0], [10.0]])
    Y = np.zeros((8, 2), dtype=int)
    Y[[0, 1, 2, 3, 4, 7], 0] = Y[4:, 1] = 1
    return X, Y


def test_by_hand():
    # Counts 6 and 4: IRLbl 1 and 1.5, mean 1.25: label 1 is the minority. The two nearest of its
    # four samples: 4 → 5, 6; 5 → 4, 6; 6 → 5, 4; 7 → 6, 5. Of sample and neighbours those with
    # label 0: 1 of 3; 1 of 3; 1 of 3; 1 of 3: below half, so no new sample has it.
    X, Y = toy()
    sampler = MLSMOTE(n_neighbors=2, random_state=0)
    X_new, Y_new = sampler.fit_resample(X, Y)
    assert sampler.sample_indices_[8:].tolist() == [4, 5, 6, 7]
    assert Y_new[8:].tolist() == [[0, 1]] * 4
    bounds = [(0, 3), (0, 3), (0, 3), (1, 10)]
    assert all(low <= x <= high for x, (low, high) in zip(X_new[8:, 0], bounds, strict=True))
    # With one neighbour, 4 → 5, 5 → 4, 6 → 5 and 7 → 6, label 0 is in 1, 1, 0 and 1 of 2: half is
    # enough.
    _, Y_new = sampler.set_params(n_neighbors=1).fit_resample(X, Y)
    assert Y_new[8:, 0].tolist() == [1, 1, 0, 1]
    _, Y_new = sampler.set_params(label_generation="intersection").fit_resample(X, Y)
    assert Y_new[8:, 0].tolist() == [0, 0, 0, 0]


def test_the_reference_is_the_nearest_and_never_further_away():
    # Samples in pairs: with one neighbour every new sample lies between the two of a pair.
    X = np.arange(40.0)[:, None]
    X[::2] += 0.8
    Y = np.column_stack([np.ones(40), np.arange(40) < 12]).astype(int)
    Y[39, 0] = 0
    X_new, _ = MLSMOTE(n_neighbors=1, sampling_ratio=600, random_state=0).fit_resample(X, Y)
    inside = X_new[40:, 0] % 2
    assert ((0.8 <= inside) & (inside <= 1.0)).all()
    # All of the way is used, from the sample to its neighbour.
    assert np.histogram(inside, bins=4, range=(0.8, 1.0))[0].min() > 100


def test_a_duplicate_is_a_neighbour_and_the_sample_itself_is_none():
    # Samples 4 and 5 are the same: with one neighbour each has the other, and the new samples are
    # there.
    X, Y = toy()
    X[5] = X[4] = 2.0
    X_new, _ = MLSMOTE(n_neighbors=1, random_state=0).fit_resample(X, Y)
    assert X_new[8:10, 0].tolist() == [2.0, 2.0]
    # The third has the first of them, not itself: its new sample lies between.
    assert 2.0 < X_new[10, 0] < 3.0


def test_every_feature_has_a_chance_of_its_own():
    X = np.repeat([[0.0], [1.0], [0.5]], [10, 10, 40], axis=0) * np.ones(6)
    Y = np.repeat([[0, 1], [0, 1], [1, 0]], [10, 10, 40], axis=0)
    X_new, _ = MLSMOTE(n_neighbors=19, random_state=0).fit_resample(X, Y)
    made = X_new[60:]
    between = made[((made > 0) & (made < 1)).all(axis=1)]
    assert between.shape[0] > 3
    assert (between.std(axis=1) > 0.01).all()


def test_a_label_on_one_sample_gets_none():
    Y = np.zeros((9, 3), dtype=int)
    Y[:6, 0] = Y[6:8, 1] = Y[8, 2] = 1
    # IRLbl 1, 3, 6, mean 3.3: the label on one sample is the only minority.
    X = np.arange(9.0)[:, None]
    assert len(MLSMOTE().fit_resample(X, Y)[0]) == 9
    with pytest.warns(UserWarning, match="no minority label"):
        X_new, _ = MLSMOTE(sampling_ratio=4).fit_resample(X, Y)
    assert len(X_new) == 9


def two_minorities():
    """Minority labels on 3 and 5 of 40 samples: IRLbl 1, 32/5, 32/3 and, no minority, 2."""
    Y = np.zeros((40, 4), dtype=int)
    Y[:32, 0] = Y[:5, 1] = Y[32:35, 2] = 1
    Y[10:26, 3] = 1
    return np.random.default_rng(0).random((40, 2)), Y


@pytest.mark.parametrize(
    ("amount", "shares"),
    [
        (None, [5, 3]),
        (8, [5, 3]),
        (0.25, [6, 4]),  # 10: 6.25 and 3.75, the larger remainder is rounded up
        (1, [1, 0]),  # 0.625 and 0.375
        (3, [2, 1]),  # 1.875 and 1.125
        (0, [0, 0]),
        (100, [63, 37]),  # 62.5 and 37.5, alike: the first is rounded up
    ],
)
def test_an_amount_is_spread_in_proportion(amount, shares):
    X, Y = two_minorities()
    sampler = MLSMOTE(sampling_ratio=amount, random_state=0)
    X_new, _ = sampler.fit_resample(X, Y)
    seeds = sampler.sample_indices_[40:]
    assert [(seeds < 5).sum(), (seeds >= 32).sum()] == shares
    assert len(X_new) == 40 + sum(shares)
    # Each carrier is used as often as any other, or once more.
    for samples, share in zip((range(5), range(32, 35)), shares, strict=True):
        uses = [int((seeds == sample).sum()) for sample in samples]
        assert max(uses) - min(uses) <= 1
        assert sum(uses) == share


def test_sparse_samples_stay_sparse():
    rng = np.random.default_rng(0)
    X = sparse.random_array((60, 200), density=0.02, rng=rng, format="csr")
    Y = np.column_stack([np.arange(60) < 40, np.arange(60) >= 45]).astype(int)
    X_new, Y_new = MLSMOTE(random_state=0).fit_resample(X, sparse.csr_array(Y))
    assert isinstance(X_new, sparse.csr_array)
    assert isinstance(Y_new, sparse.csr_array)
    assert X_new.shape == (75, 200)
    assert X_new[60:].nnz <= 15 * 200 * 0.05


def test_categories_of_a_frame_stay_categories():
    X, Y = two_minorities()
    colours = np.array(["red", "green", "blue"])[np.arange(40) % 3]
    frame = pd.DataFrame({"a": X[:, 0].astype(np.float32), "colour": pd.Categorical(colours)})
    sampler = MLSMOTE(categorical_features="auto", random_state=0)
    X_new, _ = sampler.fit_resample(frame, Y)
    assert X_new.dtypes.tolist() == frame.dtypes.tolist()
    assert len(X_new) == 48
    assert X_new["colour"].notna().all()


def test_takes_another_search_but_no_neighbours_of_all_samples():
    X, Y = two_minorities()
    expected = MLSMOTE(random_state=0).fit_resample(X, Y)
    found = MLSMOTE(neighbors=NearestNeighbors(), random_state=0).fit_resample(X, Y)
    np.testing.assert_array_equal(found[0], expected[0])
    with pytest.raises(ValueError, match="cannot use the neighbors of all samples"):
        MLSMOTE(neighbors=find_neighbors(X)).fit_resample(X, Y)


def test_jobs_change_nothing_where_a_label_is_large():
    rng = np.random.default_rng(0)
    X, Y = rng.random((2000, 8)), np.zeros((2000, 2), dtype=int)
    Y[:1300, 0] = Y[1300:, 1] = 1
    found = [MLSMOTE(n_jobs=n, random_state=0).fit_resample(X, Y)[0] for n in (None, 1, 2)]
    assert found[0].shape == (2700, 8)
    np.testing.assert_array_equal(found[1], found[0])
    np.testing.assert_array_equal(found[2], found[0])


@pytest.mark.parametrize("wrong", ["plurality", None, 3])
def test_names_the_rules_for_labels(wrong):
    with pytest.raises(ValueError, match="'ranking', 'majority', 'union', 'intersection'"):
        MLSMOTE(label_generation=wrong).fit_resample(*two_minorities())


@pytest.mark.parametrize("wrong", [0, -1, 2.5, "five", True])
def test_refuses_numbers_of_neighbours_that_are_none(wrong):
    with pytest.raises(ValueError, match="n_neighbors must be an int"):
        MLSMOTE(n_neighbors=wrong).fit_resample(*two_minorities())


def test_scales_over_all_samples_given():
    # The second feature spans 0 to 1000 over all samples but 0 to 1 over the carriers: it hardly
    # counts, so the nearest of sample 0 is sample 1 by the first feature.
    X = np.array([[0.0, 0.0], [0.1, 1.0], [0.3, 0.0], *[[1.0, 1000.0]] * 6])
    Y = np.repeat([[0, 1], [1, 0]], [3, 6], axis=0)
    X_new, _ = MLSMOTE(n_neighbors=1, random_state=0).fit_resample(X, Y)
    assert X_new[9, 0] <= 0.1
