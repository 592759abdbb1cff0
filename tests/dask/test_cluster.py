"""Worker processes give what one machine gives, also when one of them dies."""

import os
import signal
import threading

import dask.array as da
import numpy as np
import pytest

import dask
from rarelabels import find_neighbors
from rarelabels._dask import approximate
from rarelabels._dask.tasks import TaskGraph
from rarelabels.learners import KernelRidgeClassifier
from rarelabels.sampling import MLSOL

pytestmark = pytest.mark.usefixtures("workers")

rng = np.random.default_rng(0)
X = rng.normal(size=(400, 6))
y = (rng.random((400, 4)) < [0.03, 0.1, 0.3, 0.5]).astype(int)


def blocks(folder, X=X, **dies_on):
    """Return 400 samples as an array of four blocks.

    The process that makes one dies when it is asked for it the given time.
    """

    # Workers cannot import this module, and what is made in a function is sent to them whole.
    def block(rows, ran, dies_on):
        n_ran = len(ran.read_text()) + 1 if ran.exists() else 1
        ran.write_text("x" * n_ran)
        if n_ran in dies_on:
            os.kill(os.getpid(), signal.SIGKILL)
        return rows

    parts = [
        dask.delayed(block)(rows, folder / f"ran-{number}", dies_on.get(f"block_{number}", ()))
        for number, rows in enumerate(np.split(X, 4))
    ]
    return da.concatenate([da.from_delayed(part, (100, 6), dtype=float) for part in parts])


@pytest.mark.parametrize("dies_on", [(), (2,)], ids=["all live", "one dies"])
def test_two_processes_equal_one_machine(tmp_path, dies_on):
    # A block is asked for by the ranges of features first, and then by the search.
    data = blocks(tmp_path, block_2=dies_on)
    expected = MLSOL(random_state=0).fit_resample(X, y)
    found = MLSOL(random_state=0).fit_resample(data, da.from_array(y, chunks=(150, 4)))
    for new, one in zip(found, expected, strict=True):
        assert new.compute().tobytes() == one.tobytes()
    assert len((tmp_path / "ran-2").read_text()) > 3


@pytest.mark.parametrize("dies_on", [(), (2,), (3,), (4,)], ids=["all live", *"234"])
def test_kernel_ridge_equals_one_machine(tmp_path, dies_on):
    data = blocks(tmp_path, block_1=dies_on)
    expected = KernelRidgeClassifier(n_landmarks=50, random_state=0).fit(X, y)
    found = KernelRidgeClassifier(n_landmarks=50, random_state=0)
    found.fit(data, da.from_array(y, chunks=(150, 4)))
    np.testing.assert_allclose(
        found.leave_one_out_scores_, expected.leave_one_out_scores_, atol=1e-4
    )
    np.testing.assert_array_equal(found.predict(data).compute(), expected.predict(X))
    assert len((tmp_path / "ran-1").read_text()) > 4


@pytest.mark.parametrize("dies_on", [(), (2,), (5,), (8,)], ids=["all live", *"258"])
def test_approximate_search_equals_one_process(tmp_path, dies_on, monkeypatch):
    pytest.importorskip("faiss")
    # The regions, cells and neighbors of these few samples.
    monkeypatch.setattr(approximate, "APPROXIMATE_SAMPLES", 100)
    monkeypatch.setattr(approximate, "LEAST_CELLS", 32)
    # The samples are sent in several rounds.
    monkeypatch.setattr(approximate, "ROUND_BYTES", 1)
    centers = 10 * rng.normal(size=(40, 6))
    near = centers[np.arange(400) % 40] + 0.1 * rng.normal(size=(400, 6))
    with dask.config.set(scheduler="synchronous"):
        expected = find_neighbors(da.from_array(near, chunks=(90, 6)), neighbors="approximate")
    found = find_neighbors(blocks(tmp_path, near, block_2=dies_on), neighbors="approximate")
    np.testing.assert_array_equal(found.indices, expected.indices)
    assert found.recall == expected.recall
    assert len((tmp_path / "ran-2").read_text()) >= 8


def test_tasks_run_where_their_source_is(workers):
    graph, addresses = TaskGraph(), sorted(workers.scheduler_info()["workers"])

    def address_of_worker(data):
        from distributed import get_worker

        return get_worker().address

    tasks = []
    for number, address in enumerate(addresses):
        with dask.annotate(workers=[address]):
            source = dask.delayed(np.full, pure=False)(8, number).persist()
        key = graph.source(source)
        # A constant drags no task along, so that the place is all that says where it runs.
        tasks.append(graph.add(address_of_worker, number, where=key))
    assert graph.compute(tasks) == addresses


def test_a_block_that_kills_every_worker_is_named(tmp_path, workers):
    from distributed import KilledWorker

    workers.run_on_scheduler(lambda dask_scheduler: setattr(dask_scheduler, "allowed_failures", 0))
    with pytest.raises(KilledWorker, match="all those workers died"):
        MLSOL(random_state=0).fit_resample(blocks(tmp_path, block_1=range(1, 99)), y)


def test_a_cluster_without_workers_is_waited_for_with_a_warning(monkeypatch):
    from distributed import Client, LocalCluster

    monkeypatch.setattr("rarelabels._dask.worker_watch.LOOKS", 0.0)
    monkeypatch.setattr("rarelabels._dask.worker_watch.WITHOUT_WORKERS", 0.5)
    options = {"n_workers": 0, "threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(**options) as cluster, Client(cluster):
        late = threading.Timer(3, cluster.scale, [1])
        late.start()
        with pytest.warns(UserWarning, match=r"has no workers; tasks wait for one") as warned:
            found = MLSOL(random_state=0).fit_resample(da.from_array(X, chunks=(100, 6)), y)
        assert len(warned) == 1
        assert found[0].compute().tobytes() == MLSOL(random_state=0).fit_resample(X, y)[0].tobytes()
