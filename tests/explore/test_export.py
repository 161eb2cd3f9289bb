"""The page as one file: all modules, no two of which share a name, and no markup from data."""

import re

from wordrbm.explore.export import STATIC, build_page, bundle_modules, export_page, page_data


def test_modules_share_no_name():
    text = bundle_modules()
    names = re.findall(r"^(?:async )?(?:function\*?|const|let|class) (\w+)", text, re.MULTILINE)
    assert len(names) == len(set(names))
    assert not re.search(r"^(import|export) ", text, re.MULTILINE)
    modules = {path.name for path in STATIC.glob("*.js")}
    assert all((STATIC / name).read_text().splitlines()[-1] in text for name in modules)


def test_the_page_has_all_that_needs_no_server(session, tmp_path):
    size = export_page(session, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text("utf-8")
    assert size == len(page.encode())
    assert "src=" not in page.split("<body>")[0]
    assert "Content-Security-Policy" in page
    assert len(page_data(session)["units"]) == session.model.rbm.c.size


def test_words_cannot_leave_the_data():
    page = build_page({"word": "</script><script>hacked()</script>"})
    assert "<script>hacked" not in page


def test_modules_write_no_html():
    for path in STATIC.glob("*.js"):
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(", path.read_text()
        )
        assert len(path.read_text().splitlines()) <= 260
