import pytest

import dask


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield
