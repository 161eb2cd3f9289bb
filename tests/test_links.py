"""Links of the README and the site lead somewhere: to a file, to a heading, to a known host."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").glob("*.md"))]
LINK = re.compile(r"\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))
# Pages that are made when the site is built.
MADE = {
    f"_generated/{name}.md" for name in ("cli", "api", "settings", *(x.stem for x in NOTEBOOKS))
}
# Every address outside the repository that a reader may follow.
EXTERNAL = {"https://arxiv.org/abs/1202.5695"}


def links(page):
    text = FENCED.sub("", page.read_text("utf-8"))
    return LINK.findall(re.sub(r"`[^`\n]*`", "", text).replace("\n", " "))


def anchors(page):
    """The anchors of a page's headings, as GitHub and MyST make them."""
    headings = re.findall(r"^#+ (.*)$", FENCED.sub("", page.read_text("utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", x.lower()).strip().replace(" ", "-") for x in headings}


def broken(page):
    """The internal links of a page that lead to no file or no heading."""
    faults = []
    for link in links(page):
        path, _, anchor = link.partition("#")
        if "://" in link or path in MADE:
            continue
        target = (page.parent / path) if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            faults.append(link)
    return faults


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_internal_links_lead_somewhere(page):
    assert broken(page) == []


def test_external_links_are_known(tally):
    found = [link for page in PAGES for link in links(page)]
    outside = {link for link in found if "://" in link}
    tally(f"links: {len(found) - len(outside)} internal, {len(outside)} outside addresses")
    assert outside == EXTERNAL


def test_a_broken_link_would_be_seen(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# A heading\n\n[a](#a-heading) [b](page.md#none) [c](gone.md) [d](page.md)\n")
    assert broken(page) == ["page.md#none", "gone.md"]
