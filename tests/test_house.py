"""The checks of `make lint` that are this project's own."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CONTRACT = """
[tool.importlinter]
root_package = "house"
contract_types = ["private: tools.private_modules.PrivateModulesContract"]

[[tool.importlinter.contracts]]
name = "private"
type = "private"
package = "house"
"""


def make_package(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = folder / "house" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        (path.parent / "__init__.py").touch()
    return folder / "house"


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "pyproject.toml").write_text(CONTRACT)
    command = [Path(sys.executable).with_name("lint-imports"), "--no-cache"]
    paths = {"PYTHONPATH": f"{ROOT}:{folder}", "PATH": "/usr/bin:/bin"}
    return subprocess.run(command, cwd=folder, env=paths, capture_output=True, text=True)


@pytest.mark.parametrize(
    ("importer", "kept"),
    [("kitchen/stove.py", True), ("kitchen/larder/shelf.py", True), ("hall/door.py", False)],
)
def test_an_underscored_module_is_for_its_own_package(tmp_path, importer, kept):
    files = {"kitchen/_knife.py": "", importer: "import house.kitchen._knife"}
    make_package(tmp_path, {"room.py": "", **files})
    done = lint_imports(tmp_path)
    assert (done.returncode == 0) is kept, done.stdout
    assert kept or "house.hall.door imports house.kitchen._knife" in done.stdout


def test_the_root_doors_are_for_all(tmp_path):
    make_package(tmp_path, {"_random.py": "", "hall/door.py": "import house._random"})
    assert lint_imports(tmp_path).returncode == 0


@pytest.mark.parametrize(
    ("second", "code"), [("def boil(): ...", 1), ("def _boil(): ...", 0), ("x = boil = 1", 0)]
)
def test_a_name_is_defined_once(tmp_path, second, code):
    package = make_package(tmp_path, {"a.py": "def boil(): ...\n", "b.py": f"{second}\n"})
    command = [sys.executable, "-m", "tools.names_once", package]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == code
    assert not code or "boil is defined in" in done.stdout


def test_the_contributing_page_lists_every_module():
    page = (ROOT / "docs" / "contributing" / "house.rst").read_text(encoding="utf-8")
    modules = {
        path.stem
        for path in (ROOT / "src" / "rarelabels").iterdir()
        if path.is_dir() or path.suffix == ".py"
    }
    listed = re.findall(r"^`{1,2}(\w+)(?:\.py|/)?`{1,2} ", page, re.MULTILINE)
    assert sorted(listed) == sorted(modules - {"__init__", "__pycache__"})
