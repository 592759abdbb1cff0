import pytest

import dask


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture(scope="module")
def workers():
    """Return two processes that wait for work."""
    distributed = pytest.importorskip("distributed")
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    quick = {"distributed.comm.retry.count": 3, "distributed.nanny.pre-spawn-environ": {}}
    with (
        dask.config.set(quick),
        dask.config.set(scheduler=None),
        distributed.LocalCluster(**options, silence_logs=50) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client
