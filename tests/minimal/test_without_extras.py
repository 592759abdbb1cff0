"""What the library does where none of its extras is installed."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("matplotlib", "numba", "pandas", "polars", "pooch", "tqdm", "typer")
PRESENT = [name for name in HEAVY if importlib.util.find_spec(name) is not None]
pytestmark = pytest.mark.skipif(
    bool(PRESENT), reason=f"extras are installed ({', '.join(PRESENT)}); run make test-minimal"
)
ROOT = Path(__file__).parents[2]


def test_the_readme_runs():
    command = [sys.executable, Path(__file__).with_name("readme.py"), ROOT / "README.md"]
    subprocess.run(command, check=True, capture_output=True)


def test_every_other_room_opens():
    import rarelabels

    for room in set(rarelabels.ROOMS) - {"cli", "trees"}:
        assert getattr(rarelabels, room).__name__ == f"rarelabels.{room}"


@pytest.mark.parametrize(
    ("code", "extra"),
    [
        ("from rarelabels.cli import main; main()", "cli"),
        ("from rarelabels.datasets import fetch_mulan; fetch_mulan('flags')", "fetch"),
        ("from rarelabels.trees import C45Classifier", "fast"),
        ("from rarelabels.datasets import load; load('a.parquet', 1)", "tables"),
        ("from rarelabels.datasets import load; load('a.feather', 1)", "tables"),
        ("from rarelabels.datasets import load; load('a.xlsx', 1)", "excel"),
    ],
)
def test_what_needs_an_extra_names_it(code, extra, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, env={}
    )
    assert done.returncode != 0
    assert f'pip install "rarelabels[{extra}]"' in done.stderr
