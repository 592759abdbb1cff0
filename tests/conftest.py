"""What every test may ask for."""

import os
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

# How long an example takes is the machine's affair; where changes are judged, the examples stay.
# Each run tries some, and `--hypothesis-profile=thorough`, once a week, many.
settings.register_profile(
    "unhurried",
    deadline=None,
    max_examples=50,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile(
    "thorough", settings.get_profile("unhurried"), max_examples=1000, derandomize=False
)
settings.load_profile("unhurried")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of the paper's thirteen data sets; skips where it is absent."""
    folder = os.environ.get("RARELABELS_DATA")
    if not folder:
        pytest.skip("needs the paper's data sets: RARELABELS_DATA=FOLDER make test")
    return Path(folder)


@pytest.fixture(scope="session")
def results():
    """Make scores on ten folds for methods with given gains."""

    def make(gains, noise=0.004, n_folds=10):
        rng = np.random.default_rng(0)
        return [
            {
                "method": method,
                "fold": fold,
                "score": 0.5 + gain + fold / 200 + noise * rng.normal(),
                "seconds": 1.0 + len(method),
            }
            for method, gain in gains.items()
            for fold in range(n_folds)
        ]

    return make


def pytest_terminal_summary(terminalreporter) -> None:
    """Say at the end what was skipped and why; each reason says how to have it run."""
    skipped = terminalreporter.stats.get("skipped", [])
    reasons = Counter(_reason(report) for report in skipped)
    if reasons:
        terminalreporter.section("skipped", sep="-")
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"{count:5}  {reason}")


def _reason(report: pytest.TestReport) -> str:
    """Return why a test was skipped, with the command that installs what it could not import."""
    reason = str(report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr)
    reason = reason.removeprefix("Skipped: ")
    missing = re.match(r"could not import '(\w+)", reason)
    return f"needs {missing[1]}: pip install '.[all,test,docs]'" if missing else reason
