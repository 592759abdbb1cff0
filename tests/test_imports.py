import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def test_imports_flow_one_way():
    command = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([command, "--no-cache"], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_importing_the_package_loads_nothing_heavy():
    code = "import sys, rarelabels, rarelabels.datasets; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"polars", "matplotlib", "pooch", "tqdm"} & set(done.stdout.split())


def test_every_public_name_is_there():
    import rarelabels

    rooms = [getattr(rarelabels, name) for name in rarelabels.ROOMS]
    for room in (rarelabels, *rooms):
        assert all(hasattr(room, name) for name in getattr(room, "__all__", ()))
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = rarelabels.nothing


def test_rooms_open_when_they_are_asked_for():
    code = "import rarelabels; print(rarelabels.measures.mean_ir([[1, 1], [1, 0]]))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1.5"
