"""Made data: what it shares, what it differs in, and how large it can be."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from rarelabels import measures
from rarelabels.datasets import MultiLabelDataset, make_local_imbalance, make_multilabel

GLOBAL = ("irlbl", "imr", "mean_ir", "cvir", "mean_imr", "cvimr", "scumble", "label_cardinality")


@settings(max_examples=30)
@given(
    st.integers(10, 200), st.integers(1, 12), st.floats(0, 1), st.integers(0, 99), st.integers(1, 9)
)
def test_the_labels_do_not_depend_on_the_difficulty(n, q, difficulty, seed, cluster_size):
    easy = make_local_imbalance(n, q, cluster_size=cluster_size, random_state=seed)
    hard = make_local_imbalance(
        n, q, difficulty=difficulty, cluster_size=cluster_size, random_state=seed
    )
    np.testing.assert_array_equal(easy.Y, hard.Y)
    assert easy.X.shape == hard.X.shape == (n, 2)
    assert (easy.Y.sum(axis=0) >= 1).all()


def test_every_global_measure_is_shared():
    sets = [
        make_local_imbalance(300, 5, difficulty=difficulty, random_state=seed)
        for difficulty in (0, 0.3, 1)
        for seed in (0, 1)
    ]
    for name in GLOBAL:
        measure = getattr(measures, name)
        for dataset in sets[1:]:
            np.testing.assert_allclose(measure(dataset.Y), measure(sets[0].Y), rtol=1e-12)


@pytest.mark.parametrize(("n", "q", "d"), [(200, 3, 2), (300, 3, 2), (1000, 10, 2), (1000, 5, 8)])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_limb_rises_with_the_difficulty(n, q, d, seed):
    found = [
        measures.limb(
            *make_local_imbalance(n, q, n_features=d, difficulty=difficulty, random_state=seed)
        )
        for difficulty in (0, 0.25, 0.5, 0.75, 1)
    ]
    assert (np.diff(found) > 0).all()
    assert found[0] < 0.02
    assert found[-1] > 0.55


def test_counts_by_hand():
    dataset = make_local_imbalance(100, 3)
    assert dataset.Y.sum(axis=0).tolist() == [30, 20, 10]
    # Arcs of 30, 20 and 10 rows from rows 0, 15 and 25: five kinds of rows, as in the paper's
    # figure: none, the first label, the first two, all three, the last two.
    assert len(np.unique(dataset.Y, axis=0)) == 5
    assert ((dataset.Y[:, 0] == 1) & (dataset.Y[:, 1] == 1)).sum() == 15


@pytest.mark.parametrize("make", [make_local_imbalance, make_multilabel])
def test_seeds(make, assert_same):
    assert_same(make(50, random_state=3), make(50, random_state=3))
    assert_same(make(50, random_state=np.random.default_rng(3)), make(50, random_state=3))
    make(50, random_state=np.random.RandomState(0))
    X, Y = make(50)
    assert X.shape[0] == Y.shape[0] == 50
    with pytest.raises(ValueError, match="random_state"):
        make(50, random_state="seed")


@pytest.mark.parametrize(
    "arguments",
    [{"difficulty": 1.1}, {"difficulty": -0.1}, {"n_features": 1}, {"n_labels": 0},
     {"cluster_size": 0}, {"n_samples": 9}],
)  # fmt: skip
def test_wrong_arguments_for_local_imbalance(arguments):
    with pytest.raises(ValueError, match=f"{next(iter(arguments))}.* must be"):
        make_local_imbalance(**arguments)


@pytest.mark.parametrize(
    "arguments",
    [{"cardinality": 0}, {"cardinality": 19}, {"density": 2}, {"density": -1}, {"signal": 2}],
)
def test_wrong_arguments_for_multilabel(arguments):
    with pytest.raises(ValueError, match=f"{next(iter(arguments))} must be"):
        make_multilabel(**arguments)


@pytest.mark.parametrize("cardinality", [0.5, 2, 8, 15])
def test_cardinality_and_tail(cardinality):
    Y = make_multilabel(20_000, 10, 20, cardinality=cardinality, random_state=0).Y
    assert Y.sum() / 20_000 == pytest.approx(cardinality, rel=0.03)
    counts = Y.sum(axis=0)
    assert counts[0] > 1.2 * counts[-1]
    assert counts.max() <= 0.92 * 20_000
    assert set(Y.data.tolist()) == {1}


def test_frequencies_follow_zipf():
    """The label of rank r is carried by 1/r as many rows as the first."""
    counts = make_multilabel(200_000, 5, 50, cardinality=1, random_state=0).Y.sum(axis=0)
    ranks = np.arange(1, 51)
    np.testing.assert_allclose(counts[:10], counts[0] / ranks[:10], rtol=0.06)


def test_labels_are_drawn_on_their_own():
    Y = make_multilabel(100_000, 5, 4, cardinality=1.5, random_state=0).Y.toarray()
    share = Y.mean(axis=0)
    together = (Y[:, 0] & Y[:, 1]).mean()
    assert together == pytest.approx(share[0] * share[1], rel=0.03)


@pytest.mark.parametrize("sparse_output", [True, False])
def test_features_tell_about_labels(sparse_output):
    from sklearn.linear_model import LogisticRegression

    for signal, least, most in ((0.9, 0.8, 1), (0.0, 0.0, 0.62)):
        X, Y = make_multilabel(
            2000, 100, 3, cardinality=1, density=0.2, signal=signal,
            sparse_output=sparse_output, random_state=0,
        )  # fmt: skip
        y = (Y.toarray() if sparse.issparse(Y) else Y)[:, 0]
        model = LogisticRegression(max_iter=500).fit(X[:1000], y[:1000])
        found = max(model.score(X[1000:], y[1000:]) - max(y.mean(), 1 - y.mean()) + 0.5, 0)
        assert least <= found <= most


def test_kinds_of_output():
    made = make_multilabel(30, 10, 3, random_state=0)
    assert isinstance(made, MultiLabelDataset)
    assert isinstance(made.X, sparse.csr_array)
    assert made.X.has_canonical_format
    assert made.Y.has_canonical_format
    assert made.X.indices.dtype == np.int32
    dense = make_multilabel(30, 10, 3, sparse_output=False, random_state=0)
    assert isinstance(dense.X, np.ndarray)
    np.testing.assert_array_equal(dense.Y, made.Y.toarray())


def test_a_large_set():
    made = make_multilabel(200_000, 5000, 500, cardinality=3, density=0.004, random_state=0)
    assert made.X.shape == (200_000, 5000)
    assert made.X.nnz > 3_000_000


def test_hardly_any_labels():
    X, Y = make_multilabel(10, 5, 3, cardinality=1e-9, random_state=0)
    assert Y.nnz == 0
    assert X.shape == (10, 5)
