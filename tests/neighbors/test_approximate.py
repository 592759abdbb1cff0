"""The approximate search reaches the recall it is asked for and says it, or is exact."""

import sys
from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

import literal
from layouts import layouts
from rarelabels import ApproximateNeighbors, Neighbors, find_neighbors
from rarelabels._neighbors import approximate
from rarelabels.datasets import MultiLabelDataset
from rarelabels.measures import describe
from rarelabels.report import data_summary, render_page
from rarelabels.sampling import MLSOL
from strategies import data_sets, with_gaps


@pytest.fixture
def small_cells(monkeypatch):
    """Let the approximate search begin among few samples."""
    if find_spec("faiss") is None:
        pytest.skip("faiss is not installed")
    monkeypatch.setattr(approximate, "APPROXIMATE_SAMPLES", 500)
    monkeypatch.setattr(approximate, "MEASURED", 200)


def clustered(n_samples, n_features=8, n_clusters=40, seed=0):
    rng = np.random.default_rng(seed)
    centers = 10 * rng.random((n_clusters, n_features))
    return centers[rng.integers(n_clusters, size=n_samples)] + rng.normal(
        scale=0.1, size=(n_samples, n_features)
    )


def recall_of(found, X):
    exact = find_neighbors(X, n_neighbors=found.n_neighbors).indices
    return (found.indices[:, :, None] == exact[:, None, :]).any(axis=2).mean()


@pytest.mark.usefixtures("small_cells")
@pytest.mark.parametrize("wanted", [0.5, 0.9, 0.99])
def test_the_recall_is_reached_and_said(wanted):
    X = clustered(6000)
    found = find_neighbors(X, neighbors=ApproximateNeighbors(recall=wanted))
    assert found.recall >= wanted
    # Measured on 200 samples of 5 neighbors.
    assert abs(found.recall - recall_of(found, X)) < 0.05
    assert not (found.indices == np.arange(6000)[:, None]).any()


@pytest.mark.usefixtures("small_cells")
def test_the_same_data_gives_the_same_neighbors():
    X = clustered(3000)
    one, two = (find_neighbors(X, neighbors="approximate", n_jobs=n) for n in (1, 2))
    np.testing.assert_array_equal(one.indices, two.indices)
    assert one.recall == two.recall >= 0.99


@pytest.mark.usefixtures("small_cells")
def test_data_without_clusters_is_searched_exactly():
    X = np.random.default_rng(0).random((3000, 60))
    found = find_neighbors(X, neighbors="approximate")
    assert found.recall == 1
    np.testing.assert_array_equal(found.indices, find_neighbors(X).indices)


@pytest.mark.usefixtures("small_cells")
@pytest.mark.parametrize("kind", ["gaps", "sparse", "many categories", "few samples"])
def test_what_has_no_cells_is_searched_exactly(kind):
    X, options = clustered(600), {}
    if kind == "gaps":
        X[::7, 0] = np.nan
    elif kind == "sparse":
        X = sparse.csr_array(X)
    elif kind == "many categories":
        X[:, 0] = np.arange(600) % 50
        options["categorical_features"] = [0]
    else:
        X = X[:400]
    found = find_neighbors(X, neighbors="approximate", **options)
    assert found.recall == 1
    np.testing.assert_array_equal(found.indices, find_neighbors(X, **options).indices)


@pytest.mark.filterwarnings("ignore:feature")
@pytest.mark.usefixtures("small_cells")
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    data=data_sets(min_samples=20, max_samples=60) | with_gaps(min_samples=20, max_samples=30),
    choose=st.data(),
)
def test_a_recall_of_one_on_all_samples_equals_literal_loops(monkeypatch, data, choose):
    X, _, categorical = data
    is_in_every_dtype = np.isin(X, range(9)).all()
    others = st.sampled_from([np.asarray, np.asarray, sparse.csr_array])
    container = choose.draw(layouts() if is_in_every_dtype else others)
    monkeypatch.setattr(approximate, "APPROXIMATE_SAMPLES", 0)
    monkeypatch.setattr(approximate, "MEASURED", X.shape[0])
    k, scale = choose.draw(st.integers(1, 6)), choose.draw(st.booleans())
    found = find_neighbors(
        container(X),
        n_neighbors=k,
        scale_features=scale,
        categorical_features=categorical,
        neighbors=ApproximateNeighbors(recall=1.0),
    )
    assert found.recall == 1
    np.testing.assert_array_equal(found.indices, literal.neighbors(X, k, categorical, scale))


