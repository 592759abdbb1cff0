"""How the site is built: ``make docs``, warnings are errors, nothing is fetched."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import rarelabels

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

project = "rarelabels"
author = "The rarelabels developers"
copyright = author
version = release = rarelabels.__version__

extensions = [
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "mathml",
    "run_code",
    "study",
    "experiment_tables",
    "unknown_labels_page",
    "benchmarks_page",
    "changelog_page",
    "cluster_costs_page",
    "growth",
    "model_growth",
]
exclude_patterns = ["_build", "_ext", "auto_examples/**/*.ipynb"]
templates_path = ["_templates"]
default_role = "literal"
nitpicky = True
# numpydoc makes a link of an attribute that is a property, and the class pages list none.
nitpick_ignore = [("py:obj", "feature_importances_")]

# Links to other projects' pages need their inventories, which are downloaded: ask for them.
if os.environ.get("RARELABELS_DOCS_ONLINE"):
    extensions.append("sphinx.ext.intersphinx")
    intersphinx_mapping = {
        "python": ("https://docs.python.org/3", None),
        "sklearn": ("https://scikit-learn.org/stable", None),
    }

autosummary_generate = True
autodoc_typehints = "none"
# The signature comes first on a page: one parameter a line, where they do not fit in one.
python_maximum_signature_line_length = 88
autodoc_default_options = {"exclude-members": "__init__"}
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": str(HERE.parent / "examples" / "gallery"),
    "gallery_dirs": "auto_examples",
    "filename_pattern": r"/plot_",
    "within_subsection_order": "FileNameSortKey",
    "doc_module": ("rarelabels",),
    "backreferences_dir": "gen_modules/backreferences",
    "inspect_global_variables": False,
    "only_warn_on_example_error": False,
    "abort_on_example_error": True,
    "show_memory": False,
    "write_computation_times": False,
    "show_signature": False,
    "download_all_examples": False,
    "remove_config_comments": True,
}

html_theme = "pydata_sphinx_theme"
html_title = "rarelabels"
html_static_path = ["_static"]
html_css_files = ["site.css"]
# A map of the site for language models.
html_extra_path = ["llms.txt"]
# Only code has a copy button, not its output. Prompts are not copied.
copybutton_selector = "div:not(.highlight-none) > div.highlight pre"
copybutton_prompt_text = "$ "
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navbar_align": "left",
    "show_prev_next": True,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "tango",
}
html_sidebars = {
    "index": [],
    "study": [],
    "rare_labels_today": [],
    "performance": [],
    "slips": [],
    "glossary": [],
    "how_it_compares": [],
    "changelog": [],
}
