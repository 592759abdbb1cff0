"""Links inside the built site lead somewhere; ``make docs`` builds it."""

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

DOCS = Path(__file__).parents[2] / "docs"
SITE = DOCS / "_build" / "html"
MADE = {"_build", "_templates", "auto_examples", "generated", "gen_modules"}


class Links(HTMLParser):
    """The links of a page, and the places in it that can be linked to."""

    def __init__(self):
        super().__init__()
        self.targets, self.places = [], set()

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.places.update(filter(None, (given.get("id"), given.get("name"))))
        self.targets += [given[key] for key in ("href", "src") if given.get(key)]


def read(page):
    links = Links()
    links.feed(page.read_text(encoding="utf-8"))
    return links


def test_links_of_the_site():
    if not (SITE / "index.html").is_file():
        pytest.skip("the site is not built; make docs builds it")
    pages = {page: read(page) for page in SITE.rglob("*.html") if "_static" not in page.parts}
    broken = []
    for page, links in pages.items():
        for target in links.targets:
            url = urlsplit(target)
            if url.scheme or url.netloc or target == "#":
                continue
            place = (page.parent / unquote(url.path)).resolve() if url.path else page
            places = pages[place].places if place in pages else set()
            is_there = not url.fragment or place not in pages or unquote(url.fragment) in places
            if not (place.exists() and is_there):
                broken.append(f"{page.relative_to(SITE)}: {target}")
    assert not broken, "\n".join(broken[:20])


def test_pages_named_in_the_text_are_there():
    """`:doc:`, toctrees and gallery references, without building anything."""
    missing = []
    gallery = {path.name for path in (DOCS.parent / "examples" / "gallery").glob("plot_*.py")}
    for page in DOCS.rglob("*.rst"):
        if MADE & set(page.parts):
            continue
        text = page.read_text(encoding="utf-8")
        missing += [
            f"{page.name}: {target}"
            for target in re.findall(r":doc:`(?:[^`<]*<)?([^`>]+)>?`", text)
            if "auto_examples" not in target and not (page.parent / f"{target}.rst").is_file()
        ]
        examples = re.findall(r":ref:`sphx_glr_auto_examples_(\w+\.py)`", text)
        missing += [f"{page.name}: {name}" for name in examples if name not in gallery]
    assert not missing


def test_every_page_is_in_a_toctree():
    pages = {
        page.relative_to(DOCS).with_suffix("").as_posix()
        for page in DOCS.rglob("*.rst")
        if not MADE & set(page.parts) and page.name != "sg_execution_times.rst"
    }
    listed = {"index"}
    for page in pages:
        text = (DOCS / f"{page}.rst").read_text(encoding="utf-8")
        for block in re.findall(r"\.\. toctree::\n((?:   .*\n|\n)+)", text):
            for name in re.findall(r"^   ([\w/]+)$", block, re.MULTILINE):
                folder = Path(page).parent.as_posix()
                listed.add(name if folder == "." else f"{folder}/{name}")
    assert pages <= listed, f"in no toctree: {sorted(pages - listed)}"


def test_the_map_for_language_models_lists_every_page_of_the_guide():
    text = (DOCS / "llms.txt").read_text(encoding="utf-8")
    targets = set(re.findall(r"\]\(([\w/]+)\.html\)", text))
    assert not [target for target in targets if not (DOCS / f"{target}.rst").is_file()]
    guide = {f"guide/{page.stem}" for page in (DOCS / "guide").glob("*.rst")} - {"guide/index"}
    assert guide <= targets, f"add them to docs/llms.txt: {sorted(guide - targets)}"
