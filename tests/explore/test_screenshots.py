"""Pictures of every view; WORDRBM_SCREENSHOTS=docs/images keeps them for the documents.

They are taken of the small model of the tests, or of the one that WORDRBM_MODEL names, with the
corpus WORDRBM_CORPUS.
"""

import os
from pathlib import Path

import pytest

from tests.explore.conftest import served
from wordrbm.cli.explore import open_session

TEXT = "text=the+prime+minister+said+on+monday+that+the+government+will+not+raise+taxes"
BLANKS = "text=the+___+minister+said+on+___+that"
DESK, PHONE = (1280, 860), (390, 844)
PICTURES = {
    "explore-words": ("words?word=monday", DESK, "light", "aside table"),
    "explore-map": ("words", DESK, "light", "aside .row button"),
    "explore-dark": ("words", DESK, "dark", "aside .row button"),
    "explore-text": (f"text?{TEXT}", DESK, "light", ".map canvas"),
    "explore-blanks": (f"text?{BLANKS}", DESK, "light", ".map canvas"),
    "explore-units": ("units?unit=3", DESK, "light", "[aria-label='Terms of the free energy']"),
    "explore-health": ("health", DESK, "light", "[aria-label='Heaviest windows']"),
    "explore-phone": ("text", PHONE, "dark", ".map canvas"),
}


@pytest.fixture(scope="module")
def shown(folders):
    """The address of a server over the model to be pictured."""
    model = os.environ.get("WORDRBM_MODEL")
    corpus = os.environ.get("WORDRBM_CORPUS")
    chosen = (Path(model), Path(corpus) if corpus else None) if model else folders
    with served(open_session(*chosen, quiet=True)) as address:
        yield address


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_of_every_view(browser, shown, tmp_path, name):
    view, (width, height), theme, ready = PICTURES[name]
    folder = Path(os.environ.get("WORDRBM_SCREENSHOTS", tmp_path))
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=theme)
    page.set_default_timeout(300_000)  # a large model on a busy machine
    page.goto(f"{shown}#{view}")
    page.wait_for_selector(ready)
    page.wait_for_timeout(300)
    page.screenshot(path=folder / f"{name}.png")
    image = pytest.importorskip("PIL.Image").open(folder / f"{name}.png").convert("RGB")
    assert len(image.getcolors(image.width * image.height)) > 50  # not an empty page
    image.quantize(256).save(folder / f"{name}.png", optimize=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()
