"""Every block of Python in the README and on the site runs, warnings being errors."""

import importlib.util
import re
import sys
from pathlib import Path

import pytest
from threadpoolctl import threadpool_limits

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
NEEDS = {
    "guide/cluster.rst": ["dask", "pandas"],
    "guide/command_line.rst": ["typer", "rich", "jinja2"],
    "guide/pipeline.rst": ["imblearn"],
    "guide/measuring_imbalance.rst": ["pandas"],
    "how_it_compares.rst": ["imblearn"],
    "methods/c45.rst": ["numba"],
    "methods/kernel_ridge.rst": ["dask"],
    "guide/my_table.rst": ["pandas"],
    "guide/reproducing_the_paper.rst": ["pandas"],
    "guide/writing_a_sampler_or_learner.rst": ["polars"],
}


def load_running():
    """Import the runner of the site, which is not a package."""
    spec = importlib.util.spec_from_file_location("running", DOCS / "_ext" / "running.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["running"] = module
    spec.loader.exec_module(module)
    return module


running = load_running()
MADE = {"_build", "_templates", "auto_examples", "generated", "gen_modules"}
PAGES = [ROOT / "README.md"] + [
    page for page in sorted(DOCS.rglob("*.rst")) if not MADE & set(page.parts)
]
WITH_CODE = [page for page in PAGES if any(running.blocks(page.read_text(encoding="utf-8")))]


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: str(page.relative_to(ROOT)))
def test_blocks_run(page):
    for name in NEEDS.get(page.relative_to(ROOT).as_posix().removeprefix("docs/"), []):
        pytest.importorskip(name)
    run_as = running.Page(str(page.relative_to(ROOT)))
    # Gradient boosting slows down to a crawl with more threads than there are free cores.
    with threadpool_limits(1):
        for block in running.blocks(page.read_text(encoding="utf-8")):
            run_as.run(block)


def test_pages_with_code_are_found():
    names = {page.relative_to(ROOT).as_posix() for page in WITH_CODE}
    assert {"README.md", "docs/slips.rst", "docs/guide/start_here.rst"} <= names
    assert {"docs/guide/writing_a_sampler_or_learner.rst", "docs/batch_estimator.rst"} <= names


def test_blocks_of_both_languages():
    markdown = "text\n```python\na = 1\n\nb = 2\n```\n```\nno\n```\n"
    rest = (
        "text\n\n.. run::\n   :hide-code:\n\n   a = 1\n\n   b = 2\n\ntext\n\n.. note::\n\n   no\n"
    )
    assert list(running.blocks(markdown)) == [("python", 3, "a = 1\n\nb = 2")]
    assert list(running.blocks(rest)) == [("python", 4, "a = 1\n\nb = 2")]
    shell = rest.replace("run::", "run-shell::")
    assert [block.language for block in running.blocks(shell)] == ["shell"]


def test_a_page_that_warns_fails():
    with pytest.raises(UserWarning, match="careful"):
        run_python("import warnings\nwarnings.warn('careful')")


def test_blocks_share_variables_and_a_folder():
    page = running.Page("page")
    page.run(running.Block("python", 1, "open('made', 'w').close()\na = 1"))
    assert (
        page.run(running.Block("python", 4, "import os\nprint(os.listdir(), a)")) == "['made'] 1\n"
    )


def run_python(source):
    return running.Page("page").run(running.Block("python", 1, source))


def test_examples_of_the_readme_are_short():
    blocks = list(running.blocks((ROOT / "README.md").read_text(encoding="utf-8")))
    assert len(blocks) == 2
    for block in blocks:
        statements = [line for line in block.source.splitlines() if line and "import" not in line]
        assert len(statements) <= 10


def test_the_readme_shows_what_its_first_example_prints():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    first = next(running.blocks(readme))
    shown = readme.partition(f"{first.source}\n```\n\n```\n")[2].partition("```")[0]
    printed = running.Page("README").run(first)
    number = r"0\.\d\d"
    assert re.sub(number, "", shown) == re.sub(number, "", printed)
    expected = [float(value) for value in re.findall(number, shown)]
    # The last digit may depend on the versions of NumPy and SciPy.
    assert [float(value) for value in re.findall(number, printed)] == pytest.approx(
        expected, abs=0.021
    )
