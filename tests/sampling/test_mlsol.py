import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse, stats

import literal
from literal import LEVEL
from rarelabels import find_neighbors
from rarelabels.sampling import MLSOL
from strategies import data_sets, n_neighbors_for

pytestmark = pytest.mark.filterwarnings("ignore::rarelabels.measures.ConstantLabelWarning")
quiet = pytest.mark.filterwarnings("ignore:no sample is informative")


def place_between(new, seed, reference, X, categorical, metric="euclidean"):
    """cd of a new sample, from the features alone."""
    if metric == "cosine":
        chords = [literal.squared_chord(new, one, categorical) for one in (seed, reference)]
        distances = [np.sqrt(max(0.0, float(chord))) for chord in chords]
        return distances[0] / sum(distances) if sum(distances) else 0.5
    span = X.max(axis=0) - X.min(axis=0)
    distances = []
    for parent in (seed, reference):
        total = 0.0
        for j in range(X.shape[1]):
            if j in categorical:
                total += new[j] != parent[j]
            elif span[j]:
                total += ((new[j] - parent[j]) / span[j]) ** 2
        distances.append(np.sqrt(total))
    total = sum(distances)
    return distances[0] / total if total else 0.5


def possible_labels(new, s, X, Y, T, N, categorical, metric="euclidean"):
    """Labels by the rule for each reference whose box with the seed holds the new sample."""
    found = []
    for r in N[s]:
        low, high = np.minimum(X[s], X[r]), np.maximum(X[s], X[r])
        in_box = all(
            new[j] in (X[s, j], X[r, j]) if j in categorical else low[j] <= new[j] <= high[j]
            for j in range(X.shape[1])
        )
        if in_box:
            cd = place_between(new, X[s], X[r], X, categorical, metric)
            q = Y.shape[1]
            found.append([literal.label_of_new_row(j, s, r, cd, Y, T) for j in range(q)])
    return found


@quiet
@settings(max_examples=300)
@given(data=data_sets(min_samples=4), choose=st.data())
def test_every_sample_keeps_the_papers_rule(data, choose):
    X, Y, categorical = data
    k = n_neighbors_for(X, choose.draw)
    metric = choose.draw(st.sampled_from(["euclidean", "cosine"]))
    sampler = MLSOL(
        sampling_ratio=1.5,
        n_neighbors=k,
        categorical_features=categorical,
        metric=metric,
        random_state=0,
    )
    container = choose.draw(st.sampled_from([np.asarray, sparse.csr_array]))
    X_new, Y_new = sampler.fit_resample(container(X), Y)
    X_new = X_new.toarray() if sparse.issparse(X_new) else X_new
    n = X.shape[0]
    search = literal.neighbors if metric == "euclidean" else literal.cosine_neighbors
    N = search(X, k, categorical)
    np.testing.assert_allclose(sampler.weights_, literal.weights(Y, N), atol=1e-13)
    np.testing.assert_array_equal(X_new[:n], X)
    np.testing.assert_array_equal(Y_new[:n], Y)
    assert X_new.shape[0] == n + (int(1.5 * n) if sampler.weights_.any() else 0)
    T = literal.types(Y, N)
    for sample in range(n, X_new.shape[0]):
        s = sampler.sample_indices_[sample]
        assert sampler.weights_[s] > 0
        expected = possible_labels(X_new[sample], s, X, Y, T, N, categorical, metric)
        assert Y_new[sample].tolist() in expected


def test_seeds_follow_the_weights():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(30, 3)), (rng.random((30, 4)) < 0.3).astype(int)
    sampler = MLSOL(sampling_ratio=30_000, n_neighbors=4, random_state=0)
    sampler.fit_resample(X, Y)
    seeds = sampler.sample_indices_[30:]
    weights = literal.weights(Y, literal.neighbors(X, 4))
    counts = np.bincount(seeds, minlength=30)
    assert (counts[weights == 0] == 0).all()
    likely = weights > 0
    expected = weights[likely] / weights.sum() * seeds.size
    assert stats.chisquare(counts[likely], expected).pvalue > LEVEL


def test_references_are_any_neighbour_alike():
    # Samples far apart on their own axes: the axis a new sample moved along tells its reference.
    X = np.vstack([np.zeros(4), np.eye(4), 5 + np.eye(4)])
    Y = np.array([[1], [1], [0], [0], [0], [0], [0], [0], [0]])
    sampler = MLSOL(sampling_ratio=4000, n_neighbors=4, scale_features=False, random_state=0)
    X_new, _ = sampler.fit_resample(X, Y)
    from_origin = X_new[9:][sampler.sample_indices_[9:] == 0]
    moved = (from_origin > 0).argmax(axis=1)
    assert ((from_origin > 0).sum(axis=1) == 1).all()
    assert stats.chisquare(np.bincount(moved, minlength=4)).pvalue > LEVEL


