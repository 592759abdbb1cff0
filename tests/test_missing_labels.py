"""Labels of which some cells are not known: NaN."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import literal
from rarelabels import Neighbors, measures, sampling
from rarelabels._local import local_imbalance_of, row_numbers
from rarelabels.base import BaseSampler, LabelMatrix, Resample, Synthetic
from rarelabels.sampling._labelsets import adjusted_hamming
from rarelabels.weights import local_weights
from strategies import data_sets, n_neighbors_for

pytestmark = [
    pytest.mark.filterwarnings("ignore::rarelabels.measures.ConstantLabelWarning"),
    pytest.mark.filterwarnings("ignore:no sample is informative"),
    pytest.mark.filterwarnings("ignore:no minority label"),
    pytest.mark.filterwarnings("ignore:all .* labelsets are equally frequent"),
]

SAMPLERS = [name for name in sampling.sampler_names() if "hwr" not in name]


@st.composite
def partly_known(draw, **sizes):
    X, Y, categorical = draw(data_sets(**sizes))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    share = draw(st.sampled_from([0.1, 0.4]))
    return X, np.where(rng.random(Y.shape) < share, np.nan, Y), categorical


def sampler(name, **params):
    small = {"n_neighbors": 2} if name in ("mlsol", "mlul", "mlsmote", "mlenn") else {}
    return sampling.sampler(name, allow_missing_labels=True, random_state=0, **small, **params)


@settings(max_examples=200)
@given(data=partly_known(max_samples=20), choose=st.data())
def test_everything_local_equals_literal_loops(data, choose):
    X, Y, _ = data
    N = literal.neighbors(X, n_neighbors_for(X, choose.draw, largest=10))
    local = local_imbalance_of(LabelMatrix.of(Y), Neighbors(N))
    row, column = row_numbers(local.entries), local.entries.indices
    np.testing.assert_allclose(local.imbalance, literal.imbalance(Y, N)[row, column])
    types = np.full(Y.shape, 4)
    types[row, column] = local.types
    np.testing.assert_array_equal(types, literal.types(Y, N))
    np.testing.assert_allclose(local.weights, literal.weights(Y, N), atol=1e-13)
    np.testing.assert_allclose(local.influence, literal.influence(Y, N), atol=1e-13)


@settings(max_examples=100)
@given(data=partly_known(min_samples=4), choose=st.data())
def test_mlsol_takes_what_a_parent_knows(data, choose):
    X, Y, _ = data
    X = X + np.random.default_rng(0).random(X.shape)  # no ties: the box tells the reference
    k = n_neighbors_for(X, choose.draw)
    made = sampling.MLSOL(
        sampling_ratio=2.0, n_neighbors=k, random_state=0, allow_missing_labels=True
    )
    X_new, Y_new = made.fit_resample(X, Y)
    N = literal.neighbors(X, k)
    T, n, q = literal.types(Y, N), X.shape[0], Y.shape[1]
    np.testing.assert_array_equal(Y_new[:n], Y)
    span = X.max(axis=0) - X.min(axis=0)
    for sample in range(n, X_new.shape[0]):
        s, found = made.sample_indices_[sample], []
        for r in N[s]:
            low, high = np.minimum(X[s], X[r]), np.maximum(X[s], X[r])
            if (low <= X_new[sample]).all() and (X_new[sample] <= high).all():
                d_s, d_r = (np.linalg.norm((X_new[sample] - X[p]) / span) for p in (s, r))
                cd = d_s / (d_s + d_r)
                found.append([literal.label_of_new_row(j, s, r, cd, Y, T) for j in range(q)])
        assert any(np.array_equal(Y_new[sample], labels, equal_nan=True) for labels in found)


@settings(max_examples=40)
@given(data=partly_known(min_samples=6))
@pytest.mark.parametrize("name", SAMPLERS)
def test_every_sampler_keeps_unknown_cells_of_copied_samples(name, data):
    X, Y, _ = data
    made = sampler(name)
    X_new, Y_new = made.fit_resample(X, Y)
    copied = ~made.is_synthetic_
    origins = made.sample_indices_[copied]
    np.testing.assert_array_equal(np.isnan(Y_new[copied]), np.isnan(Y[origins]))
    if name != "remedial":
        np.testing.assert_array_equal(Y_new[copied], Y[origins])
    assert np.isin(Y_new[~np.isnan(Y_new)], (0, 1)).all()
    assert X_new.shape[0] == Y_new.shape[0]


@pytest.mark.parametrize("name", SAMPLERS)
def test_nothing_unknown_changes_nothing(name):
    rng = np.random.default_rng(0)
    X, Y = rng.random((40, 3)), (rng.random((40, 4)) < [0.1, 0.2, 0.4, 0.7]).astype(float)
    expected = sampler(name).set_params(allow_missing_labels=False).fit_resample(X, Y)
    found = sampler(name).fit_resample(X, Y)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("name", SAMPLERS)
def test_unknown_is_an_error_by_default_that_names_the_cell(name):
    y = pd.DataFrame({"p": [1.0, 0, 0, 1], "q": [0, np.nan, 1, 0]})
    with pytest.raises(ValueError, match=r"NaN in row 1, column 'q'; .*allow_missing_labels=True"):
        sampling.sampler(name).fit_resample(np.eye(4), y)
    with pytest.raises(ValueError, match=r"NaN in row 1, column 1"):
        measures.irlbl(sparse.csr_array(y.to_numpy()))


def test_containers_with_unknown_labels():
    rng = np.random.default_rng(0)
    X, Y = rng.random((40, 3)), (rng.random((40, 3)) < 0.4).astype(np.float32)
    Y[rng.random(Y.shape) < 0.2] = np.nan
    expected = sampler("mlsol", sampling_ratio=2.0).fit_resample(X, Y)[1]
    assert expected.dtype == np.float32
    assert np.isnan(expected[40:]).any()
    of_frame = sampler("mlsol", sampling_ratio=2.0).fit_resample(
        X, pd.DataFrame(Y, columns=list("abc"))
    )[1]
    np.testing.assert_array_equal(of_frame.to_numpy(), expected)
    nullable = pd.DataFrame(Y, columns=list("abc")).astype("Int64")
    of_nullable = sampler("mlsol", sampling_ratio=2.0).fit_resample(X, nullable)[1]
    assert (of_nullable.dtypes == "Int64").all()
    np.testing.assert_array_equal(of_nullable.isna().to_numpy(), np.isnan(expected))
    frame = pl.DataFrame(Y, schema=list("abc")).fill_nan(None).cast(pl.Int8)
    of_polars = sampler("mlsol", sampling_ratio=2.0).fit_resample(X, frame)[1]
    assert of_polars.schema == frame.schema
    np.testing.assert_array_equal(of_polars.cast(pl.Float32).to_numpy(), expected)
    of_sparse = sampler("mlsol", sampling_ratio=2.0).fit_resample(X, sparse.csr_array(Y))[1]
    np.testing.assert_array_equal(of_sparse.toarray(), expected)


def test_measures_by_hand():
    # Label 0 is known of four samples, two of them positive; label 1 of three, one positive.
    Y = np.array([[1, 1], [1, np.nan], [0, 0], [0, 0], [np.nan, np.nan]])
    known = {"allow_missing_labels": True}
    np.testing.assert_array_equal(measures.irlbl(Y, **known), [1, 2])
    np.testing.assert_array_equal(measures.imr(Y, **known), [1, 2])
    assert measures.mean_ir(Y, **known) == 1.5
    assert measures.label_cardinality(Y, **known) == 3 / 5
    assert measures.label_density(Y, **known) == pytest.approx(3 / 7)
    np.testing.assert_allclose(
        measures.scumble_per_instance(Y, **known), [1 - np.sqrt(2) / 1.5, 0, 0, 0, 0]
    )
    # On a line with k = 2. Label 0: sample 0 sees samples 1 (1) and 2 (0): 1/2; sample 1 sees 0 (1)
    # and 2 (0): 1/2. Label 1: sample 0 sees sample 2 alone, which is opposite: an outlier.
    X = np.arange(5.0)[:, None]
    C = measures.local_imbalance(X, Y, n_neighbors=2, **known)
    np.testing.assert_array_equal(C[:2], [[0.5, 1.0], [0.5, np.nan]])
    assert measures.limb(X, Y, n_neighbors=2, **known) == 0.75
    assert measures.describe(X, Y, n_neighbors=2, **known).summary["limb"] == 0.75


def test_labels_that_one_does_not_know_are_not_compared():
    Y = LabelMatrix.of([[1, 1, np.nan], [1, 0, 1], [np.nan, np.nan, np.nan]])
    left, right = np.array([0, 0]), np.array([1, 2])
    # Labels 0 and 1 are known to both: {0, 1} against {0}: one of three. Nothing with sample 2.
    np.testing.assert_allclose(adjusted_hamming(Y, left, right), [1 / 3, 0])


def test_mlsmote_counts_those_who_know():
    # Label 0 is the rare one, carried by samples 0 to 2, which are each other's neighbours.
    X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2], [5.3], [5.4], [5.5]])
    Y = np.array([[1, 1, np.nan], [1, 0, np.nan], [1, np.nan, np.nan], *[[0, 1, 1]] * 6])
    made = sampling.MLSMOTE(n_neighbors=2, random_state=0, allow_missing_labels=True)
    Y_new = made.fit_resample(X, Y)[1][9:]
    # Two know label 1 and one of them has it: half. Nobody knows label 2.
    np.testing.assert_array_equal(Y_new, [[1, 1, np.nan]] * 3)


def as_array(Y):
    """0, 1 and NaN."""
    return Y.with_nan().toarray().astype(float)


@settings(max_examples=100)
@given(data=partly_known(min_samples=2), choose=st.data())
def test_labels_never_lose_what_is_unknown(data, choose):
    _, Y, _ = data
    n = len(Y)
    first, second = (
        choose.draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=2 * n)) for _ in range(2)
    )
    labels = LabelMatrix.of(Y)
    np.testing.assert_array_equal(as_array(labels), Y)
    taken = labels.take(first)
    np.testing.assert_array_equal(as_array(taken), Y[first])
    np.testing.assert_array_equal(as_array(taken.stack(labels.take(second))), Y[first + second])
    assert taken.shape == (len(first), Y.shape[1])
    assert (taken.unknown is None) == (not np.isnan(Y[first]).any())


def test_labels_are_no_array_whose_copies_would_forget():
    labels = LabelMatrix.of([[1.0, np.nan]])
    for lossy in (lambda: labels[[0]], lambda: labels.astype(float), lambda: labels * 2):
        with pytest.raises((TypeError, AttributeError)):
            lossy()
    with pytest.raises(AttributeError):
        labels.unknown = None


class FirstAgain(BaseSampler):
    """A sampler as its author would write it first: the first sample once more, made up."""

    def __init__(self, *, allow_missing_labels=False):
        self.allow_missing_labels = allow_missing_labels

    def _resample(self, X, Y, rng):
        made = Synthetic(X.matrix[[0]], Y.take([0]), np.array([0]))
        return Resample(kept=np.arange(Y.shape[0]), synthetic=made)


def test_a_short_sampler_keeps_unknown_labels():
    Y = np.array([[np.nan, 1.0], [0.0, 1.0], [1.0, 0.0]])
    Y_new = FirstAgain(allow_missing_labels=True).fit_resample(np.eye(3), Y)[1]
    np.testing.assert_array_equal(Y_new, Y[[0, 1, 2, 0]])


@pytest.mark.parametrize("given", [np.asarray, sparse.csr_array, LabelMatrix.of, pd.DataFrame])
def test_a_sampler_may_give_labels_in_any_form(given):
    class Unsure(BaseSampler):
        allow_missing_labels = True

        def _resample(self, X, Y, rng):
            made = Synthetic(X.matrix[[0]], given(np.array([[np.nan, 1.0]])), np.array([0]))
            return Resample(kept=np.array([0]), synthetic=made)

    Y_new = Unsure().fit_resample(np.eye(2), np.array([[1.0, 0.0], [0.0, 1.0]]))[1]
    np.testing.assert_array_equal(Y_new, [[1, 0], [np.nan, 1]])


def test_measures_take_the_labels_that_a_sampler_gets():
    Y = np.array([[1, np.nan], [0, 1], [1, 1], [0, 0]])
    labels, X = LabelMatrix.of(Y), np.arange(4.0)[:, None]
    found = local_weights(X, labels, n_neighbors=2, allow_missing_labels=True)
    expected = local_weights(X, Y, n_neighbors=2, allow_missing_labels=True)
    np.testing.assert_array_equal(found.weights, expected.weights)
    with pytest.raises(ValueError, match="NaN in row 0, column 1"):
        measures.irlbl(labels)
