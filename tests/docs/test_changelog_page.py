"""The page of the changelog has its sections and lines."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLACE = ROOT / "docs" / "_ext" / "changelog_page.py"


@pytest.fixture(scope="module")
def changelog_page():
    pytest.importorskip("sphinx")
    if not PLACE.is_file():
        pytest.skip("the documentation is not here")
    spec = importlib.util.spec_from_file_location("changelog_page", PLACE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_headings_are_underlined(changelog_page):
    text = "# Title\n\n## 0.1\n\n### Models\n\n- A `line`\n  of two."
    expected = ["", "", "0.1", "---", "", "Models", "~~~~~~", "", "- A `line`", "  of two."]
    assert changelog_page.restructured(text) == expected


def test_the_page_has_all_headings_and_lines(changelog_page, tmp_path):
    (tmp_path / "index.rst").write_text("Changelog\n=========\n\n.. changelog::\n")
    (tmp_path / "conf.py").write_text(
        f"import sys\nsys.path.append({str(PLACE.parent)!r})\n"
        "extensions, default_role = ['changelog_page'], 'literal'\n"
    )
    command = ["-m", "sphinx", "-W", "-q", "-b", "text", str(tmp_path), str(tmp_path / "out")]
    subprocess.run([sys.executable, *command], check=True, capture_output=True, text=True)
    page = (tmp_path / "out" / "index.txt").read_text(encoding="utf-8")
    lines = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    headings = [line.lstrip("# ") for line in lines if line.startswith("##")]
    assert headings
    assert [heading for heading in headings if f"\n{heading}\n" not in page] == []
    assert page.count("\n* ") == sum(line.startswith("- ") for line in lines)
