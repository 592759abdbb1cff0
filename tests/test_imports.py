import subprocess
import sys
from pathlib import Path

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
    from rarelabels import measures, sampling

    for room in (rarelabels, measures, sampling):
        assert all(hasattr(room, name) for name in room.__all__)
