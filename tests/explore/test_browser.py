"""Every view of the page in a real browser, used as a person would."""

import subprocess
import sys

import pytest

EXAMPLE = "the king sees gold on monday"


def test_words(page, address):
    page.goto(address)
    page.wait_for_selector("aside .row button")  # words to begin with
    page.fill("input[type=search]", "mon")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_selector("aside table")
    assert page.inner_text("aside h2") == "monday"
    assert page.locator("aside tbody tr").count() == 12
    assert "word=monday" in page.url
    page.click("aside tbody button >> nth=0")
    page.wait_for_selector("aside h2:not(:text-is('monday'))")
    page.fill("input[type=search]", "zebra")
    page.keyboard.press("Enter")
    assert "not in the vocabulary" in page.inner_text("aside [role=alert]")


def test_the_map_is_moved_coloured_and_clicked(page, address):
    page.goto(f"{address}#words?word=monday&colour=frequency")
    page.wait_for_selector("aside table")  # a permalink
    assert page.input_value("select") == "frequency"
    page.select_option("select", "cluster")
    before = page.evaluate("wordMap.colours.join()")
    page.click(".legend button >> nth=0")
    assert page.get_attribute(".legend button >> nth=0", "aria-pressed") == "true"
    assert page.evaluate("wordMap.colours.join()") != before
    assert "group=0" in page.url
    page.focus("canvas")
    zoom = page.evaluate("wordMap.zoom")
    page.keyboard.press("+")
    assert page.evaluate("wordMap.zoom") > zoom
    page.keyboard.press("0")
    assert page.evaluate("wordMap.zoom") == 1
    left, top = page.evaluate("wordMap.position(5)")
    box = page.locator("canvas").first.bounding_box()
    page.mouse.move(box["x"] + left, box["y"] + top)
    assert "times" in page.inner_text(".tip")
    page.mouse.click(box["x"] + left, box["y"] + top)
    page.wait_for_selector("aside h2:not(:text-is('monday'))")
    page.mouse.down()
    page.mouse.move(box["x"] + left + 80, box["y"] + top, steps=4)
    page.mouse.up()
    assert page.evaluate("wordMap.x") != 0
    page.mouse.wheel(0, -400)
    page.wait_for_timeout(100)
    assert page.evaluate("wordMap.zoom") > 1


def test_surprisals_with_exact_probabilities(page, address, session):
    page.goto(f"{address}#text?text={EXAMPLE.replace(' ', '+')}")
    page.wait_for_selector(".map canvas")  # the most surprising word is chosen at first
    scored = next(session.model.score([EXAMPLE], top_words=6)).surprising
    expected = {word.word: word.nats for word in scored}
    assert page.inner_text("[aria-pressed=true]").split()[0] == scored[0].word
    for word in page.locator(".words button").all():
        nats = expected[word.inner_text().split()[0]]
        assert f"{nats:.2f} nats" in word.get_attribute("title")
    page.click(".words button >> nth=1")
    page.wait_for_selector("h3:has-text('Instead of “king”')")
    assert "at=1" in page.url
    rows = [row.split()[0] for row in page.locator("table tbody tr").all_inner_texts()]
    best = session.model.fill(["the", None, *EXAMPLE.split()[2:]]).blanks[0].words
    assert rows[:10] == [word for word, _ in best]
    page.reload()
    page.wait_for_selector("h3:has-text('Instead of “king”')")


def test_blanks_light_the_map(page, address, session):
    page.goto(f"{address}#text?text=the+king+sees")
    page.wait_for_selector(".words button")
    page.fill("textarea", "the ___ sees ___ on monday")
    page.keyboard.press("Enter")
    page.wait_for_selector(".words .blank")
    assert page.locator("table").count() == 2
    filled = session.model.fill("the ___ sees ___ on monday")
    assert page.inner_text(".words").split() == filled.text.split()
    page.click("text=Light the map >> nth=1")
    page.fill("textarea", "___")
    page.keyboard.press("Enter")
    assert "words" in page.inner_text("main [role=alert]")


