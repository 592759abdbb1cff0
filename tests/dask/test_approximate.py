"""Approximate search on Dask collections: recall, equality for any layout, and when it is exact."""

import logging
from dataclasses import replace

import dask.array as da
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import dask
from rarelabels import ApproximateNeighbors, find_neighbors
from rarelabels._dask import approximate, regions, search_memory
from rarelabels._dask.regions import Assignment, reach_needed
from rarelabels.measures import limb
from rarelabels.sampling import MLSMOTE, MLSOL

pytest.importorskip("faiss")


def clustered(n_samples=3000, n_features=8, n_clusters=60, seed=0):
    rng = np.random.default_rng(seed)
    centers = rng.normal(size=(n_clusters, n_features))
    noise = rng.normal(scale=0.05, size=(n_samples, n_features))
    return (centers[rng.integers(n_clusters, size=n_samples)] + noise).astype(np.float32)


def chunked(X, size=700):
    return da.from_array(X, chunks=(size, X.shape[1]))


@pytest.fixture(autouse=True)
def small_regions(monkeypatch):
    sizes = {
        "APPROXIMATE_SAMPLES": 1000,
        "LEAST_CELLS": 64,
        "CELL_SAMPLES": 100,
        "CELLS": approximate.CellSettings(learned_from=16, rounds=6, measured=50),
    }
    for name, size in sizes.items():
        monkeypatch.setattr(approximate, name, size)


def share_found(found, exact):
    return (found[:, :, None] == exact[:, None, :]).any(axis=2).mean()


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("recall", [0.9, 0.99])
def test_the_recall_is_reached_and_reported(metric, recall):
    X = clustered()
    search = ApproximateNeighbors(recall=recall)
    found = find_neighbors(chunked(X), neighbors=search, metric=metric)
    exact = find_neighbors(X, metric=metric).indices
    assert found.recall >= recall
    # The recall is measured on 500 of the samples.
    assert share_found(found.indices, exact) == pytest.approx(found.recall, abs=0.02)
    assert not (found.indices == np.arange(len(X))[:, None]).any()


@pytest.mark.parametrize(("size", "n_threads"), [(3000, 1), (701, 4), (97, 2)])
def test_chunks_and_workers_do_not_matter(size, n_threads):
    X = clustered()
    expected = find_neighbors(chunked(X), neighbors="approximate")
    with dask.config.set(num_workers=n_threads):
        found = find_neighbors(chunked(X, size), neighbors="approximate")
    np.testing.assert_array_equal(found.indices, expected.indices)
    assert found.recall == expected.recall


def test_candidates_are_in_the_order_of_the_exact_search():
    X = np.round(clustered(n_samples=2000), 1)
    found = find_neighbors(chunked(X), neighbors="approximate").indices
    exact = find_neighbors(X).indices
    has_all = (np.sort(found) == np.sort(exact)).all(axis=1)
    assert has_all.mean() > 0.9
    np.testing.assert_array_equal(found[has_all], exact[has_all])


def test_samplers_and_measures_use_it():
    X, rng = clustered(), np.random.default_rng(0)
    y = (rng.random((len(X), 4)) < [0.05, 0.1, 0.3, 0.5]).astype(int)
    neighbors = find_neighbors(chunked(X), neighbors="approximate")
    expected = MLSOL(neighbors=neighbors, random_state=0).fit_resample(X, y)
    found = MLSOL(neighbors="approximate", random_state=0).fit_resample(chunked(X), y)
    np.testing.assert_array_equal(found[0].compute(), expected[0])
    np.testing.assert_array_equal(found[1], expected[1])
    assert limb(chunked(X), y, neighbors="approximate") == limb(X, y, neighbors=neighbors)
    # MLSMOTE searches among the samples of one label, exactly.
    expected = MLSMOTE(random_state=0).fit_resample(X, y)[0]
    found = MLSMOTE(neighbors="approximate", random_state=0).fit_resample(chunked(X), y)[0]
    np.testing.assert_array_equal(found.compute(), expected)


def test_few_categories_are_columns():
    X, rng = clustered().astype(float), np.random.default_rng(1)
    X[:, 0], X[:, 1] = rng.integers(3, size=len(X)), rng.integers(2, size=len(X))
    X[::50, 0] = np.nan
    options = {"categorical_features": [0, 1]}
    found = find_neighbors(chunked(X), neighbors="approximate", **options)
    assert share_found(found.indices, find_neighbors(X, **options).indices) > 0.97


def no_clusters():
    return np.random.default_rng(0).normal(size=(1500, 30))


def with_gaps():
    X = clustered(n_samples=1500).astype(float)
    X[3, 4] = np.nan
    return X