def test_by_hand():
    # One feature, k = 2, one label held by samples 0 and 1. Sample 0 at 0 sees 1 and 2, sample 1 at
    # 1 sees 0 and 2: half of the neighbours are opposite, C = 1/2, both borderline, both weigh 1/2.
    X, Y = np.array([[0.0], [1.0], [2.0], [8.0], [9.0], [10.0]]), np.array([[1, 1, 0, 0, 0, 0]]).T
    sampler = MLSOL(sampling_ratio=500, n_neighbors=2, random_state=0)
    X_new, Y_new = sampler.fit_resample(X, Y)
    np.testing.assert_array_equal(sampler.weights_, [0.5, 0.5, 0, 0, 0, 0])
    made, labels, seeds = X_new[6:, 0], Y_new[6:, 0], sampler.sample_indices_[6:]
    assert set(seeds.tolist()) == {0, 1}
    # Between 0 and 1 both hold the label. From 1 towards 2 it reaches 3/4 of the way, to 1.75;
    # from 0 towards 2 too, to 1.5.
    assert (labels[made <= 1.5] == 1).all()
    assert (labels[(seeds == 0) & (made > 1.5)] == 0).all()
    assert (labels[(seeds == 1) & (made > 1.75)] == 0).all()
    assert (labels[(seeds == 1) & (made <= 1.75)] == 1).all()
    assert 0 < labels.mean() < 1


def test_nothing_informative_returns_the_data_with_a_warning():
    X = np.arange(6.0)[:, None]
    lonely = np.array([[0, 0, 0, 1, 0, 0]]).T  # one positive: an outlier
    sampler = MLSOL(n_neighbors=2, random_state=0)
    with pytest.warns(UserWarning, match="no sample is informative"):
        X_new, Y_new = sampler.fit_resample(X, lonely)
    np.testing.assert_array_equal(X_new, X)
    np.testing.assert_array_equal(Y_new, lonely)
    assert not sampler.is_synthetic_.any()


@quiet
def test_all_labels_zero_and_identical_samples():
    X, Y = np.ones((8, 3)), np.zeros((8, 2), dtype=int)
    X_new, _ = MLSOL(random_state=0).fit_resample(X, Y)
    assert X_new.shape == (8, 3)
    Y[:3, 0] = Y[:5, 1] = 1
    X_new, Y_new = MLSOL(sampling_ratio=1.0, random_state=0).fit_resample(X, Y)
    np.testing.assert_array_equal(X_new, np.ones((16, 3)))
    assert np.isin(Y_new, (0, 1)).all()


def test_one_feature_one_label_float32():
    rng = np.random.default_rng(0)
    X = rng.random((20, 1), dtype=np.float32)
    Y = (rng.random((20, 1)) < 0.4).astype(bool)
    X_new, Y_new = MLSOL(sampling_ratio=0.5, random_state=0).fit_resample(X, Y)
    assert X_new.dtype == np.float32
    assert Y_new.dtype == bool
    assert X_new.shape == (30, 1)


def test_neighbours_found_before_change_nothing():
    rng = np.random.default_rng(0)
    X, Y = rng.random((60, 5)), (rng.random((60, 6)) < 0.3).astype(int)
    found = find_neighbors(X, n_neighbors=9)
    for k in (5, 9):
        alone = MLSOL(n_neighbors=k, random_state=1).fit_resample(X, Y)
        handed = MLSOL(n_neighbors=k, neighbors=found, random_state=1).fit_resample(X, Y)
        np.testing.assert_array_equal(alone[0], handed[0])
        np.testing.assert_array_equal(alone[1], handed[1])


@pytest.mark.parametrize("ratio", [-0.1, np.nan, np.inf, "0.3", None, True, -3])
def test_a_ratio_outside_its_range(ratio):
    with pytest.raises(ValueError, match="sampling_ratio must be a float of at least 0"):
        MLSOL(sampling_ratio=ratio).fit_resample(np.eye(8), np.eye(8))


@pytest.mark.parametrize("k", [0, -1, 2.5, "5", True])
def test_neighbours_that_are_no_number(k):
    with pytest.raises(ValueError, match="n_neighbors must be an int"):
        MLSOL(n_neighbors=k).fit_resample(np.eye(8), np.eye(8))


def test_too_many_neighbours():
    with pytest.raises(ValueError, match=r"needs at least 9 samples.*got n_samples=8"):
        MLSOL(n_neighbors=8).fit_resample(np.eye(8), np.eye(8))
