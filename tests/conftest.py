"""What every test may ask for."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# How long an example takes is the machine's affair; where changes are judged, the examples stay.
settings.register_profile(
    "unhurried",
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("unhurried")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of the paper's thirteen data sets; skips where it is absent."""
    folder = os.environ.get("RARELABELS_DATA")
    if not folder:
        pytest.skip("the paper's data sets are not here: set RARELABELS_DATA to their folder")
    return Path(folder)