@pytest.mark.parametrize("make", [no_clusters, with_gaps, lambda: clustered(n_samples=900)])
def test_it_is_exact_where_that_is_cheaper(make, caplog):
    X = make()
    with caplog.at_level(logging.INFO, logger="rarelabels"):
        found = find_neighbors(chunked(X), neighbors="approximate")
    assert found.recall == 1
    np.testing.assert_array_equal(found.indices, find_neighbors(X).indices)
    assert "the exact search is used" in caplog.text


def test_it_is_exact_for_sparse_blocks_and_many_categories():
    X = sparse.csr_array(np.maximum(clustered(n_samples=1500), 0))
    blocks = da.from_array(X.toarray(), chunks=(500, 8)).map_blocks(sparse.csr_array)
    found = find_neighbors(blocks, neighbors="approximate")
    assert found.recall == 1
    np.testing.assert_array_equal(found.indices, find_neighbors(X).indices)
    X = clustered(n_samples=1500)
    X[:, 0] = np.arange(1500) % 40
    found = find_neighbors(chunked(X), neighbors="approximate", categorical_features=[0])
    assert found.recall == 1


def test_a_recall_that_is_not_reached_is_exact(monkeypatch):
    attempts = []

    def attempt(self, not_visited, not_found):
        attempts.append((not_visited, not_found))
        return np.zeros((3000, 5), dtype=int), 0.5

    monkeypatch.setattr(approximate.RegionSearch, "attempt", attempt)
    X = clustered()
    found = find_neighbors(chunked(X), neighbors="approximate")
    assert attempts == [(2 / 3, 1 / 5), (1 / 3, 1 / 10)]
    assert found.recall == 1
    np.testing.assert_array_equal(found.indices, find_neighbors(X).indices)


def test_memory_is_stated_before_samples_are_sent(monkeypatch, caplog):
    X = clustered()
    with caplog.at_level(logging.INFO, logger="rarelabels"):
        find_neighbors(chunked(X), neighbors="approximate")
    assert "3,000 samples in " in caplog.text
    assert " GB, with the blocks" in caplog.text
    monkeypatch.setattr(approximate.RegionSearch, "_nearest", None)
    too_small = ApproximateNeighbors(max_gigabytes=1e-5)
    with pytest.raises(MemoryError, match=r"1e-05 is less than needed.* GB to learn regions"):
        find_neighbors(chunked(X), neighbors=too_small)
    monkeypatch.setattr(search_memory.ThreadMemory, "learning", lambda *_: 0)
    with pytest.raises(MemoryError, match=r"max_gigabytes=1e-05 is less than needed.* 3,000 samp"):
        find_neighbors(chunked(X), neighbors=too_small)


def test_the_estimate_counts_blocks_regions_and_learned_samples():
    sizes = search_memory.ThreadMemory(
        10**8, bytes_per_sample=408, n_columns=100, n_neighbors=5, n_threads=2
    )
    targets, visits = np.full(4, 5000), np.full(4, 1000)
    rounds = [np.array([0, 1]), np.array([2, 3])]

    def estimate(sizes, n_learned=1000):
        return search_memory.SendingPlan(rounds, targets, visits, sizes, n_learned).gigabytes

    # Three blocks are read while a thread has its share of a round: 6,000 samples and more, and
    # their five neighbors.
    other = search_memory.OTHER_BYTES
    assigned, sent = (4 * 20_000 + 8 * 4000) / 2, 6000 * (1.3 * 408 + 8 + 5 * 12)
    assert estimate(sizes) == pytest.approx((assigned + sent + 3e8 + other) / 1e9)
    # Small blocks: a region of 6,000 samples is searched.
    small = replace(sizes, block_bytes=1000)
    searched = 6000 * (408 * 1.5 + 8 * 100 + 2 * 4 * 100)
    assert estimate(small) == pytest.approx((assigned + sent + searched + other) / 1e9)
    # Regions are learned from many samples.
    assert estimate(small, 10**6) == pytest.approx((1e6 * (2 * 408 + 4 * 100) + other) / 1e9)


def test_each_sample_is_sent_once_and_to_the_regions_that_it_visits(monkeypatch):
    sent = []
    searched = approximate._search_region

    def recorded(scaling, parts, *arguments):
        sent.append(parts)
        return searched(scaling, parts, *arguments)

    monkeypatch.setattr(approximate, "_search_region", recorded)
    plans = []
    monkeypatch.setattr(approximate.logger, "info", lambda text, *plan: plans.extend(plan))
    X = clustered()
    find_neighbors(chunked(X), neighbors="approximate")
    targets = np.concatenate([part.target_samples for parts in sent for part in parts])
    np.testing.assert_array_equal(np.sort(targets), np.arange(len(X)))
    visitors = np.concatenate([part.visitor_samples for parts in sent for part in parts])
    (plan,) = plans
    assert visitors.size == plan.n_visits.sum()
    assert len(sent) == plan.n_targets.size
    for parts in sent:
        for part in parts:
            np.testing.assert_array_equal(part.targets.numbers, X[part.target_samples])
            np.testing.assert_array_equal(part.visitors.numbers, X[part.visitor_samples])


