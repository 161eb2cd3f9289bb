"""The site: `make docs` builds it into docs/_build, and requests nothing from outside."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from generated import write_pages
from notebook_pages import write_notebook_pages

import wordrbm

HERE = Path(__file__).parent
write_pages(HERE / "_generated")
write_notebook_pages(HERE / "notebooks", HERE / "_generated")

project = "wordrbm"
author = "The wordrbm authors"
copyright = author
version = release = wordrbm.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc"]
exclude_patterns = ["_build", "images", "notebooks"]
html_theme = "furo"
html_title = f"wordrbm {release}"
html_copy_source = False
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
myst_links_external_new_tab = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
default_role = "code"  # docstrings have single backticks around code
suppress_warnings = ["myst.header"]
pygments_style = "tango"
