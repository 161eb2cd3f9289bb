"""The page in a real browser, used as a person would; skipped where chromium is not installed.

WORDRBM_SCREENSHOTS=docs/images writes what the tests see there.
"""

import os
import shutil
import subprocess
import sys
import threading
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
import uvicorn

from wordrbm.cli.explore import open_session
from wordrbm.explore.export import export_page
from wordrbm.explore.server import build_app, listen
from wordrbm.text.vocabulary import Vocabulary
from wordrbm.trained_model import load, save

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
    "--disable-background-networking", "--disable-component-update",
]  # fmt: skip
XSS = [
    "<img src=x onerror=window.hacked=1>", "<script>window.hacked=1</script>",
    "\"onmouseover=window.hacked=1 x=\"", "javascript:window.hacked=1", "</script><b>x</b>",
]  # fmt: skip
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed: no browser")


@pytest.fixture(scope="module")
def browser():
    api = pytest.importorskip("playwright.sync_api")
    with api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield launched
        launched.close()


@contextmanager
def served(session):
    """The address of a server over a session."""
    socket = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(build_app(session), log_level="error"))
    thread = threading.Thread(target=server.run, args=([socket],), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{socket.getsockname()[1]}/"
    server.should_exit = True
    thread.join(10)


@pytest.fixture(scope="module")
def address(session):
    with served(session) as address:
        yield address


@pytest.fixture
def page(browser):
    """A page that fails the test for any error or refusal of the policy."""
    opened, faults = browser.new_page(viewport={"width": 1280, "height": 860}), []
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.on("console", lambda m: faults.append(m.text) if m.type == "error" else None)
    yield opened
    opened.close()
    assert not [fault for fault in faults if "400" not in fault], faults


def shoot(page, name):
    if folder := os.environ.get("WORDRBM_SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"{name}.png")


def test_words(page, address):
    page.goto(address)
    page.fill("input[type=search]", "mon")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_selector("aside table")
    assert page.inner_text("aside h2") == "monday"
    assert "word=monday" in page.url
    page.select_option("select", "frequency")
    page.focus("canvas")
    before = page.evaluate("wordMap.zoom")
    page.keyboard.press("+")
    assert page.evaluate("wordMap.zoom") > before
    page.reload()  # a permalink shows the same
    page.wait_for_selector("aside table")
    shoot(page, "explore-words")
    page.fill("input[type=search]", "zebra")
    page.keyboard.press("Enter")
    assert "not in the vocabulary" in page.inner_text("aside [role=alert]")


def test_text_and_blanks(page, address):
    page.goto(f"{address}#text?text=the+king+sees+gold+on+monday")
    page.wait_for_selector(".words button")
    page.click(".words button >> nth=1")
    page.wait_for_selector(".map canvas")
    assert page.locator("table tbody tr").count() == 11
    page.fill("textarea", "the ___ sees ___ on monday")
    page.keyboard.press("Enter")
    page.wait_for_selector(".words .blank")
    assert page.locator("table").count() == 2
    shoot(page, "explore-text")


def test_units_and_energy(page, address):
    page.goto(f"{address}#units?unit=3")
    page.wait_for_selector(".units button")
    assert "Unit 3" in page.inner_text("main")
    page.fill("[aria-label='Window before']", "the king sees")
    page.fill("[aria-label='Window after']", "the king gold")
    page.click("text=Compare")
    page.wait_for_selector("[aria-label='Terms of the free energy']")
    shoot(page, "explore-units")


def test_health_and_samples(page, address):
    page.goto(f"{address}#health?mix=the+king+sees")
    page.wait_for_selector("[aria-label='Heaviest windows']")
    page.wait_for_function("document.querySelectorAll('.u-wrap').length >= 6")
    shoot(page, "explore-health")
    page.keyboard.press("5")
    page.click("text=Start")
    page.wait_for_selector(".samples li")
    assert page.locator(".samples li").count() == 12
    page.click("text=Stop")


def test_dark_phone_and_keys(page, address):
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(address)
    page.wait_for_selector("canvas")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("d")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.keyboard.press("?")
    assert page.is_visible("dialog")
    page.keyboard.press("Escape")
    shoot(page, "explore-phone")


@pytest.mark.parametrize("view", ["words?word=monday", "text", "units", "health", "samples"])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_accessible_names_and_contrast(page, address, view, theme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page.goto(address)
    page.evaluate(f"localStorage.setItem('wordrbm-theme', '{theme}')")
    page.goto(f"{address}#{view}")
    page.reload()
    page.wait_for_selector("main h2")
    page.wait_for_timeout(700)
    result = axe.Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa"]})
    assert result.violations_count == 0, result.generate_report()


def test_two_people_at_once(browser, address):
    pages = [browser.new_page() for _ in range(2)]
    for page, text in zip(pages, ("the king sees gold", "a bird eats bread"), strict=True):
        page.goto(f"{address}#text?text={text.replace(' ', '+')}")
    for page, word in zip(pages, ("king", "bird"), strict=True):
        page.wait_for_selector(".words button")
        assert word in page.inner_text(".words")
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
    page.click("text=Health")
    page.wait_for_selector(".u-wrap")
    assert all(url.startswith(("file:", "data:")) for url in asked)
    context.close()


def test_hostile_words_are_text(browser, folders, tmp_path):
    model = load(folders[0])
    words = list(model.vocabulary.words)
    words[1 : 1 + len(XSS)] = XSS
    hostile = replace(model, vocabulary=Vocabulary(tuple(words), model.vocabulary.counts))
    save(tmp_path / "model", hostile)
    session = open_session(tmp_path / "model", quiet=True)
    export_page(session, tmp_path / "page.html")
    with served(session) as address:
        for start in (address, f"file://{tmp_path}/page.html"):
            page = browser.new_page()
            for word in XSS:
                page.goto(f"{start}#words")
                page.wait_for_selector("input[type=search]")
                page.fill("input[type=search]", word)
                page.wait_for_selector(".options li")
                page.keyboard.press("Enter")
                page.wait_for_selector("aside .card, aside [role=alert]")
            page.goto(f"{start}#text?text={XSS[0].replace(' ', '+')}+the+king")
            page.wait_for_timeout(300)
            assert page.evaluate("window.hacked") is None
            page.close()


def test_the_command_prints_its_address(folders):
    command = [sys.executable, "-m", "wordrbm", "explore", str(folders[0]), "--no-browser"]
    process = subprocess.Popen([*command, "--port", "0", "--quiet"], stdout=subprocess.PIPE)
    assert process.stdout.readline().startswith(b"http://127.0.0.1:")
    process.terminate()
    assert process.wait(20) in (0, -15, 143)
