"""What the tests of the command line share."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from rarelabels.datasets import make_local_imbalance, save_mulan

SCRIPT = Path(sys.executable).with_name("rarelabels")


@pytest.fixture(scope="session")
def environment():
    """A home of one's own, and no data sets but those that a test names."""
    kept = {k: v for k, v in os.environ.items() if k not in ("RARELABELS_DATA", "COLUMNS")}
    return {**kept, "PYTHONWARNINGS": "", "NO_COLOR": "1"}


@pytest.fixture
def script(environment, tmp_path):
    """Run the installed console script in an empty folder."""

    def run(*arguments, **more):
        return subprocess.run(
            [SCRIPT, *map(str, arguments)],
            capture_output=True,
            encoding="utf-8",
            cwd=tmp_path,
            env={**environment, **more},
        )

    return run


@pytest.fixture
def command(monkeypatch, capsys, tmp_path):
    """Run the console script's function in this process: exit code, output and errors."""
    from rarelabels.cli import main

    monkeypatch.delenv("COLUMNS", raising=False)  # set in workers of pytest-xdist

    def run(*arguments):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(sys, "argv", ["rarelabels", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        found = capsys.readouterr()
        return ended.value.code or 0, found.out, found.err

    return run


@pytest.fixture
def made(tmp_path):
    """A small data set in Mulan's format."""
    path = tmp_path / "made.arff"
    save_mulan(make_local_imbalance(120, difficulty=0.6, random_state=0), path)
    return path