def test_units_and_energy(page, address):
    page.goto(f"{address}#units?unit=3&before=the+king+sees&after=the+king+gold")
    page.wait_for_selector("[aria-label='Terms of the free energy']")  # a permalink
    page.wait_for_selector(".units button")
    assert "Unit 3" in page.inner_text("main")
    assert "P(h = 1)" in page.inner_text("[aria-label='Top windows']")
    page.fill("[aria-label='Window after']", "the king")
    page.click("text=Compare")
    assert "has 3" in page.inner_text("[role=alert]")
    page.fill("[aria-label='Window after']", "the king eats")
    page.click("text=Compare")
    page.wait_for_selector("[aria-label='Terms of the free energy']")
    assert "eats" in page.url
    page.click("text=Next")
    page.wait_for_selector("text=Unit 4")


def test_health(page, address):
    page.goto(f"{address}#health?mix=the+king+sees")
    page.wait_for_selector("[aria-label='Heaviest windows'] tbody tr >> nth=10")
    page.wait_for_selector(".u-wrap >> nth=7")
    assert "model" in page.inner_text(".u-legend >> nth=0")
    assert "acceptance" in page.inner_text("[aria-label=Mixing] h3 >> nth=1")


def test_samples_are_drawn_live(page, address):
    page.goto(f"{address}#samples?seed=3")
    page.wait_for_selector(".samples li >> nth=11")
    first = page.inner_text("[role=status]")
    page.wait_for_timeout(300)
    assert page.inner_text("[role=status]") != first
    page.click("text=Stop")
    page.wait_for_selector("text=Start")


def test_classifier_and_tagger(page, address, full_session):
    page.goto(f"{address}#classifier?text=the+bank+raised+the+price")
    page.wait_for_selector("table")
    assert page.locator(".columns .card").count() == len(full_session.classifier.classes)
    assert "bank" in page.inner_text(".words")
    page.keyboard.press("7")
    page.fill("textarea", "the DT\nnew JJ\ncat NN\n\nthe DT\ndog NN")
    page.click("text=Read")
    page.wait_for_selector(".words >> nth=1")
    assert "B-NP" in page.inner_text(".words >> nth=0")
    page.fill("textarea", "the")
    page.click("text=Read")
    page.wait_for_selector("[role=alert]")
    assert "1 column where 2" in page.inner_text("[role=alert]")


def test_dark_phone_and_keys(page, address):
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(address)
    page.wait_for_selector("canvas")
    page.keyboard.press("d")
    assert page.evaluate("document.documentElement.dataset.theme") == "dark"
    page.keyboard.press("?")
    assert page.is_visible("dialog")
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog", state="hidden")
    page.wait_for_function("document.activeElement === document.body")
    page.keyboard.press("/")
    page.wait_for_function("document.activeElement.type === 'search'", timeout=5_000)
    page.evaluate("document.activeElement.blur()")
    for number in range(1, 8):
        page.keyboard.press(str(number))
        page.wait_for_selector("main h2")
        page.wait_for_timeout(250)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


VIEWS = [
    "words", "words?word=monday", "text", "text?text=the+___+sees", "units", "health", "samples",
    "classifier", "tagger",
]  # fmt: skip


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_accessible_names_and_contrast(browser, address, theme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    page = browser.new_page(color_scheme=theme)
    for view in VIEWS:
        page.goto("about:blank")
        page.goto(f"{address}#{view}")
        page.wait_for_selector("main .card")
        page.wait_for_timeout(300)
        result = axe.Axe().run(page, options={"runOnly": ["wcag2a", "wcag2aa"]})
        assert result.violations_count == 0, (view, result.generate_report())
    page.close()


def test_the_command_prints_its_address(folders):
    command = [sys.executable, "-m", "wordrbm", "explore", str(folders[0]), "--no-browser"]
    process = subprocess.Popen([*command, "--port", "0", "--quiet"], stdout=subprocess.PIPE)
    assert process.stdout.readline().startswith(b"http://127.0.0.1:")
    process.terminate()
    assert process.wait(20) in (0, -15, 143)