def test_samples_of_tiny_regions_have_all_neighbors(monkeypatch):
    # Three samples lie so far away that they have cells and regions of their own.
    X = clustered()
    X[[5, 500, 2500]] += [[90], [100], [110]]
    monkeypatch.setattr(approximate, "LEAST_REGIONS", 40)
    monkeypatch.setattr(approximate, "MOST_EXACT", 2)
    n_neighbors = 60
    found = find_neighbors(chunked(X), neighbors="approximate", n_neighbors=n_neighbors)
    assert (found.indices >= 0).all()
    exact = find_neighbors(X, n_neighbors=n_neighbors).indices
    assert share_found(found.indices, exact) > 0.97


@given(
    weights=st.lists(st.integers(0, 9), min_size=1, max_size=30),
    most=st.floats(1, 50),
    seed=st.integers(0, 99),
)
def test_groups_of_cells_are_no_heavier_than_allowed(weights, most, seed):
    centers = np.random.default_rng(seed).normal(size=(len(weights), 3)).astype(np.float32)
    group = regions._grouped(centers, np.array(weights), most)
    sizes, loads = np.bincount(group), np.bincount(group, weights=weights)
    assert (sizes > 0).all()
    assert ((loads <= most) | (sizes == 1)).all()


@given(st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=1, max_size=20))
def test_an_assignment_equals_literal_loops(cells):
    region = np.array([0, 1, 1, 2, 0])
    of_cells = region[np.array(cells)]
    row, place = np.nonzero(regions._is_first(of_cells))
    is_visit = place > 0
    found = Assignment(of_cells[:, 0], row[is_visit], of_cells[row, place][is_visit])
    for wanted in range(3):
        ((targets, visitors),) = found.of_regions([wanted])
        assert targets.tolist() == [i for i, line in enumerate(of_cells) if line[0] == wanted]
        assert visitors.tolist() == [
            i for i, line in enumerate(of_cells) if wanted in line and line[0] != wanted
        ]
        assert found.counts(3)[:, wanted].tolist() == [targets.size, visitors.size]


@settings(max_examples=50)
@given(
    cells=st.lists(st.permutations(range(6)), min_size=1, max_size=6),
    share=st.sampled_from([0.5, 0.9, 1.0]),
    least=st.sampled_from([0.2, 0.5]),
    choose=st.data(),
)
def test_the_least_reach_that_has_a_share_of_the_neighbors(cells, share, least, choose):
    cells = np.array(cells)[:, :4]
    steps = [[0, *(choose.draw(st.integers(0, 3)) for _ in range(3))] for _ in cells]
    excess = np.cumsum(steps, axis=1)
    owners = np.array([[choose.draw(st.integers(0, 5)) for _ in range(2)] for _ in cells])
    shares = {}
    for reach in np.unique(excess):
        within = np.where(excess <= reach, cells, -1)
        shares[reach] = (owners[:, :, None] == within[:, None, :]).any(axis=2).mean()
    most = max(shares.values())
    wanted = min(share, most) - 1e-12
    expected = min(reach for reach in shares if shares[reach] >= wanted)
    if most < least - 1e-12:
        expected = np.inf
    assert reach_needed(cells, excess, owners, share, least) == expected


@given(
    st.lists(st.permutations(range(6)), min_size=1, max_size=20),
    st.floats(1, 8),
    st.data(),
)
def test_bundles_are_no_heavier_than_allowed(cells, most, choose):
    cells = np.array(cells)[:, :3]
    weights = np.bincount(cells[:, 0], minlength=6)
    rows = [sorted(choose.draw(st.tuples(*[st.floats(0.1, 9)] * 3))) for _ in cells]
    squares = np.array(rows, dtype=np.float32)
    bundle = regions._bundles(squares, cells, weights, most)
    sizes, loads = np.bincount(bundle), np.bincount(bundle, weights=weights)
    assert ((loads <= most) | (sizes == 1)).all()
    # A pair of bundles that samples lie between is too heavy to be joined.
    for a, b in {(bundle[row[0]], bundle[other]) for row in cells for other in row[1:]}:
        assert a == b or loads[a] + loads[b] > most


def test_cells_of_one_cluster_are_bundled():
    # Two cells share a cluster at 0 and two share another at 100; a fifth is far from both.
    squares = np.tile(np.array([[1.0, 1.1, 50.0]], dtype=np.float32), (5, 1))
    cells = np.array([[0, 3, 1], [3, 0, 1], [1, 4, 0], [4, 1, 3], [2, 0, 1]])
    squares[4, 1:] = 40
    bundle = regions._bundles(squares, cells, np.ones(5), 2)
    assert bundle[0] == bundle[3]
    assert bundle[1] == bundle[4]
    assert np.unique(bundle).size == 3
