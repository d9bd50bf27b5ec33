"""How Sphinx builds the site; `make docs` calls it."""

from __future__ import annotations

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_ext"))

import consensa  # noqa: E402

project = "Consensa"
author = "The Consensa developers"
project_copyright = "The Consensa developers, BSD-3-Clause"
version = release = consensa.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.extlinks",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx.ext.intersphinx",
    "sphinx_gallery.gen_gallery",
    "generated",  # ours: pages and pictures that are made, not written
    "tables",  # ours: a value and its deviation on one line
    "mathml",  # ours: formulas without a script and without the network
]
root_doc = "index"
exclude_patterns = ["_*", "**/_*", "howto/*.py"]
language = "en"
smartquotes = False  # options begin with two hyphens
nitpicky = True
toc_object_entries_show_parents = "hide"
# What other libraries have and the inventories do not.
nitpick_ignore_regex = [("py:.*", r"(sklearn|scipy|numpy|pandas|matplotlib|joblib|dask)(\..*)?")]
suppress_warnings = ["toc.empty_glob"]  # pages that are there only after a long measurement

# Markdown
myst_enable_extensions = ["dollarmath", "amsmath", "deflist", "colon_fence", "attrs_block"]
myst_heading_anchors = 4
myst_dmath_double_inline = True
myst_links_external_new_tab = False
myst_url_schemes = ["http", "https", "mailto"]

# Examples: run by the build; the tests run them too.
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery/generated",
    "filename_pattern": r"plot_",
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "show_signature": False,
    "show_memory": False,
    "write_computation_times": False,
    "doc_module": ("consensa",),
    "reference_url": {"consensa": None},
}

# Names of other libraries: from inventories in the repository, so that the build needs no network.
# docs/_ext/inventories.py writes them.
intersphinx_mapping = {
    "sklearn": ("https://scikit-learn.org/stable", "inventories/sklearn.inv"),
    "scipy": ("https://docs.scipy.org/doc/scipy", "inventories/scipy.inv"),
    "pandas": ("https://pandas.pydata.org/docs", "inventories/pandas.inv"),
}

# Docstrings
autosummary_generate = False
autodoc_typehints = "none"  # the docstrings name the types
autodoc_member_order = "bysource"
autodoc_inherit_docstrings = True
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False
extlinks = {"doi": ("https://doi.org/%s", "doi:%s"), "arxiv": ("https://arxiv.org/abs/%s", "%s")}

# The pages
html_theme = "pydata_sphinx_theme"
html_title = "Consensa"
html_static_path = ["_static"]
html_extra_path = ["_generated/pages"]
(HERE / html_extra_path[0] / "tutorials").mkdir(parents=True, exist_ok=True)
html_css_files = ["consensa.css"]
html_math_renderer = "mathml"
html_show_sourcelink = False
html_copy_source = False
html_show_search_summary = False  # pages opened as files may not fetch it
html_theme_options = {
    "logo": {"text": "Consensa"},
    "navbar_align": "left",
    "navbar_persistent": [],
    "navbar_center": ["navbar-nav"],
    "navbar_end": ["search-button-field", "theme-switcher"],
    "header_links_before_dropdown": 6,
    "show_prev_next": True,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "collapse_navigation": True,
    "navigation_depth": 3,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
html_sidebars = {"index": [], "changelog": []}
html_context = {"default_mode": "auto"}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

# `make docs-links` asks the network; a page that is slow or forbids robots is no fault of ours.
linkcheck_timeout = 20
linkcheck_retries = 2
