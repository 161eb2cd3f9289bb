"""The page against markup as words, as input and as names, without a network, and shared by two."""

import time
from dataclasses import replace
from urllib.parse import quote

import pytest

from tests.explore.conftest import served
from wordrbm.cli.explore import open_session
from wordrbm.explore.export import export_page
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.trained_model import load, save

XSS = [
    "<img src=x onerror=window.hacked=true>", "<script>window.hacked=true</script>",
    "\"onmouseover=window.hacked=true x=\"", "javascript:window.hacked=true", "</script><b>x</b>",
    "<svg/onload=window.hacked=true>", "'-window.hacked=true-'", "${window.hacked=true}",
    "<iframe srcdoc='<script>parent.hacked=true</script>'>", "__proto__", "constructor",
    "</title><script>window.hacked=true</script>", "<!--<script>window.hacked=true", "&lt;b&gt;",
]  # fmt: skip


@pytest.fixture(scope="module")
def hostile(folders, full_session, tmp_path_factory):
    """A model whose folder, words, classes and labels are markup."""
    model = load(folders[0])
    words = list(model.vocabulary.words)
    words[1 : 1 + len(XSS)] = XSS
    named = replace(model, vocabulary=Vocabulary(tuple(words), model.vocabulary.counts))
    folder = tmp_path_factory.mktemp("hostile") / "<img src=x onerror=window.hacked=true>"
    save(folder, named)
    session = open_session(folder, quiet=True)
    classifier = replace(full_session.classifier, classes=tuple(XSS[:2]))
    return replace(session, classifier=classifier, tagger=full_session.tagger)


def look(page, view, ready):
    """Go to a view of a page that is open, by its address, and wait for something there."""
    page.evaluate("(view) => { location.hash = view; }", view)
    page.wait_for_selector(ready)


def check_clean(page, view):
    page.wait_for_timeout(100)
    assert page.evaluate("window.hacked") is None, view
    assert not page.locator("main :is(img, iframe, svg, script, b)").count(), view


def test_hostile_words_are_text(browser, hostile, tmp_path):
    export_page(hostile, tmp_path / "page.html")
    with served(hostile) as address:
        for start in (address, f"file://{tmp_path}/page.html"):
            page = browser.new_page()
            page.goto(start)
            page.wait_for_selector("canvas")
            for word in XSS:
                look(page, f"words?word={quote(word)}", "aside h2:not(:text-is('Words'))")
                assert page.text_content("aside h2") == word
                page.fill("input[type=search]", word[:9])
                page.wait_for_selector(".options li")
                check_clean(page, word)
            for view in ("units?unit=1", "health"):
                look(page, view, "main .card")
                check_clean(page, view)
            page.close()


def test_hostile_input_is_text(browser, hostile):
    payload = " ".join(XSS)
    with served(hostile) as address:
        page = browser.new_page()
        page.goto(address)
        page.wait_for_selector("canvas")
        for field in (
            "text?text", "classifier?text", "tagger?text", "units?after", "units?unit",
            "health?mix", "samples?seed", "words?colour", "words?group", "nothing?x",
        ):  # fmt: skip
            look(page, f"{field}={quote(payload)}", "main .card, main .error")
            check_clean(page, field)
        look(page, f"text?text={quote('the ___ ' + payload)}", "main .card, main .error")
        check_clean(page, "a blank")
        page.close()


def test_the_exported_page_offline(browser, session, tmp_path):
    export_page(session, tmp_path / "page.html")
    context, asked = browser.new_context(offline=True), []
    page = context.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"file://{tmp_path}/page.html#words?word=monday")
    page.wait_for_selector("aside table")
    near = page.inner_text("aside tbody tr >> nth=0")
    assert near.split()[0] == session.model.vectors.most_similar("monday", 1)[0][0]
    page.click("text=Hidden units")
    page.wait_for_selector(".units button")
    page.click("text=Next")
    page.wait_for_selector("text=Unit 1")
    page.click("text=Health")
    page.wait_for_selector(".u-wrap")
    assert page.locator("nav a").count() == 3
    assert all(url.startswith(("file:", "data:", "blob:")) for url in asked)
    context.close()


def test_two_impatient_people_at_once(browser, address):
    """Both press Enter again and again; each sees the answer to the own last question."""
    pages = [browser.new_page() for _ in range(2)]
    nouns = ("king", "bird", "queen", "fish", "gold", "bread")
    for page in pages:
        page.goto(f"{address}#text")
        page.wait_for_selector("textarea")
    for round_, noun in enumerate(nouns):
        for page, verb in zip(pages, ("sees", "eats"), strict=True):
            page.fill(
                "textarea",
                f"the {noun} {verb} ___ on monday" if round_ % 2 else f"the {noun} {verb}",
            )
            page.keyboard.press("Enter")
    for page, verb in zip(pages, ("sees", "eats"), strict=True):
        page.wait_for_selector(".words .blank")
        assert f"the bread {verb}" in " ".join(page.inner_text(".words >> nth=0").split())
        assert not page.locator("[role=alert]").count()
        page.close()


def test_a_stopped_server_is_said_in_one_sentence(browser, session):
    page = browser.new_page()
    started = time.monotonic()
    with served(session) as address:
        page.goto(address)
        page.wait_for_selector("canvas")
    page.fill("input[type=search]", "monday")
    page.keyboard.press("Enter")
    page.wait_for_selector("[role=alert]")
    assert "start wordrbm explore again" in page.inner_text("[role=alert]")
    assert time.monotonic() - started < 60
    page.close()