@pytest.mark.usefixtures("small_cells")
def test_cells_with_too_few_samples_are_made_up_for():
    X = clustered(2000, n_clusters=400)
    found = find_neighbors(X, n_neighbors=30, neighbors=ApproximateNeighbors(recall=0.1))
    assert found.indices.min() >= 0
    assert all(np.unique(row).size == 30 for row in found.indices)
    assert not (found.indices == np.arange(2000)[:, None]).any()


@pytest.mark.usefixtures("small_cells")
def test_samplers_take_it():
    X = clustered(1000)
    y = (np.random.default_rng(0).random((1000, 3)) < 0.2).astype(int)
    sampler = clone(MLSOL(neighbors=ApproximateNeighbors(recall=0.9), random_state=0))
    assert sampler.fit_resample(X, y)[0].shape == (1300, 8)


@pytest.mark.parametrize("recall", [0, -1, 1.5])
def test_a_recall_that_is_no_share_is_refused(recall):
    with pytest.raises(ValueError, match=r"recall must lie in \(0, 1\]"):
        find_neighbors(clustered(20), neighbors=ApproximateNeighbors(recall=recall))


@pytest.mark.usefixtures("small_cells")
def test_too_little_memory_is_told_before_the_search():
    X = clustered(6000)
    # 10 columns in single precision, once for the search and once in cells, and to learn these.
    found = find_neighbors(X, neighbors=ApproximateNeighbors(recall=0.9, max_gigabytes=0.00072))
    assert found.recall >= 0.9
    with pytest.raises(MemoryError, match=r"0\.00072 GB for 6,000 samples.*=0\.0007 "):
        find_neighbors(X, neighbors=ApproximateNeighbors(max_gigabytes=0.0007))
    with pytest.raises(ValueError, match="max_gigabytes must be a number above 0"):
        find_neighbors(X, neighbors=ApproximateNeighbors(max_gigabytes=0))


@pytest.mark.usefixtures("small_cells")
def test_memory_that_runs_out_is_explained(monkeypatch):
    def nothing_left(*args):
        raise MemoryError

    monkeypatch.setattr(approximate, "operands_of", nothing_left)
    with pytest.raises(MemoryError, match=r"about \S+ GB .* and there is less.*TruncatedSVD"):
        find_neighbors(clustered(600), neighbors="approximate")


@pytest.mark.usefixtures("small_cells")
def test_measures_and_page_tell_the_recall():
    X = clustered(3000)
    y = (np.random.default_rng(0).random((3000, 2)) < 0.2).astype(int)
    search = ApproximateNeighbors(recall=0.5)
    found = find_neighbors(X, neighbors=search)
    assert found.recall < 1
    told = describe(X, y, neighbors=search)
    assert told.summary["neighbor_recall"] == found.recall
    assert "neighbor_recall" in repr(told)
    assert "neighbor_recall" not in describe(X, y).summary
    page = render_page(data_summary(MultiLabelDataset(X, y), neighbors=search))
    assert f"The search was approximate: it finds {100 * found.recall:.1f} % of them." in page


def test_without_faiss_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "faiss", None)
    with pytest.raises(ImportError, match=r'pip install "rarelabels\[approximate\]"'):
        find_neighbors(clustered(20), neighbors="approximate")


def test_a_faiss_that_cannot_be_loaded_is_not_called_missing(monkeypatch, tmp_path):
    (tmp_path / "faiss.py").write_text("raise ImportError('cannot allocate memory')")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "faiss", raising=False)
    with pytest.raises(ImportError, match=r"cannot be loaded.*cannot allocate memory"):
        find_neighbors(clustered(20), neighbors="approximate")


def test_neighbors_say_what_they_are():
    found = find_neighbors(clustered(20), n_neighbors=4)
    assert found.recall == found.first(2).recall == 1
    assert Neighbors(found.indices).recall is None
